// The messages that start at a node and leave by one link on one virtual channel: served by turns,
// packet by packet, in the order of their start, as docs/models.md, "Packet network", says. Exact,
// while the ring has a steady share of the link: what happens is computed from one event to the
// next, whatever the number of packets between.
//
// With queue pairs, the messages of one pair are sent one after the other, in its turn.
//
//     ring.add({stage, packets, work_of(last), pair}, rounding);
//     ring.advance(work);                   // less than to_next()
//     if (due) { ended = ring.finish(); }
//     if (!ring.serving()) { begun = ring.start(); }    // when all have come that come now
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analytical/fluid/work.h"
#include "base/quantities.h"

namespace npunet::analytical {

class SourceRing {
public:
    static constexpr std::uint32_t none = 0xffffffff;

    SourceRing(std::uint32_t buffer, Time full) : buffer_(buffer), full_(work_of(full)) {}

    /// The buffer behind the link.
    [[nodiscard]] std::uint32_t buffer() const { return buffer_; }
    [[nodiscard]] bool busy() const { return serving_ || !entries_.empty(); }
    /// Messages of which packets have still to start.
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] std::uint32_t stage(std::size_t index) const { return entries_[index].stage; }
    /// The last packet of a message is on the link.
    [[nodiscard]] bool ends() const { return ends_; }
    [[nodiscard]] std::uint32_t served() const { return served_; }
    /// Packets that have not started.
    [[nodiscard]] std::int64_t packets(std::size_t index) const { return entries_[index].packets; }
    /// Its first packet has started.
    [[nodiscard]] bool begun(std::size_t index) const { return entries_[index].begun; }

    struct Entry {
        std::uint32_t stage = 0;
        std::int64_t packets = 0;   ///< that have not started
        Work last = 0;              ///< its last packet on the link
        std::uint32_t pair = none;  ///< queue pair
        bool begun = false;
    };

    /// A message joins, behind the others, or behind those of its queue pair. What is due within
    /// `rounding` is due now.
    void add(const Entry& message, Work rounding);
    void advance(Work work) { done_ += work; }
    /// Work until the packet on the link ends behind which one starts, or should, that is the first
    /// or the last one of its message; while a packet is on the link.
    [[nodiscard]] Work to_next() const { return next_ - done_; }
    [[nodiscard]] bool serving() const { return serving_; }
    /// What has been sent of the packet on the link, if that is a full one.
    [[nodiscard]] Work sent() const {
        return done_ < left_ ? std::max<Work>(full_ - (left_ - done_), 0) : (done_ - left_) % full_;
    }
    /// That packet ends. Returns the message whose last one it is, or none.
    std::uint32_t finish();
    /// No packet is on the link and some wait: the next one starts. Returns the message whose first
    /// one it is, or none.
    std::uint32_t start();

    /// What has not left of a message.
    struct Withdrawn {
        std::int64_t packets = 0;  ///< that have not started
        bool begun = false;
        bool on_link = false;  ///< one of its packets is on the link
    };
    /// The message sends no more packets: the one on the link is its last one. What is due within
    /// `rounding` is due now.
    Withdrawn withdraw(std::uint32_t stage, Work rounding);
    /// The packet on the link, the last one of its message, is not sent.
    void cancel_packet();

private:
    /// Packets that are neither the first nor the last of their message start, and the ones before
    /// them end.
    void pass(std::int64_t packets);
    void settle(Work rounding);
    void find_next();

    std::uint32_t buffer_;
    Work full_;
    std::vector<Entry> entries_;  ///< of each queue pair the first message
    std::vector<Entry> behind_;   ///< the other messages, in the order of their start
    std::size_t turn_ = 0;        ///< of the entry whose packet is next; may be beyond the last
    bool serving_ = false;        ///< a packet is on the link
    bool ends_ = false;           ///< it is the last one of its message
    std::uint32_t served_ = 0;
    Work left_ = 0;  ///< of it
    Work next_ = 0;  ///< work from the last change to the next event
    Work done_ = 0;  ///< since the last change
};

}  // namespace npunet::analytical
