// File systems that are full or read-only, with results of an earlier run on them: the command ends
// with exit code 4 and names the file it could not write; the earlier results are unchanged, byte
// for byte, and there are no other files.
//
// Each is a tmpfs of limited size in a mount namespace of the test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/disk_commands.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t page = 4096;
/// Pages that are enough for each of the commands.
constexpr std::size_t large = std::size_t{1} << 14;

void write_text(const char* file, const std::string& text) {
    std::ofstream(file) << text;
}

/// From here on what this process mounts is seen by no other process. Empty, or why that cannot be
/// had.
std::string private_mounts() {
    const auto user = static_cast<unsigned long>(::geteuid());
    const auto group = static_cast<unsigned long>(::getegid());
    if (::unshare(CLONE_NEWNS) != 0) {
        // Who is not root is so in a user namespace of its own.
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
            return std::string("no mount namespace: ") + std::strerror(errno);
        }
        write_text("/proc/self/setgroups", "deny");
        write_text("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
        write_text("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        return std::string("no private mounts: ") + std::strerror(errno);
    }
    return "";
}

/// A file system of so many pages on a folder.
class SmallFileSystem {
public:
    SmallFileSystem(fs::path folder, std::size_t pages) : folder_(std::move(folder)) {
        fs::create_directories(folder_);
        mounted_ = ::mount("npunet", folder_.c_str(), "tmpfs", 0, size_of(pages).c_str()) == 0;
        why_ = mounted_ ? "" : std::strerror(errno);
    }
    ~SmallFileSystem() {
        if (mounted_) {
            ::umount2(folder_.c_str(), MNT_DETACH);
        }
    }
    SmallFileSystem(const SmallFileSystem&) = delete;
    SmallFileSystem& operator=(const SmallFileSystem&) = delete;

    [[nodiscard]] bool mounted() const { return mounted_; }
    [[nodiscard]] const std::string& why() const { return why_; }

    void resize(std::size_t pages) const {
        EXPECT_EQ(::mount(nullptr, folder_.c_str(), nullptr, MS_REMOUNT, size_of(pages).c_str()), 0)
            << std::strerror(errno);
    }
    void make_read_only() const {
        EXPECT_EQ(::mount(nullptr, folder_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0)
            << std::strerror(errno);
    }
    [[nodiscard]] std::size_t used_pages() const {
        struct statvfs state {};
        EXPECT_EQ(::statvfs(folder_.c_str(), &state), 0);
        return (state.f_blocks - state.f_bfree) * state.f_frsize / page;
    }

private:
    static std::string size_of(std::size_t pages) { return "size=" + std::to_string(pages * page); }

    fs::path folder_;
    bool mounted_ = false;
    std::string why_;
};

class SmallFileSystems : public DiskCommands {
protected:
    static void SetUpTestSuite() { obstacle = private_mounts(); }

    void SetUp() override {
        if (!obstacle.empty()) {
            GTEST_SKIP() << obstacle;
        }
        const SmallFileSystem trial(in_folder("trial"), 1);
        if (!trial.mounted()) {
            GTEST_SKIP() << "no tmpfs can be mounted: " << trial.why();
        }
    }

    /// Runs each command on an empty file system of ever more pages, until one is large enough.
    void expect_whole_files(const std::vector<std::string>& commands) const {
        for (const std::string& command : commands) {
            SCOPED_TRACE(command);
            const fs::path out = in_folder("out");
            const auto whole = [&] {
                const SmallFileSystem disk(out, large);
                return results_of(command, out);
            }();
            Outcome outcome{4, "", ""};
            for (std::size_t pages = 1; outcome.code != 0; pages = pages * 3 + 1) {
                SCOPED_TRACE(pages);
                ASSERT_LE(pages, large);
                const SmallFileSystem disk(out, pages);
                outcome = ran(command, out);
                const auto left = files_below(out);
                EXPECT_TRUE(std::includes(whole.begin(), whole.end(), left.begin(), left.end()));
                if (outcome.code == 0) {
                    EXPECT_EQ(left, whole);
                    EXPECT_GT(pages, 1U);
                } else {
                    expect_refused(outcome, out);
                }
            }
        }
    }

    /// Fills the file system but for ever more pages, until the command has room enough to write
    /// its results once more.
    void expect_earlier_results_stay(const std::vector<std::string>& commands) const {
        for (const std::string& command : commands) {
            SCOPED_TRACE(command);
            const fs::path out = in_folder("out");
            const SmallFileSystem disk(out, large);
            const auto earlier = results_of(command, out);
            const std::size_t used = disk.used_pages();
            Outcome outcome{4, "", ""};
            for (std::size_t free = 0; outcome.code != 0; free = free * 3 + 1) {
                SCOPED_TRACE(free);
                ASSERT_LE(free, large);
                disk.resize(used + free);
                outcome = ran(command, out);
                EXPECT_EQ(files_below(out), earlier);
                if (outcome.code == 0) {
                    EXPECT_GT(free, 0U);
                } else {
                    expect_refused(outcome, out);
                }
            }
        }
    }

    void expect_nothing_is_written(const std::vector<std::string>& commands) const {
        for (const std::string& command : commands) {
            SCOPED_TRACE(command);
            const fs::path out = in_folder("out");
            {
                const SmallFileSystem disk(out, 1);
                disk.make_read_only();
                expect_refused(ran(command, out), out);
                EXPECT_TRUE(fs::is_empty(out));
            }
            const SmallFileSystem disk(out, large);
            const auto earlier = results_of(command, out);
            disk.make_read_only();
            expect_refused(ran(command, out), out);
            EXPECT_EQ(files_below(out), earlier);
        }
    }

private:
    [[nodiscard]] std::map<std::string, std::string> results_of(const std::string& command,
                                                                const fs::path& out) const {
        const Outcome outcome = ran(command, out);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        const auto files = files_below(out);
        EXPECT_FALSE(files.empty());
        return files;
    }

    static void expect_refused(const Outcome& outcome, const fs::path& out) {
        EXPECT_EQ(outcome.code, 4) << outcome.log;
        EXPECT_THAT(outcome.log, HasSubstr(out.string()));
        EXPECT_THAT(outcome.log, testing::AnyOf(HasSubstr(": No space left on device"),
                                                HasSubstr(": Read-only file system")));
    }

    static inline std::string obstacle;
};

TEST_F(SmallFileSystems, KeepTracesThatWereThere) {
    expect_earlier_results_stay(generators);
}

TEST_F(SmallFileSystems, HaveWholeLogs) {
    expect_whole_files(logs);
    expect_earlier_results_stay(logs);
}

TEST_F(SmallFileSystems, KeepResultsThatWereThere) {
    expect_earlier_results_stay(runs);
    expect_earlier_results_stay(studies);
}

TEST_F(SmallFileSystems, KeepPlansThatWereThere) {
    expect_earlier_results_stay(plans);
}

TEST_F(SmallFileSystems, StayAsTheyAreWhereTheyMayOnlyBeRead) {
    for (const auto* const commands : {&generators, &logs, &runs, &studies, &plans}) {
        expect_nothing_is_written(*commands);
    }
}

}  // namespace
}  // namespace npunet::cli
