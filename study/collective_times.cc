#include "study/collective_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/units.h"
#include "study/one_collective.h"

namespace npunet::study {

namespace {

using engine::CollectiveKind;
using engine::Implementation;
using report::CollectiveSeries;
using report::CollectiveTime;

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
    OneCollective timer(machine, request);
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
                series.times.push_back(timer.time(size, fidelity, options));
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
