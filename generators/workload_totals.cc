#include "generators/workload_totals.h"

#include <algorithm>

namespace npunet::generators {

namespace {

/// Traffic by group slot, in the order of the groups; point-to-point last.
class TrafficTable {
public:
    explicit TrafficTable(const std::vector<RankGroup>& groups) {
        for (const RankGroup& group : groups) {
            if (group.ranks.size() < 2) {
                continue;
            }
            const auto row = std::find(slots_.begin(), slots_.end(), group.slot);
            if (row == slots_.end()) {
                slots_.push_back(group.slot);
                rows_.push_back({group.kind, 1, 0, 0});
            } else {
                ++rows_[static_cast<std::size_t>(row - slots_.begin())].groups;
            }
        }
        messages_.kind = "point-to-point";
    }

    void add(const NodeTemplate& node, std::int64_t ranks) {
        if (node.type == chakra::NodeType::CommCollective) {
            const auto row = std::find(slots_.begin(), slots_.end(), node.slot);
            if (row != slots_.end()) {  // otherwise it is among one rank, and nothing is sent
                count(rows_[static_cast<std::size_t>(row - slots_.begin())], node, ranks);
            }
        } else if (node.type == chakra::NodeType::CommSend) {
            count(messages_, node, ranks);
        }
    }

    [[nodiscard]] std::vector<Traffic> rows() const {
        std::vector<Traffic> rows = rows_;
        if (messages_.nodes > 0) {
            rows.push_back(messages_);
        }
        return rows;
    }

private:
    static void count(Traffic& row, const NodeTemplate& node, std::int64_t ranks) {
        row.nodes += ranks;
        row.bytes += static_cast<WideCount>(ranks) * node.bytes;
    }

    std::vector<std::int32_t> slots_;
    std::vector<Traffic> rows_;
    Traffic messages_;
};

}  // namespace

namespace {

/// Adds the nodes whose amounts differ from rank to rank.
void add_varying(const GeneratedWorkload& workload, WorkloadTotals& totals, TrafficTable& traffic) {
    for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
        for (const NodeTemplate& node : workload.role_of(Rank(r)).nodes) {
            if (node.varying >= 0) {
                const RankAmounts amounts = workload.amounts()(Rank(r), node.varying);
                NodeTemplate own = node;
                own.bytes = amounts.bytes;
                totals.flops += node.type == chakra::NodeType::Compute ? amounts.flops : 0;
                traffic.add(own, 1);
            }
        }
    }
}

}  // namespace

WorkloadTotals totals_of(const GeneratedWorkload& workload) {
    std::vector<std::int64_t> ranks_of_role(workload.roles().size());
    for (std::int32_t r = 0; r < workload.rank_count(); ++r) {
        ++ranks_of_role[static_cast<std::size_t>(workload.binding(Rank(r)).role)];
    }
    WorkloadTotals totals;
    TrafficTable traffic(workload.groups());
    for (std::size_t i = 0; i < ranks_of_role.size(); ++i) {
        const std::int64_t ranks = ranks_of_role[i];
        const std::vector<NodeTemplate>& nodes = workload.roles()[i].nodes;
        totals.nodes += ranks * static_cast<std::int64_t>(nodes.size());
        for (const NodeTemplate& node : nodes) {
            if (node.varying < 0) {
                totals.flops += static_cast<WideCount>(ranks) * node.flops;
                traffic.add(node, ranks);
            }
        }
    }
    if (workload.amounts()) {
        add_varying(workload, totals, traffic);
    }
    totals.traffic = traffic.rows();
    return totals;
}

}  // namespace npunet::generators
