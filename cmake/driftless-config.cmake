# Targets: driftless::driftless (static, carries its dependencies) and driftless::shared; with scripts
# (driftless/model.h) driftless::model and driftless::model_shared, if they were built.
include(CMakeFindDependencyMacro)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_dependency(LAPACKE)
find_dependency(KLU)
list(POP_FRONT CMAKE_MODULE_PATH)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND) # for driftless::model alone
    pkg_search_module(LUA QUIET IMPORTED_TARGET lua5.4 lua-5.4 lua54)
    pkg_search_module(HDF5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
    pkg_search_module(NLOPT QUIET IMPORTED_TARGET nlopt)
endif()
find_package(EXPAT QUIET) # of driftless::model as well, if it was built with them
find_package(ZLIB QUIET)
include(${CMAKE_CURRENT_LIST_DIR}/driftless-targets.cmake)
