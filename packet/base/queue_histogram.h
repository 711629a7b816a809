// How long how many bytes waited at an output port, by powers of two. Arrivals may be recorded in
// advance and in any order, departures when they happen.
//
//     QueueHistogram histogram;
//     histogram.arrive(100, 4160);
//     histogram.depart(350, 4160);
//     histogram.times();  // 250 ps in the entry of 4096 to 8191 bytes
//
// Times in picoseconds.
#pragma once

#include "base/quantities.h"
#include "topology/network/network_description.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace npunet::packet {

class QueueHistogram {
public:
    /// `at`: when the bytes begin to wait; not before the last departure.
    void arrive(std::int64_t at, std::int64_t bytes) { arrivals_.emplace(at, bytes); }

    void depart(std::int64_t now, std::int64_t bytes) {
        while (!arrivals_.empty() && arrivals_.top().first <= now) {
            advance(arrivals_.top().first);
            waiting_ += arrivals_.top().second;
            arrivals_.pop();
        }
        advance(now);
        waiting_ -= bytes;
    }

    /// Entry k: how long 2^k to 2^(k+1) - 1 bytes waited, up to the last departure.
    const std::vector<Time>& times() const { return times_; }

private:
    /// Time and bytes.
    using Arrival = std::pair<std::int64_t, std::int64_t>;

    /// Adds the time for which `waiting_` bytes have waited until now.
    void advance(std::int64_t now) {
        if (waiting_ > 0 && now > since_) {
            const auto power = static_cast<std::size_t>(
                63 - __builtin_clzll(static_cast<unsigned long long>(waiting_)));
            if (power >= times_.size()) {
                times_.resize(power + 1);
            }
            times_[power] += Time::ps(now - since_);
        }
        since_ = now;
    }

    /// Future arrivals, the earliest on top.
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<Arrival>> arrivals_;
    std::int64_t since_ = 0;    ///< since when `waiting_` bytes wait
    std::int64_t waiting_ = 0;  ///< bytes
    std::vector<Time> times_;   ///< see times()
};

/// The histograms of all links, where the description requests them; otherwise nothing here has an
/// effect.
class QueueHistograms {
public:
    explicit QueueHistograms(const topology::NetworkDescription& description)
        : of_links_(description.packet.queue_histogram ? description.graph.links() : 0) {}

    bool are_kept() const { return !of_links_.empty(); }

    void arrive(std::size_t link, std::int64_t at, std::int64_t bytes) {
        if (are_kept()) {
            of_links_[link].arrive(at, bytes);
        }
    }

    void depart(std::size_t link, std::int64_t now, std::int64_t bytes) {
        if (are_kept()) {
            of_links_[link].depart(now, bytes);
        }
    }

    /// QueueHistogram::times(); empty if no histograms are kept.
    std::vector<Time> times_of(std::size_t link) const {
        return are_kept() ? of_links_[link].times() : std::vector<Time>();
    }

private:
    std::vector<QueueHistogram> of_links_;
};

}  // namespace npunet::packet
