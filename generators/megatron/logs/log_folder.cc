#include "generators/megatron/logs/log_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "base/errors.h"
#include "base/json_document.h"
#include "generators/megatron/logs/call_log_reader.h"
#include "generators/megatron/logs/run_config.h"
#include "generators/megatron/program/program.h"

namespace npunet::generators::megatron {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* folder_form =
    "a folder with config.json, summary.json and comm_log_rank_R.json of every rank";
constexpr const char* copy_again = "Copy the folder again, or record or make it again";
/// No configuration is longer, and summaries list at most most_ranks names.
constexpr std::uintmax_t longest_json = std::uintmax_t{64} << 20;
/// So many ranks are named in a message.
constexpr std::size_t most_named = 8;

/// The whole of a small file; nothing when there is none.
std::optional<Json> settings_in(const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        return std::nullopt;
    }
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > longest_json) {
        throw InputError({path.string(), "", "no file, or one beyond 64 MiB",
                          "the configuration of a run", copy_again});
    }
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw MachineError(fmt::format("{}: cannot open: {}. Check the permissions of the file",
                                       path.string(), std::strerror(errno)));
    }
    return read_json<Json>(path, {"an object with the run's settings", copy_again});
}

/// Characters of a value in a message.
constexpr std::size_t most_told = 60;

std::map<std::int64_t, fs::path> logs_in(const fs::path& folder) {
    std::map<std::int64_t, fs::path> logs;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::optional<std::int64_t> rank = rank_of_log(entry.path().filename().string());
        if (!rank) {
            continue;
        }
        const auto [other, is_new] = logs.try_emplace(*rank, entry.path());
        if (!is_new) {
            std::string names[2] = {other->second.filename().string(),
                                    entry.path().filename().string()};
            std::sort(std::begin(names), std::end(names));
            throw InputError({folder.string(), "", fmt::format("{} and {}", names[0], names[1]),
                              "one log of each rank", "Remove one of the two"});
        }
    }
    return logs;
}

/// "3, 4, 5 and 12 more"
std::string listed(const std::vector<std::int64_t>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), most_named); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
    }
    return ranks.size() <= most_named
               ? text
               : text + fmt::format(" and {} more", ranks.size() - most_named);
}

std::vector<fs::path> logs_of_all_ranks(const fs::path& folder,
                                        const std::map<std::int64_t, fs::path>& found,
                                        std::int64_t world) {
    std::vector<fs::path> logs;
    std::vector<std::int64_t> missing;
    for (std::int64_t rank = 0; rank < world; ++rank) {
        const auto log = found.find(rank);
        if (log == found.end()) {
            missing.push_back(rank);
        } else {
            logs.push_back(log->second);
        }
    }
    const std::string expected = fmt::format("the logs of ranks 0 to {}", world - 1);
    if (!missing.empty()) {
        throw InputError(
            {folder.string(), "",
             fmt::format("no log of rank{} {}", missing.size() == 1 ? "" : "s", listed(missing)),
             expected, copy_again});
    }
    if (static_cast<std::int64_t>(found.size()) != world) {
        throw InputError({folder.string(), "", found.rbegin()->second.filename().string(), expected,
                          "Remove the logs of other runs, or correct world_size"});
    }
    return logs;
}

/// The first key in which two configurations differ.
std::string first_difference(const Json& a, const Json& b) {
    for (const auto& [key, value] : a.items()) {
        if (!b.contains(key) || b[key] != value) {
            return key;
        }
    }
    for (const auto& [key, value] : b.items()) {
        if (!a.contains(key)) {
            return key;
        }
    }
    return "";
}

void check_same_config(const Json& config, const Json& in_summary, const fs::path& path) {
    if (config == in_summary || !config.is_object() || !in_summary.is_object()) {
        return;
    }
    const std::string key = first_difference(config, in_summary);
    const auto value = [&](const Json& json) {
        return json.contains(key) ? json[key].dump(-1, ' ', true, Json::error_handler_t::replace)
                                  : std::string("nothing");
    };
    throw InputError({path.string(), "config." + key, value(in_summary),
                      fmt::format("{} as in config.json", value(config)),
                      "The two files are of different runs: remove one, or correct it"});
}

/// summary.json's log_files against what the folder has.
void check_log_files(const Json& list, const fs::path& path,
                     const std::map<std::int64_t, fs::path>& found) {
    std::set<std::int64_t> ranks;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::optional<std::int64_t> rank =
            list[i].is_string() ? rank_of_log(list[i].get<std::string>()) : std::nullopt;
        if (!rank || found.count(*rank) == 0 || !ranks.insert(*rank).second) {
            throw InputError({path.string(), fmt::format("log_files[{}]", i),
                              json_excerpt(list[i], most_told),
                              "names of logs in the folder, each once", copy_again});
        }
    }
    for (const auto& [rank, log] : found) {
        if (ranks.count(rank) == 0) {
            throw InputError({path.string(), "log_files",
                              fmt::format("nothing of {}", log.filename().string()),
                              "all logs of the folder", copy_again});
        }
    }
}

