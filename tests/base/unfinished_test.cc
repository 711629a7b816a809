// Unfinished files belong to one process, disappear with it, and are never shared.
#include "base/unfinished.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/atomic_file.h"
#include "base/errors.h"
#include "base/staged_folder.h"
#include "tests/support/counted_cases.h"
#include "tests/support/temporary_folder.h"

namespace npunet {
namespace {

namespace fs = std::filesystem;

const std::string name = ".npunet-" + std::string(32, '7');

class UnfinishedTest : public testing::Test {
protected:
    /// In a separate process, as for separate runs: each process removes leftovers once.
    static pid_t start(const std::function<void()>& work) {
        const pid_t child = ::fork();
        if (child == 0) {
            work();
            ::_exit(0);
        }
        return child;
    }
    /// Its exit status.
    static int wait_for(pid_t child) {
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return status;
    }
    static void run(const std::function<void()>& work) { EXPECT_EQ(wait_for(start(work)), 0); }

    static void write(const fs::path& file, const std::string& text) {
        AtomicFile written(file);
        written.stream() << text;
        written.commit();
    }
    /// Writes results like a run: several folders of files, and a single file.
    static void write_results(const fs::path& folder, int files) {
        StagedFolder staged(folder);
        for (int i = 0; i < files; ++i) {
            write(staged.path() / fmt::format("figures/{}", i), fmt::format("picture {}", i));
            write(staged.path() / fmt::format("{}.csv", i), std::string(5000, 'a'));
        }
        write(staged.path() / "results.json", "{}");
        staged.commit({"results.json"});
        write(folder / "plan.csv", std::string(20'000, 'b'));
    }
    static std::map<std::string, std::string> entries(const fs::path& folder) {
        std::map<std::string, std::string> all;
        std::error_code missing;
        for (const auto& entry : fs::recursive_directory_iterator(folder, missing)) {
            all[entry.path().lexically_relative(folder)] =
                entry.is_regular_file() ? test::bytes_of(entry.path()) : "";
        }
        return all;
    }

    test::TemporaryFolder around_;
    fs::path folder_ = around_ / "results";
};

TEST_F(UnfinishedTest, IsAloneInItsFolderAndLeavesNothing) {
    {
        const Unfinished first(folder_, Unfinished::Kind::Folder);
        const Unfinished second(folder_, Unfinished::Kind::Folder);
        const Unfinished third(folder_, Unfinished::Kind::File);
        EXPECT_NE(first.path(), second.path());
        EXPECT_TRUE(fs::is_empty(first.path()));
        EXPECT_EQ(fs::status(first.path().parent_path()).permissions(), fs::perms::owner_all);
        EXPECT_TRUE(fs::is_regular_file(third.path()));
    }
    EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(UnfinishedTest, IsSweptAwayWhenItsOwnerIsDead) {
    const int status = wait_for(start([&] {
        StagedFolder staged(folder_);
        write(staged.path() / "inner/half", "half");
        AtomicFile file(folder_ / "results.json");
        file.stream() << "half" << std::flush;
        ::raise(SIGKILL);
    }));
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
    run([&] { check_folder(folder_); });
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(UnfinishedTest, StaysWhileItsOwnerLives) {
    const StagedFolder staged(folder_);
    AtomicFile file(folder_ / "results.json");
    write(staged.path() / "a", "text");
    run([&] { write_results(folder_, 2); });
    EXPECT_EQ(test::bytes_of(staged.path() / "a"), "text");
    file.stream() << "mine";
    file.commit();
    EXPECT_EQ(test::bytes_of(folder_ / "results.json"), "mine");
}

// Planted folders and links with guessed names, including those of earlier versions, and things
// that only look like leftovers are neither reused, followed nor removed.
TEST_F(UnfinishedTest, LeavesAloneWhatIsNotItsOwn) {
    const fs::path victim = around_.write("victim/file", "mine").parent_path();
    fs::create_directories(folder_);
    std::vector<std::string> planted;
    for (int process = 1; process < 3000; process += 41) {
        planted.push_back(fmt::format(".npunet-{}-0", process));
        around_.write("results/" + planted.back() + "/foreign.csv", "foreign");
    }
    planted.push_back(".npunet-" + std::string(32, '8'));
    around_.write("results/" + planted.back() + "/without-a-lock", "mine");
    planted.push_back(".npunet-" + std::string(32, '9'));
    around_.write("results/" + planted.back() + "/lock/a-folder", "mine");
    planted.push_back(".npunet-" + std::string(31, '9'));
    around_.write("results/" + planted.back(), "mine");
    planted.push_back(".npunet-" + std::string(32, 'z'));
    around_.write("results/" + planted.back(), "mine");
    fs::create_directory_symlink(victim, folder_ / name);
    fs::create_directories(folder_ / (".npunet-" + std::string(32, '6')));
    fs::create_symlink(victim / "file", folder_ / (".npunet-" + std::string(32, '6')) / "lock");
    const auto before = entries(folder_);
    run([&] { write_results(folder_, 1); });
    auto after = entries(folder_);
    for (const char* const own : {"0.csv", "figures", "figures/0", "plan.csv", "results.json"}) {
        EXPECT_EQ(after.erase(own), 1U) << own;
    }
    EXPECT_EQ(after, before);
    EXPECT_EQ(test::bytes_of(victim / "file"), "mine");
}

TEST_F(UnfinishedTest, LeavesLinksThatLeadNowhere) {
    fs::create_symlink("results", folder_);
    fs::create_symlink("missing", around_ / "other");
    EXPECT_THROW(check_folder(folder_), MachineError);
    EXPECT_THROW(check_folder(around_ / "other"), MachineError);
    EXPECT_TRUE(fs::is_symlink(folder_));
    EXPECT_TRUE(fs::is_symlink(around_ / "other"));
}

TEST_F(UnfinishedTest, LeavesWhatIsLockedElsewhere) {
    const fs::path lock = around_.write("results/" + name + "/lock", "");
    const int descriptor = ::open(lock.c_str(), O_RDWR);
    ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
    run([&] { check_folder(folder_); });
    EXPECT_TRUE(fs::exists(lock));
    ::close(descriptor);
    run([&] { check_folder(folder_); });
    EXPECT_FALSE(fs::exists(folder_ / name));
}

// After runs that are killed at random moments, several at a time, one run to the end leaves the
// same files as it does in a new folder.
TEST_F(UnfinishedTest, RunsThatAreKilledLeaveNothingToTheNext) {
    run([&] { write_results(around_ / "fresh", 8); });
    const auto fresh = entries(around_ / "fresh");
    std::mt19937 random(17);
    constexpr int cases = 100;
    int swept = 0;
    for (int i = 0; i < cases; ++i) {
        fs::remove_all(folder_);
        std::vector<pid_t> children;
        for (auto left = 1 + random() % 3; left > 0; --left) {
            children.push_back(start([&] {
                for (;;) {
                    write_results(folder_, 8);
                }
            }));
        }
        ::usleep(static_cast<useconds_t>(random() % 6000));
        for (const pid_t child : children) {
            ::kill(child, SIGKILL);
            wait_for(child);
        }
        for (const auto& [entry, text] : entries(folder_)) {
            swept += entry.rfind(".npunet-", 0) == 0 && entry.find('/') == std::string::npos;
        }
        run([&] { write_results(folder_, 8); });
        ASSERT_EQ(entries(folder_), fresh) << i;
    }
    EXPECT_GT(swept, cases / 4);
    test::count_cases(cases);
}

// A process that ends with remove_unfinished() while several threads are writing.
TEST_F(UnfinishedTest, AProcessThatRemovesItLeavesWholeFilesOrNone) {
    std::mt19937 random(18);
    constexpr int cases = 100;
    for (int i = 0; i < cases; ++i) {
        fs::remove_all(folder_);
        const auto delay = static_cast<useconds_t>(random() % 3000);
        const int status = wait_for(start([&] {
            std::thread writer([&] {
                try {
                    for (;;) {
                        write_results(folder_, 8);
                    }
                } catch (const MachineError&) {
                    ::pause();  // its folder has been removed; the process is about to end
                }
            });
            writer.detach();
            ::usleep(delay);
            remove_unfinished();
            ::raise(SIGKILL);
        }));
        ASSERT_TRUE(WIFSIGNALED(status));
        const auto left = entries(folder_);
        ASSERT_TRUE(left.empty() || left.count("results.json") > 0) << left.begin()->first;
        for (const auto& [entry, text] : left) {
            ASSERT_NE(entry.rfind(".npunet-", 0), 0U) << entry;
        }
    }
    test::count_cases(cases);
}

}  // namespace
}  // namespace npunet
