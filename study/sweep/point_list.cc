#include "study/sweep/point_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "base/errors.h"
#include "base/input_text.h"

namespace npunet::study {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The fields of one line; a quoted field may hold commas, and "" for a quote.
std::vector<std::string> fields_of(const std::string& line, const Source& source) {
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t start = line.find_first_not_of(" \t", at);
        if (start == std::string::npos || line[start] != '"') {
            const std::size_t end = std::min(line.find(',', at), line.size());
            fields.push_back(trimmed(line.substr(at, end - at)));
            at = end + 1;
            continue;
        }
        std::string field;
        std::size_t end = start + 1;
        for (; end < line.size() && (line[end] != '"' || line.compare(end, 2, "\"\"") == 0);
             ++end) {
            field += line[end];
            end += line[end] == '"' ? 1 : 0;
        }
        const std::size_t comma = std::min(line.find(',', end), line.size());
        if (end >= line.size() || !trimmed(line.substr(end + 1, comma - end - 1)).empty()) {
            throw InputError({source.file, source.place, "a quote that does not end with its field",
                              "\"...\"", ""});
        }
        fields.push_back(field);
        at = comma + 1;
    }
    return fields;
}

}  // namespace

Axis read_point_list(const std::filesystem::path& file, const std::vector<Parameter>& parameters,
                     const std::filesystem::path& folder) {
    std::istringstream stream(read_input_text(file, "a list of points (.csv)", "Check the path"));
    Axis axis;
    axis.listed = true;
    std::vector<const Parameter*> columns;
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        const Source source{file.string(), fmt::format("line {}", ++number)};
        if (trimmed(line).empty()) {
            continue;
        }
        const std::vector<std::string> fields = fields_of(line, source);
        if (columns.empty()) {
            for (const std::string& name : fields) {
                if (std::find(axis.names.begin(), axis.names.end(), name) != axis.names.end()) {
                    throw InputError({source.file, source.place, "'" + name + "' twice",
                                      "different columns", ""});
                }
                columns.push_back(&find_parameter(parameters, name, source));
                axis.names.push_back(name);
            }
            continue;
        }
        if (fields.size() != columns.size()) {
            throw InputError({source.file, source.place, fmt::format("{} fields", fields.size()),
                              fmt::format("{}, one for each column", columns.size()), ""});
        }
        std::vector<Value> row;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const Source cell{source.file, source.place + ", " + axis.names[i]};
            row.push_back(read_value(*columns[i], fields[i], cell, folder));
        }
        axis.rows.push_back(std::move(row));
    }
    if (axis.rows.empty()) {
        throw InputError({file.string(), "", "no points",
                          "a line with the names of parameters, then a line for each point", ""});
    }
    return axis;
}

}  // namespace npunet::study
