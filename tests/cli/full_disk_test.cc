// Disks that fill up while a command writes: it ends with exit code 4 and names what could not be
// written, and each file that is there is whole. Results appear together, or none of them does.
//
// A disk is full for a file of which no more than so many bytes can be written (RLIMIT_FSIZE); that
// limit goes up until everything fits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/disk_commands.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// While it lives, no file grows beyond so many bytes.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes) {
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
        const rlimit small{bytes, before_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    }
    ~SmallDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        static_cast<void>(std::signal(SIGXFSZ, handler_));
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int) = SIG_DFL;
};

class FullDisk : public DiskCommands {
protected:
    enum class Left { WholeFiles, Nothing };

    /// Runs each command on ever larger disks.
    void expect_all_or_nothing(const std::vector<std::string>& commands,
                               Left left = Left::WholeFiles) const {
        for (const std::string& command : commands) {
            expect_all_or_nothing(command, left);
        }
    }

private:
    void expect_all_or_nothing(const std::string& command, Left allowed) const {
        SCOPED_TRACE(command);
        const fs::path out = in_folder("out");
        const auto whole = whole_files(command);
        ASSERT_FALSE(whole.empty());
        int full = 0;
        for (rlim_t bytes = 0;; bytes = bytes * 3 + 50) {
            SCOPED_TRACE(bytes);
            fs::remove_all(out);
            fs::create_directory(out);
            const Outcome outcome = [&] {
                const SmallDisk disk(bytes);
                return ran(command, out);
            }();
            const auto left = files_below(out);
            if (outcome.code == 0) {
                EXPECT_EQ(left.size(), whole.size());
                break;
            }
            ++full;
            EXPECT_EQ(outcome.code, 4) << outcome.log;
            EXPECT_THAT(outcome.log, HasSubstr(": File too large. "));
            EXPECT_THAT(outcome.log, HasSubstr(out.string()));
            if (allowed == Left::Nothing) {
                EXPECT_TRUE(left.empty()) << left.begin()->first << " is left";
            }
            for (const auto& [name, content] : left) {
                ASSERT_TRUE(whole.count(name) > 0) << name << " is left";
                EXPECT_EQ(content, whole.at(name)) << name << " is not whole";
            }
            ASSERT_LT(bytes, rlim_t{1} << 30);
        }
        EXPECT_GT(full, 0);
    }

    [[nodiscard]] std::map<std::string, std::string> whole_files(const std::string& command) const {
        const fs::path folder = in_folder("whole");
        fs::create_directory(folder);
        const Outcome outcome = ran(command, folder);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        auto files = files_below(folder);
        fs::remove_all(folder);
        return files;
    }
};

TEST_F(FullDisk, Generators) {
    expect_all_or_nothing(generators);
}

TEST_F(FullDisk, Logs) {
    expect_all_or_nothing(logs);
}

TEST_F(FullDisk, Runs) {
    expect_all_or_nothing(runs, Left::Nothing);
}

TEST_F(FullDisk, Studies) {
    expect_all_or_nothing(studies, Left::Nothing);
}

TEST_F(FullDisk, Plans) {
    expect_all_or_nothing(plans);
}

// The limit raises SIGXFSZ, whose default action ends a program without a message.
TEST_F(FullDisk, ALimitOfTheShellIsToldToo) {
    const std::string command = "ulimit -f 1; exec " NPUNET_PROGRAM
                                " generate transformer --model gpt2-small --batch 1 --seq 64 "
                                "--output-dir " +
                                in_folder("limited").string() + " >" + in_folder("said").string() +
                                " 2>&1";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    const std::string said = test::bytes_of(in_folder("said"));
    EXPECT_EQ(WEXITSTATUS(status), 4) << said;
    EXPECT_THAT(said, HasSubstr("File too large"));
    EXPECT_FALSE(fs::exists(in_folder("limited")));
}

TEST_F(FullDisk, StandardOutputSaysWhy) {
    const std::string command = NPUNET_PROGRAM " topology " NPUNET_SOURCE_DIR
                                               "/configs/networks/torus-4x4.yml >/dev/full "
                                               "2>" +
                                in_folder("said").string();
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 4);
    EXPECT_THAT(test::bytes_of(in_folder("said")),
                HasSubstr("standard output cannot be written: No space left on device."));
}

// A folder where a file goes is refused like a full disk.
TEST_F(FullDisk, FoldersInTheWay) {
    const fs::path out = in_folder("out");
    for (const auto& [command, name] :
         std::vector<std::pair<std::string, std::string>>{{runs.at(1), "report.html"},
                                                          {runs.at(1), "messages.csv"},
                                                          {runs.at(2), "congestion-aware/npus.csv"},
                                                          {runs.at(3), "report.html"},
                                                          {studies.at(0), "breakdown.png"}}) {
        SCOPED_TRACE(command);
        fs::remove_all(out);
        fs::create_directories(out / name);
        const Outcome outcome = ran(command, out);
        EXPECT_EQ(outcome.code, 4) << outcome.log;
        EXPECT_THAT(outcome.log, HasSubstr(out / name));
        EXPECT_TRUE(files_below(out).empty()) << files_below(out).begin()->first << " is left";
        fs::remove(out / name);
        EXPECT_EQ(ran(command, out).code, 0) << "what a sweep has done is kept";
    }
}

// The kernel lets no user make anything there, not even root.
TEST_F(FullDisk, FoldersThatNoUserMayWriteTo) {
    for (const auto* const commands : {&generators, &logs, &runs, &studies}) {
        for (const std::string& command : *commands) {
            const Outcome outcome = ran(command, "/proc/npunet/out");
            EXPECT_EQ(outcome.code, 4) << command << outcome.log;
            EXPECT_THAT(outcome.log, HasSubstr("/proc/npunet")) << command;
        }
    }
}

}  // namespace
}  // namespace npunet::cli
