#include "generators/megatron/traffic/traffic.h"

namespace npunet::generators::megatron {

namespace {

/// What an edge of the ring carries for each byte that a rank hands over.
double ring_factor(Operation operation, double ranks) {
    switch (operation) {
        case Operation::AllReduce:
            return 2 * (ranks - 1) / ranks;
        case Operation::AllGather:
        case Operation::AllGatherBase:
        case Operation::AllGatherIntoTensor:
            return ranks - 1;
        case Operation::ReduceScatter:
        case Operation::ReduceScatterBase:
        case Operation::ReduceScatterTensor:
            return (ranks - 1) / ranks;
        default:
            return 1;  // broadcast
    }
}

bool is_direct(const StepCall& call) {
    return call.group < 0 || call.operation == Operation::AllToAll ||
           call.operation == Operation::AllToAllSingle || call.operation == Operation::Scatter ||
           call.operation == Operation::Gather;
}

}  // namespace

const std::vector<std::string>& traffic_assumptions() {
    static const std::vector<std::string> sentences = {
        "ring algorithms in the group's order: all-reduce 2 (n - 1) / n of the tensor on each "
        "edge, all-gather n - 1 parts, reduce-scatter (n - 1) / n of the input, broadcast the "
        "tensor along the ring from the root",
        "all-to-all, scatter and gather go directly: all-to-all 1 / n of the input to each other "
        "rank",
        "messages count as they are sent",
        "every member of a ring makes the calls that the group's first rank logs",
        "phases that logs do not name follow from the position in the log"};
    return sentences;
}

void TrafficMatrix::add(const std::vector<StepCall>& calls) {
    for (const StepCall& call : calls) {
        if (is_direct(call)) {
            add_direct(call);
        } else if (table_.ranks(call.group).front() == call.owner) {
            const Rank root = call.operation == Operation::Broadcast ? call.peer : Rank();
            rings_[{call.phase, call.operation, call.group, root}] +=
                static_cast<double>(call.bytes);
        }
    }
}

void TrafficMatrix::add_direct(const StepCall& call) {
    std::map<Pair, double>& cells = direct_[static_cast<std::size_t>(call.phase)];
    const auto bytes = static_cast<double>(call.bytes);
    const auto send = [&](Rank from, Rank to, double amount) {
        if (from != to && amount > 0) {
            cells[{from, to}] += amount;
        }
    };
    if (call.group < 0 || call.operation == Operation::Gather) {
        send(call.owner, call.peer, bytes);
    } else if (call.operation == Operation::Scatter) {
        send(call.peer, call.owner, bytes);
    } else {
        const std::vector<Rank>& ranks = table_.ranks(call.group);
        for (const Rank rank : ranks) {
            send(call.owner, rank, bytes / static_cast<double>(ranks.size()));
        }
    }
}

void TrafficMatrix::add_ring(std::map<Pair, double>& cells, const Collective& collective,
                             double bytes) const {
    const auto& [phase, operation, group, root] = collective;
    const std::vector<Rank>& ranks = table_.ranks(group);
    const double on_edge = bytes * ring_factor(operation, static_cast<double>(ranks.size()));
    for (std::size_t k = 0; k < ranks.size() && on_edge > 0; ++k) {
        const Rank next = ranks[(k + 1) % ranks.size()];
        if (next != root) {
            cells[{ranks[k], next}] += on_edge;
        }
    }
}

std::vector<TrafficMatrix::Cell> TrafficMatrix::cells(Phase phase) const {
    std::map<Pair, double> sums = direct_[static_cast<std::size_t>(phase)];
    for (const auto& [collective, bytes] : rings_) {
        if (std::get<Phase>(collective) == phase) {
            add_ring(sums, collective, bytes);
        }
    }
    std::vector<Cell> cells;
    for (const auto& [pair, bytes] : sums) {
        cells.push_back({pair.first, pair.second, bytes});
    }
    return cells;
}

}  // namespace npunet::generators::megatron
