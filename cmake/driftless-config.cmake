# Targets: driftless::driftless (static, carries its dependencies) and driftless::shared.
include(CMakeFindDependencyMacro)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_dependency(LAPACKE)
find_dependency(KLU)
list(POP_FRONT CMAKE_MODULE_PATH)
include(${CMAKE_CURRENT_LIST_DIR}/driftless-targets.cmake)
