// One bottleneck that several queue pairs share, to see where a congestion control algorithm leads:
// each sender has a link of its own to a switch, whose one output port is the bottleneck. Events
// are simulated one by one in the plainest way; nothing of the packet machine is used. The queue
// has no end, but senders are paused while it is long.
//
//     Bottleneck bottleneck;
//     bottleneck.flows = 2;
//     const std::vector<double> shares = bottleneck.run(choice, Time::ms(10), Time::ms(5));
#pragma once

#include <cstdint>
#include <vector>

#include "packet/congestion/congestion_control.h"

namespace npunet::packet_test {

/// What a run led to, over the time that counts.
struct Sharing {
    std::vector<double> rates;  ///< of each flow, through the bottleneck, over its rate
    double utilisation = 0;     ///< of the bottleneck
    double most_queue = 0;      ///< bytes
    /// (sum of x)^2 / (n sum of x^2) of the rates (Jain, 1984): 1 when all are equal.
    [[nodiscard]] double fairness() const;
};

struct Bottleneck {
    int flows = 2;
    std::int64_t link = 50'000'000'000;   ///< bytes/s of a sender's link
    std::int64_t rate = 50'000'000'000;   ///< bytes/s of the bottleneck
    std::int64_t delay = 2'000'000;       ///< ps from sender to bottleneck, and back from there
    std::int64_t packet = 4160;           ///< bytes
    std::int64_t mark_from = 100 * 1024;  ///< bytes in the queue at which marks begin,
    std::int64_t mark_all = 400 * 1024;   ///< at which every packet is marked,
    double mark_most = 0.2;               ///< and the probability just below that
    std::int64_t room = 2'000'000;        ///< senders pause while more bytes are in the queue
    std::int64_t stagger = 0;             ///< ps from one flow's start to the next one's

    [[nodiscard]] packet::FlowPath path() const;

    /// All flows always have something to send.
    /// @param until when the run ends, in ps
    /// @param from when the time that counts begins, in ps
    [[nodiscard]] Sharing run(const topology::CongestionControlChoice& choice, std::int64_t until,
                              std::int64_t from) const;
};

/// A run of the bottleneck, and the time of it that counts.
struct SharingScenario {
    Bottleneck bottleneck;
    std::int64_t until = 0;  ///< ps
    std::int64_t from = 0;   ///< ps

    [[nodiscard]] Sharing run(const topology::CongestionControlChoice& choice) const {
        return bottleneck.run(choice, until, from);
    }
};

/// One flow whose link is as fast as the bottleneck.
[[nodiscard]] SharingScenario one_flow();
/// One flow whose link is twice as fast.
[[nodiscard]] SharingScenario one_fast_flow();
/// Two flows, the second 100 us later. The round trip is 16 us, so that there is room for 200
/// packets. 30 ms are some 1900 round trips, and 545 timers of DCQCN.
[[nodiscard]] SharingScenario two_flows();
/// Eight flows, each 20 us after the one before.
[[nodiscard]] SharingScenario eight_flows();

}  // namespace npunet::packet_test
