// How long one collective takes by each algorithm, over a range of sizes: as a table in the columns
// of nccl-tests, as CSV and as JSON. The figure: report/figures/collective_times_figure.h.
//
//     out << report::collective_times_table(times);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/quantities.h"
#include "engine/collective_algorithms/implementation.h"

namespace npunet::report {

struct CollectiveTime {
    /// As nccl-tests count it: the buffer; of all_gather and gather the whole result.
    Bytes size;
    Time time;   ///< from the first start to the last end
    Time bound;  ///< that ports and cuts allow (engine/collective_algorithms/lower_bound.h)
    double bus_factor = 1;  ///< study::bus_factor()
    std::string algorithm;  ///< what was done: "ring+ring, 8 chunks, 2 at a time"

    /// In 10^9 bytes per second: size / time, and what a link of a member would have to carry if
    /// all members did their share. Zero for a time of zero.
    [[nodiscard]] double algorithm_gbps() const;
    [[nodiscard]] double bus_gbps() const;
    [[nodiscard]] double bound_bus_gbps() const;
};

struct CollectiveSeries {
    /// As --algorithm of `npunet collective` takes it: "auto", "flat-ring", "file NAME".
    std::string algorithm;
    std::vector<CollectiveTime> times;  ///< ascending sizes; of a file those of its bands
    std::string refusal;                ///< why there are no times; else empty
};

struct CollectiveTimes {
    engine::CollectiveKind kind = engine::CollectiveKind::AllReduce;
    std::size_t members = 0;
    std::string network;
    std::string fidelity;
    std::vector<CollectiveSeries> series;

    /// That any series was timed at, ascending.
    [[nodiscard]] std::vector<Bytes> sizes() const;
    /// The fastest series at one of these, of equals the first, and its time.
    struct Fastest {
        const CollectiveSeries* series = nullptr;
        const CollectiveTime* time = nullptr;
    };
    [[nodiscard]] Fastest fastest(Bytes size) const;
};

/// A block for each algorithm, and at the end the fastest for every size.
[[nodiscard]] std::string collective_times_table(const CollectiveTimes& times);
[[nodiscard]] std::string collective_times_csv(const CollectiveTimes& times);
[[nodiscard]] std::string collective_times_json(const CollectiveTimes& times);

}  // namespace npunet::report
