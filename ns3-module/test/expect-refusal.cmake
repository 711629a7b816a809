# Runs PROGRAM, which must not end well, and looks for the text EXPECTED in what it says.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE result)
if(result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended as if all were well")
endif()
string(FIND "${said}" "${EXPECTED}" place)
if(place EQUAL -1)
    message(FATAL_ERROR "${PROGRAM} said\n${said}\nwithout \"${EXPECTED}\"")
endif()
