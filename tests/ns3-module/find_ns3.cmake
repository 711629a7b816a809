# cmake -D SOURCES=FOLDER -D WORK=FOLDER -P find_ns3.cmake: makes installations of ns-3 from empty files,
# and checks which libraries FindNpunetNs3.cmake takes.
cmake_policy(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
file(
    WRITE ${WORK}/project/CMakeLists.txt
    "cmake_minimum_required(VERSION 3.25)
project(find LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH ${SOURCES}/cmake)
find_package(NpunetNs3)
message(STATUS \"core \${NpunetNs3_core_LIBRARY}\")
message(STATUS \"internet \${NpunetNs3_internet_LIBRARY}\")
message(STATUS \"found \${NpunetNs3_FOUND} \${NpunetNs3_VERSION}\")
"
)

# install(NAME MINOR FILE...): headers of ns-3.MINOR, and empty files in the folder of libraries.
function(install name minor)
    file(WRITE ${WORK}/${name}/include/ns3/core-module.h "")
    if(minor)
        file(WRITE ${WORK}/${name}/include/ns3/version-defines.h
             "#define NS3_VERSION_MAJOR 3\n#define NS3_VERSION_MINOR ${minor}\n"
        )
    endif()
    foreach(pattern IN LISTS ARGN)
        foreach(module core network internet applications csma flow-monitor point-to-point traffic-control)
            string(REPLACE "@" ${module} file ${pattern})
            file(WRITE ${WORK}/${name}/lib/${file} "")
        endforeach()
    endforeach()
endfunction()

# expect(NAME TEXT...): configuring with this installation prints all of these.
function(expect name)
    execute_process(
        COMMAND
            ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/project -B ${WORK}/${name}/configured
            -D NpunetNs3_INCLUDE_DIR=${WORK}/${name}/include
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output
    )
    foreach(text IN LISTS ARGN)
        string(FIND "${output}" "${text}" place)
        if(place EQUAL -1)
            message(SEND_ERROR "${name}: expected '${text}' in\n${output}")
        endif()
    endforeach()
endfunction()

install(debian 43 libns3-@.so)
expect(debian "${WORK}/debian/lib/libns3-core.so" "found TRUE 3.43")
install(release 45 libns3.45-@-default.so)
expect(release "lib/libns3.45-internet-default.so" "found TRUE 3.45")
install(development "" libns3-dev-@-optimized.so)
expect(development "lib/libns3-dev-core-optimized.so" "lib/libns3-dev-internet-optimized.so" "found TRUE")
# The version of the headers; other libraries, such as those of an older installation, are left alone.
install(two 43 libns3.37-@-default.so libns3.43-@-default.so)
expect(two "lib/libns3.43-core-default.so" "lib/libns3.43-internet-default.so" "found TRUE 3.43")
# Nothing says which; and a folder of libraries elsewhere is none of these headers.
install(doubtful "" libns3.37-@-default.so libns3-dev-@-default.so)
expect(doubtful "Several ns-3 belong to the headers" "NpunetNs3_core_LIBRARY=FILE")
install(none 37)
expect(none "found FALSE")
