#include "chakra/wire/wire.h"

#include <array>
#include <vector>

namespace npunet::chakra {

void append_varint(std::uint64_t value, std::string& bytes) {
    std::array<char, longest_varint> digits;
    const char* const end = write_varint(digits.data(), value);
    bytes.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

bool WireCursor::skip_group() {
    const char* const begin = begin_;
    const std::uint32_t field = field_;
    std::vector<std::uint32_t> open{field_};
    while (!open.empty()) {
        if (!read_tag()) {
            return false;
        }
        if (type_ == WireType::GroupBegin) {
            if (depth_ + open.size() == deepest_message) {
                return fail();
            }
            open.push_back(field_);
        } else if (type_ == WireType::GroupEnd) {
            if (open.back() != field_) {
                return fail();
            }
            open.pop_back();
        } else if (!read_value()) {
            return false;
        }
    }
    begin_ = begin;
    field_ = field;
    type_ = WireType::GroupBegin;
    return true;
}

bool is_message(std::string_view bytes, unsigned depth) {
    WireCursor fields(bytes, depth);
    while (fields.next()) {
    }
    return fields.good();
}

}  // namespace npunet::chakra
