# Finds an installed ns-3: the targets npunet::ns3-MODULE of the modules below. The packet fidelity
# needs core and network, workloads on sockets the Internet stack, their tests and examples the others.
#
# Debian's own package files cannot be used: its CMake targets file demands helper programs that the
# package does not ship, and its pkg-config files carry a stray semicolon. So the headers and
# libraries are searched for directly. Debian names the libraries libns3-MODULE.so; ns-3's own
# installation and its build folder name them libns3.VERSION-MODULE[-PROFILE].so, or libns3-dev-MODULE...
# in a development tree. All libraries are those of one installation: in the folders beside the headers,
# of one version and one profile. Of several, the version of the headers is taken.
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
    traffic-control
)

if(NpunetNs3_INCLUDE_DIR AND EXISTS ${NpunetNs3_INCLUDE_DIR}/ns3/version-defines.h)
    file(STRINGS ${NpunetNs3_INCLUDE_DIR}/ns3/version-defines.h version_lines
         REGEX "define NS3_VERSION_(MAJOR|MINOR)"
    )
    string(REGEX REPLACE ".*MAJOR[^0-9]*([0-9]+).*" "\\1" version_major "${version_lines}")
    string(REGEX REPLACE ".*MINOR[^0-9]*([0-9]+).*" "\\1" version_minor "${version_lines}")
    set(NpunetNs3_VERSION ${version_major}.${version_minor})
endif()

# What stands before and after -MODULE in the names of the libraries that belong to the headers.
if(NpunetNs3_INCLUDE_DIR AND NOT NpunetNs3_core_LIBRARY)
    file(GLOB candidates ${NpunetNs3_INCLUDE_DIR}/../lib*/libns3*-core*.so
         ${NpunetNs3_INCLUDE_DIR}/../lib/*/libns3*-core*.so
    )
    set(npunet_ns3_profiles "-(default|debug|release|optimized|minsizerel|relwithdebinfo)")
    set(found "")
    foreach(candidate IN LISTS candidates)
        get_filename_component(name ${candidate} NAME)
        if(name MATCHES "^libns3((\\.[0-9]+)+|-dev)?-core(${npunet_ns3_profiles})?\\.so$")
            list(APPEND found ${candidate})
        endif()
    endforeach()
    set(of_version ${found})
    if(NpunetNs3_VERSION)
        list(FILTER of_version INCLUDE REGEX "/libns${NpunetNs3_VERSION}(\\.[0-9]+)*-core")
    endif()
    if(of_version)
        set(found ${of_version})
    endif()
    list(LENGTH found count)
    if(count GREATER 1)
        string(REPLACE ";" "\n  " listed "${found}")
        message(
            FATAL_ERROR
                "Several ns-3 belong to the headers in ${NpunetNs3_INCLUDE_DIR}/ns3:\n  ${listed}\n"
                "Name one by -D NpunetNs3_core_LIBRARY=FILE"
        )
    elseif(count EQUAL 1)
        get_filename_component(found ${found} ABSOLUTE)
    endif()
    set(NpunetNs3_core_LIBRARY "${found}" CACHE FILEPATH "ns-3's library core" FORCE)
endif()
foreach(module IN LISTS npunet_ns3_modules)
    if(NpunetNs3_core_LIBRARY AND NOT NpunetNs3_${module}_LIBRARY)
        get_filename_component(folder ${NpunetNs3_core_LIBRARY} DIRECTORY)
        get_filename_component(name ${NpunetNs3_core_LIBRARY} NAME)
        string(REPLACE "-core" "-${module}" name ${name})
        if(EXISTS ${folder}/${name})
            set(NpunetNs3_${module}_LIBRARY ${folder}/${name}
                CACHE FILEPATH "ns-3's library ${module}" FORCE
            )
        endif()
    endif()
    list(APPEND npunet_ns3_library_variables NpunetNs3_${module}_LIBRARY)
endforeach()

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
    # ns-3's headers are C++20 from 3.43 on; those before are C++17.
    if(NpunetNs3_VERSION VERSION_GREATER_EQUAL 3.43 OR NOT NpunetNs3_VERSION MATCHES
                                                       "^[0-9]+\\.[0-9]+$"
    )
        set_target_properties(npunet::ns3-core PROPERTIES INTERFACE_COMPILE_FEATURES cxx_std_20)
    endif()
    target_link_libraries(npunet::ns3-network INTERFACE npunet::ns3-core)
    target_link_libraries(npunet::ns3-internet INTERFACE npunet::ns3-network)
endif()
