// How the JSON of a log is laid out.
//
//     std::string text;
//     append_list(text, LogLayout::Lines, 0, shape,
//                 [&](std::int64_t size) { append_number(text, size); });   // [2, 4]
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace npunet::generators::megatron {

enum class LogLayout : std::uint8_t {
    Indented,  ///< as Python's json.dump(obj, indent=2)
    Lines      ///< one event a line
};

/// The items of a list whose bracket stands at `indent` blanks; append_item(item) appends one.
template <class Range, class AppendItem>
void append_list(std::string& text, LogLayout layout, std::size_t indent, const Range& items,
                 const AppendItem& append_item) {
    const bool indented = layout == LogLayout::Indented;
    bool first = true;
    text += '[';
    for (const auto& item : items) {
        text += first ? "" : indented ? "," : ", ";
        first = false;
        if (indented) {
            text += '\n';
            text.append(indent + 2, ' ');
        }
        append_item(item);
    }
    if (indented && !first) {
        text += '\n';
        text.append(indent, ' ');
    }
    text += ']';
}

inline void append_number(std::string& text, std::int64_t number) {
    const fmt::format_int digits(number);
    text.append(digits.data(), digits.size());
}

}  // namespace npunet::generators::megatron
