# Settings that every target of the project shares, and the functions that make targets.

include_guard(GLOBAL)

# In an ns-3 tree (ns3-module/in-ns3-tree.cmake) the build type, the warnings and the language of the
# other targets are ns-3's, and the libraries become parts of the module's.
if(NPUNET_IN_NS3_TREE)
    set(npunet_library_kind OBJECT)
    set(npunet_warnings "")
else()
    set(CMAKE_CXX_STANDARD 20)
    set(CMAKE_CXX_STANDARD_REQUIRED ON)
    set(CMAKE_CXX_EXTENSIONS OFF)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
    set(npunet_library_kind STATIC)
    set(npunet_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
endif()

# The same input gives the same bits on every compiler: no fused multiply-add. Nobody replaces our
# functions at load time: without position-independent code's provision for that, GCC may inline
# within a file.
set(npunet_code_options -ffp-contract=off -fno-semantic-interposition)

add_library(npunet_settings INTERFACE)
target_include_directories(npunet_settings INTERFACE ${npunet_SOURCE_DIR} ${npunet_BINARY_DIR})
target_compile_options(npunet_settings INTERFACE ${npunet_warnings} ${npunet_code_options})

# npunet_library(NAME SOURCES ... [LINK ...]): the library npunet_NAME of one room.
function(npunet_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_library(npunet_${name} ${npunet_library_kind} ${arg_SOURCES})
    set_target_properties(
        npunet_${name}
        PROPERTIES CXX_STANDARD 20
                   CXX_STANDARD_REQUIRED ON
                   CXX_EXTENSIONS OFF
                   POSITION_INDEPENDENT_CODE ON
    )
    target_link_libraries(npunet_${name} PUBLIC npunet_settings ${arg_LINK})
endfunction()

# npunet_module(NAME FOR LIBRARY SOURCES ... LINK ...): a part of a library that is loaded when it is
# needed (base/program_module.h); the library's targets build it with them.
function(npunet_module name)
    cmake_parse_arguments(arg "" "FOR" "SOURCES;LINK" ${ARGN})
    add_library(npunet_${name} MODULE ${arg_SOURCES})
    target_link_libraries(npunet_${name} PRIVATE npunet_settings ${arg_LINK})
    set_target_properties(npunet_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${npunet_BINARY_DIR})
    add_dependencies(npunet_${arg_FOR} npunet_${name})
endfunction()

# npunet_test(ROOM SOURCES ... [LINK ...]): one GoogleTest program for a room.
function(npunet_test room)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_executable(${room}_tests ${arg_SOURCES})
    target_link_libraries(
        ${room}_tests PRIVATE npunet_settings ${arg_LINK} GTest::gmock GTest::gtest_main
    )
    target_compile_definitions(
        ${room}_tests
        PRIVATE NPUNET_SHARED_DIR="${NPUNET_SHARED_DIR}" NPUNET_SOURCE_DIR="${npunet_SOURCE_DIR}"
    )
    include(GoogleTest)
    gtest_discover_tests(${room}_tests TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60)
endfunction()
