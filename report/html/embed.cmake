# Puts the style and the scripts of pages into C++: cmake -D FOLDER=report/html -D OUTPUT=assets.cc
# -P embed.cmake
set(style_files report.css)
set(script_files report.js picture.js chart.js link_map.js link_matrix.js)
set(code "#include \"report/html/page.h\"\n\nnamespace npunet::report {\n\n")
foreach(name style script)
    set(all "")
    # Compilers need not take longer literals than 64 KiB: a literal for each file.
    set(literals "")
    foreach(file ${${name}_files})
        file(READ ${FOLDER}/${file} text)
        string(APPEND all "${text}")
        string(APPEND literals "\n    R\"asset(${text})asset\"")
    endforeach()
    string(SHA256 hash "${all}")
    string(APPEND code "const std::string_view page_${name} =${literals};\n")
    string(APPEND code "const std::string_view page_${name}_sha256 = \"${hash}\";\n\n")
endforeach()
file(WRITE ${OUTPUT} "${code}}  // namespace npunet::report\n")
