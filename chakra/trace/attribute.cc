#include "chakra/trace/attribute.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace npunet::chakra {

namespace {

/// By field number, from 3 on.
constexpr std::array<std::string_view, 30> member_names{
    "double_val",  "double_list",  "float_val",    "float_list",    "int32_val",    "int32_list",
    "int64_val",   "int64_list",   "uint32_val",   "uint32_list",   "uint64_val",   "uint64_list",
    "sint32_val",  "sint32_list",  "sint64_val",   "sint64_list",   "fixed32_val",  "fixed32_list",
    "fixed64_val", "fixed64_list", "sfixed32_val", "sfixed32_list", "sfixed64_val", "sfixed64_list",
    "bool_val",    "bool_list",    "string_val",   "string_list",   "bytes_val",    "bytes_list"};
constexpr std::size_t first_member = 3;

/// `wanted` when it is one of `suited`, else the first of them.
template <std::size_t Count>
ValueMember one_of(ValueMember wanted, const std::array<ValueMember, Count>& suited) {
    const bool suits = std::find(suited.begin(), suited.end(), wanted) != suited.end();
    return suits ? wanted : suited.front();
}

template <class Integer>
bool all_are(const std::vector<std::int64_t>& values) {
    return std::all_of(values.begin(), values.end(), [](std::int64_t value) {
        return value >= std::int64_t{std::numeric_limits<Integer>::min()} &&
               value <= std::int64_t{std::numeric_limits<Integer>::max()};
    });
}

struct MemberOf {
    ValueMember wanted;

    ValueMember operator()(std::monostate) const { return ValueMember::None; }
    ValueMember operator()(bool) const { return ValueMember::Bool; }
    ValueMember operator()(float) const { return ValueMember::Float; }
    ValueMember operator()(double) const { return ValueMember::Double; }
    ValueMember operator()(std::int32_t) const {
        return one_of(wanted,
                      std::array{ValueMember::Int32, ValueMember::Sint32, ValueMember::Sfixed32});
    }
    ValueMember operator()(std::int64_t) const {
        return one_of(wanted,
                      std::array{ValueMember::Int64, ValueMember::Sint64, ValueMember::Sfixed64});
    }
    ValueMember operator()(std::uint32_t) const {
        return one_of(wanted, std::array{ValueMember::Uint32, ValueMember::Fixed32});
    }
    ValueMember operator()(std::uint64_t) const {
        return one_of(wanted, std::array{ValueMember::Uint64, ValueMember::Fixed64});
    }
    ValueMember operator()(const std::string&) const {
        return one_of(wanted, std::array{ValueMember::String, ValueMember::Bytes});
    }
    ValueMember operator()(const std::vector<std::int64_t>& values) const {
        const ValueMember member =
            one_of(wanted, std::array{ValueMember::Int64List, ValueMember::Sint64List,
                                      ValueMember::Sfixed64List, ValueMember::Int32List,
                                      ValueMember::Sint32List, ValueMember::Sfixed32List,
                                      ValueMember::Uint32List, ValueMember::Fixed32List});
        switch (member) {
            case ValueMember::Int32List:
            case ValueMember::Sint32List:
            case ValueMember::Sfixed32List:
                return all_are<std::int32_t>(values) ? member : ValueMember::Int64List;
            case ValueMember::Uint32List:
            case ValueMember::Fixed32List:
                return all_are<std::uint32_t>(values) ? member : ValueMember::Int64List;
            default:
                return member;
        }
    }
    ValueMember operator()(const std::vector<std::string>&) const {
        return one_of(wanted, std::array{ValueMember::StringList, ValueMember::BytesList});
    }
    ValueMember operator()(const std::vector<bool>&) const { return ValueMember::BoolList; }
    /// What it stands in the file as is in its bytes.
    ValueMember operator()(const UnmodelledValue&) const { return wanted; }
};

}  // namespace

std::string_view name_of(ValueMember member) {
    const auto number = static_cast<std::size_t>(member);
    return number < first_member ? "no value" : member_names.at(number - first_member);
}

std::optional<ValueMember> value_member_from(std::string_view name) {
    const auto* const found = std::find(member_names.begin(), member_names.end(), name);
    if (found == member_names.end()) {
        return std::nullopt;
    }
    return static_cast<ValueMember>(first_member +
                                    static_cast<std::size_t>(found - member_names.begin()));
}

ValueMember member_of(const Attribute& attribute) {
    return std::visit(MemberOf{attribute.member}, attribute.value);
}

}  // namespace npunet::chakra
