# Finds an installed ns-3: the targets npunet::ns3-MODULE of the modules below. The packet fidelity
# needs core and network, workloads on sockets the Internet stack, their tests and examples the others.
#
# Debian's own package files cannot be used: its CMake targets file demands helper programs that the
# package does not ship, and its pkg-config files carry a stray semicolon. So the headers and
# libraries are searched for directly. Debian names the libraries libns3-MODULE.so; ns-3's own
# installation names them libns3.VERSION-MODULE[-PROFILE].so. Both are looked for, in the folders of
# the system and of CMAKE_PREFIX_PATH. So it does not matter either that ns-3's own package files name
# the targets ns3::libMODULE before ns-3.43 and ns3::MODULE since.
#
# Result: NpunetNs3_FOUND, NpunetNs3_VERSION.

find_path(NpunetNs3_INCLUDE_DIR ns3/core-module.h)

set(npunet_ns3_modules
    core
    network
    internet
    applications
    csma
    flow-monitor
    point-to-point
)
foreach(module IN LISTS npunet_ns3_modules)
    if(NOT NpunetNs3_${module}_LIBRARY)
        file(
            GLOB
            candidates
            ${NpunetNs3_INCLUDE_DIR}/../lib*/libns3*-${module}*.so
            ${NpunetNs3_INCLUDE_DIR}/../lib/*/libns3*-${module}*.so
            /usr/local/lib/libns3*-${module}*.so
            /usr/lib/libns3*-${module}*.so
        )
        set(names ns3-${module})
        foreach(candidate IN LISTS candidates)
            get_filename_component(candidate_name ${candidate} NAME)
            if(candidate_name MATCHES "^libns3[.0-9]*-${module}(-(default|debug|release|optimized|minsizerel|relwithdebinfo))?\\.so$")
                list(APPEND names ${candidate_name})
            endif()
        endforeach()
        # Headers of one installation and libraries of another must not be mixed.
        find_library(
            NpunetNs3_${module}_LIBRARY
            NAMES ${names} NAMES_PER_DIR
            HINTS ${NpunetNs3_INCLUDE_DIR}/../lib
        )
    endif()
    list(APPEND npunet_ns3_library_variables NpunetNs3_${module}_LIBRARY)
endforeach()

if(NpunetNs3_INCLUDE_DIR AND EXISTS ${NpunetNs3_INCLUDE_DIR}/ns3/version-defines.h)
    file(STRINGS ${NpunetNs3_INCLUDE_DIR}/ns3/version-defines.h version_lines
         REGEX "define NS3_VERSION_(MAJOR|MINOR)"
    )
    string(REGEX REPLACE ".*MAJOR[^0-9]*([0-9]+).*" "\\1" version_major "${version_lines}")
    string(REGEX REPLACE ".*MINOR[^0-9]*([0-9]+).*" "\\1" version_minor "${version_lines}")
    set(NpunetNs3_VERSION ${version_major}.${version_minor})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
    NpunetNs3
    REQUIRED_VARS NpunetNs3_INCLUDE_DIR ${npunet_ns3_library_variables}
    VERSION_VAR NpunetNs3_VERSION
)

if(NpunetNs3_FOUND)
    foreach(module IN LISTS npunet_ns3_modules)
        if(NOT TARGET npunet::ns3-${module})
            add_library(npunet::ns3-${module} UNKNOWN IMPORTED)
            set_target_properties(
                npunet::ns3-${module} PROPERTIES IMPORTED_LOCATION ${NpunetNs3_${module}_LIBRARY}
            )
            # ns-3's headers are not clean under the project's warnings; as those of a system folder
            # they are not looked at. /usr/include is one already, and listing it once more would
            # break the compiler's own headers.
            if(NOT NpunetNs3_INCLUDE_DIR STREQUAL "/usr/include")
                set_target_properties(
                    npunet::ns3-${module} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                                                     ${NpunetNs3_INCLUDE_DIR}
                )
            endif()
        endif()
    endforeach()
    target_link_libraries(npunet::ns3-network INTERFACE npunet::ns3-core)
    target_link_libraries(npunet::ns3-internet INTERFACE npunet::ns3-network)
endif()
