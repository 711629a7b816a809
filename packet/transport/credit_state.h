#pragma once

#include <cstdint>

namespace npunet::packet {

/// What the two ends of a queue pair know of its credit, in packets. A sender may send as many
/// packets as it has credit for: at the start of a burst, which is a message that comes while
/// nothing waits to be sent, the initial window less what is in flight; later what the receiver
/// grants, one packet at a time.
///
/// The sender tells with each packet how many more grants it `needs`, and how many it has had. The
/// receiver knows how many are still on their way, and so how many to give. Grants carry their
/// number, so a lost one is made up for by the next.
struct CreditState {
    // The sender.
    std::int64_t balance = 0;    ///< packets it may send
    std::uint64_t had = 0;       ///< grants it has had
    std::int64_t told_need = 0;  ///< the need it has told
    std::uint64_t told_had = 0;  ///< and the grants it had had then
    std::int64_t initial = 1;    ///< packets at the start of a burst

    // The receiver.
    std::uint64_t given = 0;       ///< grants it has given
    std::int64_t demand = 0;       ///< grants it has yet to give
    std::int64_t learned_at = -1;  ///< when the sender told what is known of its need, in ps
    bool in_turn = false;          ///< it stands in the line of its pacer

    /// @return grants that the sender expects after what it has told
    std::int64_t expected() const { return told_need - static_cast<std::int64_t>(had - told_had); }

    /// The sender tells its need.
    /// @param need grants
    void tell(std::int64_t need) {
        told_need = need;
        told_had = had;
    }

    /// The receiver learns the need.
    /// @param need grants
    /// @param had_ grants that the sender had had
    /// @param afresh those on their way are taken for lost
    void learn(std::int64_t need, std::uint64_t had_, bool afresh) {
        if (afresh) {
            given = had_;
        }
        const auto in_flight = static_cast<std::int64_t>(given - had_);
        demand = need > in_flight ? need - in_flight : 0;
    }

    /// The sender gets a grant.
    /// @param number of it
    void get(std::uint64_t number) {
        if (number > had) {
            balance += static_cast<std::int64_t>(number - had);
            had = number;
        }
    }
};

}  // namespace npunet::packet
