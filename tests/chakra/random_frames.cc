#include <array>

#include "random_messages.h"
#include "test_files.h"

namespace npunet::chakra {

namespace {

constexpr unsigned varint_type = 0;
constexpr unsigned fixed64_type = 1;
constexpr unsigned bytes_type = 2;
constexpr unsigned group_begin = 3;
constexpr unsigned group_end = 4;
constexpr unsigned fixed32_type = 5;

unsigned wire_type_of_scalar(ValueMember scalar) {
    switch (scalar) {
        case ValueMember::Double:
        case ValueMember::Fixed64:
        case ValueMember::Sfixed64:
            return fixed64_type;
        case ValueMember::Float:
        case ValueMember::Fixed32:
        case ValueMember::Sfixed32:
            return fixed32_type;
        case ValueMember::String:
        case ValueMember::Bytes:
            return bytes_type;
        default:
            return varint_type;
    }
}

}  // namespace

std::string RandomMessages::odd_varint(std::uint64_t value) {
    std::string bytes = varint(value);
    if (one_in(6)) {
        const std::size_t length = bytes.size() + below(11 - bytes.size());
        while (bytes.size() < length) {
            bytes.back() = static_cast<char>(bytes.back() | '\x80');
            bytes += '\0';
        }
    }
    return bytes;
}

std::string RandomMessages::odd_tag(unsigned number, unsigned wire_type) {
    std::string bytes = varint(std::uint64_t{number} << 3U | wire_type);
    while (bytes.size() < 5 && one_in(10)) {
        bytes.back() = static_cast<char>(bytes.back() | '\x80');
        bytes += '\0';
    }
    return bytes;
}

std::string RandomMessages::odd_bytes(unsigned number, const std::string& content) {
    return odd_tag(number, bytes_type) + varint(content.size()) + content;
}

std::string RandomMessages::any_field(unsigned number, int depth) {
    switch (below(5)) {
        case 0:
            return odd_tag(number, varint_type) + odd_varint(this->number());
        case 1:
            return odd_tag(number, fixed64_type) + text().append(8, 'x').substr(0, 8);
        case 2:
            return odd_tag(number, fixed32_type) + text().append(4, 'x').substr(0, 4);
        case 3:
            return odd_bytes(number, text());
        default: {
            std::string inner;
            for (std::size_t count = depth < 4 ? below(3) : 0; count > 0; --count) {
                inner += any_field(static_cast<unsigned>(1 + below(40)), depth + 1);
            }
            return odd_tag(number, group_begin) + inner + odd_tag(number, group_end);
        }
    }
}

std::string RandomMessages::odd_dependencies(unsigned number) {
    if (one_in(2)) {
        return odd_tag(number, varint_type) + odd_varint(this->number());
    }
    std::string packed;
    for (std::size_t count = one_in(5) ? below(90) : below(4); count > 0; --count) {
        packed += odd_varint(this->number());
    }
    return odd_bytes(number, packed);
}

std::string RandomMessages::odd_list(ValueMember member) {
    const auto scalar = static_cast<ValueMember>(static_cast<unsigned>(member) - 1);
    const unsigned type = wire_type_of_scalar(scalar);
    const auto value = [&]() -> std::string {
        switch (type) {
            case varint_type:
                return odd_varint(number());
            case fixed32_type:
                return text().append(4, 'x').substr(0, 4);
            default:
                return text().append(8, 'x').substr(0, 8);
        }
    };
    std::string list;
    for (std::size_t parts = below(4); parts > 0; --parts) {
        if (one_in(6)) {
            list += any_field(static_cast<unsigned>(1 + below(3)), 0);
        } else if (type == bytes_type) {
            list += odd_bytes(1, text());
        } else if (one_in(2)) {
            list += odd_tag(1, type) + value();
        } else {
            std::string packed;
            for (std::size_t count = below(4); count > 0; --count) {
                packed += value();
            }
            list += odd_bytes(1, packed);
        }
    }
    return list;
}

std::string RandomMessages::odd_value(ValueMember member) {
    const auto number_of_field = static_cast<unsigned>(member);
    if (number_of_field % 2 == 0) {
        return odd_bytes(number_of_field, odd_list(member));
    }
    const unsigned type = wire_type_of_scalar(member);
    const std::string content = type == varint_type    ? odd_varint(number())
                                : type == fixed32_type ? text().append(4, 'x').substr(0, 4)
                                                       : text().append(8, 'x').substr(0, 8);
    return type == bytes_type ? odd_bytes(number_of_field, text())
                              : odd_tag(number_of_field, type) + content;
}

std::string RandomMessages::odd_attribute() {
    std::string fields;
    const auto member = [this] {
        return static_cast<ValueMember>(first_value_member +
                                        below(last_value_member - first_value_member + 1));
    };
    fields += one_in(5) ? "" : odd_bytes(1, text());
    fields += one_in(8) ? "" : odd_value(member());
    for (std::size_t more = one_in(3) ? below(4) : 0; more > 0; --more) {
        switch (below(4)) {
            case 0:
                fields += odd_bytes(static_cast<unsigned>(1 + below(2)), text());
                break;
            case 1:
                fields += odd_value(member());
                break;
            case 2:
                fields += any_field(static_cast<unsigned>(1 + below(40)), 0);
                break;
            default:
                fields = any_field(static_cast<unsigned>(33 + below(9)), 0) + fields;
                break;
        }
    }
    return fields;
}

std::string RandomMessages::odd_tensors() {
    std::string fields;
    for (std::size_t count = below(4); count > 0; --count) {
        fields += one_in(4) ? any_field(static_cast<unsigned>(1 + below(5)), 0)
                            : odd_bytes(static_cast<unsigned>(1 + below(3)), text());
    }
    return fields;
}

std::string RandomMessages::odd_node() {
    std::string fields;
    for (std::size_t count = one_in(8) ? below(40) : below(10); count > 0; --count) {
        switch (below(8)) {
            case 0:
                fields += odd_dependencies(static_cast<unsigned>(4 + below(2)));
                break;
            case 1:
                fields += odd_bytes(2, text());
                break;
            case 2:
                fields += odd_bytes(static_cast<unsigned>(8 + below(2)), odd_tensors());
                break;
            case 3:
                fields += any_field(static_cast<unsigned>(1 + below(12)), 0);
                break;
            case 4: {
                constexpr std::array<unsigned, 4> numbers{1, 3, 6, 7};
                fields += odd_tag(numbers.at(below(4)), varint_type) + odd_varint(number());
                break;
            }
            default:
                fields += odd_bytes(10, odd_attribute());
                break;
        }
    }
    return fields;
}

}  // namespace npunet::chakra
