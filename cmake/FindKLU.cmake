# Finds KLU and AMD of SuiteSparse, and makes the target KLU::KLU.
#   KLU_LINK_NAMES   the names for `-l`, used in the pkg-config file
include(FindPackageHandleStandardArgs)

find_path(KLU_INCLUDE_DIR NAMES klu.h PATH_SUFFIXES suitesparse)
set(KLU_LIBRARIES)
set(KLU_LINK_NAMES -lklu -lbtf -lcolamd -lamd -lsuitesparseconfig)
foreach(name klu btf colamd amd suitesparseconfig)
    find_library(KLU_${name}_LIBRARY NAMES ${name})
    mark_as_advanced(KLU_${name}_LIBRARY)
    list(APPEND KLU_LIBRARIES ${KLU_${name}_LIBRARY})
endforeach()

find_package_handle_standard_args(KLU REQUIRED_VARS KLU_klu_LIBRARY KLU_btf_LIBRARY
                                                    KLU_colamd_LIBRARY KLU_amd_LIBRARY
                                                    KLU_suitesparseconfig_LIBRARY KLU_INCLUDE_DIR)
mark_as_advanced(KLU_INCLUDE_DIR)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
    add_library(KLU::KLU INTERFACE IMPORTED)
    set_target_properties(KLU::KLU PROPERTIES INTERFACE_LINK_LIBRARIES "${KLU_LIBRARIES}"
                                              INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}")
endif()
