#include "cli/record/simulated_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"

namespace npunet::cli {

namespace fs = std::filesystem;

using generators::recorded::log_file;
using generators::recorded::Recording;

namespace {

/// Operations and calls of the program before the part that is recorded: the log's end tells.
std::int64_t skipped_of(const fs::path& log) {
    std::ifstream stream(log);
    std::string last;
    for (std::string line; std::getline(stream, line);) {
        last = line;
    }
    const auto json = nlohmann::json::parse(last, nullptr, false);
    return json.is_object() ? json.value("skipped", std::int64_t{0}) : 0;
}

}  // namespace

void write_simulated_times(const Recording& recording, const generators::WorkloadFiles& files,
                           const study::Machine& machine, const fs::path& folder) {
    const engine::Workload workload = study::load_workload_for(
        machine, (files.folder / files.traces).string(), (files.folder / files.groups).string());
    study::RunOptions options;
    options.fold = false;  // every rank's times are asked for
    options.collectives = false;
    const engine::Results results =
        study::simulate(workload, machine, study::Fidelity::Analytical, options);
    std::map<Rank, std::vector<std::int64_t>> ends;
    for (const Rank rank : recording.recorded) {
        ends[rank] = {};
    }
    // Nodes are numbered from 1, without gaps.
    for (const engine::Operation& operation : results.operations) {
        if (const auto of_rank = ends.find(operation.rank); of_rank != ends.end()) {
            of_rank->second.resize(std::max<std::size_t>(of_rank->second.size(), operation.node));
            of_rank->second[operation.node - 1] = operation.end.ps();
        }
    }
    fs::create_directories(folder);
    for (const auto& [rank, times] : ends) {
        AtomicFile file(folder / fmt::format("times.{}.json", rank.value()));
        file.stream() << nlohmann::json{{"skipped", skipped_of(log_file(recording.folder, rank))},
                                        {"ends", times}}
                             .dump()
                      << '\n';
        file.commit();
    }
}

void require_same_logs(const Recording& recording, const fs::path& logs) {
    for (const Rank rank : recording.recorded) {
        std::ifstream before(log_file(recording.folder, rank));
        std::ifstream after(log_file(logs, rank));
        std::string first;
        std::string second;
        bool goes_on = true;
        while (goes_on) {
            const bool has_first = static_cast<bool>(std::getline(before, first));
            const bool has_second = static_cast<bool>(std::getline(after, second));
            goes_on = has_first && has_second;
            if (has_first != has_second || (goes_on && first != second)) {
                throw InputError({"--answer-with-simulated-time",
                                  fmt::format("rank {}", rank.value()),
                                  has_second ? second : "an earlier end",
                                  has_first ? first + ", as without simulated times"
                                            : "the end, as without simulated times",
                                  "What the program does must not depend on the clock"});
            }
        }
    }
}

}  // namespace npunet::cli
