// Files that appear in a folder together, or not at all.
//
//     StagedFolder staged("traces");
//     write(staged.path() / "gpt.0.et");
//     write(staged.path() / "gpt.1.et");
//     staged.commit();          // without it the destructor leaves nothing behind
//
// They are written into an unfinished folder (unfinished.h) inside the folder and moved by
// commit(), which first looks whether each of them can be.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/unfinished.h"

namespace npunet {

class StagedFolder {
public:
    /// Makes the folder when it is missing. Throws MachineError.
    explicit StagedFolder(std::filesystem::path folder);
    /// Removes what was not committed, and the folders that were made for it.
    ~StagedFolder() = default;
    StagedFolder(const StagedFolder&) = delete;
    StagedFolder& operator=(const StagedFolder&) = delete;

    /// Where to write.
    [[nodiscard]] const std::filesystem::path& path() const { return staging_->path(); }

    /// At commit() a file of an earlier run goes away, `name` in the folder; a folder of that name
    /// is not one and stays, and so does what lies behind a link.
    void discard(const std::filesystem::path& name);

    /// Moves every file into the folder, those of folders within into folders of the same names,
    /// over files of the same name: in the order of their paths, but files of the names in `marks`
    /// last, in that order, those of inner folders first; earlier ones of these go before all.
    /// Throws MachineError, before anything is moved when something is in the way: a folder where a
    /// file goes, a file or a link where a folder goes, a device or a pipe, an inner folder that
    /// must not be written to or is another file system.
    void commit(const std::vector<std::string>& marks = {});

    /// Moves every file into a new folder inside the folder instead, kept-1, kept-2, ..., and
    /// discards nothing: for what must not replace what is there. Throws MachineError.
    /// @return the new folder
    [[nodiscard]] std::filesystem::path commit_apart();

private:
    struct Move;

    [[nodiscard]] std::vector<Move> planned(const std::vector<std::string>& marks) const;
    void check(const std::vector<Move>& moves) const;
    void carry_out(const std::vector<Move>& moves) const;
    void remove_discarded() const;

    std::filesystem::path folder_;
    std::unique_ptr<Unfinished> staging_;
    std::vector<std::filesystem::path> discarded_;  ///< names in the folder
};

/// Whether files can be put into a folder, before long work for them; leaves nothing behind. Throws
/// MachineError.
void check_folder(const std::filesystem::path& folder);

}  // namespace npunet
