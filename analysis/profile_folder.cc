#include "analysis/profile_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/patterns.h"
#include "base/errors.h"
#include "profiles/profile_reader.h"

namespace npunet::analysis {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 3> endings = {".json", ".json.gz", ".json.zst"};

bool is_profile(const fs::path& path, const std::string& pattern) {
    const std::string name = path.filename().string();
    const std::string stem = profile_stem(name);
    return !stem.empty() && (pattern.empty() || matches(pattern, name)) &&
           (profiles::rank_in_name(name).has_value() || stem.ends_with(".pt.trace") ||
            profiles::looks_like_profile(path));
}

void add_file(const fs::directory_entry& entry, const std::string& pattern, Iteration& to) {
    if (entry.is_regular_file() && is_profile(entry.path(), pattern)) {
        to.files.push_back({entry.path(), entry.file_size()});
    }
}

void sort_files(Iteration& iteration) {
    std::sort(iteration.files.begin(), iteration.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
}

std::string folder_name(const fs::path& folder) {
    const fs::path whole = fs::weakly_canonical(folder);
    return whole.filename().string();
}

bool chosen(const std::string& name, const ProfileChoice& choice) {
    const auto& folders = choice.folders;
    const auto& exact = choice.iterations;
    return (folders.empty() || std::any_of(folders.begin(), folders.end(),
                                           [&](const auto& one) { return matches(one, name); })) &&
           (exact.empty() || std::find(exact.begin(), exact.end(), name) != exact.end());
}

std::vector<Iteration> iterations_in(const fs::path& path, const ProfileChoice& choice) {
    std::vector<Iteration> found;
    for (const auto& entry : fs::directory_iterator(path)) {
        Iteration one{entry.path().filename().string(), entry.path(), {}};
        if (!entry.is_directory() || !chosen(one.name, choice)) {
            continue;
        }
        for (const auto& inner : fs::recursive_directory_iterator(entry.path())) {
            add_file(inner, choice.pattern, one);
        }
        if (!one.files.empty()) {
            sort_files(one);
            found.push_back(std::move(one));
        }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
    });
    return found;
}

void check_named(const fs::path& path, const std::vector<Iteration>& found,
                 const ProfileChoice& choice) {
    for (const std::string& name : choice.iterations) {
        if (std::none_of(found.begin(), found.end(),
                         [&](const auto& one) { return one.name == name; })) {
            throw InputError({path.string(), "--iterations",
                              fmt::format("no profiles in '{}'", name),
                              "names of folders with profiles", "Check the names"});
        }
    }
}

}  // namespace

std::string profile_stem(const std::string& file_name) {
    for (const std::string_view ending : endings) {
        if (file_name.size() > ending.size() && file_name.ends_with(ending)) {
            return file_name.substr(0, file_name.size() - ending.size());
        }
    }
    return {};
}

std::vector<Iteration> find_profiles(const fs::path& path, const ProfileChoice& choice) {
    if (fs::is_regular_file(path)) {
        return {
            {"", path.has_parent_path() ? path.parent_path() : ".", {{path, fs::file_size(path)}}}};
    }
    if (!fs::is_directory(path)) {
        throw InputError({path.string(), "", "no such folder",
                          "a folder of profiles (*.pt.trace.json), or of folders of them",
                          "Check the path"});
    }
    Iteration flat{folder_name(path), path, {}};
    for (const auto& entry : fs::directory_iterator(path)) {
        add_file(entry, choice.pattern, flat);
    }
    if (!flat.files.empty() && choice.iterations.empty()) {
        sort_files(flat);
        return {std::move(flat)};
    }
    std::vector<Iteration> found = iterations_in(path, choice);
    check_named(path, found, choice);
    if (found.empty()) {
        throw InputError(
            {path.string(), "", "no profiles",
             "files such as rank_0000_iter_15.pt.trace.json, rank-0.json.gz or *.pt.trace.json",
             "Give the folder that the profiler has written to; docs/profiles.md says how to "
             "record"});
    }
    return found;
}

}  // namespace npunet::analysis
