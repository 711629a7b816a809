#include "generators/profiler/profile_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/errors.h"
#include "profiles/execution_trace.h"
#include "profiles/profile_reader.h"

namespace npunet::generators::profiler {

namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_record =
    "Give what the profiler's export_chrome_trace or tensorboard_trace_handler has written, one "
    "file a rank; archives have to be unpacked first";

bool is_json(const std::string& name) {
    return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".json.zst");
}

std::vector<fs::path> files_of(const fs::path& path, const char* option) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
        if (!fs::exists(path, error)) {
            throw InputError({path.string(), "", "no such file or folder",
                              fmt::format("{} of profiles", option), how_to_record});
        }
        return {path};
    }
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
        if (entry.is_regular_file() && is_json(entry.path().filename().string())) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::optional<std::int32_t> last_number(std::string_view name) {
    name = name.substr(0, name.find(".json"));
    const char* const digits = "0123456789";
    const std::size_t end = name.find_last_of(digits);
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t before = name.find_last_not_of(digits, end);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::int32_t number = 0;
    const auto [rest, failed] = std::from_chars(name.data() + begin, name.data() + end + 1, number);
    return failed == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

fs::path ProfileFolder::trace_of(std::int32_t rank) const {
    const auto found = traces.find(rank);
    return !only_trace.empty() ? only_trace : found == traces.end() ? fs::path() : found->second;
}

ProfileFolder open_profile_folder(const fs::path& folder, const fs::path& traces) {
    ProfileFolder found;
    std::vector<fs::path> execution_traces;
    for (const fs::path& file : files_of(folder, "a folder")) {
        (profiles::is_execution_trace(file) ? execution_traces : found.profiles).push_back(file);
    }
    if (found.profiles.empty()) {
        const bool others = !execution_traces.empty();
        throw InputError({folder.string(), "",
                          others ? "execution traces alone, which have no times"
                                 : "no file *.json, *.json.gz or *.json.zst",
                          "the profiler's trace of each rank", how_to_record});
    }
    if (!traces.empty()) {
        for (const fs::path& file : files_of(traces, "a folder")) {
            if (!profiles::is_execution_trace(file)) {
                throw InputError({file.string(), "", "no execution trace",
                                  "what ExecutionTraceObserver has written",
                                  "Keep other files in another folder"});
            }
            execution_traces.push_back(file);
        }
    }
    if (execution_traces.size() == 1 && found.profiles.size() == 1) {
        found.only_trace = execution_traces.front();
        return found;
    }
    for (const fs::path& file : execution_traces) {
        const std::string name = file.filename().string();
        auto rank = profiles::rank_in_name(name);
        rank = rank ? rank : last_number(name);
        if (!rank || !found.traces.emplace(*rank, file).second) {
            throw InputError({file.string(), "",
                              rank ? fmt::format("a second execution trace of rank {}", *rank)
                                   : "a name without a rank",
                              "one execution trace a rank, named by it (rank-3.json)",
                              "Name or move the file"});
        }
    }
    return found;
}

}  // namespace npunet::generators::profiler
