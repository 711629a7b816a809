#include "base/staged_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <tuple>
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

[[noreturn]] void throw_in_the_way(const fs::path& path, const std::string& what) {
    throw MachineError(
        fmt::format("{}: {}. Move it away, or give another folder", path.string(), what));
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
        throw_folder_error(folder_, "cannot make the folder", error);
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

void StagedFolder::discard(const fs::path& name) {
    discarded_.push_back(folder_ / name);
}

/// Of what has been written: a file, a link or a folder.
struct StagedFolder::Move {
    fs::path from;
    fs::path to;
    std::size_t turn = 0;   ///< 0, or 1 and up for the marks
    std::ptrdiff_t up = 0;  ///< folders that lead to it, negative: of marks, inner ones go first
    bool folder = false;

    [[nodiscard]] bool operator<(const Move& other) const {
        return std::tie(turn, up, to) < std::tie(other.turn, other.up, other.to);
    }
};

std::vector<StagedFolder::Move> StagedFolder::planned(const std::vector<std::string>& marks) const {
    // All are listed before the first is moved: what a walk finds in a folder that changes
    // meanwhile is anyone's guess, and some file systems ask once more after what has just gone.
    std::vector<Move> moves;
    std::error_code error;
    const fs::recursive_directory_iterator end;
    for (fs::recursive_directory_iterator walk(staging_, error); !error && walk != end;
         walk.increment(error)) {
        Move move;
        move.from = walk->path();
        move.to = folder_ / move.from.lexically_relative(staging_);
        move.folder = fs::is_directory(walk->symlink_status(error));
        const auto mark = std::find(marks.begin(), marks.end(), move.to.filename());
        if (!move.folder && mark != marks.end()) {
            move.turn = static_cast<std::size_t>(mark - marks.begin()) + 1;
            move.up = -walk.depth();
        }
        moves.push_back(std::move(move));
    }
    if (error) {
        throw_folder_error(folder_, "cannot move files into it", error);
    }
    std::sort(moves.begin(), moves.end());
    return moves;
}

void StagedFolder::check(const std::vector<Move>& moves) const {
    for (const Move& move : moves) {
        std::error_code ignored;
        const fs::file_status there = fs::symlink_status(move.to, ignored);
        if (!fs::exists(there)) {
            continue;
        }
        if (!move.folder) {
            if (fs::is_directory(there)) {
                throw_in_the_way(move.to, "a folder is where a file goes");
            }
            if (fs::is_other(there)) {
                throw_in_the_way(move.to, "a device or a pipe is where a file goes");
            }
            continue;
        }
        if (!fs::is_directory(move.to, ignored)) {
            throw_in_the_way(move.to, "a file is where a folder goes");
        }
        if (::access(move.to.c_str(), W_OK | X_OK) != 0) {
            throw_folder_error(move.to, "cannot write to it",
                               std::error_code(errno, std::generic_category()));
        }
        struct stat inner {};
        struct stat outer {};
        if (::stat(move.to.c_str(), &inner) == 0 && ::stat(staging_.c_str(), &outer) == 0 &&
            inner.st_dev != outer.st_dev) {
            throw_in_the_way(move.to, "a folder of another file system than " + folder_.string());
        }
    }
}

void StagedFolder::commit(const std::vector<std::string>& marks) {
    const std::vector<Move> moves = planned(marks);
    check(moves);
    const auto first_mark =
        std::find_if(moves.begin(), moves.end(), [](const Move& move) { return move.turn > 0; });
    const auto carry_out = [&](auto from, auto to) {
        for (; from != to; ++from) {
            std::error_code error;
            if (from->folder) {
                fs::create_directories(from->to, error);
            } else {
                fs::rename(from->from, from->to, error);
            }
            if (error) {
                throw_folder_error(from->to, "cannot move it there", error);
            }
        }
    };
    carry_out(moves.begin(), first_mark);
    for (const fs::path& old : discarded_) {
        std::error_code error;
        if (!fs::is_directory(fs::symlink_status(old, error))) {
            fs::remove(old, error);
            if (error) {
                throw_folder_error(old, "cannot remove what an earlier run has left", error);
            }
        }
    }
    carry_out(first_mark, moves.end());
    committed_ = true;
}

void check_folder(const fs::path& folder) {
    const StagedFolder trial(folder);
}

}  // namespace npunet
