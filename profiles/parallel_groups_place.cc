#include <algorithm>
#include <string>
#include <vector>

#include "base/errors.h"
#include "profiles/parallel_groups_reader.h"
#include "profiles/text_scan.h"

namespace npunet::profiles {

namespace {

bool is_groups_file(const std::filesystem::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return starts(name, "unique_parallel_groups") && entry.path().extension() == ".txt" &&
           entry.is_regular_file();
}

}  // namespace

GroupsFilePlace find_parallel_groups(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
        return {path, 1};
    }
    const std::filesystem::path folder = std::filesystem::canonical(path);
    for (const std::filesystem::path& place : {path, folder.parent_path()}) {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(
                 place, std::filesystem::directory_options::skip_permission_denied)) {
            if (is_groups_file(entry)) {
                found.push_back(entry.path());
            }
        }
        if (!found.empty()) {
            return {*std::max_element(found.begin(), found.end()), found.size()};
        }
    }
    throw InputError({path.string(), "", "no file unique_parallel_groups_*.txt",
                      "one in this folder or in the one above", "Give the file itself"});
}

}  // namespace npunet::profiles
