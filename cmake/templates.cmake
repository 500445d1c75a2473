# The templates of exported source code (src/export/templates) are compiled into the program.
set(template_source ${PROJECT_BINARY_DIR}/templates.c)
file(GLOB template_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/export/templates/*.in)
add_custom_command(
    OUTPUT ${template_source}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/src/export/templates
            -DOUTPUT=${template_source} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${template_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding the templates of exported code" VERBATIM)
