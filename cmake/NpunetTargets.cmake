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
    # Where the tests find modules (base/program_module.h); the program sets its own RUNPATH.
    set(CMAKE_BUILD_RPATH ${npunet_BINARY_DIR})
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
    include(NpunetHardening)
    set(npunet_library_kind STATIC)
    set(npunet_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
endif()

# The same input gives the same bits on every compiler: no fused multiply-add. Our
# functions are not replaced at load time: without position-independent code's provision for that,
# GCC may inline within a file.
set(npunet_code_options -ffp-contract=off -fno-semantic-interposition)

add_library(npunet_settings INTERFACE)
target_include_directories(
    npunet_settings INTERFACE $<BUILD_INTERFACE:${npunet_SOURCE_DIR}>
                              $<BUILD_INTERFACE:${npunet_BINARY_DIR}>
                              $<INSTALL_INTERFACE:include/npunet>
)

# In batches a local name may be one of another file, and a type of a file's own looks like one that
# stands in a header.
set(npunet_batch_warnings
    -Wno-shadow "$<$<CXX_COMPILER_ID:GNU>:-Wshadow=local;-Wno-subobject-linkage>"
)
set(npunet_in_batches $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
target_compile_options(
    npunet_settings
    INTERFACE "$<BUILD_INTERFACE:${npunet_warnings};$<${npunet_in_batches}:${npunet_batch_warnings}>>"
              ${npunet_code_options}
)

# npunet_install_library(TARGET...): for those who build upon npunet (cmake/NpunetInstall.cmake).
function(npunet_install_library)
    if(NOT NPUNET_IN_NS3_TREE)
        install(TARGETS ${ARGN} EXPORT npunet-targets ARCHIVE DESTINATION lib COMPONENT development)
        set_property(GLOBAL APPEND PROPERTY npunet_installed ${ARGN})
    endif()
endfunction()
npunet_install_library(npunet_settings)

# npunet_compile_in_batches(TARGET): several sources are compiled as one, which for many small files
# that include the same large headers saves up to two thirds of the time. Names in unnamed namespaces
# have to differ within such a target, for which a test file can have a namespace of its own, and a
# missing #include goes unnoticed: the presets debug and coverage compile each source by itself.
option(NPUNET_COMPILE_IN_BATCHES "Compile several sources of a target as one" ON)
function(npunet_compile_in_batches target)
    if(NPUNET_COMPILE_IN_BATCHES)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    endif()
endfunction()

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
    # Two words that were just written to memory, one by one, are slow to be read as one vector: keys
    # of events are passed so.
    target_compile_options(npunet_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
    target_link_libraries(npunet_${name} PUBLIC npunet_settings ${arg_LINK})
    npunet_compile_in_batches(npunet_${name})
    npunet_install_library(npunet_${name})
endfunction()

# npunet_module(NAME FOR LIBRARY SOURCES ... LINK ...): a part of a library that is loaded when it is
# needed (base/program_module.h); the library's targets build it with them.
function(npunet_module name)
    cmake_parse_arguments(arg "" "FOR" "SOURCES;LINK" ${ARGN})
    add_library(npunet_${name} MODULE ${arg_SOURCES})
    target_link_libraries(npunet_${name} PRIVATE npunet_settings ${arg_LINK})
    set_target_properties(
        npunet_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${npunet_BINARY_DIR}
                                  BUILD_WITH_INSTALL_RPATH ON
    )
    add_dependencies(npunet_${arg_FOR} npunet_${name})
    if(NOT NPUNET_IN_NS3_TREE)
        install(TARGETS npunet_${name} LIBRARY DESTINATION lib/npunet COMPONENT program)
        # For users' programs that link the installed library.
        target_link_options(
            npunet_${arg_FOR} INTERFACE "$<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/lib/npunet>"
        )
        set_property(GLOBAL APPEND PROPERTY npunet_installed npunet_${name})
    endif()
endfunction()

# npunet_quick_to_compile(TARGET): for code that is compiled for longer than it ever runs. Half of the
# time of -O3 is saved; results do not depend on the level.
function(npunet_quick_to_compile target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()

# Large headers are parsed once for many programs. Precompiled headers hide a missing #include: the
# preset debug and CMAKE_DISABLE_PRECOMPILE_HEADERS=ON do without. ccache keeps nothing that
# was compiled with one, so they do not meet.
get_filename_component(npunet_compiler ${CMAKE_CXX_COMPILER} REALPATH)
if("${npunet_compiler} ${CMAKE_CXX_COMPILER_LAUNCHER}" MATCHES "ccache")
    set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# npunet_as_in_programs(TARGET): compiled quickly, and as the sources of a program are: those who use
# a precompiled header have to agree with it in -fPIE and in the macros of libraries for GCC.
function(npunet_as_in_programs target)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
    npunet_quick_to_compile(${target})
endfunction()

# npunet_precompiled(NAME HEADERS ... LINK ...): the target npunet_NAME, whose precompiled headers
# programs take that are quick to compile.
function(npunet_precompiled name)
    cmake_parse_arguments(arg "" "" "HEADERS;LINK" ${ARGN})
    set(source ${npunet_BINARY_DIR}/${name}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(npunet_${name} OBJECT ${source})
    npunet_as_in_programs(npunet_${name})
    target_link_libraries(npunet_${name} PRIVATE npunet_settings ${arg_LINK})
    target_precompile_headers(npunet_${name} PRIVATE ${arg_HEADERS})
endfunction()

# The target npunet_test_headers, whose precompiled headers every test program takes.
function(npunet_test_headers)
    npunet_precompiled(
        test_headers
        HEADERS <gmock/gmock.h> <gtest/gtest.h> <algorithm> <filesystem> <fstream> <random>
        LINK fmt::fmt GTest::gmock
    )
endfunction()

# npunet_test_objects(NAME SOURCES ... LINK ...): sources that a test program and another one share,
# compiled once as those of a test program.
function(npunet_test_objects name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_library(${name} OBJECT ${arg_SOURCES})
    npunet_as_in_programs(${name})
    target_link_libraries(${name} PRIVATE npunet_settings ${arg_LINK} GTest::gmock)
    npunet_compile_in_batches(${name})
    target_precompile_headers(${name} REUSE_FROM npunet_test_headers)
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
    npunet_quick_to_compile(${room}_tests)
    npunet_compile_in_batches(${room}_tests)
    target_precompile_headers(${room}_tests REUSE_FROM npunet_test_headers)
    include(GoogleTest)
    gtest_discover_tests(${room}_tests TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60)
endfunction()

# npunet_recorder(NAME SOURCES ... [LINK ...]): a program of scripts/record, which builds it.
function(npunet_recorder name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE npunet_settings ${arg_LINK})
    target_compile_definitions(${name} PRIVATE NPUNET_SOURCE_DIR="${npunet_SOURCE_DIR}")
    npunet_quick_to_compile(${name})
endfunction()
