#include "base/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "base/errors.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using testing::HasSubstr;

class AtomicFileTest : public testing::Test {
protected:
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
    }

    test::TemporaryFolder folder_;
};

TEST_F(AtomicFileTest, AppearsOnlyWhenItIsWhole) {
    AtomicFile file(folder_ / "results.json");
    file.stream() << "{}\n";
    EXPECT_FALSE(fs::exists(folder_ / "results.json"));
    file.commit();
    EXPECT_EQ(bytes_of(folder_ / "results.json"), "{}\n");
    EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWithoutCommit) {
    { AtomicFile(folder_ / "results.json").stream() << "half"; }
    EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, KeepsTheOldFileUntilTheNewOneIsWhole) {
    std::ofstream(folder_ / "results.json") << "old";
    { AtomicFile(folder_ / "results.json").stream() << "half"; }
    EXPECT_EQ(bytes_of(folder_ / "results.json"), "old");
    AtomicFile file(folder_ / "results.json");
    file.stream() << "new";
    file.commit();
    EXPECT_EQ(bytes_of(folder_ / "results.json"), "new");
    EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, MakesTheFolder) {
    AtomicFile file(folder_ / "a" / "b" / "results.json");
    file.commit();
    EXPECT_TRUE(fs::exists(folder_ / "a" / "b" / "results.json"));
}

// A file that is renamed to a device's name would take its place, as root at least.
TEST_F(AtomicFileTest, DevicesAndPipesStayWhatTheyAre) {
    const fs::path pipe = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDWR);
    ASSERT_GE(reader, 0);
    AtomicFile file(pipe);
    file.stream() << "text";
    file.commit();
    char text[4];
    ASSERT_EQ(::read(reader, text, sizeof text), 4);
    EXPECT_EQ(std::string(text, sizeof text), "text");
    { AtomicFile(pipe).stream() << "half"; }
    ::close(reader);
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_EQ(files(), 1u);

    const fs::path link = folder_ / "link";
    fs::create_symlink("/dev/full", link);
    AtomicFile full(link);
    full.stream() << "text";
    EXPECT_THROW(full.commit(), MachineError);
    EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(AtomicFileTest, LinksStayAndTheirFileIsReplaced) {
    std::ofstream(folder_ / "file") << "old";
    fs::create_symlink("file", folder_ / "link");
    { AtomicFile(folder_ / "link").stream() << "half"; }
    EXPECT_EQ(bytes_of(folder_ / "file"), "old");
    AtomicFile file(folder_ / "link");
    file.stream() << "new";
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(bytes_of(folder_ / "file"), "new");
    EXPECT_EQ(files(), 2u);
}

// A regular file where a folder should be refuses even root.
TEST_F(AtomicFileTest, BelowAFileIsTheMachinesFault) {
    std::ofstream(folder_ / "file") << "in the way";
    try {
        const AtomicFile file(folder_ / "file" / "results.json");
        FAIL();
    } catch (const MachineError& error) {
        EXPECT_THAT(error.what(), HasSubstr((folder_ / "file").string()));
    }
}

// Planted links: under the predictable name of earlier versions, which then overwrote the link's
// target, and under a name like today's.
TEST_F(AtomicFileTest, FollowsNoLinkThatWasPlanted) {
    const fs::path victim = folder_.write("victim", "mine");
    fs::create_symlink(victim, folder_ / ("results.json.tmp" + std::to_string(::getpid())));
    fs::create_symlink(victim, folder_ / (".npunet-" + std::string(32, '0')));
    AtomicFile file(folder_ / "results.json");
    file.stream() << "{}";
    file.commit();
    EXPECT_EQ(bytes_of(victim), "mine");
    EXPECT_EQ(bytes_of(folder_ / "results.json"), "{}");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "results.json")));
    EXPECT_EQ(files(), 4U);
}

TEST_F(AtomicFileTest, HasTheModeThatTheUserAsksFor) {
    const mode_t before = ::umask(027);
    AtomicFile(folder_ / "results.json").commit();
    ::umask(before);
    EXPECT_EQ(fs::status(folder_ / "results.json").permissions(), fs::perms(0640));
}

// The final name is taken by a folder that is not empty: rename must fail, and nothing is left.
TEST_F(AtomicFileTest, CommitOverAFolderFails) {
    fs::create_directories(folder_ / "results.json" / "inside");
    {
        AtomicFile file(folder_ / "results.json");
        EXPECT_THROW(file.commit(), MachineError);
    }
    EXPECT_EQ(files(), 1u);
}

// A file size limit of 0 acts like a full disk.
TEST_F(AtomicFileTest, CommitToAFullDiskFails) {
    AtomicFile file(folder_ / "results.json");
    file.stream() << "text";
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{0, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(file.commit(), MachineError);
    ::setrlimit(RLIMIT_FSIZE, &before);
    static_cast<void>(std::signal(SIGXFSZ, handler));
    EXPECT_FALSE(fs::exists(folder_ / "results.json"));
}

TEST_F(AtomicFileTest, SaysWhyADeviceIsFull) {
    AtomicFile file("/dev/full");
    file.stream() << "text";
    EXPECT_EQ(test::message_of<MachineError>([&] {
                  file.commit();
                  return 0;
              }),
              "/dev/full: cannot write: No space left on device. Check the free space and the "
              "permissions of the folder");
}

// The write fails long before commit(), with other system calls in between.
TEST_F(AtomicFileTest, TheReasonOfAnEarlierFailureIsKept) {
    AtomicFile file("/dev/full");
    file.stream() << std::string(std::size_t{1} << 20, 'x');
    EXPECT_FALSE(file.stream());
    EXPECT_FALSE(fs::exists(folder_ / "no such file"));
    errno = 0;
    file.stream() << "more";
    EXPECT_THAT(test::message_of<MachineError>([&] {
                    file.commit();
                    return 0;
                }),
                HasSubstr("cannot write: No space left on device. "));
}

// Without a failed system call the message must not say "Success".
TEST_F(AtomicFileTest, WithoutAReasonNoneIsMadeUp) {
    AtomicFile file(folder_ / "results.json");
    file.stream() << "text";
    file.stream().setstate(std::ios::badbit);
    try {
        file.commit();
        FAIL();
    } catch (const MachineError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cannot write. Check the free space"));
    }
}

}  // namespace
}  // namespace npunet
