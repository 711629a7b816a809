#include "chakra/trace_reader.h"

#include <fmt/format.h>

#include <utility>

#include "chakra/frame_input.h"
#include "chakra/node_codec.h"
#include "chakra/schema_check.h"

namespace npunet::chakra {

class TraceReader::Impl {
public:
    explicit Impl(const std::filesystem::path& path) : input_(path) { read_first_frame(); }

    bool next(Node& node);

    [[nodiscard]] bool has_metadata() const { return has_metadata_; }
    [[nodiscard]] const TraceMetadata& metadata() const { return metadata_; }
    [[nodiscard]] std::string place() const { return input_.place(); }

private:
    void read_first_frame();
    void take_metadata(const ChakraProtoMsg::GlobalMetadata& message);
    void require_node(FrameKind kind) const;
    [[noreturn]] void fail_older() const;

    FrameInput input_;
    ChakraProtoMsg::Node message_;  // reused: parsing into a used message allocates little
    TraceMetadata metadata_{"", {}};
    bool has_metadata_ = false;
    bool node_pending_ = false;  // message_ holds a node that next() has not yet given out
};

void TraceReader::Impl::read_first_frame() {
    if (!input_.next()) {
        return;
    }
    ChakraProtoMsg::GlobalMetadata first;
    const FrameKind kind = classify_first_frame(input_.frame(), first, message_);
    if (kind == FrameKind::Metadata) {
        has_metadata_ = true;
        take_metadata(first);
        return;
    }
    require_node(kind);
    node_pending_ = true;
}

void TraceReader::Impl::take_metadata(const ChakraProtoMsg::GlobalMetadata& message) {
    metadata_.version = message.version();
    for (const auto& attribute : message.attr()) {
        decode_attribute(attribute, metadata_.attributes.emplace_back());
    }
}

void TraceReader::Impl::require_node(FrameKind kind) const {
    if (kind == FrameKind::Older) {
        fail_older();
    }
    if (kind == FrameKind::Unknown) {
        input_.fail(fmt::format("{} bytes that are no node", input_.frame().size()),
                    "a Node message of Chakra schema 0.0.4",
                    "The file is damaged, of a Chakra schema older than 0.0.4, or not an "
                    "execution trace. Generate the trace again");
    }
}

void TraceReader::Impl::fail_older() const {
    input_.fail("a Chakra schema older than 0.0.4", "schema 0.0.4 (in use since October 2023)",
                "Convert the trace with the Chakra tools, or generate it again");
}

bool TraceReader::Impl::next(Node& node) {
    if (!std::exchange(node_pending_, false)) {
        if (!input_.next()) {
            return false;
        }
        require_node(classify_node_frame(input_.frame(), message_));
    }
    const auto type = node_type_from(message_.type());
    if (!type) {
        input_.fail(fmt::format("node {} of type {}", message_.id(), int{message_.type()}),
                    "a node type of Chakra schema 0.0.4 (0 to 7)",
                    "The file is damaged or of another schema. Generate the trace again");
    }
    decode_node(message_, node);
    node.type = *type;
    return true;
}

TraceReader::TraceReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}

TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;

bool TraceReader::next(Node& node) {
    return impl_->next(node);
}

bool TraceReader::has_metadata() const {
    return impl_->has_metadata();
}

const TraceMetadata& TraceReader::metadata() const {
    return impl_->metadata();
}

std::string TraceReader::place() const {
    return impl_->place();
}

std::vector<Node> read_trace(const std::filesystem::path& path) {
    TraceReader reader(path);
    std::vector<Node> nodes(1);
    while (reader.next(nodes.back())) {
        nodes.emplace_back();
    }
    nodes.pop_back();
    return nodes;
}

}  // namespace npunet::chakra
