#include "chakra/frame_comparison.h"

#include <et_def.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace npunet::chakra {

namespace {

using google::protobuf::internal::WireFormatLite;

/// Reads the fields of one message from memory.
class Fields {
public:
    explicit Fields(std::string_view message)
        : message_(message),
          stream_(reinterpret_cast<const std::uint8_t*>(message.data()),
                  static_cast<int>(message.size())) {}

    /// 0 at the end, and where there is no tag.
    [[nodiscard]] std::uint32_t tag() { return stream_.ReadTag(); }
    [[nodiscard]] bool at_end() { return stream_.ConsumedEntireMessage(); }
    [[nodiscard]] bool number(std::uint64_t& value) { return stream_.ReadVarint64(&value); }
    /// A length and so many bytes.
    [[nodiscard]] bool bytes(std::string_view& value) {
        std::uint32_t length = 0;
        if (!stream_.ReadVarint32(&length)) {
            return false;
        }
        const auto begin = static_cast<std::size_t>(stream_.CurrentPosition());
        if (length > message_.size() - begin) {
            return false;
        }
        value = message_.substr(begin, length);
        return stream_.Skip(static_cast<int>(length));
    }
    [[nodiscard]] bool nothing_left() const {
        return static_cast<std::size_t>(stream_.CurrentPosition()) == message_.size();
    }

private:
    std::string_view message_;
    google::protobuf::io::CodedInputStream stream_;
};

bool numbers_shifted(Fields& known, Fields& other, std::uint64_t shift) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    return known.number(a) && other.number(b) && a + shift == b;
}

bool lists_shifted(std::string_view known, std::string_view other, std::uint64_t shift) {
    Fields a(known);
    Fields b(other);
    while (!a.nothing_left()) {
        if (b.nothing_left() || !numbers_shifted(a, b, shift)) {
            return false;
        }
    }
    return b.nothing_left();
}

}  // namespace

bool frames_alike(std::string_view known, std::string_view other, std::uint64_t shift,
                  std::vector<DifferentAttribute>& attributes) {
    using ChakraProtoMsg::Node;
    Fields a(known);
    Fields b(other);
    bool has_id = false;
    while (const std::uint32_t tag = a.tag()) {
        if (b.tag() != tag) {
            return false;
        }
        const int field = WireFormatLite::GetTagFieldNumber(tag);
        has_id = has_id || field == Node::kIdFieldNumber;
        const bool ids = field == Node::kIdFieldNumber || field == Node::kCtrlDepsFieldNumber ||
                         field == Node::kDataDepsFieldNumber;
        switch (WireFormatLite::GetTagWireType(tag)) {
            case WireFormatLite::WIRETYPE_VARINT:
                if (!numbers_shifted(a, b, ids ? shift : 0)) {
                    return false;
                }
                break;
            case WireFormatLite::WIRETYPE_LENGTH_DELIMITED: {
                std::string_view mine;
                std::string_view others;
                if (!a.bytes(mine) || !b.bytes(others)) {
                    return false;
                }
                if (ids ? lists_shifted(mine, others, shift) : mine == others) {
                    break;
                }
                if (field != Node::kAttrFieldNumber) {
                    return false;
                }
                attributes.push_back({mine, others});
                break;
            }
            default:  // fields of a node are numbers or have a length
                return false;
        }
    }
    // An id of 0 is not written: where both are, nothing has moved.
    return a.at_end() && b.tag() == 0 && b.at_end() && (has_id || shift == 0);
}

}  // namespace npunet::chakra
