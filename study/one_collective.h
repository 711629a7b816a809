// One collective, alone on a machine, by one algorithm after the other.
//
//     OneCollective collective(machine, request);
//     collective.use(request.algorithms[0]);
//     const report::CollectiveTime time = collective.time(Bytes(1 << 20), fidelity, options);
#pragma once

#include <cstdint>

#include "base/quantities.h"
#include "engine/program/workload.h"
#include "engine/results/results.h"
#include "generators/collective_benchmark.h"
#include "report/results/collective_times.h"
#include "study/collective_times.h"
#include "study/simulation_run.h"

namespace npunet::study {

class OneCollective {
public:
    /// Throws InputError for groups that cannot be.
    OneCollective(const Machine& machine, const CollectiveTimesRequest& request);

    [[nodiscard]] const Machine& machine() const { return machine_; }
    [[nodiscard]] std::int64_t members() const;
    void use(const AlgorithmToTime& algorithm);
    /// Whether one of the bands, if there are any, has this size and number of members.
    [[nodiscard]] bool applies(const AlgorithmToTime& algorithm, Bytes size) const;

    /// Sizes as those of a request.
    [[nodiscard]] engine::Workload workload(Bytes size);
    [[nodiscard]] report::CollectiveTime time(Bytes size, Fidelity fidelity,
                                              const RunOptions& options);
    /// Of a run of workload(size).
    [[nodiscard]] report::CollectiveTime time_of(const engine::Results& results) const;

private:
    [[nodiscard]] std::int64_t parts() const;

    Machine machine_;
    generators::CollectiveBenchmark benchmark_;
    engine::CollectiveKind kind_;
};

}  // namespace npunet::study
