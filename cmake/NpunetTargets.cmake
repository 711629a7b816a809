# Settings that every target of the project shares, and the functions that make targets.

include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(npunet_settings INTERFACE)
target_include_directories(npunet_settings INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
# The same input gives the same bits on every compiler: no fused multiply-add. Nobody replaces our
# functions at load time: without position-independent code's provision for that, GCC may inline
# within a file.
target_compile_options(
    npunet_settings
    INTERFACE -Wall
              -Wextra
              -Wpedantic
              -Wconversion
              -Wshadow
              -Werror
              -ffp-contract=off
              -fno-semantic-interposition
)

# npunet_library(NAME SOURCES ... [LINK ...]): the static library npunet_NAME of one room.
function(npunet_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_library(npunet_${name} STATIC ${arg_SOURCES})
    target_link_libraries(npunet_${name} PUBLIC npunet_settings ${arg_LINK})
endfunction()

# npunet_module(NAME FOR LIBRARY SOURCES ... LINK ...): a part of a library that is loaded when it is
# needed (base/program_module.h); the library's targets build it with them.
function(npunet_module name)
    cmake_parse_arguments(arg "" "FOR" "SOURCES;LINK" ${ARGN})
    add_library(npunet_${name} MODULE ${arg_SOURCES})
    target_link_libraries(npunet_${name} PRIVATE npunet_settings ${arg_LINK})
    set_target_properties(npunet_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
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
        PRIVATE NPUNET_SHARED_DIR="${NPUNET_SHARED_DIR}" NPUNET_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    )
    include(GoogleTest)
    gtest_discover_tests(${room}_tests TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60)
endfunction()
