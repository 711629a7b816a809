#include "chakra/inspection/trace_printing.h"

#include <fmt/format.h>

#include <set>
#include <string>

namespace npunet::chakra {

namespace {

/// A string of the DOT language; what is not printable ASCII becomes a question mark.
std::string dot_string(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else {
            result += c >= ' ' && c <= '~' ? c : '?';
        }
    }
    return result + '"';
}

/// Boxes work, ellipses communicate, cylinders are memory.
const char* shape_of(NodeType type) {
    switch (type) {
        case NodeType::CommSend:
        case NodeType::CommReceive:
        case NodeType::CommCollective:
            return "ellipse";
        case NodeType::MemoryLoad:
        case NodeType::MemoryStore:
            return "cylinder";
        case NodeType::Compute:
            return "box";
        default:
            return "plaintext";
    }
}

}  // namespace

void write_dot(const std::vector<Node>& nodes, std::ostream& out) {
    std::set<std::uint64_t> ids;
    for (const Node& node : nodes) {
        ids.insert(node.id);
    }
    out << "digraph trace {\n";
    std::set<std::uint64_t> absent;
    for (const Node& node : nodes) {
        out << fmt::format("    {} [label={}, shape={}];\n", node.id,
                           dot_string(fmt::format("{} {}", node.id, node.name)),
                           shape_of(node.type));
        for (const auto* deps : {&node.data_deps, &node.ctrl_deps}) {
            for (const std::uint64_t dep : *deps) {
                if (ids.count(dep) == 0 && absent.insert(dep).second) {
                    out << fmt::format("    {} [label=\"{} absent\", style=dotted];\n", dep, dep);
                }
            }
        }
    }
    for (const Node& node : nodes) {
        for (const std::uint64_t dep : node.data_deps) {
            out << fmt::format("    {} -> {};\n", dep, node.id);
        }
        for (const std::uint64_t dep : node.ctrl_deps) {
            out << fmt::format("    {} -> {} [style=dashed, arrowhead=tee];\n", dep, node.id);
        }
    }
    out << "}\n";
}

}  // namespace npunet::chakra
