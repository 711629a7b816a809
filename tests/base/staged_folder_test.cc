// Files of a staged folder appear together, those of folders within too, or not at all.
#include "base/staged_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

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

// Whatever is in the way of one file keeps all of them out, and what was there stays. The names on
// both sides of it come before and after it in any order of a walk.
TEST_F(StagedFolderTest, MovesNothingWhenSomethingIsInTheWayOfOneFile) {
    const auto refused = [&](const fs::path& obstacle) {
        StagedFolder staged(folder_);
        for (const char* name : {"a", "inner/a", "inner/m/a", "inner/z", "m", "z"}) {
            write(staged.path() / name);
        }
        try {
            staged.commit();
            ADD_FAILURE() << obstacle << " is not in the way";
        } catch (const MachineError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(obstacle.string() + ": "));
        }
    };
    const auto left = [&] {
        std::set<std::string> names;
        for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
            names.insert(entry.path().lexically_relative(folder_));
        }
        return names;
    };
    fs::create_directories(folder_ / "m");
    refused(folder_ / "m");
    EXPECT_EQ(left(), std::set<std::string>{"m"});
    fs::remove(folder_ / "m");
    write(folder_ / "inner");
    refused(folder_ / "inner");
    EXPECT_EQ(left(), std::set<std::string>{"inner"});
    fs::remove(folder_ / "inner");
    // Files would end up elsewhere.
    fs::create_directories(around_ / "elsewhere");
    fs::create_directory_symlink(around_ / "elsewhere", folder_ / "inner");
    refused(folder_ / "inner");
    EXPECT_TRUE(fs::is_symlink(folder_ / "inner"));
    EXPECT_TRUE(fs::is_empty(around_ / "elsewhere"));
    fs::remove(folder_ / "inner");
    ASSERT_EQ(::mkfifo((folder_ / "z").c_str(), 0600), 0);
    refused(folder_ / "z");
    EXPECT_EQ(left(), std::set<std::string>{"z"});
}

TEST_F(StagedFolderTest, DiscardsFilesOfAnEarlierRunButNoFolders) {
    write(folder_ / "inner/old");
    write(folder_ / "folder/mine");
    {
        StagedFolder staged(folder_);
        staged.discard("inner/old");
    }
    EXPECT_TRUE(fs::exists(folder_ / "inner/old"));
    StagedFolder staged(folder_);
    staged.discard("inner/old");
    staged.discard("folder");
    staged.discard("missing");
    write(staged.path() / "a");
    staged.commit();
    EXPECT_FALSE(fs::exists(folder_ / "inner/old"));
    EXPECT_TRUE(fs::exists(folder_ / "folder/mine"));
    EXPECT_TRUE(fs::exists(folder_ / "a"));
}

TEST_F(StagedFolderTest, DiscardsNothingBehindALink) {
    write(around_ / "elsewhere/old");
    fs::create_directories(folder_);
    fs::create_directory_symlink(around_ / "elsewhere", folder_ / "inner");
    StagedFolder staged(folder_);
    staged.discard("inner/old");
    staged.commit();
    EXPECT_TRUE(fs::exists(around_ / "elsewhere/old"));
}

// The kernel tells in which order files came into the two folders.
TEST_F(StagedFolderTest, MovesMarksLastAndThoseOfInnerFoldersFirst) {
    fs::create_directories(folder_ / "inner");
    const int watch = ::inotify_init1(IN_NONBLOCK);
    const int outer = ::inotify_add_watch(watch, folder_.c_str(), IN_MOVED_TO);
    const int inner = ::inotify_add_watch(watch, (folder_ / "inner").c_str(), IN_MOVED_TO);
    if (watch < 0 || outer < 0 || inner < 0) {
        GTEST_SKIP() << "folders cannot be watched";
    }
    StagedFolder staged(folder_);
    for (const char* name : {"all", "done", "inner/done", "inner/x", "z", "a"}) {
        write(staged.path() / name);
    }
    staged.commit({"done", "all"});
    std::vector<std::string> order;
    alignas(inotify_event) char events[4096];
    const ssize_t length = ::read(watch, events, sizeof events);
    for (ssize_t at = 0; at < length;) {
        inotify_event event{};
        std::memcpy(&event, events + at, sizeof event);
        const std::string name = events + at + sizeof event;
        order.push_back(event.wd == inner ? "inner/" + name : name);
        at += static_cast<ssize_t>(sizeof event + event.len);
    }
    ::close(watch);
    EXPECT_EQ(order, (std::vector<std::string>{"a", "inner/x", "z", "inner/done", "done", "all"}));
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
