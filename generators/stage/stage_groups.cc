#include "generators/stage/stage_groups.h"

#include <array>
#include <string>
#include <utility>

#include "generators/stage/resharding.h"

namespace npunet::generators::stage_dialect {

namespace {

constexpr std::array<const char*, group_slots> kinds{"data", "tensor", "sequence"};

/// Coordinates along dp, tp, sp, in the order of the slots.
using Coordinates = std::array<std::int64_t, group_slots>;

class Grid {
public:
    explicit Grid(const StageArguments& arguments)
        : degrees_{arguments.dp, arguments.tp, arguments.sp} {}

    [[nodiscard]] std::int64_t degree(std::size_t slot) const { return degrees_[slot]; }
    [[nodiscard]] Rank rank(const Coordinates& at, std::int32_t stage) const {
        return Rank(static_cast<std::int32_t>(
            at[0] + degrees_[0] * (at[1] + degrees_[1] * (at[2] + degrees_[2] * stage))));
    }

private:
    Coordinates degrees_;
};

/// The slots besides `slot`, the slower one first.
std::array<std::size_t, 2> others(std::size_t slot) {
    return slot == 0 ? std::array<std::size_t, 2>{1, 2}
                     : std::array<std::size_t, 2>{0, slot == 1 ? std::size_t{2} : std::size_t{1}};
}

}  // namespace

std::vector<RankGroup> make_groups(const StageArguments& arguments,
                                   const std::vector<std::int32_t>& position_of_stage) {
    const Grid grid(arguments);
    std::vector<RankGroup> groups;
    for (std::size_t slot = 0; slot < group_slots; ++slot) {
        const auto [slow, fast] = others(slot);
        for (const std::int32_t stage : position_of_stage) {
            Coordinates at{};
            for (at[slow] = 0; at[slow] < grid.degree(slow); ++at[slow]) {
                for (at[fast] = 0; at[fast] < grid.degree(fast); ++at[fast]) {
                    RankGroup group{std::to_string(groups.size() + 1),
                                    kinds[slot],
                                    static_cast<std::int32_t>(slot),
                                    {}};
                    for (at[slot] = 0; at[slot] < grid.degree(slot); ++at[slot]) {
                        group.ranks.push_back(grid.rank(at, stage));
                    }
                    groups.push_back(std::move(group));
                }
            }
        }
    }
    return groups;
}

std::vector<RankBinding> make_bindings(const StageArguments& arguments,
                                       const std::vector<RankGroup>& groups,
                                       const std::vector<std::uint64_t>& numbers) {
    const auto replicas = static_cast<std::int32_t>(arguments.dp * arguments.tp * arguments.sp);
    const auto stages = static_cast<std::int32_t>(numbers.size());
    std::vector<RankBinding> bindings;
    std::uint64_t next = 0;
    for (std::int32_t stage = 0; stage < stages; ++stage) {
        for (std::int32_t replica = 0; replica < replicas; ++replica) {
            RankBinding binding;
            binding.role = stage;
            binding.groups.assign(group_slots, -1);
            for (std::int32_t peer = 0; peer < stages; ++peer) {
                binding.peers.emplace_back(peer * replicas + replica);
            }
            binding.first_id = next;
            next += numbers[static_cast<std::size_t>(stage)];
            bindings.push_back(std::move(binding));
        }
    }
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        const std::int32_t replica = static_cast<std::int32_t>(i) % replicas;
        bindings[i].first_message_id = next + 2 * static_cast<std::uint64_t>(replica);
        bindings[i].first_tag = first_tag + replica;
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (const Rank member : groups[g].ranks) {
            bindings[member.index()].groups[static_cast<std::size_t>(groups[g].slot)] =
                static_cast<std::int32_t>(g);
        }
    }
    return bindings;
}

}  // namespace npunet::generators::stage_dialect
