// What is written under a name that nobody can guess until it is whole: a file or a folder.
//
//     Unfinished file("out", Unfinished::Kind::File);       // out/.npunet-3f0c...
//     write(file.descriptor());
//     file.finish([&] { fs::rename(file.path(), "out/results.json"); });
//
// It is made exclusively, and a link of its name is not followed: nothing that stands there already
// is taken for it. While its owner lives, it is locked. What a process that was killed has left is
// not: the next one that writes into the folder finds that, and sweeps it away. (On a file system
// that knows no locks leftovers stay; where its locks hold on each machine by itself, two machines
// must not write into one folder at a time.)
//
// remove_unfinished() is for a process that a signal ends.
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace npunet {

class Unfinished {
public:
    enum class Kind : std::uint8_t { File, Folder };

    /// Makes `folder` when it is missing, and sweeps it when this process has not yet. Throws
    /// std::system_error.
    Unfinished(std::filesystem::path folder, Kind kind);
    /// Removes it, and unless it has been finished the folders that were made for it and have
    /// nothing else in them.
    ~Unfinished();
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    /// The file; or the folder to write into, which only its owner can enter.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Of the file, to be written to.
    [[nodiscard]] int descriptor() const { return descriptor_; }

    /// Gives the file, or those in the folder, their final names by `rename`: no signal ends the
    /// process meanwhile.
    void finish(const std::function<void()>& rename);

private:
    friend void remove_unfinished();

    void make();
    [[nodiscard]] bool make_file();
    [[nodiscard]] bool make_folder();
    void remove() const;
    void remove_made_folders() const;

    std::filesystem::path folder_;
    Kind kind_;
    std::filesystem::path first_made_;  ///< of the folders on the way; empty: none
    std::filesystem::path own_;         ///< under the name that nobody can guess
    std::filesystem::path path_;
    int descriptor_ = -1;  ///< of the file, or of the folder's lock
    bool finished_ = false;
};

/// Removes all that is unfinished in this process, which is to end: whoever begins or finishes
/// something from now on, or gives it up, waits for ever.
void remove_unfinished();

}  // namespace npunet
