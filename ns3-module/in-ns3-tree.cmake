# The module inside an ns-3 source tree, where the whole repository is contrib/npunet: the plain
# libraries that it needs, and the module by ns-3's own build_lib(). README.md tells more.
#
# Included by the repository's CMakeLists.txt alone, so that the folder of the module is the
# repository's for ns-3. CMAKE_SOURCE_DIR and PROJECT_SOURCE_DIR are ns-3's here.

set(npunet_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
set(npunet_BINARY_DIR ${CMAKE_CURRENT_BINARY_DIR})
list(APPEND CMAKE_MODULE_PATH ${npunet_SOURCE_DIR}/cmake)

# As ns-3's own modules do, leave the module out when something that it needs is not there.
set(npunet_missing "")
foreach(
    need
    "Protobuf: libprotobuf-dev protobuf-compiler"
    "ZLIB: zlib1g-dev"
    "yaml-cpp: libyaml-cpp-dev"
    "nlohmann_json: nlohmann-json3-dev"
    "pugixml: libpugixml-dev"
    "fmt: libfmt-dev"
    "Threads: libc6-dev"
)
    string(FIND "${need}" ":" colon)
    string(SUBSTRING "${need}" 0 ${colon} package)
    string(REPLACE "${package}:" "" debian_packages "${need}")
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND OR (package STREQUAL "Protobuf" AND NOT Protobuf_PROTOC_EXECUTABLE))
        string(APPEND npunet_missing "${debian_packages}")
    endif()
endforeach()
if(NS3_STATIC OR NS3_MONOLIB)
    set(npunet_obstacle "it is a shared library of its own: not for NS3_STATIC and NS3_MONOLIB")
elseif(npunet_missing)
    set(npunet_obstacle "packages are missing. On Debian: apt-get install${npunet_missing}")
endif()
if(DEFINED npunet_obstacle)
    message(WARNING "The module npunet is left out: ${npunet_obstacle}")
    set(npunet_modules_left ${ns3-all-enabled-modules})
    list(REMOVE_ITEM npunet_modules_left npunet)
    set(ns3-all-enabled-modules "${npunet_modules_left}" CACHE INTERNAL "")
    return()
endif()

# ns-3's -Werror is meant for the compilers that its own release was tried with.
add_compile_options(-Wno-error)

set(NPUNET_IN_NS3_TREE ON)
include(NpunetTargets)
add_subdirectory(base)
add_subdirectory(chakra)
add_subdirectory(topology)
add_subdirectory(engine)
add_subdirectory(packet)

include(ns3-module/sources.cmake)
if(ENABLE_MPI)
    list(APPEND npunet_ns3_sources ${npunet_ns3_mpi_source})
else()
    list(APPEND npunet_ns3_sources ${npunet_ns3_alone_source})
endif()
foreach(list ns3_headers ns3_sources ns3_socket_sources)
    list(TRANSFORM npunet_${list} PREPEND ns3-module/)
endforeach()
set(npunet_ns3_test_sources ${npunet_ns3_suites})
list(TRANSFORM npunet_ns3_test_sources PREPEND ns3-module/test/)
list(TRANSFORM npunet_ns3_test_sources APPEND -test-suite.cc)

# The precompiled header is of ns-3's language standard. build_lib enters examples/.
build_lib(
    LIBNAME npunet
    SOURCE_FILES ${npunet_ns3_sources} ${npunet_ns3_socket_sources}
    HEADER_FILES ${npunet_ns3_headers}
    LIBRARIES_TO_LINK ${npunet_ns3_libraries}
    TEST_SOURCES ${npunet_ns3_test_sources}
    IGNORE_PCH
)

if(TARGET ${testnpunet})
    target_link_libraries(${testnpunet} ${npunet_ns3_scenario_libraries})
endif()

# ns-3's releases differ in whether the sources are compiled by a target of their own.
foreach(target ${libnpunet} ${libnpunet-obj})
    if(TARGET ${target})
        target_include_directories(${target} PRIVATE ns3-module)
        target_compile_options(${target} PRIVATE ${npunet_code_options})
        target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${npunet_SOURCE_DIR}>)
        if(CMAKE_CXX_STANDARD LESS 20)
            set_target_properties(${target} PROPERTIES CXX_STANDARD 20)
        endif()
    endif()
endforeach()
# All of the plain libraries becomes part of the module: scenario scripts call them.
target_link_libraries(
    ${libnpunet} PRIVATE npunet_packet npunet_engine npunet_chakra npunet_chakra_proto
                         npunet_topology npunet_base
)

# An installed ns-3 with the module: the headers that those of the module include.
target_include_directories(
    ${libnpunet} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/npunet>
)
foreach(room base chakra topology engine)
    # A link to a folder would be installed as a link.
    get_filename_component(folder ${npunet_SOURCE_DIR}/${room} REALPATH)
    install(
        DIRECTORY ${folder}/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/npunet/${room}
        FILES_MATCHING
        PATTERN "*.h"
    )
endforeach()
