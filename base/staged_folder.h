// Files that appear in a folder together, or not at all.
//
//     StagedFolder staged("traces");
//     write(staged.path() / "gpt.0.et");
//     write(staged.path() / "gpt.1.et");
//     staged.commit();          // without it the destructor leaves nothing behind
//
// They are written into a temporary folder inside the folder and moved by commit().
#pragma once

#include <filesystem>

namespace npunet {

class StagedFolder {
public:
    /// Makes the folder when it is missing. Throws MachineError.
    explicit StagedFolder(std::filesystem::path folder);
    /// Removes what was not committed, and the folders that were made for it.
    ~StagedFolder();
    StagedFolder(const StagedFolder&) = delete;
    StagedFolder& operator=(const StagedFolder&) = delete;

    /// Where to write.
    [[nodiscard]] const std::filesystem::path& path() const { return staging_; }

    /// Moves every file into the folder, those of folders within into folders of the same names,
    /// over files of the same name. Throws MachineError.
    void commit();

private:
    std::filesystem::path folder_;
    std::filesystem::path staging_;
    std::filesystem::path first_made_;  ///< of the folders on the way; empty: none
    bool committed_ = false;
};

/// Whether files can be put into a folder, before long work for them; leaves nothing behind. Throws
/// MachineError.
void check_folder(const std::filesystem::path& folder);

}  // namespace npunet
