// Commands ended by a signal at any moment: files they had begun to write are removed or complete.
// After a SIGKILL the next command that writes into the folder cleans up: its files are, byte for
// byte, those it leaves in a new folder, and there are no others.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/disk_commands.h"
#include "tests/support/counted_cases.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;

class Signals : public DiskCommands {
protected:
    using Clock = std::chrono::steady_clock;

    struct Ended {
        bool by_signal = false;
        int code = 0;  ///< or the signal
    };

    [[nodiscard]] pid_t start(const std::string& command, const fs::path& out) const {
        std::istringstream stream(filled_in(command, out));
        std::vector<std::string> words{NPUNET_PROGRAM};
        words.insert(words.end(), std::istream_iterator<std::string>(stream), {});
        const pid_t child = ::fork();
        if (child == 0) {
            for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
                ::signal(signal, SIG_DFL);
            }
            const int nowhere = ::open("/dev/null", O_WRONLY);
            ::dup2(nowhere, 1);
            ::dup2(nowhere, 2);
            std::vector<char*> arguments;
            for (std::string& word : words) {
                arguments.push_back(word.data());
            }
            arguments.push_back(nullptr);
            ::execv(arguments[0], arguments.data());
            ::_exit(127);
        }
        return child;
    }
    static Ended wait_for(pid_t child) {
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return WIFSIGNALED(status) ? Ended{true, WTERMSIG(status)}
                                   : Ended{false, WEXITSTATUS(status)};
    }
    void run_whole(const std::string& command, const fs::path& out) const {
        const Ended ended = wait_for(start(command, out));
        ASSERT_FALSE(ended.by_signal);
        ASSERT_EQ(ended.code, 0);
    }
    /// Files and folders with the prefix of unfinished ones.
    static std::vector<std::string> leftovers(const fs::path& folder) {
        std::vector<std::string> names;
        if (fs::exists(folder)) {
            for (const auto& entry : fs::recursive_directory_iterator(folder)) {
                if (entry.path().filename().string().rfind(".npunet-", 0) == 0) {
                    names.push_back(entry.path());
                }
            }
        }
        return names;
    }

    /// Stops the command at random moments, `times` times; sometimes with results of an earlier run
    /// in the folder.
    void stop_at_random(const std::string& command, int times, std::mt19937& random) {
        SCOPED_TRACE(command);
        const fs::path fresh = in_folder("fresh");
        const fs::path out = in_folder("out");
        const auto begin = Clock::now();
        run_whole(command, fresh);
        const auto micros = static_cast<std::uint32_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count());
        const auto whole = files_below(fresh);
        ASSERT_FALSE(whole.empty());
        for (int i = 0; i < times; ++i) {
            const int signal = std::array{SIGINT, SIGTERM, SIGHUP, SIGKILL}[random() % 4];
            SCOPED_TRACE(signal);
            const pid_t child = start(command, out);
            ::usleep(static_cast<useconds_t>(random() % (micros + micros / 8 + 1)));
            ::kill(child, signal);
            const Ended ended = wait_for(child);
            if (ended.by_signal) {
                ASSERT_EQ(ended.code, signal);
            } else {
                ASSERT_TRUE(ended.code == 0 || ended.code == 128 + signal) << ended.code;
            }
            if (signal == SIGKILL) {
                killed_ += leftovers(out).empty() ? 0 : 1;
                run_whole(command, out);
                ASSERT_EQ(files_below(out), whole);
            } else if (ended.by_signal || ended.code == 0) {
                for (const auto& [name, bytes] : files_below(out)) {
                    ASSERT_EQ(whole.count(name), 1U) << name;
                    ASSERT_EQ(bytes, whole.at(name)) << name;
                }
            }
            ASSERT_EQ(leftovers(out), std::vector<std::string>());
            // It keeps less than the whole, which the next one may not come to replace.
            const bool stopped = !ended.by_signal && ended.code != 0;
            if (random() % 2 == 0 || stopped) {
                fs::remove_all(out);
            }
            ++cases_;
        }
        fs::remove_all(out);
        fs::remove_all(fresh);
    }

    std::size_t cases_ = 0;
    std::size_t killed_ = 0;  ///< of these, with files left behind
};

// No opened file may get the descriptor of a closed standard stream: messages would end up in it.
TEST_F(Signals, StandardStreamsMayBeClosed) {
    const test::TemporaryFolder folder;
    const char* const network = NPUNET_SOURCE_DIR "/configs/networks/ring-8.yml";
    for (const char* const closed : {">&- 2>&-", "<&- 2>&-", "<&- >&-", "<&- >&- 2>&-", "2>&-"}) {
        const fs::path picture = folder / "ring.svg";
        const std::string command = fmt::format("timeout 60 {} topology {} --draw {} {}",
                                                NPUNET_PROGRAM, network, picture.string(), closed);
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
        EXPECT_TRUE(fs::exists(picture)) << command;
        fs::remove(picture);
    }
}

TEST_F(Signals, EndCommandsWithNothingHalfWritten) {
    std::mt19937 random(17);
    constexpr int times = 5;
    for (const auto* const commands : {&generators, &logs, &runs, &studies, &plans}) {
        for (const std::string& command : *commands) {
            stop_at_random(command, times, random);
            if (HasFatalFailure()) {
                return;
            }
        }
    }
    EXPECT_GT(killed_, 0U);
    test::count_cases(cases_);
}

}  // namespace
}  // namespace npunet::cli
