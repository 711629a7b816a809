// Why two fidelities give different finish times: the difference in parts that sum to it.
//
//     const Gap gap = study::explain_gap(runs, workload, machine);
//     assert(gap.total() == runs[most].finish - runs[least].finish);
//
// What each part means, and how it is found, is in study/gap.h and docs/results.md.
#pragma once

#include "base/quantities.h"

namespace npunet::report {

/// Parts may be negative: of a whole run, less of one thing can mean more of another.
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
};

}  // namespace npunet::report
