# What `cmake --install` puts where, and the Debian package that `cpack` makes of it.
#
# Component program: bin/npunet, its modules in lib/npunet, its models, networks and systems in
# share/npunet/configs, the manual page and the shell completions. Component development:
# headers in include/npunet, the libraries, and a CMake package:
#
#     find_package(npunet REQUIRED)
#     target_link_libraries(mine PRIVATE npunet::npunet_study)
#
# The headers of the ns-3 module are there, too, as <ns3/npunet-module.h>.

include(CMakePackageConfigHelpers)

install(DIRECTORY configs validation DESTINATION share/npunet COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/npunet-manual DESTINATION share/man/man1 RENAME npunet.1
        COMPONENT program
)
install(FILES ${PROJECT_BINARY_DIR}/npunet-completion-bash
        DESTINATION share/bash-completion/completions RENAME npunet COMPONENT program
)
install(FILES ${PROJECT_BINARY_DIR}/npunet-completion-zsh
        DESTINATION share/zsh/site-functions RENAME _npunet COMPONENT program
)
install(FILES ${PROJECT_BINARY_DIR}/npunet-completion-fish
        DESTINATION share/fish/vendor_completions.d RENAME npunet.fish COMPONENT program
)

install(FILES LICENSE COPYRIGHT DESTINATION share/doc/npunet COMPONENT program)
install(FILES COPYRIGHT DESTINATION share/doc/npunet RENAME copyright COMPONENT program)

foreach(room IN ITEMS analysis analytical base chakra engine generators ns3-module packet planner profiles report study topology)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${room})
        install(DIRECTORY ${room} DESTINATION include/npunet COMPONENT development
                FILES_MATCHING PATTERN "*.h"
        )
    endif()
endforeach()
if(NpunetNs3_FOUND)
    # As in the build, each header that ns-3 users include forwards to the one in its room.
    set(forwards ${PROJECT_BINARY_DIR}/installed-headers/ns3)
    set(umbrella "")
    get_property(headers GLOBAL PROPERTY npunet_ns3_headers)
    foreach(header IN LISTS headers)
        get_filename_component(name ${header} NAME)
        file(CONFIGURE OUTPUT ${forwards}/${name} CONTENT "#include \"ns3-module/${header}\"\n")
        string(APPEND umbrella "#include \"${name}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${forwards}/npunet-module.h CONTENT "${umbrella}")
    install(DIRECTORY ${forwards} DESTINATION include/npunet COMPONENT development)
endif()

set(package_folder lib/cmake/npunet)
install(EXPORT npunet-targets NAMESPACE npunet:: DESTINATION ${package_folder} COMPONENT development)
configure_package_config_file(
    cmake/npunet-config.cmake.in ${PROJECT_BINARY_DIR}/npunet-config.cmake
    INSTALL_DESTINATION ${package_folder}
)
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/npunet-config-version.cmake COMPATIBILITY SameMinorVersion
)
install(FILES ${PROJECT_BINARY_DIR}/npunet-config.cmake
              ${PROJECT_BINARY_DIR}/npunet-config-version.cmake cmake/FindNpunetNs3.cmake
        DESTINATION ${package_folder} COMPONENT development
)

# What has to be built before.
get_property(installed GLOBAL PROPERTY npunet_installed)
add_custom_target(npunet_installed)
add_dependencies(npunet_installed npunet npunet_descriptions ${installed})

set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};npunet;program;/")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME npunet)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The npunet authors <npunet@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "Training of large models on networks of NPUs, simulated"
)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# One package: the program, without what is needed to build upon it.
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME npunet)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
