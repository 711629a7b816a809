#include "analysis/simulated_timeline.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/operation_roles.h"

namespace npunet::analysis {

namespace {

using engine::Operation;
using engine::OperationKind;

constexpr std::array<const char*, 6> lanes{"compute", "cpu",        "send",
                                           "receive", "collective", "memory"};

Category category_of(OperationKind kind) {
    switch (kind) {
        case OperationKind::Compute:
            return Category::Computation;
        case OperationKind::Cpu:
            return Category::Host;
        case OperationKind::Memory:
            return Category::Memory;
        default:
            return Category::Communication;
    }
}

/// Gives equal numbers to what several ranks carry out together.
class Joiner {
public:
    explicit Joiner(std::size_t groups) : of_groups_(groups) {}

    [[nodiscard]] std::int32_t joint_of(const Operation& operation) {
        if (operation.group >= 0) {
            Collectives& group = of_groups_[static_cast<std::size_t>(operation.group)];
            if (group.rank != operation.rank) {
                group.rank = operation.rank;
                group.next = 0;
            }
            return number(group.joints, group.next++);
        }
        if (!operation.peer.valid()) {
            return Interval::none;
        }
        const bool sends = operation.kind == OperationKind::Send;
        Channel& channel = channels_[{sends ? operation.rank : operation.peer,
                                      sends ? operation.peer : operation.rank, operation.tag}];
        return number(channel.joints, sends ? channel.sends++ : channel.receives++);
    }

private:
    struct Collectives {
        Rank rank;  ///< that is being numbered
        std::size_t next = 0;
        std::vector<std::int32_t> joints;
    };
    struct Channel {
        std::size_t sends = 0;
        std::size_t receives = 0;
        std::vector<std::int32_t> joints;
    };

    std::int32_t number(std::vector<std::int32_t>& joints, std::size_t k) {
        if (k == joints.size()) {
            joints.push_back(next_++);
        }
        return joints[k];
    }

    std::int32_t next_ = 0;
    std::vector<Collectives> of_groups_;
    std::map<std::tuple<Rank, Rank, std::int64_t>, Channel> channels_;
};

/// Looks at every name once for each kind of operation.
class Roles {
public:
    [[nodiscard]] const OperationRole& of(std::uint32_t name, const Operation& operation) {
        if (known_.size() <= name) {
            known_.resize(name + std::size_t{1});
        }
        std::optional<OperationRole>& role = known_[name][static_cast<std::size_t>(operation.kind)];
        if (!role) {
            role = role_of(operation.name, operation.kind);
        }
        return *role;
    }

private:
    std::vector<std::array<std::optional<OperationRole>, lanes.size()>> known_;
};

}  // namespace

RunTimeline simulated_timeline(const engine::Results& results) {
    RunTimeline timeline;
    timeline.label = results.fidelity;
    timeline.length = results.finish;
    if (results.partial) {
        timeline.notes.push_back("partial: " + engine::describe(*results.partial));
    }
    timeline.notes.insert(timeline.notes.end(), results.notes.begin(), results.notes.end());
    for (const engine::OperationGroup& group : results.groups) {
        timeline.groups.push_back({group.name, group.ranks});
    }
    std::array<std::uint32_t, lanes.size()> lane_names{};
    std::transform(lanes.begin(), lanes.end(), lane_names.begin(),
                   [&timeline](const char* lane) { return timeline.names.number_of(lane); });
    Joiner joiner(results.groups.size());
    Roles roles;
    timeline.intervals.reserve(results.operations.size());
    for (const Operation& operation : results.operations) {
        Interval row;
        row.rank = operation.rank;
        row.lane = lane_names[static_cast<std::size_t>(operation.kind)];
        row.category = category_of(operation.kind);
        row.name = timeline.names.number_of(operation.name);
        const OperationRole& role = roles.of(row.name, operation);
        row.phase = role.phase;
        row.dimension =
            operation.dimension == Dimension::Other ? role.dimension : operation.dimension;
        row.micro_batch = role.micro_batch;
        row.start =
            std::min(operation.end, std::max(operation.start, operation.communication_from));
        row.end = operation.end;
        row.bytes = operation.bytes;
        row.group = operation.group;
        row.peer = operation.peer;
        row.joint = joiner.joint_of(operation);
        row.id = operation.node;
        timeline.intervals.add(row);
    }
    timeline.load.bin = results.load.bin;
    timeline.load.bins = results.load.bins;
    timeline.load.shares = results.load.shares;
    for (const engine::LinkResult& link : results.links) {
        timeline.load.links.push_back({link.from, link.to, link.link_class});
    }
    timeline.load.kinds = results.link_classes;
    for (const engine::NodePlace& place : results.places) {
        timeline.load.nodes.push_back({place.name, place.x, place.y});
    }
    timeline.finish();
    return timeline;
}

}  // namespace npunet::analysis
