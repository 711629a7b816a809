// A file or folder that has an unpredictable name until it is complete.
//
//     Unfinished file("out", Unfinished::Kind::File);       // out/.npunet-3f0c...
//     write(file.descriptor());
//     file.finish([&] { fs::rename(file.path(), "out/results.json"); });
//
// It is created exclusively and without following symbolic links, so that an existing file is never
// reused. It is locked as long as its owner lives. Leftovers of killed processes are therefore
// unlocked, and the next process that writes into the folder removes them. (On a file system
// without locks leftovers stay; where locks are local to a machine, two machines must not write
// into one folder at the same time.)
//
// remove_unfinished() is for a process that is being ended by a signal.
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

    /// Creates `folder` if it is missing, and removes leftovers there, once per process. Throws
    /// std::system_error.
    Unfinished(std::filesystem::path folder, Kind kind);
    /// Removes it and, unless it was finished, the folders that were created for it if they are
    /// empty.
    ~Unfinished();
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    /// The file, or the folder to write into, which is accessible to its owner only.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// The open file, for writing.
    [[nodiscard]] int descriptor() const { return descriptor_; }

    /// Calls `rename`, which gives the file or the folder's files their final names; signals do not
    /// end the process meanwhile.
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
    std::filesystem::path first_made_;  ///< topmost folder created for it; empty: none
    std::filesystem::path own_;         ///< path with the unpredictable name
    std::filesystem::path path_;
    int descriptor_ = -1;  ///< the file, or the folder's lock file
    bool finished_ = false;
};

/// Removes everything unfinished in this process, which is about to end: from now on, threads that
/// create, finish or destroy an Unfinished block forever.
void remove_unfinished();

}  // namespace npunet
