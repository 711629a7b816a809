// The value of an attribute of a JSON trace, which becomes a field of AttributeProto while it is
// parsed. For the sources of chakra only.
//
//     JsonValueEncoder value;
//     value.begin(ValueMember::Int64List);
//     value.add(list) && value.add(one) && value.add(two);   // false: does not suit
//     value.write(attribute);
//
// A value that stands before its type is kept as a tape, a few bytes for each of its tokens, until
// the type comes.
#pragma once

#include <string>
#include <string_view>

#include "chakra/json/json_token.h"
#include "chakra/trace/attribute.h"
#include "chakra/wire/byte_blocks.h"

namespace npunet::chakra {

/// The type of a value that has members which no list of numbers can say.
inline constexpr std::string_view json_wire_type = "wire";

/// Encodes a value whose type is known.
class JsonValueEncoder {
public:
    void begin(ValueMember member);
    /// The value, or the beginning of a list and then its values. False when it does not suit the
    /// member.
    [[nodiscard]] bool add(const JsonToken& token);
    /// Appends the field; leaves nothing here.
    void write(ByteBlocks& attribute);

private:
    [[nodiscard]] bool add_scalar(const JsonToken& token);
    [[nodiscard]] bool add_text(const JsonToken& token);
    template <class Integer>
    [[nodiscard]] bool add_varint(const JsonToken& token);
    template <class Integer>
    [[nodiscard]] bool add_zigzag(const JsonToken& token);
    template <class Integer>
    [[nodiscard]] bool add_fixed(const JsonToken& token);
    template <class Real>
    [[nodiscard]] bool add_real(const JsonToken& token);
    [[nodiscard]] bool is_list() const;

    ValueMember member_ = ValueMember::None;
    ValueMember scalar_ = ValueMember::None;  // the member, or of its values
    bool in_list_ = false;
    ByteBlocks bytes_;
};

/// Tokens in the order in which they came.
class JsonTape {
public:
    void clear() { bytes_.clear(); }
    void add(const JsonToken& token);
    /// Calls `use` with each; leaves nothing here.
    template <class Use>
    void replay(Use use);

private:
    static const char* read(const char* at, const char* end, JsonToken& token);

    ByteBlocks bytes_;
};

template <class Use>
void JsonTape::replay(Use use) {
    const std::string bytes = bytes_.take();
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    JsonToken token;
    while (at != end) {
        at = read(at, end, token);
        use(token);
    }
}

}  // namespace npunet::chakra
