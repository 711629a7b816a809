// The collectives and messages of a workload: operations in which several ranks take part.
//
//     const std::vector<JointOperation> list = find_joint_operations(workload, times);
//     times.of(list[0].parts[0]).end
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/quantities.h"
#include "engine/program/workload.h"
#include "engine/simulation/simulation.h"

namespace npunet::study {

/// An operation by its number in the program of its rank.
struct Place {
    Rank rank;
    std::uint32_t number = 0;
};

struct Span {
    Time start;
    Time end;
};

/// When every operation of a run began and ended.
struct RunTimes {
    Time finish;
    std::vector<std::vector<Span>> spans;  ///< by rank, then number

    [[nodiscard]] const Span& of(Place place) const {
        return spans[place.rank.index()][place.number];
    }
};

/// After the run has ended.
[[nodiscard]] RunTimes times_of(const engine::Simulation& simulation);

/// A collective, or a send with its receive.
struct JointOperation {
    /// By member of the group; for a message the send, then the receive, if there is one.
    std::vector<Place> parts;
    bool collective = false;

    [[nodiscard]] Time start(const RunTimes& times) const;                ///< of the first part
    [[nodiscard]] Time last_start(const RunTimes& times) const;           ///< of the last one
    [[nodiscard]] Time end(const RunTimes& times) const;                  ///< of the last one
    [[nodiscard]] std::vector<Time> starts(const RunTimes& times) const;  ///< by part
};

/// All that exchange messages: the k-th collective of each communicator, and the k-th send of a
/// source, destination and tag, ordered by start in `times`, with the k-th receive. Sorted by
/// start, then by lowest rank, then by its operation.
[[nodiscard]] std::vector<JointOperation> find_joint_operations(const engine::Workload& workload,
                                                                const RunTimes& times);

}  // namespace npunet::study
