# Checks that the examples in the folder MODULE/examples, those that sources.cmake builds and those
# that ns-3's test.py runs are the same, and that each has its expected output.
include(${MODULE}/sources.cmake)

file(GLOB programs RELATIVE ${MODULE}/examples ${MODULE}/examples/*.cc)
list(TRANSFORM programs REPLACE "\\.cc$" "")
file(GLOB expected RELATIVE ${MODULE}/examples ${MODULE}/examples/*.expected)
list(TRANSFORM expected REPLACE "\\.expected$" "")
file(STRINGS ${MODULE}/test/examples-to-run.py run REGEX "^ *\\(\"")
list(TRANSFORM run REPLACE "^ *\\(\"([^ \"]+).*" "\\1")
set(built ${npunet_ns3_examples})

foreach(list programs expected run built)
    list(SORT ${list})
    list(REMOVE_DUPLICATES ${list})
endforeach()
if(NOT programs)
    message(FATAL_ERROR "no examples in ${MODULE}/examples")
endif()
foreach(list expected run built)
    if(NOT "${${list}}" STREQUAL "${programs}")
        message(
            FATAL_ERROR
                "${MODULE}/examples/*.cc: ${programs}\n"
                "but examples/*.expected: ${expected}\n"
                "test/examples-to-run.py: ${run}\nsources.cmake: ${built}"
        )
    endif()
endforeach()
