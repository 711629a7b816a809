#include "base/csv_field.h"

#include <charconv>
#include <system_error>

#include "base/printable.h"

namespace npunet {

namespace {

bool is_number(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
        text.remove_prefix(1);
    }
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, number);
    return after == end && error != std::errc::invalid_argument;
}

bool is_formula(std::string_view text) {
    return !text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos &&
           !is_number(text);
}

}  // namespace

std::string csv_field(std::string_view text) {
    const std::string shown = printable(text, text.size());
    return plain_csv_field(is_formula(shown) ? "'" + shown : shown);
}

std::string plain_csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    return quoted + '"';
}

}  // namespace npunet
