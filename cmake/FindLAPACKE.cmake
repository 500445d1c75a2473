# Finds LAPACKE with LAPACK, BLAS and CBLAS, and makes the target LAPACKE::LAPACKE.
# OpenBLAS is preferred; the reference libraries do as well.
#   LAPACKE_LINK_NAMES   the names for `-l`, used in the pkg-config file
include(FindPackageHandleStandardArgs)

find_path(LAPACKE_INCLUDE_DIR NAMES lapacke.h PATH_SUFFIXES lapacke openblas)
find_path(LAPACKE_CBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas)
find_library(LAPACKE_LIBRARY NAMES lapacke)
find_library(LAPACKE_OPENBLAS_LIBRARY NAMES openblas)
if(LAPACKE_OPENBLAS_LIBRARY)
    set(LAPACKE_BLAS_LIBRARIES ${LAPACKE_OPENBLAS_LIBRARY})
    set(LAPACKE_LINK_NAMES -llapacke -lopenblas)
else()
    find_library(LAPACKE_LAPACK_LIBRARY NAMES lapack)
    find_library(LAPACKE_CBLAS_LIBRARY NAMES cblas blas)
    find_library(LAPACKE_BLAS_LIBRARY NAMES blas)
    if(LAPACKE_LAPACK_LIBRARY AND LAPACKE_CBLAS_LIBRARY AND LAPACKE_BLAS_LIBRARY)
        set(LAPACKE_BLAS_LIBRARIES ${LAPACKE_LAPACK_LIBRARY} ${LAPACKE_CBLAS_LIBRARY}
                                   ${LAPACKE_BLAS_LIBRARY})
    endif()
    get_filename_component(cblas_name "${LAPACKE_CBLAS_LIBRARY}" NAME_WE)
    string(REGEX REPLACE "^lib" "" cblas_name "${cblas_name}")
    set(LAPACKE_LINK_NAMES -llapacke -llapack -l${cblas_name} -lblas)
endif()

find_package_handle_standard_args(
    LAPACKE REQUIRED_VARS LAPACKE_LIBRARY LAPACKE_BLAS_LIBRARIES LAPACKE_INCLUDE_DIR
                          LAPACKE_CBLAS_INCLUDE_DIR)
mark_as_advanced(LAPACKE_INCLUDE_DIR LAPACKE_CBLAS_INCLUDE_DIR LAPACKE_LIBRARY
                 LAPACKE_OPENBLAS_LIBRARY LAPACKE_LAPACK_LIBRARY LAPACKE_CBLAS_LIBRARY
                 LAPACKE_BLAS_LIBRARY)

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
    add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
    set_target_properties(
        LAPACKE::LAPACKE
        PROPERTIES INTERFACE_LINK_LIBRARIES "${LAPACKE_LIBRARY};${LAPACKE_BLAS_LIBRARIES}"
                   INTERFACE_INCLUDE_DIRECTORIES
                   "${LAPACKE_INCLUDE_DIR};${LAPACKE_CBLAS_INCLUDE_DIR}")
endif()
