#include "chakra/trace_writer.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "chakra/frame_input.h"
#include "chakra/node_codec.h"

namespace npunet::chakra {

class TraceWriter::Impl {
public:
    Impl(std::filesystem::path path, const TraceMetadata& metadata)
        : path_(std::move(path)), file_(path_) {
        ChakraProtoMsg::GlobalMetadata message;
        message.set_version(metadata.version);
        for (const Attribute& attribute : metadata.attributes) {
            encode_attribute(attribute, *message.add_attr());
        }
        put(message, "the metadata");
    }

    void write(const Node& node) {
        encode_node(node, message_);
        put(message_, node);
    }

    void commit() { file_.commit(); }

private:
    static std::string describe(const char* what) { return what; }
    static std::string describe(const Node& node) {
        return fmt::format("node {} '{}'", node.id, node.name);
    }

    template <class Message, class Subject>
    void put(const Message& message, const Subject& subject) {
        const std::size_t bytes = message.ByteSizeLong();
        if (bytes > max_frame_bytes) {
            throw InputError({path_.string(), describe(subject), fmt::format("{} bytes", bytes),
                              fmt::format("at most {} bytes", max_frame_bytes),
                              "Shorten its dependencies or attributes"});
        }
        frame_.clear();
        std::size_t length = bytes;
        while (length >= 0x80) {
            frame_ += static_cast<char>((length & 0x7FU) | 0x80U);
            length >>= 7;
        }
        frame_ += static_cast<char>(length);
        message.AppendToString(&frame_);
        file_.stream().write(frame_.data(), static_cast<std::streamsize>(frame_.size()));
    }

    std::filesystem::path path_;
    AtomicFile file_;
    ChakraProtoMsg::Node message_;
    std::string frame_;
};

TraceWriter::TraceWriter(const std::filesystem::path& path, const TraceMetadata& metadata)
    : impl_(std::make_unique<Impl>(path, metadata)) {}

TraceWriter::~TraceWriter() = default;
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;

void TraceWriter::write(const Node& node) {
    impl_->write(node);
}

void TraceWriter::commit() {
    impl_->commit();
}

void write_trace(const std::filesystem::path& path, const std::vector<Node>& nodes,
                 const TraceMetadata& metadata) {
    TraceWriter writer(path, metadata);
    for (const Node& node : nodes) {
        writer.write(node);
    }
    writer.commit();
}

}  // namespace npunet::chakra
