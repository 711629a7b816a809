// The style and the script of pages: report.css, and report.js, picture.js, chart.js and
// link_map.js one after the other, which the build puts into the program (embed.cmake).
#pragma once

#include <string_view>

namespace npunet::report {

extern const std::string_view page_style;
extern const std::string_view page_script;
/// Their SHA-256 hashes in hexadecimal digits.
extern const std::string_view page_style_sha256;
extern const std::string_view page_script_sha256;

}  // namespace npunet::report
