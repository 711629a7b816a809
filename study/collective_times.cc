#include "study/collective_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/units.h"
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

    void use(const AlgorithmToTime& algorithm) {
        machine_.system.library = algorithm.library;
        machine_.system.files(kind_) = engine::FileChoices();
        machine_.system.files(kind_).list = algorithm.bands;
        machine_.system.implementations(kind_).clear();
        if (algorithm.built_in) {
            machine_.system.implementations(kind_).push_back(*algorithm.built_in);
        }
    }

    /// Whether one of the bands, if there are any, has this size and number of members.
    [[nodiscard]] bool applies(const AlgorithmToTime& algorithm, Bytes size) const {
        const std::int64_t parts = counts_parts(kind_) ? members() : 1;
        const Bytes whole(parts * std::max<std::int64_t>(1, size.value() / parts));
        return algorithm.bands.empty() ||
               std::any_of(algorithm.bands.begin(), algorithm.bands.end(),
                           [&](const engine::FileChoice& band) {
                               return band.least <= whole && whole <= band.most &&
                                      (band.members == 0 || band.members == members());
                           });
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

/// What is timed where the request does not say.
std::vector<AlgorithmToTime> all_of(const Machine& machine, CollectiveKind kind) {
    std::vector<AlgorithmToTime> all{AlgorithmToTime::by_cost()};
    for (const Implementation& offered :
         Implementation::offered(kind, machine.network.tiers.size() > 1)) {
        all.push_back(AlgorithmToTime::of(offered));
    }
    for (AlgorithmToTime& file : algorithms_of_files(machine.system, kind)) {
        all.push_back(std::move(file));
    }
    return all;
}

/// Where a file is not for the members, or not for any of the sizes that are timed.
std::string outside_its_bands(const AlgorithmToTime& algorithm, std::int64_t members) {
    if (std::none_of(algorithm.bands.begin(), algorithm.bands.end(),
                     [&](const engine::FileChoice& band) {
                         return band.members == 0 || band.members == members;
                     })) {
        return fmt::format("none of its entries is for {} members", members);
    }
    std::string text = "none of the sizes is one that system.json gives it: ";
    for (const engine::FileChoice& band : algorithm.bands) {
        text += &band == &algorithm.bands.front() ? "" : ", ";
        text += band.most == engine::FileChoice().most
                    ? fmt::format("{} or more", format_bytes(band.least))
                    : fmt::format("{} to {}", format_bytes(band.least), format_bytes(band.most));
        text += band.members > 0 ? fmt::format(" among {} members", band.members) : "";
    }
    return text;
}

}  // namespace

std::vector<AlgorithmToTime> algorithms_of_files(const engine::SystemConfig& system,
                                                 CollectiveKind kind) {
    std::vector<AlgorithmToTime> files;
    if (system.library != nullptr && system.library->carries_out(kind)) {
        AlgorithmToTime library;
        library.name = system.library->name;
        library.library = system.library;
        files.push_back(std::move(library));
    }
    const auto file_of = [](const AlgorithmToTime& one) -> const engine::FileAlgorithm& {
        return *one.bands.front().algorithm;
    };
    for (const engine::FileChoice& choice : system.files(kind).list) {
        const auto known =
            std::find_if(files.begin(), files.end(), [&](const AlgorithmToTime& one) {
                return one.library == nullptr && file_of(one).file == choice.algorithm->file &&
                       file_of(one).made_for == choice.algorithm->made_for;
            });
        if (known == files.end()) {
            files.push_back({"file " + choice.algorithm->name, std::nullopt, {choice}, nullptr});
        } else {
            known->bands.push_back(choice);
        }
    }
    for (AlgorithmToTime& one : files) {
        if (one.library != nullptr) {
            continue;
        }
        const std::string& name = file_of(one).name;
        if (std::count_if(files.begin(), files.end(), [&](const AlgorithmToTime& other) {
                return other.library == nullptr && file_of(other).name == name;
            }) > 1) {
            one.name = "file " + file_of(one).file;
        }
    }
    return files;
}

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
    const std::vector<AlgorithmToTime> all =
        request.algorithms.empty() ? all_of(machine, request.kind) : request.algorithms;
    std::optional<InputError> refused;
    std::size_t refusals = 0;
    for (const AlgorithmToTime& algorithm : all) {
        CollectiveSeries series{algorithm.name, {}, ""};
        try {
            timer.use(algorithm);
            for (const Bytes size : request.sizes) {
                if (!timer.applies(algorithm, size)) {
                    continue;
                }
                if (hear) {
                    hear(series.algorithm, size);
                }
                series.times.push_back(timer.time(size));
            }
            if (series.times.empty()) {
                series.refusal = outside_its_bands(algorithm, timer.members());
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
