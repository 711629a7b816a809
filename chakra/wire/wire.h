// The Protobuf wire format in memory: tags, variable-length integers, lengths.
// For the sources of chakra only.
//
//     WireCursor fields(message);
//     while (fields.next()) {
//         if (fields.field() == 1 && fields.type() == WireType::Varint) { use(fields.number()); }
//     }
//     if (!fields.good()) { ... }            // malformed
//
// Takes what Protobuf takes (over-long integers, unknown fields, groups). Its own library would do
// as well for all but speed: without messages in between a node is read three to ten times as fast.
//
// Source: Protocol Buffers documentation, "Encoding".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace npunet::chakra {

enum class WireType : std::uint8_t {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,  ///< a length and so many bytes
    GroupBegin = 3,
    GroupEnd = 4,
    Fixed32 = 5
};

/// Reads an integer of 7 bits a byte, at most 10 bytes, and moves `at` behind it; null when it does
/// not end before `end`. Bits beyond 64 are dropped.
inline const char* read_varint(const char* at, const char* end, std::uint64_t& value) {
    if (at != end && (static_cast<unsigned char>(*at) & 0x80U) == 0) {
        value = static_cast<unsigned char>(*at);
        return at + 1;
    }
    value = 0;
    for (unsigned shift = 0; shift < 70 && at != end; shift += 7) {
        const std::uint64_t byte = static_cast<unsigned char>(*at++);
        value |= (byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) {
            return at;
        }
    }
    return nullptr;
}

/// The most bytes that a variable-length integer has.
constexpr std::size_t longest_varint = 10;

/// Writes a variable-length integer; returns what is behind it.
inline char* write_varint(char* at, std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) {
        *at++ = static_cast<char>((value & 0x7FU) | 0x80U);
    }
    *at++ = static_cast<char>(value);
    return at;
}

/// Appends a variable-length integer.
void append_varint(std::uint64_t value, std::string& bytes);

inline std::int64_t zigzag_decoded(std::uint64_t value) {
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

/// Little-endian integers of fixed width, whatever the machine's order.
inline std::uint32_t read_fixed32(const char* at) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        value |= std::uint32_t{static_cast<unsigned char>(at[i])} << (8 * i);
    }
    return value;
}

inline std::uint64_t read_fixed64(const char* at) {
    return read_fixed32(at) | std::uint64_t{read_fixed32(at + 4)} << 32;
}

/// Protobuf follows so many messages and groups into each other and refuses the message beyond.
constexpr unsigned deepest_message = 100;

/// Goes through the fields of one message. The views it gives point into the message.
class WireCursor {
public:
    /// `depth` is the number of messages that this one is in.
    explicit WireCursor(std::string_view message, unsigned depth = 0)
        : at_(message.data()), end_(message.data() + message.size()), depth_(depth) {}

    /// Reads the next field; false at the end, and where the message is malformed.
    bool next() {
        begin_ = at_;
        if (at_ == end_) {
            return false;
        }
        return read_tag() && read_value();
    }

    [[nodiscard]] std::uint32_t field() const { return field_; }
    [[nodiscard]] WireType type() const { return type_; }
    /// Of a Varint, Fixed32 or Fixed64.
    [[nodiscard]] std::uint64_t number() const { return number_; }
    /// Of Bytes.
    [[nodiscard]] std::string_view bytes() const { return bytes_; }
    /// Tag and value, as they stand.
    [[nodiscard]] std::string_view whole() const {
        return {begin_, static_cast<std::size_t>(at_ - begin_)};
    }
    [[nodiscard]] bool good() const { return good_; }

private:
    bool read_tag() {
        std::uint64_t tag = 0;
        const char* behind = read_varint(at_, end_, tag);
        // Protobuf takes tags of at most 5 bytes and drops what is beyond 32 bits.
        if (behind == nullptr || behind - at_ > 5) {
            return fail();
        }
        at_ = behind;
        field_ = static_cast<std::uint32_t>(tag) >> 3;
        type_ = static_cast<WireType>(tag & 7U);
        return field_ != 0 || fail();
    }

    bool read_value() {
        switch (type_) {
            case WireType::Varint:
                at_ = read_varint(at_, end_, number_);
                return at_ != nullptr || fail();
            case WireType::Bytes:
                return read_bytes();
            case WireType::Fixed32:
                if (end_ - at_ < 4) {
                    return fail();
                }
                number_ = read_fixed32(at_);
                at_ += 4;
                return true;
            case WireType::Fixed64:
                if (end_ - at_ < 8) {
                    return fail();
                }
                number_ = read_fixed64(at_);
                at_ += 8;
                return true;
            case WireType::GroupBegin:
                return skip_group();
            default:
                return fail();
        }
    }

    bool read_bytes() {
        std::uint64_t length = 0;
        const char* behind = read_varint(at_, end_, length);
        if (behind == nullptr || behind - at_ > 5 ||
            length > static_cast<std::uint64_t>(end_ - behind)) {
            return fail();
        }
        bytes_ = {behind, static_cast<std::size_t>(length)};
        at_ = behind + length;
        return true;
    }

    /// Groups are of no schema of ours; as unknown fields they may stand anywhere, in each other.
    bool skip_group();

    bool fail() {
        good_ = false;
        at_ = end_;
        return false;
    }

    const char* begin_ = nullptr;
    const char* at_;
    const char* end_;
    unsigned depth_;
    std::uint32_t field_ = 0;
    WireType type_ = WireType::Varint;
    bool good_ = true;
    std::uint64_t number_ = 0;
    std::string_view bytes_;
};

/// Whether these bytes are fields from beginning to end, as a message in so many others.
[[nodiscard]] bool is_message(std::string_view bytes, unsigned depth = 0);

}  // namespace npunet::chakra
