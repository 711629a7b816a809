# Exploit mitigations: stack canaries, checked C library calls, position-independent code and
# read-only relocations. They do not affect results. Checked calls cannot be combined with
# sanitizers, which find more errors.

include(CheckPIESupported)
check_pie_supported()

option(NPUNET_HARDENING "Stack protector, checked calls of the C library, read-only relocations" ON)
string(TOUPPER "${CMAKE_BUILD_TYPE}" npunet_build_type)
set(npunet_flags "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${npunet_build_type}}")
if(NPUNET_HARDENING AND NOT npunet_flags MATCHES "-fsanitize")
    add_compile_options(-fstack-protector-strong)
    # Checked calls need the optimizer.
    set(npunet_fortified "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
    add_compile_options(
        "$<${npunet_fortified}:-U_FORTIFY_SOURCE>" "$<${npunet_fortified}:-D_FORTIFY_SOURCE=2>"
    )
    add_link_options(LINKER:-z,relro LINKER:-z,now)
endif()
