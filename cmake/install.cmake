# `cmake --install`: the library with its headers, the program, and what other projects need to find
# them (find_package(sinew) and pkg-config).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS sinew EXPORT sinewTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sinew_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/examples)
# Where `make studio` has built the page.
install(DIRECTORY ${CMAKE_BINARY_DIR}/studio DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew OPTIONAL)
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

file(WRITE ${CMAKE_BINARY_DIR}/sinewConfig.cmake
"include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(embree 3)
find_dependency(PNG)
find_dependency(ZLIB)
find_dependency(EXPAT)
if(\"${SINEW_ASSIMP}\" AND \"${assimp_FOUND}\")
    find_dependency(assimp)
endif()
include(\${CMAKE_CURRENT_LIST_DIR}/sinewTargets.cmake)
")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sinewConfig.cmake ${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

set(assimp_library "")
if(SINEW_ASSIMP AND assimp_FOUND)
    set(assimp_library " -lassimp")
endif()
# Paths relative to the file itself, so that the folder can be moved.
file(WRITE ${CMAKE_BINARY_DIR}/sinew.pc
"prefix=\${pcfiledir}/../..
Name: sinew
Description: Characters that move as bodies do
Version: ${PROJECT_VERSION}
Cflags: -I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
Libs: -L\${prefix}/${CMAKE_INSTALL_LIBDIR} -lsinew -lembree3 -lpng -lz -lexpat${assimp_library} -lpthread -lm
")
install(FILES ${CMAKE_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
