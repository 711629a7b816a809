// Values used by a run where its inputs leave them to defaults: algorithms, buffers, thresholds,
// windows. results.json has them as the object "resolved"; docs/results.md explains every key.
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

/// Minimum and maximum over links, nodes or queue pairs.
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

/// Extends a range to include one more value.
template <class Quantity>
void widen(OptionalRange<Quantity>& range, Quantity quantity) {
    if (range) {
        range->add(quantity);
    } else {
        range.emplace(quantity);
    }
}

/// Extends a range to include another one.
template <class Quantity>
void join(OptionalRange<Quantity>& range, const OptionalRange<Quantity>& other) {
    if (other) {
        widen(range, other->least);
        widen(range, other->most);
    }
}

/// Window and timeout of a transport's queue pairs.
struct QueuePairLimits {
    OptionalRange<Bytes> window;
    OptionalRange<Time> timeout;

    /// Of more queue pairs.
    void join(const QueuePairLimits& others) {
        npunet::engine::join(window, others.window);
        npunet::engine::join(timeout, others.timeout);
    }
};

/// Values of the packet fidelity. Ranges that no link, node or queue pair contributes to are empty.
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
    /// Of links within servers, where they have credits and the others have not; else empty.
    std::vector<ResolvedPacket> scale_up;

    [[nodiscard]] bool has_credits() const { return virtual_channels > 0; }
};

struct Resolved {
    /// Kinds of collectives with their algorithms, as in a system.json: one for each dimension, or
    /// a single one if the collective treats all ranks as one dimension.
    std::vector<std::pair<std::string, std::vector<std::string>>> collectives;
    std::optional<ResolvedPacket> packet;
};

}  // namespace npunet::engine
