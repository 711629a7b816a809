// Why two fidelities give different finish times: parts that sum to the difference, for the whole
// run and for every collective and message.
//
//     const GapExplanation why = study::explain_gap(runs, workload, machine);
//     assert(why.total.sum() == runs[most].finish - runs[least].finish);
//
// What each part means, and how it is found, is in study/gap.h and docs/gap.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"

namespace npunet::report {

/// Parts may be negative: an effect can also shorten a run.
struct Gap {
    Time header;
    Time latency;
    Time contention;
    Time flow_control;
    Time congestion_control;
    Time dependency;

    [[nodiscard]] Time total() const {
        return header + latency + contention + flow_control + congestion_control + dependency;
    }
    Gap& operator+=(const Gap& other);
    Gap& operator-=(const Gap& other);
};

/// The parts under the names of the JSON, in its order.
inline constexpr std::array<std::pair<const char*, Time Gap::*>, 6> gap_parts{
    {{"header", &Gap::header},
     {"latency", &Gap::latency},
     {"contention", &Gap::contention},
     {"flow_control", &Gap::flow_control},
     {"congestion_control", &Gap::congestion_control},
     {"dependency", &Gap::dependency}}};

/// The name of one of them.
[[nodiscard]] inline const char* part_name(Time Gap::*part) {
    for (const auto& [name, candidate] : gap_parts) {
        if (candidate == part) {
            return name;
        }
    }
    return "";
}

inline Gap& Gap::operator+=(const Gap& other) {
    for (const auto& [name, part] : gap_parts) {
        this->*part += other.*part;
    }
    return *this;
}

inline Gap& Gap::operator-=(const Gap& other) {
    for (const auto& [name, part] : gap_parts) {
        this->*part -= other.*part;
    }
    return *this;
}

/// Link contention: two collectives or messages with traffic on a link at the same time.
struct LinkContention {
    std::string from;  ///< the link's ends
    std::string to;
    std::size_t other = 0;  ///< index into GapExplanation::communications; its own: with itself
    Time together;
};

/// A collective, or a send with its receive: the most detailed run compared with the least.
struct CommunicationGap {
    std::int64_t id = -1;  ///< CollectiveResult::id of the most detailed run; -1: a message
    std::string name;
    std::string type;         ///< "all_reduce", ..., "send_recv"
    std::vector<Rank> ranks;  ///< in group order; for a message source and destination
    Time start;               ///< of its first rank
    Time end;                 ///< of its last rank
    Gap gap;                  ///< sums to how much later it ends
    /// The share of each part, except `dependency`, that is caused by other traffic; the rest
    /// remains in isolation.
    Gap others;
    bool measured = true;   ///< false: no isolated run, and all of the parts are in `others`
    bool critical = false;  ///< on the critical path of the most detailed run
    std::vector<LinkContention> link_contention;  ///< longest first
};

/// A link with contention between collectives or messages that it delayed.
struct ContentionLink {
    std::string from;
    std::string to;
    Time together;                     ///< sum over pairs
    std::vector<std::size_t> between;  ///< indices into GapExplanation::communications, ascending
};

/// One of the runs from the estimate to the most detailed one, with one more effect than the one
/// before. direct + dependency is how much later it finishes than that.
struct EffectLevelResult {
    std::string step;  ///< the effect, as in gap_parts; empty: the estimate
    Time finish;
    Time direct;      ///< with the start times of the level below
    Time dependency;  ///< effect of other start times
};

/// The difference of two runs, where no other of the runs is of a detail between theirs.
struct NeighbourGap {
    std::string from;  ///< the less detailed fidelity
    std::string to;
    Gap gap;
    std::vector<EffectLevelResult> effect_levels;  ///< from the estimate to `to`
};

struct GapExplanation {
    Gap total;
    /// The same difference along the critical path of the most detailed run: the summed parts of
    /// the communications on it. `dependency` is 0; `slack` is what waiting absorbed or added.
    Gap path;
    Time slack;
    std::vector<EffectLevelResult> effect_levels;  ///< from the estimate up
    /// With more than two runs: least detailed first; they sum to `total`. Otherwise empty.
    std::vector<NeighbourGap> neighbours;
    std::vector<CommunicationGap> communications;  ///< by start, then lowest rank
    std::vector<ContentionLink> links;             ///< longest contention first
    std::vector<std::string> notes;                ///< what could not be simulated
};

}  // namespace npunet::report
