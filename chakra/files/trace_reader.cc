#include "chakra/files/trace_reader.h"

#include <fmt/format.h>

namespace npunet::chakra {

TraceReader::TraceReader(const std::filesystem::path& path, const ReadOptions& options)
    : frames_(path, options), unknown_types_(options.unknown_types) {}

bool TraceReader::next(Node& node) {
    if (!frames_.next()) {
        return false;
    }
    if (!frames_.view().copy_to(node) && unknown_types_ == UnknownNodeTypes::Refuse) {
        frames_.fail(fmt::format("node {} of type {}", node.id, frames_.view().type_number()),
                     "a node type of Chakra schema 0.0.4 (0 to 7)",
                     "The file is damaged or of another schema. Generate the trace again");
    }
    return true;
}

bool TraceReader::has_metadata() const {
    return frames_.metadata().present && frames_.format().metadata_frame;
}

const TraceMetadata& TraceReader::metadata() const {
    return frames_.metadata();
}

const TraceFormat& TraceReader::format() const {
    return frames_.format();
}

std::string TraceReader::place() const {
    return frames_.place();
}

std::vector<Node> read_trace(const std::filesystem::path& path, const ReadOptions& options) {
    TraceReader reader(path, options);
    std::vector<Node> nodes(1);
    while (reader.next(nodes.back())) {
        nodes.emplace_back();
    }
    nodes.pop_back();
    return nodes;
}

}  // namespace npunet::chakra
