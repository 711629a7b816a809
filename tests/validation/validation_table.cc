#include "validation_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <utility>

namespace npunet::validation {

void Table::add(std::vector<std::string> row, bool holds) {
    if (!holds) {
        failures.push_back(fmt::format("{}: {}", title, fmt::join(row, " | ")));
    }
    rows.push_back(std::move(row));
}

std::string markdown(const Table& table) {
    std::string text = fmt::format("| {} |\n|", fmt::join(table.heads, " | "));
    for (std::size_t i = 0; i < table.heads.size(); ++i) {
        text += "---|";
    }
    text += '\n';
    for (const std::vector<std::string>& row : table.rows) {
        text += fmt::format("| {} |\n", fmt::join(row, " | "));
    }
    return text;
}

std::string nanoseconds(Time time) {
    return fmt::format("{}{}.{:03}", time < Time() ? "-" : "", std::abs(time.ps()) / 1000,
                       std::abs(time.ps()) % 1000);
}

std::string decimals(double value, int count) {
    return fmt::format("{:.{}f}", value, count);
}

}  // namespace npunet::validation
