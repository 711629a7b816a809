#include "study/one_collective.h"

#include <algorithm>

#include "study/generated_workload.h"

namespace npunet::study {

namespace {

using engine::CollectiveKind;

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

}  // namespace

OneCollective::OneCollective(const Machine& machine, const CollectiveTimesRequest& request)
    : machine_(machine), benchmark_(benchmark_of(machine, request)), kind_(request.kind) {
    benchmark_.size = Bytes(1);
    static_cast<void>(generators::generate(benchmark_));  // what the group lacks is said once
}

std::int64_t OneCollective::members() const {
    return benchmark_.group.empty() ? benchmark_.npus
                                    : static_cast<std::int64_t>(benchmark_.group.size());
}

/// The trace has a member's own part of what is gathered.
std::int64_t OneCollective::parts() const {
    return kind_ == CollectiveKind::AllGather || kind_ == CollectiveKind::Gather ? members() : 1;
}

void OneCollective::use(const AlgorithmToTime& algorithm) {
    machine_.system.library = algorithm.library;
    machine_.system.files(kind_) = engine::FileChoices();
    machine_.system.files(kind_).list = algorithm.bands;
    machine_.system.implementations(kind_).clear();
    if (algorithm.built_in) {
        machine_.system.implementations(kind_).push_back(*algorithm.built_in);
    }
}

bool OneCollective::applies(const AlgorithmToTime& algorithm, Bytes size) const {
    const Bytes whole(parts() * std::max<std::int64_t>(1, size.value() / parts()));
    return algorithm.bands.empty() ||
           std::any_of(algorithm.bands.begin(), algorithm.bands.end(),
                       [&](const engine::FileChoice& band) {
                           return band.least <= whole && whole <= band.most &&
                                  (band.members == 0 || band.members == members());
                       });
}

engine::Workload OneCollective::workload(Bytes size) {
    benchmark_.size = Bytes(std::max<std::int64_t>(1, size.value() / parts()));
    return workload_from(generators::generate(benchmark_), workload_options(machine_));
}

report::CollectiveTime OneCollective::time(Bytes size, Fidelity fidelity,
                                           const RunOptions& options) {
    RunOptions without_timeline = options;
    without_timeline.timeline = false;
    return time_of(simulate(workload(size), machine_, fidelity, without_timeline));
}

report::CollectiveTime OneCollective::time_of(const engine::Results& results) const {
    const engine::CollectiveResult& collective = results.collectives.at(0);
    return {parts() * benchmark_.size, collective.end - collective.first_start, collective.least,
            bus_factor(kind_, static_cast<std::size_t>(members())), collective.algorithm};
}

}  // namespace npunet::study
