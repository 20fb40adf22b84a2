# `cmake --install`: the library, shared and static, with its headers, the program, and what other
# projects need to find them (find_package(sinew) and pkg-config).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(TARGETS sinew EXPORT sinewStaticTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT sinewStaticTargets NAMESPACE sinew:: DESTINATION ${package})
if(TARGET sinew_shared)
    install(TARGETS sinew_shared EXPORT sinewTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${package})
endif()
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/examples)
if(TARGET sinew_cli)
    install(TARGETS sinew_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    # Where `make studio` has built the page.
    install(DIRECTORY ${CMAKE_BINARY_DIR}/studio DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew OPTIONAL)
endif()

# What the static library has to be linked with: for CMake, and as words for pkg-config.
set(dependencies "")
set(words "")
if(SINEW_RENDER)
    string(APPEND dependencies "    find_dependency(embree 3)\n    find_dependency(PNG)\n")
    string(APPEND words " -lembree3 -lpng")
    if(SINEW_JPEG AND JPEG_FOUND)
        string(APPEND dependencies "    find_dependency(JPEG)\n")
        string(APPEND words " -ljpeg")
    endif()
endif()
if(SINEW_XML)
    string(APPEND dependencies "    find_dependency(ZLIB)\n    find_dependency(EXPAT)\n")
    string(APPEND words " -lz -lexpat")
endif()
if(SINEW_ASSIMP AND assimp_FOUND)
    string(APPEND dependencies "    find_dependency(assimp)\n")
    string(APPEND words " -lassimp")
endif()
if(SINEW_DRACO AND draco_FOUND)
    string(APPEND dependencies "    find_dependency(draco)\n")
    string(APPEND words " -ldraco -lstdc++")
endif()
if(SINEW_MESHOPT AND meshoptimizer_FOUND)
    string(APPEND dependencies "    find_dependency(meshoptimizer)\n")
    string(APPEND words " -lmeshoptimizer")
endif()

# sinew::sinew is the shared library. The static one, sinew::static, is a component, since it alone
# needs other libraries to be found.
file(WRITE ${CMAKE_BINARY_DIR}/sinewConfig.cmake
"set(sinew_MAKE ${SINEW_MAKE})
set(sinew_RENDER ${SINEW_RENDER})
if(EXISTS \${CMAKE_CURRENT_LIST_DIR}/sinewTargets.cmake)
    include(\${CMAKE_CURRENT_LIST_DIR}/sinewTargets.cmake)
endif()
if(\"static\" IN_LIST sinew_FIND_COMPONENTS)
    include(CMakeFindDependencyMacro)
    find_dependency(Threads)
${dependencies}    include(\${CMAKE_CURRENT_LIST_DIR}/sinewStaticTargets.cmake)
    set(sinew_static_FOUND ON)
endif()
foreach(component IN LISTS sinew_FIND_COMPONENTS)
    if(sinew_FIND_REQUIRED_\${component} AND NOT sinew_\${component}_FOUND)
        set(sinew_FOUND OFF)
        set(sinew_NOT_FOUND_MESSAGE \"sinew has no component \${component}, only static\")
    endif()
endforeach()
")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sinewConfig.cmake ${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
    DESTINATION ${package})

# Two descriptions for pkg-config: where both libraries lie in one folder, -lsinew is the shared one.
# Paths relative to the file itself, so that the folder can be moved.
function(write_pc name libraries)
    file(WRITE ${CMAKE_BINARY_DIR}/${name}.pc
"prefix=\${pcfiledir}/../..
make=${SINEW_MAKE}
render=${SINEW_RENDER}
Name: ${name}
Description: Characters that move as bodies do
Version: ${PROJECT_VERSION}
Cflags: -I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
${libraries}
")
    install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(folder "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
write_pc(sinew "Libs: -L${folder} -lsinew")
write_pc(sinew-static "Libs: ${folder}/libsinew.a${words} -lpthread -lm")
