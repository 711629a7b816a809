#include "chakra/inspection/trace_printing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "chakra/json/json_value.h"

namespace npunet::chakra {

namespace {

/// In full length.
std::string printable(const std::string& text) {
    return npunet::printable(text, text.size());
}

/// The name and the value of a line.
using Line = std::pair<std::string, std::string>;

std::string lines_of(const std::vector<Line>& lines) {
    std::size_t width = 0;
    for (const Line& line : lines) {
        width = std::max(width, line.first.size());
    }
    std::string text;
    for (const auto& [name, value] : lines) {
        text += fmt::format("    {:<{}}  {}\n", name, width, value);
    }
    return text;
}

Line line_of(const Attribute& attribute) {
    const OrderedJson json = json_of(attribute);
    std::string value(name_of(member_of(attribute)));
    if (const auto found = json.find("value"); found != json.end()) {
        const bool text = found->is_string();
        value += text ? fmt::format("  '{}'", printable(found->get<std::string>()))
                      : fmt::format("  {}", found->dump());
    }
    return {printable(attribute.name), std::move(value)};
}

void add_ids(const char* name, const std::vector<std::uint64_t>& ids, std::vector<Line>& lines) {
    if (!ids.empty()) {
        lines.emplace_back(name, fmt::format("{}", fmt::join(ids, ", ")));
    }
}

void add_tensors(const std::string& name, const TensorText& tensors, std::vector<Line>& lines) {
    if (!tensors.empty()) {
        lines.emplace_back(name, printable(tensors.values));
        lines.emplace_back(name + " shapes", printable(tensors.shapes));
        lines.emplace_back(name + " types", printable(tensors.types));
    }
}

void add_rest(const std::string& rest, std::vector<Line>& lines) {
    if (!rest.empty()) {
        lines.emplace_back("unknown fields", fmt::format("{} bytes", rest.size()));
    }
}

}  // namespace

std::string text_of(const Node& node) {
    const bool known = node_type_from(static_cast<std::int64_t>(node.type)).has_value();
    const std::string type = known ? std::string(name_of(node.type))
                                   : fmt::format("type {}", static_cast<int>(node.type));
    std::vector<Line> lines;
    add_ids("data deps", node.data_deps, lines);
    add_ids("control deps", node.ctrl_deps, lines);
    if (node.start_time_micros != 0) {
        lines.emplace_back("start", fmt::format("{} us", node.start_time_micros));
    }
    if (node.duration_micros != 0) {
        lines.emplace_back("duration", fmt::format("{} us", node.duration_micros));
    }
    add_tensors("inputs", node.inputs, lines);
    add_tensors("outputs", node.outputs, lines);
    for (const Attribute& attribute : node.attributes) {
        lines.push_back(line_of(attribute));
    }
    add_rest(node.rest, lines);
    return fmt::format("node {} {} '{}'\n", node.id, type, printable(node.name)) + lines_of(lines);
}

std::string text_of(const TraceMetadata& metadata) {
    std::vector<Line> lines;
    for (const Attribute& attribute : metadata.attributes) {
        lines.push_back(line_of(attribute));
    }
    add_rest(metadata.rest, lines);
    return fmt::format("metadata, version '{}'\n", printable(metadata.version)) + lines_of(lines);
}

}  // namespace npunet::chakra
