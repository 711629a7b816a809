#include "study/validation/measured_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "base/errors.h"

namespace npunet::study {

namespace {

/// The number that the text begins with; `end`: where it ends.
std::optional<double> leading_number(std::string_view text, std::size_t& end) {
    double value = 0;
    const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    end = static_cast<std::size_t>(last - text.data());
    return error == std::errc() && end > 0 && std::isfinite(value) ? std::optional(value)
                                                                   : std::nullopt;
}

}  // namespace

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

bool has_part(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::optional<double> number_of(std::string_view text) {
    std::size_t end = 0;
    const auto value = leading_number(text, end);
    return end == text.size() ? value : std::nullopt;
}

std::optional<double> number_before(std::string_view text, std::string_view word) {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    text = text.substr(0, at);
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    return number_of(text.substr(text.find_last_not_of("0123456789.") + 1));
}

std::optional<double> number_after(std::string_view text, std::string_view word) {
    const std::size_t at = text.find(word);
    std::size_t end = 0;
    return at == std::string_view::npos ? std::nullopt
                                        : leading_number(text.substr(at + word.size()), end);
}

CsvTable read_measured_table(const std::string& path, const std::string& rows,
                             const std::string& columns, const std::string& example) {
    CsvTable table = read_csv_table(path, {rows + " in CSV", "Check the path of the rows"});
    for (const char* const column : {"value", "quantity"}) {
        if (!table.has(column)) {
            throw InputError({path, "line 1", fmt::format("no column '{}'", column),
                              "a header with the columns " + columns,
                              "The columns are those of " + example});
        }
    }
    return table;
}

}  // namespace npunet::study
