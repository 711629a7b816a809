// What waits at a node for one of its links, all of it or what came in by one buffer: first in,
// first out.
//
// Messages come in at rates that change at certain times. While less leaves than comes in, what has
// come in between two such changes is a segment: a mixture of messages, which leaves as it came.
// With nothing waiting, messages pass through.
//
//     queue.set_in(stage, share);         // of the link, from now on
//     queue.end_in(stage, total);         // all of it has come in
//     queue.serve(share);                 // from now on
//     const Time due = queue.next(now);   // the first segment has left,
//     queue.ending(stages);               // and these messages with it
//     queue.pop(now);
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "analytical/fluid/work.h"
#include "base/quantities.h"

namespace npunet::analytical {

class InputQueue {
public:
    /// A message, and its share of the link.
    struct Part {
        std::uint32_t stage = 0;
        Share share = 0;
    };

    /// Whether something waits.
    [[nodiscard]] bool waiting() const { return !segments_.empty(); }
    /// Nothing waits, and nothing comes in.
    [[nodiscard]] bool idle() const { return segments_.empty() && arriving_.empty(); }
    [[nodiscard]] Share rate() const { return rate_; }
    /// Sum of the shares at which messages come in.
    [[nodiscard]] Work in() const { return in_; }
    [[nodiscard]] Share demand() const { return waiting() ? no_limit : capped_share(in_); }
    /// What waits.
    [[nodiscard]] Work backlog() const;
    /// What comes in now.
    [[nodiscard]] const std::vector<Part>& arriving() const { return arriving_; }

    /// What has left since it was idle.
    [[nodiscard]] Work served() const { return served_; }
    /// The end of a message has left.
    void end_message() { at_end_ = served_; }
    /// What has left since then.
    [[nodiscard]] Work served_since_end() const { return served_ - at_end_; }
    /// What is left of the first segment.
    [[nodiscard]] Work first_left() const { return segments_.front().left; }
    [[nodiscard]] const std::vector<Part>& first() const { return segments_.front().parts; }
    /// All that leaves or comes behind the first segment is of other messages.
    [[nodiscard]] bool ends_with_first(std::uint32_t stage) const;

    void advance(Time span);

    /// From now on; a positive share.
    void set_in(std::uint32_t stage, Share share);
    /// The same for a message of which some has come in before.
    void join(std::uint32_t stage, Share share, Work before);
    /// All of a message, `total`, has come in. Returns whether some of it still waits.
    bool end_in(std::uint32_t stage, Work total);
    /// How much has come in of a message of arriving().
    [[nodiscard]] Work came(std::size_t index) const {
        return arrived_[index].before +
               work_in(arriving_[index].share, clock_ - arrived_[index].since);
    }
    /// What there has been of a message.
    struct Progress {
        Work left = 0;   ///< has left
        Work waits = 0;  ///< is here
    };
    /// `ended`: all of it, `total`, has come.
    [[nodiscard]] Progress progress(std::uint32_t stage, bool ended, Work total) const;
    /// What is here of a message goes away, and no more comes.
    void remove(std::uint32_t stage);
    void serve(Share rate);
    /// Messages pass through again if nothing waits any more.
    void settle();
    /// What the messages that leave now get of the link, in sum rate(), but for roundings.
    void leaving(std::vector<Part>& parts) const;

    /// The messages of which something waits, some perhaps several times.
    void stages(std::vector<std::uint32_t>& stages) const;

    /// When the first segment has left; Time::max(): never at these rates.
    [[nodiscard]] Time next(Time now) const;
    /// The messages of which nothing comes behind the first segment.
    void ending(std::vector<std::uint32_t>& stages);
    /// Takes the first segment away if it has left by now.
    bool pop(Time now);

private:
    struct Segment {
        Work left = 0;
        Work sum = 0;  ///< of the shares
        std::vector<Part> parts;
    };

    /// How much has come in of a message.
    struct Arrived {
        Time since;  ///< it has had its share
        Work before = 0;
    };

    void begin_segment();
    /// How much of a segment is of this part.
    [[nodiscard]] static Work portion(const Segment& segment, const Part& part);

    std::vector<Part> arriving_;
    std::vector<Arrived> arrived_;  ///< of arriving_
    Time clock_;                    ///< by which this is up to date; it stands while it is idle
    Work in_ = 0;                   ///< sum of the shares of arriving_
    Share rate_ = 0;
    Work served_ = 0;
    Work at_end_ = 0;       ///< served_ when a message had left last
    bool changed_ = false;  ///< what arrives, since the last segment began
    std::deque<Segment> segments_;
};

}  // namespace npunet::analytical
