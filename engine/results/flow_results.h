// What a run tells of its messages: how long each flow's took, and what the network did for it.
//
// A flow is all messages from one NPU to another in one traffic class. A message takes from its
// sending to the arrival of its last byte; its slowdown is that over what it takes alone on an idle
// network. Percentiles are the least value that so many percent of the messages do not exceed
// (nearest rank), so they are values that occur.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/communication.h"
#include "base/quantities.h"
#include "engine/network/network.h"

namespace npunet::engine {

/// No slowdown is known: that of nothing, where the idle time is not known, and of a
/// message that takes time here and none on an idle network.
inline constexpr double no_slowdown = std::numeric_limits<double>::quiet_NaN();

/// A message that has arrived.
struct CompletedMessage {
    MessageId id;
    FlowKey flow;
    Communication kind = Communication::SendReceive;
    Bytes bytes;
    Time start;            ///< its sender handed it to the network
    Time first_byte_left;  ///< the source's port
    Time end;              ///< its last byte was in
    double slowdown = no_slowdown;

    [[nodiscard]] Time completion() const { return end - start; }
};

/// Of how long messages took.
struct CompletionTimes {
    Time total;  ///< their sum, at most Time::max()
    Time least;
    Time mean;  ///< to the nearest picosecond
    Time median;
    Time p99;
    Time most;
};

/// Of the messages that have a slowdown.
struct Slowdowns {
    double mean = no_slowdown;
    double median = no_slowdown;
    double p99 = no_slowdown;
    double most = no_slowdown;
};

struct FlowResult {
    FlowKey flow;  ///< of a sum over flows: none
    std::uint64_t messages = 0;
    Bytes bytes;
    Time first_start;
    Time last_end;
    CompletionTimes completion;
    Slowdowns slowdown;
    FlowCounts counts;  ///< zeros where the network has no transport
};

/// The messages of some sizes.
struct SizeResult {
    Bytes up_to;  ///< the largest: 1 KiB times a power of 4; those of at most a quarter are not
                  ///< among them
    FlowResult result;  ///< without flow, first and last time and counts
};

struct FlowResults {
    std::vector<FlowResult> flows;   ///< by source, destination, class
    std::vector<SizeResult> sizes;   ///< by size, where there are any; none without idle times
    FlowResult all;                  ///< of all messages together
    std::uint8_t classes = 1;        ///< traffic classes of the network
    std::vector<std::string> names;  ///< of the NPUs
};

}  // namespace npunet::engine
