// Texts of inputs (names of files, nodes, collectives) on a page: as text, whatever they contain.
//
//     html_text("a < b & 'c'")                 // "a &lt; b &amp; &#39;c&#39;"
//     json_in_script(R"(["</script>"])")       // ["\u003c/script\u003e"]
#pragma once

#include <string>
#include <string_view>

namespace npunet::report {

/// The text with U+FFFD for what neither HTML nor XML can hold: control characters, bytes that are
/// not UTF-8, noncharacters.
[[nodiscard]] std::string clean_text(std::string_view text);

/// The cleaned text for the content of an element and for an attribute in quotes, of HTML and XML
/// alike.
[[nodiscard]] std::string html_text(std::string_view text);

/// A JSON document for a `<script>` element: the same document, without characters that could end
/// the element or begin a comment in it. In JSON these stand in strings only, where they can be
/// written as `\uXXXX`.
[[nodiscard]] std::string json_in_script(std::string_view json);

}  // namespace npunet::report
