#include "cli/trace/trace_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/errors.h"
#include "chakra/trace/trace_set.h"

namespace npunet::cli {

namespace {

TraceFiles of_prefix(const std::string& prefix) {
    const chakra::TraceSet set = chakra::find_traces(prefix);
    TraceFiles files;
    files.whole_workload = true;
    for (std::int32_t rank = 0; rank < set.ranks; ++rank) {
        files.traces.push_back({set.path(Rank(rank)), Rank(rank)});
    }
    return files;
}

bool is_file(const std::string& argument) {
    std::error_code error;
    const auto status = std::filesystem::status(argument, error);
    if (error == std::errc::permission_denied) {
        throw MachineError(
            fmt::format("{}: cannot look at it: {}. Check the permissions of its "
                        "folder",
                        argument, error.message()));
    }
    return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

void refuse_repeated_ranks(const TraceFiles& files) {
    std::map<Rank, std::string> seen;
    for (const chakra::TraceFile& trace : files.traces) {
        if (!trace.rank.valid()) {
            continue;
        }
        const auto [entry, first] = seen.emplace(trace.rank, trace.path.string());
        if (!first) {
            throw InputError({trace.path.string(), "",
                              fmt::format("a second trace of rank {}, beside {}",
                                          trace.rank.value(), entry->second),
                              "the traces of one workload",
                              "Look at one workload after the other"});
        }
    }
}

/// Several files, one for each rank from 0.
bool all_ranks(const TraceFiles& files) {
    std::vector<bool> there(files.traces.size(), false);
    for (const chakra::TraceFile& trace : files.traces) {
        if (trace.rank.valid() && trace.rank.index() < there.size()) {
            there[trace.rank.index()] = true;
        }
    }
    return there.size() > 1 && std::count(there.begin(), there.end(), false) == 0;
}

}  // namespace

void add_traces_argument(CLI::App& command, std::vector<std::string>& arguments) {
    command
        .add_option("TRACES", arguments, "Traces, or the prefix of a workload: PREFIX.<rank>.et")
        ->required()
        ->type_name("FILE... | PREFIX");
}

TraceFiles find_trace_files(const std::vector<std::string>& arguments, RepeatedRanks repeated) {
    if (arguments.size() == 1 && !is_file(arguments.front())) {
        return of_prefix(arguments.front());
    }
    TraceFiles files;
    for (const std::string& argument : arguments) {
        if (!is_file(argument)) {
            throw InputError({argument, "", "no such file", "execution traces (.et)",
                              "Name the traces, or one prefix and nothing else"});
        }
        files.traces.push_back({argument, chakra::rank_of(argument)});
    }
    if (repeated == RepeatedRanks::Refuse) {
        refuse_repeated_ranks(files);
    }
    files.whole_workload = all_ranks(files);
    return files;
}

void SchemaOption::add_to(CLI::App& command) {
    const auto check = [](const std::string& text) {
        return chakra::schema_from(text)
                   ? std::string()
                   : fmt::format("found '{}'; expected one of {}", text, chakra::schema_names());
    };
    command
        .add_option(
            "--schema", name_,
            "Read the traces as this schema, whatever they look like: " + chakra::schema_names())
        ->check(CLI::Validator(check, ""))
        ->type_name("NAME");
}

}  // namespace npunet::cli
