#include "base/staged_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"

namespace npunet {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void throw_folder_error(const fs::path& path, const char* what,
                                     const std::error_code& error) {
    throw MachineError(
        fmt::format("{}: {}: {}. Check that the folder can be written to and that "
                    "the disk is not full",
                    path.string(), what, error.message()));
}

}  // namespace

StagedFolder::StagedFolder(fs::path folder) : folder_(std::move(folder)) {
    static std::atomic<unsigned> count{0};
    if (!folder_.has_filename()) {
        folder_ = folder_.parent_path();  // "out/"
    }
    staging_ = folder_ / fmt::format(".npunet-{}-{}", ::getpid(), count++);
    std::error_code error;
    for (fs::path missing = folder_; !missing.empty() && !fs::exists(missing, error);
         missing = missing.parent_path()) {
        first_made_ = missing;
    }
    fs::create_directories(staging_, error);
    if (error) {
        throw_folder_error(folder_, "cannot make it", error);
    }
}

StagedFolder::~StagedFolder() {
    std::error_code ignored;
    fs::remove_all(staging_, ignored);
    if (first_made_.empty() || committed_) {
        return;
    }
    // Those with nothing else in them.
    fs::path made = folder_;
    while (fs::remove(made, ignored) && made != first_made_) {
        made = made.parent_path();
    }
}

void StagedFolder::commit() {
    // All are listed before the first is moved: what a walk finds in a folder that changes
    // meanwhile is anyone's guess, and some file systems ask once more after what has just gone.
    std::vector<fs::directory_entry> entries;
    std::error_code error;
    const fs::recursive_directory_iterator end;
    for (fs::recursive_directory_iterator walk(staging_, error); !error && walk != end;
         walk.increment(error)) {
        entries.push_back(*walk);
    }
    for (auto entry = entries.begin(); !error && entry != entries.end(); ++entry) {
        const fs::path place = folder_ / entry->path().lexically_relative(staging_);
        if (fs::is_directory(entry->symlink_status(error))) {
            fs::create_directories(place, error);
        } else {
            fs::rename(entry->path(), place, error);
        }
    }
    if (error) {
        throw_folder_error(folder_, "cannot move files into it", error);
    }
    committed_ = true;
}

void check_folder(const fs::path& folder) {
    const StagedFolder trial(folder);
}

}  // namespace npunet
