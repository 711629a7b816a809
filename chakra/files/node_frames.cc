#include "chakra/files/node_frames.h"

#include <fmt/format.h>

#include <utility>

#include "base/errors.h"
#include "chakra/files/frame_input.h"
#include "chakra/json/json_trace.h"
#include "chakra/schemas/older_nodes.h"
#include "chakra/schemas/schema_detection.h"
#include "chakra/wire/node_codec.h"
#include "chakra/wire/wire.h"

namespace npunet::chakra {

namespace {

/// As much of a file as tells what it is.
constexpr std::size_t most_peeked_frames = 64;
constexpr std::size_t most_peeked_bytes = std::size_t{1} << 18;

}  // namespace

class NodeFrames::Impl {
public:
    Impl(const std::filesystem::path& path, const ReadOptions& options) : input_(path) {
        format_.gzip = input_.compressed();
        if (is_json_trace(input_.peek_bytes(most_peeked_bytes))) {
            open_json(path, options);
        } else {
            open_frames(options);
        }
    }

    bool next() { return format_.json ? next_of_json() : next_frame(); }

    [[nodiscard]] std::string place() const {
        if (!format_.json) {
            return input_.place();
        }
        return nodes_ == 0 ? "the beginning of workload_graph"
                           : fmt::format("node {} of workload_graph", nodes_ - 1);
    }
    [[noreturn]] void fail(std::string found, std::string expected, std::string remedy) const {
        throw InputError({input_.path().string(), place(), std::move(found), std::move(expected),
                          std::move(remedy)});
    }
    [[nodiscard]] std::uint64_t bytes_read() const { return input_.consumed(); }

    TraceFormat format_;
    TraceMetadata metadata_{"", {}, "", false};
    std::size_t metadata_bytes_ = 0;
    std::size_t frame_bytes_ = 0;
    NodeView view_;

private:
    void open_json(const std::filesystem::path& path, const ReadOptions& options);
    void open_frames(const ReadOptions& options);
    void read_metadata();
    bool next_of_json();
    bool next_frame();
    void parse_older(std::string_view frame);
    [[noreturn]] void fail_malformed() const;

