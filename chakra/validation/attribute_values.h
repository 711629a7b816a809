// The attributes of one node that a simulation reads, each found once, with their kinds.
//
//     AttributeValues values;
//     values.read(node);                                    // reusable
//     values.integer(KnownAttribute::CommSize);             // Kind::Integer and the number
//
// C++17-clean.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "chakra/trace/node.h"

namespace npunet::chakra {

enum class KnownAttribute : std::uint8_t {
    IsCpuOp,
    DurationNs,
    NumOps,
    TensorSize,
    CommType,
    CommSize,
    CommSrc,
    CommDst,
    CommTag,
    CommPriority,
    CommRoot,
    CommSizes,
    CommGroup,
    PgName,
    InvolveDims,
    Inputs,
    Outputs
};

constexpr std::size_t known_attributes = static_cast<std::size_t>(KnownAttribute::Outputs) + 1;

/// "comm_size", ...
[[nodiscard]] std::string_view name_of(KnownAttribute attribute);

/// Whether a simulation reads attributes of this name.
[[nodiscard]] bool is_known_attribute(std::string_view name);

/// "a string", "a list of integers", ...: of what kind a value is.
[[nodiscard]] std::string_view kind_of(const AttributeValue& value);

class AttributeValues {
public:
    enum class Kind : std::uint8_t {
        Absent,    ///< not there, or without a value
        Integer,   ///< below 2^63
        TooLarge,  ///< an integer from 2^63
        Other
    };
    struct Integer {
        Kind kind = Kind::Absent;
        std::int64_t value = 0;
    };

    /// `node` must outlive the use of this.
    void read(const Node& node);

    /// The first of its name; null when there is none or it has no value.
    [[nodiscard]] const AttributeValue* find(KnownAttribute attribute) const {
        return values_[static_cast<std::size_t>(attribute)];
    }
    [[nodiscard]] Integer integer(KnownAttribute attribute) const;

private:
    std::array<const AttributeValue*, known_attributes> values_{};
};

}  // namespace npunet::chakra
