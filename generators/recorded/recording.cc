#include "generators/recorded/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json_document.h"

namespace npunet::generators::recorded {

namespace {

using Json = nlohmann::json;

constexpr const char* file_name = "recording.json";
constexpr std::int32_t most_ranks = 1 << 20;

/// Whole numbers from 0, below `bound`.
std::vector<std::int32_t> numbers_of(const std::string& file, const Json& list, const char* key,
                                     std::int32_t least, std::int32_t bound) {
    std::vector<std::int32_t> result;
    if (!list.is_array()) {
        throw InputError({file, key, json_excerpt(list), "a list of whole numbers", ""});
    }
    for (const Json& one : list) {
        if (!one.is_number_integer() || one.get<std::int64_t>() < least ||
            one.get<std::int64_t>() >= bound) {
            throw InputError({file, key, json_excerpt(one),
                              fmt::format("a whole number from {} below {}", least, bound), ""});
        }
        result.push_back(one.get<std::int32_t>());
    }
    return result;
}

}  // namespace

std::filesystem::path log_file(const std::filesystem::path& folder, Rank rank) {
    return folder / fmt::format("rank.{}.jsonl", rank.value());
}

std::vector<LogHeader> headers_of(const Recording& recording) {
    std::vector<LogHeader> headers;
    for (const Rank rank : recording.recorded) {
        const std::filesystem::path file = log_file(recording.folder, rank);
        headers.push_back(read_log_header(file));
        if (headers.back().rank != rank || headers.back().ranks != recording.ranks) {
            throw InputError(
                {file.string(), "line 1",
                 fmt::format("rank {} of {}", headers.back().rank.value(), headers.back().ranks),
                 fmt::format("rank {} of {}", rank.value(), recording.ranks),
                 "Record the program again"});
        }
    }
    return headers;
}

GroupFamilies families_of(const Recording& recording, const RecordedGroups& groups) {
    GroupFamilies families;
    for (const std::vector<std::int32_t>& family : recording.families) {
        std::vector<std::int32_t>& numbers = families.emplace_back();
        for (const std::int32_t group : family) {
            numbers.push_back(groups.number(recording.recorded.front(), group));
        }
    }
    return families;
}

bool Recording::whole() const {
    return std::all_of(log_of.begin(), log_of.end(), [](Rank rank) { return rank.valid(); });
}

Recording open_recording(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / file_name;
    const std::string file = path.string();
    const Json json =
        read_json_object<Json>(path, {"the summary of a recording", "Record the program first"});
    for (const char* key : {"ranks", "recorded", "log_of", "families"}) {
        if (!json.contains(key)) {
            throw InputError(
                {file, "", "no " + std::string(key), "the summary of a recording", ""});
        }
    }
    Recording recording;
    recording.folder = folder;
    recording.ranks =
        numbers_of(file, Json::array({json["ranks"]}), "ranks", 1, most_ranks + 1).front();
    for (const std::int32_t rank :
         numbers_of(file, json["recorded"], "recorded", 0, recording.ranks)) {
        recording.recorded.emplace_back(rank);
    }
    if (recording.recorded.empty() ||
        !std::is_sorted(recording.recorded.begin(), recording.recorded.end())) {
        throw InputError({file, "recorded", "no ranks, or not in order", "ranks in order", ""});
    }
    for (const std::int32_t rank :
         numbers_of(file, json["log_of"], "log_of", -1, recording.ranks)) {
        recording.log_of.emplace_back(rank);
    }
    if (recording.log_of.size() != static_cast<std::size_t>(recording.ranks)) {
        throw InputError({file, "log_of", fmt::format("{} entries", recording.log_of.size()),
                          fmt::format("one for each of {} ranks", recording.ranks), ""});
    }
    const auto groups = static_cast<std::int32_t>(
        read_log_header(log_file(folder, recording.recorded.front())).groups.size());
    if (!json["families"].is_array()) {
        throw InputError({file, "families", json_excerpt(json["families"]), "a list", ""});
    }
    for (const Json& family : json["families"]) {
        recording.families.push_back(numbers_of(file, family, "families", 0, groups));
    }
    return recording;
}

}  // namespace npunet::generators::recorded