    FrameInput input_;
    std::uint64_t nodes_ = 0;
    Node older_;                            // one of an older schema
    ChakraProtoMsg::Node message_;          // the same as 0.0.4
    std::string rewritten_;                 // its bytes
    std::vector<std::string> json_blocks_;  // those that were read are empty
    std::size_t json_block_ = 0;
    const char* json_at_ = nullptr;
};

void NodeFrames::Impl::open_json(const std::filesystem::path& path, const ReadOptions& options) {
    if (options.schema) {
        throw InputError({path.string(), "", "a JSON trace",
                          fmt::format("frames of schema {}", name_of(*options.schema)),
                          "Leave the schema out: JSON traces have one form"});
    }
    std::string text;
    input_.read_rest(text);
    JsonTrace trace = read_json_trace(text, path.string());
    format_.metadata_frame = trace.has_metadata;
    metadata_ = std::move(trace.metadata);
    json_blocks_ = std::move(trace.frames);
    json_at_ = json_blocks_.empty() ? nullptr : json_blocks_.front().data();
    format_.json = true;
    format_.reason = "the file is a JSON object with the key workload_graph";
}

void NodeFrames::Impl::open_frames(const ReadOptions& options) {
    const FrameInput::Beginning beginning = input_.peek(most_peeked_frames, most_peeked_bytes);
    const Detection found = options.schema ? assume_schema(*options.schema, beginning.frames)
                                           : detect_schema(beginning.frames, beginning.whole_file);
    if (!found.fits) {
        // The frame that does not fit, with its place.
        for (std::size_t frame = 0; frame <= found.frame && input_.next(); ++frame) {
        }
        input_.fail(found.reason, "messages of a Chakra schema",
                    "The file is damaged or not an execution trace. Generate the trace again, or "
                    "name its schema if you know it");
    }
    format_.schema = found.schema;
    format_.metadata_frame = found.metadata_frame;
    format_.reason = found.reason;
    format_.ambiguous = found.ambiguous;
    if (found.metadata_frame && input_.next()) {
        read_metadata();
    }
}

void NodeFrames::Impl::read_metadata() {
    metadata_bytes_ = input_.frame().size();
    if (format_.schema == Schema::V0_0_4) {
        if (!decode_metadata(input_.frame(), metadata_)) {
            fail_malformed();
        }
        return;
    }
    std::string problem;
    metadata_.present = true;
    if (!decode_older_metadata(format_.schema, input_.frame(), metadata_.attributes, problem)) {
        fail(problem, fmt::format("metadata of schema {}", name_of(format_.schema)),
             "The file is damaged or of another schema; name its schema if you know it");
    }
}

bool NodeFrames::Impl::next_of_json() {
    if (json_block_ == json_blocks_.size()) {
        return false;
    }
    const auto end = [this] {
        return json_blocks_[json_block_].data() + json_blocks_[json_block_].size();
    };
    if (json_at_ == end()) {
        json_blocks_[json_block_] = {};
        if (++json_block_ == json_blocks_.size()) {
            return false;
        }
        json_at_ = json_blocks_[json_block_].data();
    }
    std::uint64_t length = 0;
    json_at_ = read_varint(json_at_, end(), length);
    frame_bytes_ = static_cast<std::size_t>(length);
    ++nodes_;
    (void)view_.parse({json_at_, frame_bytes_});
    json_at_ += length;
    return true;
}

bool NodeFrames::Impl::next_frame() {
    if (!input_.next()) {
        return false;
    }
    const std::string_view frame = input_.frame();
    frame_bytes_ = frame.size();
    if (format_.schema < Schema::V0_0_4pre) {
        parse_older(frame);
        return true;
    }
    if (!view_.parse(frame)) {
        auto canonical = canonical_node(frame);
        if (!canonical) {
            fail_malformed();
        }
        rewritten_ = *std::move(canonical);
        (void)view_.parse(rewritten_);
    }
    return true;
}

void NodeFrames::Impl::parse_older(std::string_view frame) {
    std::string problem;
    if (!decode_older_node(format_.schema, frame, older_, problem)) {
        if (problem.empty()) {
            fail_malformed();
        }
        fail(problem, fmt::format("a node of schema {}", name_of(format_.schema)),
             "The file is damaged or of another schema; name its schema if you know it");
    }
    encode_node(older_, message_);
    rewritten_.clear();
    message_.AppendToString(&rewritten_);
    (void)view_.parse(rewritten_);
}

void NodeFrames::Impl::fail_malformed() const {
    fail(fmt::format("{} bytes that are no node", input_.frame().size()),
         fmt::format("a message of Chakra schema {}", name_of(format_.schema)),
         "The file is damaged or not an execution trace. Generate the trace again");
}

NodeFrames::NodeFrames(const std::filesystem::path& path, const ReadOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {}

NodeFrames::~NodeFrames() = default;
NodeFrames::NodeFrames(NodeFrames&&) noexcept = default;
NodeFrames& NodeFrames::operator=(NodeFrames&&) noexcept = default;

bool NodeFrames::next() {
    return impl_->next();
}

const NodeView& NodeFrames::view() const {
    return impl_->view_;
}

const TraceFormat& NodeFrames::format() const {
    return impl_->format_;
}

const TraceMetadata& NodeFrames::metadata() const {
    return impl_->metadata_;
}

std::size_t NodeFrames::metadata_bytes() const {
    return impl_->metadata_bytes_;
}

std::size_t NodeFrames::frame_bytes() const {
    return impl_->frame_bytes_;
}

std::uint64_t NodeFrames::bytes_read() const {
    return impl_->bytes_read();
}

std::string NodeFrames::place() const {
    return impl_->place();
}

void NodeFrames::fail(std::string found, std::string expected, std::string remedy) const {
    impl_->fail(std::move(found), std::move(expected), std::move(remedy));
}

}  // namespace npunet::chakra
