// What a simulation found: per NPU, per collective, per link, and the timeline of every operation.
//
// Results are plain data: report/ writes them in every format, study/ compares them. The meaning of
// each figure is that of docs/results.md. In the npunet dialect every NPU satisfies
//     finish = compute + exposed_communication + exposed_memory + idle
// exactly, each a union of intervals; where activities overlap, compute wins, then communication,
// then memory, then idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/network/congestion_times.h"
#include "engine/network/link_load.h"
#include "engine/network/resolved.h"
#include "engine/results/carrier.h"
#include "engine/results/dimension_times.h"
#include "engine/results/flow_results.h"
#include "engine/results/step_rates.h"

namespace npunet::engine {

/// When the most memory was in use, and by what.
struct MemoryPeak {
    static constexpr std::size_t most_listed = 10;
    struct Tensor {
        std::string name;
        Bytes bytes;
    };

    Time at;                      ///< the first instant at which so much was in use
    std::vector<Tensor> largest;  ///< at most most_listed, largest first
    std::int64_t others = 0;      ///< further tensors
    Bytes others_bytes;
};

struct NpuResult {
    Rank rank;
    /// NPUs with equal traces (up to the names of ranks, groups and nodes) share a class, counted
    /// from 0 in order of their lowest rank.
    std::int32_t npu_class = 0;
    Time finish;
    Time compute;
    Time communication;  ///< union of the communication intervals, hidden or not
    Time exposed_communication;
    Time exposed_memory;
    Time idle;
    Time memory;  ///< union of the accesses to remote memory, hidden or not
    Time cpu;     ///< union of the operations on the host
    /// The communication by what it serves, shared by NPUs that behave alike. Null in dialects
    /// whose exposed communication is no union of intervals.
    std::shared_ptr<const DimensionTimes> dimensions;
    Bytes memory_capacity;  ///< 0: not given
    Bytes peak_memory;
    MemoryPeak peak;
    double compute_bound_percent = 0;
    double compute_utilization_percent = 0;
    double memory_utilization_percent = 0;
    double operation_intensity = 0;  ///< floating-point operations per byte
};

struct CollectiveResult {
    std::int64_t id = 0;  ///< in order of first start, then lowest rank
    std::string name;
    std::string type;  ///< "all_reduce", "all_gather", "reduce_scatter", "all_to_all"
    std::vector<Rank> group;
    std::string algorithm;  ///< "ring", "direct", or one per dimension: "ring+direct"
    Bytes bytes;            ///< as in the trace, of one rank
    Time first_start;
    Time last_start;
    Time end;
    double bandwidth_gbps = 0;  ///< bytes / (end - last_start), in 10^9 bytes per second
    /// What the members' ports, and the links between servers or leaves, allow: end - first_start
    /// is never less where messages share links (engine/collective_algorithms/lower_bound.h).
    /// Zero where it is not known: all-to-alls of unequal parts.
    Time least;
    double bandwidth_bound_gbps = 0;  ///< bytes / least, in 10^9 bytes per second
};

struct LinkResult {
    std::string from;
    std::string to;
    Bytes payload;
    Bytes wire;
    Time busy;
    double utilization_percent = 0;  ///< busy / finish of the run
    /// The earliest time at which `wire` bytes can have been sent from time 0 without a pause;
    /// Time::max() if the link goes down permanently before that.
    Time bound;
    Bytes max_queue;
    std::uint64_t packets = 0;
    std::uint64_t retransmissions = 0;
    Time credit_stall;
    std::uint64_t pauses = 0;
    std::uint64_t marked = 0;
    std::uint64_t drops = 0;
    std::uint64_t notifications = 0;  ///< congestion notifications (CNPs) that started on it
    std::uint32_t link_class = 0;     ///< in Results::link_classes
    std::vector<Time> queue_times;    ///< LinkUse::queue_times
    std::vector<Bytes> classes_wire;  ///< LinkUse::classes_wire
};

/// A lower bound of the finish of runs in which each link carries one message or packet at a time.
struct LinkBound {
    Time time;             ///< the largest LinkResult::bound
    std::size_t link = 0;  ///< the first link that has it
};

enum class OperationKind : std::uint8_t { Compute, Cpu, Send, Receive, Collective, Memory };

/// One executed node of a trace.
struct Operation {
    Rank rank;
    OperationKind kind = OperationKind::Compute;
    std::uint64_t node = 0;  ///< the node's id in its trace
    std::string name;
    Time start;
    Time end;
    /// Receives: when the first byte left the sender, where that was after the start; the receive
    /// is communication from then on.
    Time communication_from = Time();
    Bytes bytes = Bytes(-1);  ///< of communication, as in the trace; -1: does not apply
    std::int32_t group = -1;  ///< of a collective: index into Results::groups
    Rank peer = Rank();       ///< of a send or a receive
    std::int64_t tag = 0;     ///< of a send or a receive
    Parallelism dimension = Parallelism::Other;  ///< of communication, where it is known
};

/// Where to draw a node of the network (topology/network/layout.h).
struct NodePlace {
    std::string name;
    float x = 0;
    float y = 0;
};

/// A communicator of collectives in the timeline.
struct OperationGroup {
    std::string name;
    std::vector<Rank> ranks;  ///< in listed order
};

/// A run that was broken off: what the results hold is what had happened by then.
struct Partial {
    Time at;
    std::string reason;            ///< what broke it off
    std::uint64_t nodes_done = 0;  ///< of the traces
    std::uint64_t nodes = 0;
};

/// "interrupted by signal 2, with 3 of 10 nodes done"
[[nodiscard]] inline std::string describe(const Partial& partial) {
    return partial.reason + ", with " + std::to_string(partial.nodes_done) + " of " +
           std::to_string(partial.nodes) + " nodes done";
}

struct Results {
    std::string fidelity;  ///< "analytical", "packet"
    std::string dialect;   ///< "npunet", "astra-sim", "astra-sim-2025-03"
    bool whole_nanoseconds = false;
    Time finish;
    std::vector<NpuResult> npus;  ///< by rank
    std::vector<CollectiveResult> collectives;
    std::vector<LinkResult> links;          ///< in the order of the topology
    std::vector<std::string> link_classes;  ///< "NIC", "leaf-spine": topology/network/link_kinds.h
    LinkBound link_bound;                   ///< maximum over `links`
    /// Of the NPU that finishes last, the lowest rank of equals; by precedence, where they are
    /// known.
    std::vector<Carrier> carriers;
    std::vector<Operation> operations;   ///< by rank, then start, then node
    std::vector<OperationGroup> groups;  ///< with `operations`: the communicators of the workload
    std::vector<NodePlace> places;       ///< with `load`: of every node
    LinkLoad load;                       ///< where it is asked for: of the links, in their order
    std::optional<FlowResults> flows;    ///< where they are asked for
    std::optional<CongestionTimes> congestion;  ///< of networks that know it
    std::optional<Resolved> resolved;           ///< values taken by default
    std::optional<StepRates> rates;             ///< of a step whose model and plan are known
    std::vector<std::string> notes;  ///< what the user should know (choices made, no effect)
    /// Handled; with those at the borders where several processes share a simulation, so more then.
    std::uint64_t events = 0;
    std::uint64_t simulated_npus = 0;  ///< the others were proven to behave like one of them
    std::uint64_t packet_hops = 0;
    double wall_seconds = 0;
    std::optional<Partial> partial;  ///< nothing where the run came to its end
};

}  // namespace npunet::engine