/// summary.json, which stands in every whole folder, with config and log_files.
Json read_summary(const fs::path& path) {
    std::optional<Json> summary = settings_in(path);
    if (!summary) {
        throw InputError({path.parent_path().string(), "", "no summary.json", folder_form,
                          "The folder is not whole: summary.json is written last. Record or make "
                          "the logs again, or name the folder of one run"});
    }
    const auto is = [&](const char* key, Json::value_t type) {
        return summary->is_object() && summary->contains(key) && (*summary)[key].type() == type;
    };
    const bool has_config = is("config", Json::value_t::object);
    if (!has_config || !is("log_files", Json::value_t::array)) {
        const char* key = has_config ? "log_files" : "config";
        const bool stands = summary->is_object() && summary->contains(key);
        throw InputError({path.string(), summary->is_object() ? key : "",
                          summary->is_object()
                              ? stands ? json_excerpt((*summary)[key], most_told) : "nothing"
                              : json_excerpt(*summary, most_told),
                          "an object with config, the run's settings, and log_files, a list of "
                          "the logs of all ranks",
                          copy_again});
    }
    return std::move(*summary);
}

/// Problems of options are those of the file that has them.
TrainingRun run_of(const Json& config, const fs::path& file) {
    try {
        std::string model;
        for (const char* const name : model_copy_names) {
            const fs::path copy = file.parent_path() / name;
            model = fs::exists(copy) ? copy.string() : model;
        }
        return resolve_run(read_run_config(config, file.string(), model));
    } catch (const InputError& error) {
        InputProblem problem = error.problem();
        if (problem.file.rfind(file.parent_path().string(), 0) != 0) {
            problem.place = problem.file + (problem.place.empty() ? "" : ": " + problem.place);
            problem.file = file.string();
        }
        throw InputError(std::move(problem));
    }
}

}  // namespace

LogFolder open_log_folder(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
        throw InputError({path.string(), "",
                          fs::exists(path, ignored) ? "a file" : "no such folder", folder_form,
                          "Name the folder of one run"});
    }
    const fs::path config_path = path / "config.json";
    const fs::path summary_path = path / "summary.json";
    const Json summary = read_summary(summary_path);
    const std::optional<Json> config = settings_in(config_path);
    if (config) {
        check_same_config(*config, summary["config"], summary_path);
    }
    LogFolder folder;
    folder.path = path;
    folder.run = config ? run_of(*config, config_path) : run_of(summary["config"], summary_path);
    const std::map<std::int64_t, fs::path> found = logs_in(path);
    folder.logs = logs_of_all_ranks(path, found, folder.run.world());
    check_log_files(summary["log_files"], summary_path, found);
    return folder;
}

namespace {

/// The elements of the gradient sum: the only call of the update that has one dimension.
bool sums_gradients(const Call& call) {
    return call.operation == Operation::AllReduce && call.shape.dimensions() == 1 &&
           call.dtype == DataType::Float32 && *call.shape.begin() > 2;
}

/// Without a pipeline the table of tokens is in the sum of all gradients: what that has more or
/// less than with the rows of the configuration is rows.
std::optional<std::int64_t> vocabulary_of_gradients(const LogFolder& folder) {
    std::optional<std::int64_t> logged;
    GroupTable table;
    read_call_log(folder.logs.front(), Rank(0), table, [&](const LoggedCall& event) {
        if (sums_gradients(event.call)) {
            logged = *event.call.shape.begin();
        }
    });
    for (const ProgramItem& item : make_program(folder.run, 0, 0).items) {
        if (item.kind == ProgramItem::Kind::Call && item.phase == Phase::Update &&
            sums_gradients(item.call) && logged) {
            const std::int64_t rows =
                folder.run.local_vocab() +
                (*logged - *item.call.shape.begin()) / folder.run.model.hidden;
            return rows > 0 ? std::optional(rows) : std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> vocabulary_of_logs(const LogFolder& folder) {
    struct Found {
        std::int64_t rows;
    };
    const ProcessGroups groups(folder.run.parallelism);
    if (folder.run.parallelism.pp == 1) {
        return vocabulary_of_gradients(folder);
    }
    const std::vector<Rank>& ends = groups.of(GroupRole::Embedding, Rank(0));
    GroupTable table;
    try {
        read_call_log(folder.logs.front(), Rank(0), table, [&](const LoggedCall& event) {
            const Call& call = event.call;
            if (call.operation == Operation::AllReduce && call.group >= 0 &&
                call.shape.dimensions() == 2 && table.ranks(call.group) == ends &&
                *(call.shape.begin() + 1) == folder.run.model.hidden) {
                throw Found{*call.shape.begin()};
            }
        });
    } catch (const Found& found) {
        // The rest of the log says no more about it.
        return found.rows;
    }
    return std::nullopt;
}

}  // namespace npunet::generators::megatron
