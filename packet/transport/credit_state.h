// Credit of a queue pair as known at its two ends, in packets (receiver credits). A sender may send
// as many packets as it has credit for: at the start of a burst (a message arrives while nothing
// waits to be sent) the initial window less what is in flight; later what the receiver grants, one
// packet at a time.
//
// Each packet reports how many more grants its sender needs and how many it has received. From
// these the receiver knows how many grants are in flight, and how many to issue. Grants are
// numbered cumulatively, so a lost grant is covered by the next one.
#pragma once

#include <cstdint>

namespace npunet::packet {

struct CreditState {
    // The sender.
    std::int64_t balance = 0;    ///< packets it may send
    std::uint64_t had = 0;       ///< grants received
    std::int64_t told_need = 0;  ///< need last reported, in grants
    std::uint64_t told_had = 0;  ///< grants received when it was reported
    std::int64_t initial = 1;    ///< packets at the start of a burst

    // The receiver.
    std::uint64_t given = 0;       ///< grants issued
    std::int64_t demand = 0;       ///< grants still to issue
    std::int64_t learned_at = -1;  ///< when the last processed report was sent, in ps
    bool in_turn = false;          ///< is in the round robin of its pacer

    /// Grants that the sender still expects after its last report.
    std::int64_t expected() const { return told_need - static_cast<std::int64_t>(had - told_had); }

    /// The sender reports its need, in grants.
    void tell(std::int64_t need) {
        told_need = need;
        told_had = had;
    }

    /// The receiver processes a report: the need in grants, and how many grants the sender had
    /// received. `afresh`: grants in flight are considered lost.
    void learn(std::int64_t need, std::uint64_t received, bool afresh) {
        if (afresh) {
            given = received;
        }
        const auto in_flight = static_cast<std::int64_t>(given - received);
        demand = need > in_flight ? need - in_flight : 0;
    }

    /// The sender receives the grant with this number.
    void get(std::uint64_t number) {
        if (number > had) {
            balance += static_cast<std::int64_t>(number - had);
            had = number;
        }
    }
};

}  // namespace npunet::packet
