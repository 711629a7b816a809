#include "study/collective_times.h"

#include <algorithm>

#include "base/errors.h"
#include "generators/collective_benchmark.h"
#include "study/generated_workload.h"

namespace npunet::study {

namespace {

using engine::CollectiveKind;
using engine::Implementation;
using report::CollectiveSeries;
using report::CollectiveTime;

generators::CollectiveBenchmark benchmark_of(const Machine& machine,
                                             const CollectiveTimesRequest& request) {
    generators::CollectiveBenchmark benchmark;
    for (const auto& [name, type] : generators::benchmark_types()) {
        if (name == engine::name_of(request.kind)) {
            benchmark.type = type;
        }
    }
    benchmark.npus = static_cast<std::int32_t>(machine.network.npu_of_rank.size());
    benchmark.group = request.group;
    return benchmark;
}

/// The trace has a member's own part of what is gathered.
bool counts_parts(CollectiveKind kind) {
    return kind == CollectiveKind::AllGather || kind == CollectiveKind::Gather;
}

class Timer {
public:
    Timer(const Machine& machine, const CollectiveTimesRequest& request, Fidelity fidelity,
          const RunOptions& options)
        : machine_(machine),
          benchmark_(benchmark_of(machine, request)),
          kind_(request.kind),
          fidelity_(fidelity),
          options_(options) {
        options_.timeline = false;
        benchmark_.size = Bytes(1);
        static_cast<void>(generators::generate(benchmark_));  // what the group lacks is said once
    }

    [[nodiscard]] std::int64_t members() const {
        return benchmark_.group.empty() ? benchmark_.npus
                                        : static_cast<std::int64_t>(benchmark_.group.size());
    }

    void use(const std::optional<Implementation>& implementation) {
        machine_.system.files(kind_) = engine::FileChoices();
        machine_.system.implementations(kind_).clear();
        if (implementation) {
            machine_.system.implementations(kind_).push_back(*implementation);
        }
    }

    [[nodiscard]] CollectiveTime time(Bytes size) {
        const std::int64_t parts = counts_parts(kind_) ? members() : 1;
        benchmark_.size = Bytes(std::max<std::int64_t>(1, size.value() / parts));
        const engine::Workload workload =
            workload_from(generators::generate(benchmark_), workload_options(machine_));
        const engine::Results results = simulate(workload, machine_, fidelity_, options_);
        const engine::CollectiveResult& collective = results.collectives.at(0);
        return {parts * benchmark_.size, collective.end - collective.first_start, collective.least,
                bus_factor(kind_, static_cast<std::size_t>(members())), collective.algorithm};
    }

private:
    Machine machine_;
    generators::CollectiveBenchmark benchmark_;
    CollectiveKind kind_;
    Fidelity fidelity_;
    RunOptions options_;
};

}  // namespace

double bus_factor(CollectiveKind kind, std::size_t members) {
    const auto n = static_cast<double>(members);
    switch (kind) {
        case CollectiveKind::AllReduce:
            return 2 * (n - 1) / n;
        case CollectiveKind::AllGather:
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::AllToAll:
        case CollectiveKind::Gather:
        case CollectiveKind::Scatter:
            return (n - 1) / n;
        case CollectiveKind::Broadcast:
        case CollectiveKind::Reduce:
        case CollectiveKind::Barrier:
            break;
    }
    return 1;
}

report::CollectiveTimes collective_times(
    const Machine& machine, const CollectiveTimesRequest& request, Fidelity fidelity,
    const RunOptions& options,
    const std::function<void(const std::string& algorithm, Bytes size)>& hear) {
    check_fidelity(machine, fidelity);
    Timer timer(machine, request, fidelity, options);
    report::CollectiveTimes result;
    result.kind = request.kind;
    result.members = static_cast<std::size_t>(timer.members());
    result.network = machine.network.name;
    result.fidelity = name_of(fidelity);
    std::vector<std::optional<Implementation>> all = request.algorithms;
    if (all.empty()) {
        all.emplace_back();
        for (const Implementation& offered :
             Implementation::offered(request.kind, machine.network.tiers.size() > 1)) {
            all.emplace_back(offered);
        }
    }
    std::optional<InputError> refused;
    std::size_t refusals = 0;
    for (const std::optional<Implementation>& implementation : all) {
        CollectiveSeries series{implementation ? implementation->spelled() : "auto", {}, ""};
        try {
            timer.use(implementation);
            for (const Bytes size : request.sizes) {
                if (hear) {
                    hear(series.algorithm, size);
                }
                series.times.push_back(timer.time(size));
            }
        } catch (const InputError& error) {
            series.times.clear();
            series.refusal = error.what();
            refused = error;
            ++refusals;
        }
        result.series.push_back(std::move(series));
    }
    if (refused && refusals == all.size()) {
        throw InputError(*refused);
    }
    return result;
}

}  // namespace npunet::study
