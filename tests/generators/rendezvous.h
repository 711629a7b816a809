// The strictest machine that may run a workload, without time: a node starts when its dependencies
// are done; a send and its receive finish when both have started; a collective when all members
// have started it, matched as the k-th of its group.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "generators/workload.h"

namespace npunet::generators {

class RendezvousMachine {
public:
    explicit RendezvousMachine(const GeneratedWorkload& workload) {
        for (const RankGroup& group : workload.groups()) {
            members_[group.id] = group.ranks.size();
        }
        for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
            traces_.push_back(workload.nodes(Rank(r)));
            states_.emplace_back(traces_.back().size() + 1, State::Waiting);
        }
    }

    /// Nodes that never finish.
    std::int64_t run() {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t r = 0; r < traces_.size(); ++r) {
                for (const chakra::Node& node : traces_[r]) {
                    moved = try_start(r, node) || moved;
                }
            }
        }
        std::int64_t unfinished = 0;
        for (std::size_t r = 0; r < traces_.size(); ++r) {
            for (const chakra::Node& node : traces_[r]) {
                unfinished += states_[r][node.id] == State::Done ? 0 : 1;
            }
        }
        return unfinished;
    }

private:
    enum class State { Waiting, Started, Done };
    using Place = std::pair<std::size_t, std::uint64_t>;

    bool try_start(std::size_t rank, const chakra::Node& node) {
        if (states_[rank][node.id] != State::Waiting) {
            return false;
        }
        for (const std::uint64_t dependency : node.data_deps) {
            if (states_[rank][dependency] != State::Done) {
                return false;
            }
        }
        states_[rank][node.id] = State::Started;
        if (node.type == chakra::NodeType::Compute) {
            states_[rank][node.id] = State::Done;
        } else {
            meet(rank, node);
        }
        return true;
    }

    void meet(std::size_t rank, const chakra::Node& node) {
        std::string key;
        std::size_t parties = 2;
        if (node.type == chakra::NodeType::CommCollective) {
            const std::string group(*node.text("pg_name"));
            key = group + " #" + std::to_string(calls_[{rank, group}]++);
            parties = members_.at(group);
        } else {
            key = std::to_string(*node.integer("comm_src")) + ">" +
                  std::to_string(*node.integer("comm_dst")) + " tag " +
                  std::to_string(*node.integer("comm_tag"));
        }
        std::vector<Place>& present = meetings_[key];
        present.emplace_back(rank, node.id);
        if (present.size() == parties) {
            for (const auto& [r, id] : present) {
                states_[r][id] = State::Done;
            }
        }
    }

    std::vector<std::vector<chakra::Node>> traces_;
    std::vector<std::vector<State>> states_;
    std::map<std::string, std::size_t> members_;
    std::map<std::pair<std::size_t, std::string>, std::int64_t> calls_;
    std::map<std::string, std::vector<Place>> meetings_;
};

inline std::int64_t unfinished_after_rendezvous(const GeneratedWorkload& workload) {
    return RendezvousMachine(workload).run();
}

}  // namespace npunet::generators
