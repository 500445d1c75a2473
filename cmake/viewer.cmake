# The page of `--report` is JavaScript, bundled from viewer/ with npm and esbuild and compiled into the
# program. Without Node.js or its packages only this is missing: `--report` then says so.
set(DFL_VIEWER OFF)
set(viewer_source ${PROJECT_SOURCE_DIR}/cmake/no_viewer.c)
if(DFL_BUILD_VIEWER)
    find_program(NODE_PROGRAM NAMES node nodejs)
    find_program(NPM_PROGRAM npm)
    if(NODE_PROGRAM AND NPM_PROGRAM)
        set(viewer_folder ${PROJECT_BINARY_DIR}/viewer)
        set(viewer_packages ${viewer_folder}/node_modules)
        set(viewer_lock ${PROJECT_SOURCE_DIR}/viewer/package-lock.json)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer_lock})
        file(SHA256 ${viewer_lock} wanted)
        set(found "")
        if(EXISTS ${viewer_folder}/lock.sha256)
            file(READ ${viewer_folder}/lock.sha256 found)
        endif()
        if(NOT wanted STREQUAL found)
            message(STATUS "installing the packages of the report page")
            foreach(name package.json package-lock.json .npmrc)
                configure_file(${PROJECT_SOURCE_DIR}/viewer/${name} ${viewer_folder}/${name} COPYONLY)
            endforeach()
            execute_process(COMMAND ${NPM_PROGRAM} ci --ignore-scripts --no-audit --no-fund --prefer-offline
                                    --fetch-retries=1 --fetch-retry-mintimeout=1000
                            WORKING_DIRECTORY ${viewer_folder} TIMEOUT 180
                            RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
            if(NOT failed)
                file(WRITE ${viewer_folder}/lock.sha256 ${wanted})
                set(found ${wanted})
            endif()
        endif()
        if(wanted STREQUAL found)
            set(DFL_VIEWER ON)
        else()
            message(STATUS "npm cannot install the packages of viewer/: --report is not built")
        endif()
    else()
        message(STATUS "Node.js or npm not found: --report is not built")
    endif()
endif()

if(DFL_VIEWER)
    set(viewer_source ${viewer_folder}/viewer.c)
    file(GLOB viewer_parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*.js
         ${PROJECT_SOURCE_DIR}/viewer/src/*.css)
    add_custom_command(
        OUTPUT ${viewer_source}
        COMMAND ${NODE_PROGRAM} ${PROJECT_SOURCE_DIR}/viewer/build.mjs ${viewer_folder}
        DEPENDS ${viewer_parts} ${PROJECT_SOURCE_DIR}/viewer/build.mjs ${viewer_folder}/lock.sha256
        COMMENT "Bundling the report page" VERBATIM)
endif()
