// Strong integer identifiers: a Rank is not a NodeId, and neither is a number.
//
//     npunet::Rank rank{3};
//     trace_of[rank.index()];          // as an array index
//     fmt::print("rank {}", rank.value());
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace npunet {

/// An identifier of its own type around one 32-bit integer; -1 means "none".
template <class Tag>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(std::int32_t value) : value_(value) {}
    constexpr explicit Id(std::size_t value) : value_(static_cast<std::int32_t>(value)) {}

    [[nodiscard]] constexpr std::int32_t value() const { return value_; }
    [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
    [[nodiscard]] constexpr bool valid() const { return value_ >= 0; }

    friend constexpr bool operator==(Id a, Id b) { return a.value_ == b.value_; }
    friend constexpr bool operator!=(Id a, Id b) { return a.value_ != b.value_; }
    friend constexpr bool operator<(Id a, Id b) { return a.value_ < b.value_; }

private:
    std::int32_t value_ = -1;
};

/// A position in the workload: rank r executes the trace PREFIX.r.et.
using Rank = Id<struct RankTag>;
/// A node of the topology: NPUs first (0 .. npus - 1), then switches.
using NodeId = Id<struct NodeTag>;
/// A directed link of the topology, which is also the output port of its source node.
using LinkId = Id<struct LinkTag>;

}  // namespace npunet

template <class Tag>
struct std::hash<npunet::Id<Tag>> {
    std::size_t operator()(npunet::Id<Tag> id) const noexcept { return id.index(); }
};
