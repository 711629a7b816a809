// What a run worked with where its inputs left that to defaults: algorithms, buffers, thresholds,
// windows. results.json has it as the object "resolved"; docs/results.md explains every figure.
//
//     results.resolved = study::resolve(machine, fidelity, *network);
//
// Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantities.h"

namespace npunet::engine {

/// The least and the most of what differs among links, nodes or queue pairs.
template <class Quantity>
struct Range {
    Quantity least;
    Quantity most;

    explicit Range(Quantity first) : least(first), most(first) {}
    void add(Quantity other) {
        least = other < least ? other : least;
        most = most < other ? other : most;
    }
};

template <class Quantity>
using OptionalRange = std::optional<Range<Quantity>>;

/// Makes room in a range for one more.
template <class Quantity>
void widen(OptionalRange<Quantity>& range, Quantity quantity) {
    if (range) {
        range->add(quantity);
    } else {
        range.emplace(quantity);
    }
}

/// What the queue pairs of a transport work with.
struct QueuePairLimits {
    OptionalRange<Bytes> window;
    OptionalRange<Time> timeout;
};

/// Of the packet fidelity. Ranges that nothing falls into do not exist.
struct ResolvedPacket {
    std::string routing;
    std::string flow_control;
    std::int32_t virtual_channels = 0;  ///< of a traffic class; 0 without credits
    OptionalRange<Bytes> buffer;
    OptionalRange<Bytes> headroom;
    OptionalRange<Bytes> queue_limit;
    Bytes resume_below;
    OptionalRange<Bytes> kmin;
    OptionalRange<Bytes> kmax;
    double pmax = 0;
    std::string transport;
    std::string congestion_control;
    QueuePairLimits pairs;

    [[nodiscard]] bool has_credits() const { return virtual_channels > 0; }
};

struct Resolved {
    /// The kinds of collectives, and the algorithms of each, as in a system.json: one for each
    /// dimension, or one where a collective goes by one line.
    std::vector<std::pair<std::string, std::vector<std::string>>> collectives;
    std::optional<ResolvedPacket> packet;
};

}  // namespace npunet::engine
