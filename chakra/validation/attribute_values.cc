#include "chakra/validation/attribute_values.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace npunet::chakra {

namespace {

constexpr std::array<std::string_view, known_attributes> names{
    "is_cpu_op",  "duration_ns", "num_ops",      "tensor_size",   "comm_type", "comm_size",
    "comm_src",   "comm_dst",    "comm_tag",     "comm_priority", "comm_root", "comm_sizes",
    "comm_group", "pg_name",     "involve_dims", "inputs",        "outputs"};

/// By the index of AttributeValue.
constexpr std::array<std::string_view, std::variant_size_v<AttributeValue>> kinds{
    "nothing",
    "a boolean",
    "an integer",
    "an integer",
    "an integer",
    "an integer",
    "a number with a fraction",
    "a number with a fraction",
    "a string",
    "a list of integers",
    "a list of strings",
    "a list of booleans",
    "a list of numbers"};

/// Without a value an attribute is as good as absent, which real traces contain; but not a list
/// that says how something is divided.
bool counts(KnownAttribute attribute, const AttributeValue& value) {
    return !std::holds_alternative<std::monostate>(value) ||
           attribute == KnownAttribute::CommSizes || attribute == KnownAttribute::InvolveDims;
}

}  // namespace

bool is_known_attribute(std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view name_of(KnownAttribute attribute) {
    return names[static_cast<std::size_t>(attribute)];
}

std::string_view kind_of(const AttributeValue& value) {
    return kinds[value.index()];
}

void AttributeValues::read(const Node& node) {
    values_.fill(nullptr);
    std::array<bool, known_attributes> seen{};
    for (const Attribute& attribute : node.attributes) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (attribute.name == names[i]) {
                if (!seen[i] && counts(static_cast<KnownAttribute>(i), attribute.value)) {
                    values_[i] = &attribute.value;
                }
                seen[i] = true;
                break;
            }
        }
    }
}

AttributeValues::Integer AttributeValues::integer(KnownAttribute attribute) const {
    const AttributeValue* found = find(attribute);
    if (found == nullptr) {
        return {};
    }
    return std::visit(
        [](const auto& value) -> Integer {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::uint64_t>) {
                if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                    return {Kind::TooLarge, 0};
                }
            }
            if constexpr (std::is_integral_v<Value>) {
                return {Kind::Integer, static_cast<std::int64_t>(value)};
            } else {
                return {Kind::Other, 0};
            }
        },
        *found);
}

}  // namespace npunet::chakra
