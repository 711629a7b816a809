// Files of a staged folder appear together, those of folders within too, or not at all.
#include "base/staged_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace npunet {
namespace {

namespace fs = std::filesystem;

class StagedFolderTest : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / "npunet-staged-folder";
        fs::remove_all(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    static void write(const fs::path& file) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << "text";
    }

    fs::path folder_;
};

TEST_F(StagedFolderTest, MovesFilesFoldersAndLinks) {
    write(folder_ / "inner/old");
    StagedFolder staged(folder_);
    write(staged.path() / "a");
    write(staged.path() / "inner/b");
    fs::create_symlink(folder_ / "elsewhere", staged.path() / "inner/link");
    staged.commit();
    EXPECT_TRUE(fs::exists(folder_ / "a"));
    EXPECT_TRUE(fs::exists(folder_ / "inner/b"));
    EXPECT_TRUE(fs::exists(folder_ / "inner/old"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "inner/link"));
}

TEST_F(StagedFolderTest, LeavesNothingBehindUncommitted) {
    {
        StagedFolder staged(folder_);
        write(staged.path() / "inner/b");
    }
    EXPECT_FALSE(fs::exists(folder_));
}

}  // namespace
}  // namespace npunet
