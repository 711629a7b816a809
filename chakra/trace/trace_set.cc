#include "chakra/trace/trace_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/errors.h"

namespace npunet::chakra {

namespace {

/// What a trace's name can end in.
constexpr std::array<std::string_view, 5> extensions{".et", ".et.gz", ".json", ".json.gz", ".eg"};

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// A file name NAME.<rank>.et taken apart; a rank has no leading zeros.
struct TraceName {
    std::string_view name;
    std::int32_t rank = 0;
    std::size_t extension = 0;  ///< its place in `extensions`
};

std::optional<std::size_t> extension_of(std::string_view file_name) {
    for (std::size_t i = 0; i < extensions.size(); ++i) {
        if (ends_with(file_name, extensions[i])) {
            return i;
        }
    }
    return std::nullopt;
}

std::optional<TraceName> take_apart(std::string_view file_name) {
    const auto extension = extension_of(file_name);
    if (!extension) {
        return std::nullopt;
    }
    file_name.remove_suffix(extensions[*extension].size());
    const std::size_t dot = file_name.rfind('.');
    if (dot == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view digits = file_name.substr(dot + 1);
    std::int32_t rank = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size() && rank >= 0;
    if (!whole || (digits.size() > 1 && digits.front() == '0')) {
        return std::nullopt;
    }
    return TraceName{file_name.substr(0, dot), rank, *extension};
}

/// The names of the files of a folder, sorted; none when there is no such folder.
std::vector<std::string> files_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    if (error == std::errc::permission_denied) {
        throw MachineError(fmt::format("{}: cannot list: {}. Check the permissions of the folder",
                                       folder.empty() ? "." : folder.string(), error.message()));
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// What to do when nothing was found: the likely mistakes, each with its own advice.
std::string advice(const std::string& prefix) {
    const std::filesystem::path path(prefix);
    std::error_code error;
    if (extension_of(prefix) && std::filesystem::is_regular_file(path, error)) {
        const std::string file_name = path.filename().string();
        if (const auto parts = take_apart(file_name)) {
            const auto wanted = path.parent_path() / std::string(parts->name);
            return fmt::format("This is one trace; give the prefix of all ranks: {}",
                               wanted.string());
        }
        return fmt::format("This is one file; name it NAME.0{} and give the prefix NAME",
                           extensions[*extension_of(prefix)]);
    }
    const bool is_folder = std::filesystem::is_directory(path, error);
    const std::filesystem::path folder = is_folder ? path : path.parent_path();
    for (const std::string& name : files_in(folder)) {
        if (const auto parts = take_apart(name)) {
            return fmt::format("There is {}; its prefix is {}", name,
                               (folder / std::string(parts->name)).string());
        }
    }
    return "Give the path of the traces without the rank and the ending";
}

using RanksByExtension = std::array<std::vector<std::int32_t>, extensions.size()>;

/// The ranks of which a prefix has files, ascending.
RanksByExtension ranks_of(const std::string& prefix) {
    const std::filesystem::path path(prefix);
    const std::string wanted = path.filename().string();
    RanksByExtension found;
    for (const std::string& name : files_in(path.parent_path())) {
        const auto parts = take_apart(name);
        if (parts && parts->name == wanted) {
            found[parts->extension].push_back(parts->rank);
        }
    }
    for (std::vector<std::int32_t>& ranks : found) {
        std::sort(ranks.begin(), ranks.end());
    }
    return found;
}

}  // namespace

std::filesystem::path trace_path(const std::string& prefix, Rank rank, std::string_view extension) {
    return fmt::format("{}.{}{}", prefix, rank.value(), extension);
}

Rank rank_of(const std::filesystem::path& path) {
    const std::string file_name = path.filename().string();
    const auto parts = take_apart(file_name);
    return parts ? Rank(parts->rank) : Rank();
}

std::filesystem::path TraceSet::path(Rank rank) const {
    return trace_path(prefix, rank, extension);
}

TraceSet find_traces(const std::string& prefix) {
    const RanksByExtension found = ranks_of(prefix);
    const auto there = [](const std::vector<std::int32_t>& ranks) { return !ranks.empty(); };
    const auto* const first = std::find_if(found.begin(), found.end(), there);
    if (first == found.end()) {
        throw InputError(
            {prefix, "", "no traces",
             fmt::format("files {}.<rank>{} with ranks from 0", prefix, extensions.front()),
             advice(prefix)});
    }
    const auto file_of = [&](const std::vector<std::int32_t>* ranks) {
        return trace_path(prefix, Rank(ranks->front()),
                          extensions[static_cast<std::size_t>(ranks - found.data())])
            .string();
    };
    const auto* const second = std::find_if(first + 1, found.end(), there);
    if (second != found.end()) {
        throw InputError({prefix, "",
                          fmt::format("{}, and also {}", file_of(first), file_of(second)),
                          "traces with one ending", "Move one set to another folder"});
    }
    const auto extension = extensions[static_cast<std::size_t>(first - found.begin())];
    const std::vector<std::int32_t>& ranks = *first;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const Rank rank(i);
        if (ranks[i] != rank.value()) {
            throw InputError(
                {prefix, "",
                 fmt::format("{} traces up to rank {}, but no {}", ranks.size(), ranks.back(),
                             trace_path(prefix, rank, extension).string()),
                 "one trace for every rank from 0",
                 "Add the missing trace, or remove those beyond it"});
        }
    }
    return {prefix, static_cast<std::int32_t>(ranks.size()), std::string(extension)};
}

void check_rank_count(const TraceSet& found, std::int32_t npus) {
    if (found.ranks != npus) {
        throw InputError({found.prefix, "",
                          fmt::format("{} trace{} for {} NPU{}", found.ranks,
                                      found.ranks == 1 ? "" : "s", npus, npus == 1 ? "" : "s"),
                          "one trace for every NPU",
                          "Change the size of the network, or generate the traces for it"});
    }
}

}  // namespace npunet::chakra
