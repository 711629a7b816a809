// Files of a staged folder appear together, those of folders within too, or not at all.
#include "base/staged_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/errors.h"
#include "tests/support/temporary_folder.h"

namespace npunet {
namespace {

namespace fs = std::filesystem;

class StagedFolderTest : public testing::Test {
protected:
    static void write(const fs::path& file) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << "text";
    }

    test::TemporaryFolder around_;
    fs::path folder_ = around_ / "results";
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

TEST_F(StagedFolderTest, MovesAllOfVeryManyFiles) {
    StagedFolder staged(folder_);
    for (int folder = 0; folder < 10; ++folder) {
        for (int file = 0; file < 300; ++file) {
            write(staged.path() / std::to_string(folder) / std::to_string(file));
        }
    }
    staged.commit();
    for (int folder = 0; folder < 10; ++folder) {
        const fs::directory_iterator files(folder_ / std::to_string(folder));
        EXPECT_EQ(std::distance(begin(files), end(files)), 300) << folder;
    }
}

TEST_F(StagedFolderTest, LeavesNothingBehindUncommitted) {
    {
        StagedFolder staged(folder_);
        write(staged.path() / "inner/b");
    }
    EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(StagedFolderTest, TakesFoldersOnTheWayAwayAgainUnlessTheyAreUsed) {
    const fs::path deep = folder_ / "a" / "b" / "c";
    check_folder(deep);
    EXPECT_FALSE(fs::exists(folder_));
    check_folder(deep / "");
    EXPECT_FALSE(fs::exists(folder_));
    {
        StagedFolder staged(deep);
        write(folder_ / "a" / "mine");
    }
    EXPECT_TRUE(fs::exists(folder_ / "a" / "mine"));
    EXPECT_FALSE(fs::exists(folder_ / "a" / "b"));
    check_folder(deep);
    EXPECT_TRUE(fs::exists(folder_ / "a" / "mine"));
    EXPECT_THROW(check_folder(folder_ / "a" / "mine" / "c"), MachineError);
}

}  // namespace
}  // namespace npunet
