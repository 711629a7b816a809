#include "base/staged_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

[[noreturn]] void throw_obstacle(const fs::path& path, const std::string& what) {
    throw MachineError(
        fmt::format("{}: {}. Move it away, or give another folder", path.string(), what));
}

/// A file that an earlier run has left, or a link; nothing where there is none, or a folder.
void remove_earlier(const fs::path& old) {
    std::error_code error;
    if (!fs::is_directory(fs::symlink_status(old, error))) {
        fs::remove(old, error);
        if (error) {
            throw_folder_error(old, "cannot remove what an earlier run has left", error);
        }
    }
}

}  // namespace

StagedFolder::StagedFolder(fs::path folder) : folder_(std::move(folder)) {
    if (!folder_.has_filename()) {
        folder_ = folder_.parent_path();  // "out/"
    }
    try {
        staging_ = std::make_unique<Unfinished>(folder_, Unfinished::Kind::Folder);
    } catch (const std::system_error& error) {
        std::error_code ignored;
        throw_folder_error(folder_,
                           fs::is_directory(folder_, ignored) ? "cannot write into the folder"
                                                              : "cannot make the folder",
                           error.code());
    }
}

void StagedFolder::discard(const fs::path& name) {
    discarded_.push_back(name);
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
    for (fs::recursive_directory_iterator walk(path(), error); !error && walk != end;
         walk.increment(error)) {
        Move move;
        move.from = walk->path();
        move.to = folder_ / move.from.lexically_relative(path());
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
                throw_obstacle(move.to, "a folder is where a file goes");
            }
            if (fs::is_other(there)) {
                throw_obstacle(move.to, "a device or a pipe is where a file goes");
            }
            continue;
        }
        if (fs::is_symlink(there)) {
            throw_obstacle(move.to, "a link is where a folder goes");
        }
        if (!fs::is_directory(there)) {
            throw_obstacle(move.to, "a file is where a folder goes");
        }
        if (::access(move.to.c_str(), W_OK | X_OK) != 0) {
            throw_folder_error(move.to, "cannot write to it",
                               std::error_code(errno, std::generic_category()));
        }
        struct stat inner {};
        struct stat outer {};
        if (::stat(move.to.c_str(), &inner) == 0 && ::stat(path().c_str(), &outer) == 0 &&
            inner.st_dev != outer.st_dev) {
            throw_obstacle(move.to, "a folder of another file system than " + folder_.string());
        }
    }
}

void StagedFolder::commit(const std::vector<std::string>& marks) {
    const std::vector<Move> moves = planned(marks);
    check(moves);
    staging_->finish([&] { carry_out(moves); });
}

fs::path StagedFolder::commit_apart() {
    fs::path apart;
    std::error_code error;
    for (int number = 1; apart.empty(); ++number) {
        const fs::path candidate = folder_ / fmt::format("kept-{}", number);
        if (fs::create_directory(candidate, error)) {
            apart = candidate;
        } else if (!fs::exists(fs::symlink_status(candidate))) {
            throw_folder_error(candidate, "cannot make the folder", error);
        }
    }
    folder_ = apart;
    discarded_.clear();
    commit();
    return apart;
}

void StagedFolder::carry_out(const std::vector<Move>& moves) const {
    const auto first_mark =
        std::find_if(moves.begin(), moves.end(), [](const Move& move) { return move.turn > 0; });
    const auto move_all = [](auto from, auto to) {
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
    // Whoever is killed from here on leaves no mark of an earlier run among files of this one.
    for (auto mark = moves.end(); mark != first_mark;) {
        --mark;
        remove_earlier(mark->to);
    }
    move_all(moves.begin(), first_mark);
    remove_discarded();
    move_all(first_mark, moves.end());
}

void StagedFolder::remove_discarded() const {
    for (const fs::path& name : discarded_) {
        fs::path old = folder_;
        bool linked = false;
        for (const fs::path& part : name.parent_path()) {
            old /= part;
            std::error_code ignored;
            linked = linked || fs::is_symlink(old, ignored);
        }
        if (!linked) {
            remove_earlier(folder_ / name);
        }
    }
}

void check_folder(const fs::path& folder) {
    const StagedFolder trial(folder);
}

}  // namespace npunet
