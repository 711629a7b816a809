// Which event of a thread encloses which.
//
//     const Nesting nesting(trace, Overlap::Clipped);
//     for (EventId up = nesting.parent(launch); up != no_event; up = nesting.parent(up)) { ... }
//
// Events are taken by start; of those with one start the longest first, then as the file has them.
// An event's parent is the innermost event of its track that is still open at its start. Real
// traces have events that begin within another and end behind it (clocks are read twice); how those
// are taken is the dialect's:
// - Spilled: as trace processors since version 57 have it, they stand aside: they have no parent
//   and no children.
// - Clipped: nothing is lost. Where two overlap by at most clipped_ns, the earlier is taken to end
//   where the later begins; where by more, the later is taken to end where the earlier does.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/event_table.h"

namespace npunet::analysis {

using profiles::EventId;
using profiles::EventTable;
using profiles::no_event;

enum class Overlap : std::uint8_t { Spilled, Clipped };

class Nesting {
public:
    static constexpr std::int64_t clipped_ns = 5000;

    Nesting(const EventTable& trace, Overlap overlap);

    /// no_event: none.
    [[nodiscard]] EventId parent(EventId event) const { return parents_[event]; }
    /// All events by start, parents before children.
    [[nodiscard]] const std::vector<EventId>& order() const { return order_; }
    /// Events that overlap another in part.
    [[nodiscard]] std::uint64_t overlaps() const { return overlaps_; }
    /// The innermost event that was open on the track when the flow came (after all events of the
    /// same start); no_event: none. By number of the flow.
    [[nodiscard]] EventId event_of_flow(std::size_t flow) const { return of_flows_[flow]; }

private:
    struct Open {
        EventId event;
        std::int64_t end;
    };

    void sort(const EventTable& trace);
    void bind_flows(const EventTable& trace, std::vector<std::vector<Open>>& open,
                    std::size_t& flow, std::int64_t before);
    void place(const EventTable& trace, EventId event, std::vector<Open>& open, Overlap overlap);

    std::vector<EventId> order_;
    std::vector<EventId> parents_;
    std::vector<EventId> of_flows_;
    std::vector<std::uint32_t> flow_order_;
    std::uint64_t overlaps_ = 0;
};

}  // namespace npunet::analysis
