#include "planner/python_json.h"

#include <array>
#include <charconv>
#include <cmath>

namespace npunet::planner {

namespace {

using Json = nlohmann::ordered_json;

std::string python_float(double value) {
    const double size = std::abs(value);
    const bool fixed = value == 0 || (size >= 1e-4 && size < 1e16);
    std::array<char, 64> buffer{};
    const auto result =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                      fixed ? std::chars_format::fixed : std::chars_format::scientific);
    std::string text(buffer.data(), result.ptr);
    if (fixed && text.find('.') == std::string::npos) {
        text += ".0";
    }
    return text;
}

void append(const Json& value, std::size_t depth, std::string& text);

/// The entries of a list or object, each on a line of its own.
void append_entries(const Json& value, std::size_t depth, std::string& text) {
    const std::string indent(2 * (depth + 1), ' ');
    const char* separator = "\n";
    for (auto entry = value.begin(); entry != value.end(); ++entry) {
        text += separator;
        text += indent;
        separator = ",\n";
        if (value.is_object()) {
            text += Json(entry.key()).dump(-1, ' ', true);
            text += ": ";
        }
        append(*entry, depth + 1, text);
    }
    text += '\n';
    text.append(2 * depth, ' ');
}

void append(const Json& value, std::size_t depth, std::string& text) {
    if (value.is_number_float()) {
        text += python_float(value.get<double>());
    } else if (!value.is_structured() || value.empty()) {
        text += value.dump(-1, ' ', true, Json::error_handler_t::replace);
    } else {
        text += value.is_object() ? '{' : '[';
        append_entries(value, depth, text);
        text += value.is_object() ? '}' : ']';
    }
}

}  // namespace

std::string python_json(const Json& document) {
    std::string text;
    append(document, 0, text);
    return text;
}

}  // namespace npunet::planner
