#include "chakra/files/trace_writer.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "chakra/files/frame_input.h"
#include "chakra/files/gzip_output.h"
#include "chakra/json/json_trace.h"
#include "chakra/schemas/older_nodes.h"
#include "chakra/wire/node_codec.h"
#include "chakra/wire/wire.h"

namespace npunet::chakra {

std::optional<WrittenForm> written_form_from(std::string_view name) {
    if (name == "json") {
        return WrittenForm::Json;
    }
    const auto schema = schema_from(name);
    if (schema == Schema::V0_0_4) {
        return WrittenForm::V0_0_4;
    }
    return schema == Schema::V0_0_1 ? std::optional(WrittenForm::V0_0_1) : std::nullopt;
}

class TraceWriter::Impl {
public:
    Impl(std::filesystem::path path, const TraceMetadata& metadata, WrittenForm form)
        : path_(std::move(path)), form_(form), file_(path_) {
        if (path_.extension() == ".gz") {
            gzip_.emplace(file_.stream());
            compressed_.emplace(&*gzip_);
        }
        json_.emplace(out());
        begin(metadata);
    }

    void write(const Node& node) {
        require_open();
        switch (form_) {
            case WrittenForm::V0_0_4:
                encode_node(node, message_);
                message_bytes_.clear();
                message_.AppendToString(&message_bytes_);
                if (message_bytes_.empty() && !begun_) {
                    put("the metadata");  // without it the node would be taken for metadata
                }
                put(describe(node));
                break;
            case WrittenForm::V0_0_1:
                write_0_0_1(node);
                break;
            case WrittenForm::Json:
                json_->add(node);
                break;
        }
    }

    void commit() {
        require_open();
        committed_ = true;
        if (form_ == WrittenForm::Json) {
            json_->end();
        }
        if (gzip_) {
            compressed_->flush();
            gzip_->finish();
        }
        file_.commit();
    }

    [[nodiscard]] const Losses& losses() const { return losses_; }

private:
    static std::string describe(const Node& node) {
        return fmt::format("node {} '{}'", node.id, node.name);
    }

    void require_open() const {
        if (committed_) {
            throw std::logic_error(path_.string() + " was committed: nothing can be added");
        }
    }

    std::ostream& out() { return compressed_ ? *compressed_ : file_.stream(); }

    void begin(const TraceMetadata& metadata) {
        if (form_ == WrittenForm::Json) {
            json_->begin(metadata);
        } else if (form_ == WrittenForm::V0_0_4 && metadata.present) {
            encode_metadata(metadata, message_bytes_);
            put("the metadata");
        } else if (metadata.present && !(metadata.attributes.empty() && metadata.rest.empty() &&
                                         metadata.version == TraceMetadata{}.version)) {
            ++losses_["metadata"];
        }
    }

    void write_0_0_1(const Node& node) {
        std::string error;
        if (!encode_node_0_0_1(node, message_bytes_, losses_, error)) {
            throw InputError({path_.string(), describe(node), std::move(error),
                              "what schema 0.0.1 can say", "Write another form"});
        }
        put(describe(node));
    }

    /// Writes message_bytes_ as a frame.
    void put(const std::string& subject) {
        if (message_bytes_.size() > max_frame_bytes) {
            throw InputError({path_.string(), subject,
                              fmt::format("{} bytes", message_bytes_.size()),
                              fmt::format("at most {} bytes", max_frame_bytes),
                              "Shorten its dependencies or attributes"});
        }
        begun_ = true;
        length_.clear();
        append_varint(message_bytes_.size(), length_);
        out().write(length_.data(), static_cast<std::streamsize>(length_.size()));
        out().write(message_bytes_.data(), static_cast<std::streamsize>(message_bytes_.size()));
    }

    std::filesystem::path path_;
    WrittenForm form_;
    AtomicFile file_;
    std::optional<GzipOutput> gzip_;
    std::optional<std::ostream> compressed_;
    std::optional<JsonTraceText> json_;
    ChakraProtoMsg::Node message_;
    std::string message_bytes_;
    std::string length_;
    Losses losses_;
    bool begun_ = false;  ///< a frame was written
    bool committed_ = false;
};

TraceWriter::TraceWriter(const std::filesystem::path& path, const TraceMetadata& metadata,
                         WrittenForm form)
    : impl_(std::make_unique<Impl>(path, metadata, form)) {}

TraceWriter::~TraceWriter() = default;
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;

void TraceWriter::write(const Node& node) {
    impl_->write(node);
}

const Losses& TraceWriter::losses() const {
    return impl_->losses();
}

void TraceWriter::commit() {
    impl_->commit();
}

void write_trace(const std::filesystem::path& path, const std::vector<Node>& nodes,
                 const TraceMetadata& metadata, WrittenForm form) {
    TraceWriter writer(path, metadata, form);
    for (const Node& node : nodes) {
        writer.write(node);
    }
    writer.commit();
}

}  // namespace npunet::chakra
