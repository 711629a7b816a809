// npunet sweep as a user runs it: the real program in a process and a folder of its own.
//
//     TEST_F(Sweep, ...) {
//         ASSERT_EQ(sweep({path("plans.yml"), "--output-dir", path("out")}), 0) << log();
//         EXPECT_EQ(lines_of(csv("out")).size(), ...);
//     }
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace npunet::cli {

inline std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

class Sweep : public ::testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_symlink(std::filesystem::path(NPUNET_SOURCE_DIR) / "configs",
                                        folder_ / "configs");
        write("small.yml", "hidden: 256\nlayers: 4\nheads: 8\nffn: 512\nvocab: 1024\nseq: 128\n");
        write("plans.yml", plans);
    }

    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }

    /// Starts a command; its output goes to the files stdout and stderr.
    [[nodiscard]] pid_t start(std::vector<std::string> words) const {
        const pid_t child = ::fork();
        if (child == 0) {
            for (const auto& [name, descriptor] :
                 {std::pair{"stdout", 1}, std::pair{"stderr", 2}}) {
                const int file = ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
                ::dup2(file, descriptor);
            }
            std::vector<char*> arguments;
            for (std::string& word : words) {
                arguments.push_back(word.data());
            }
            arguments.push_back(nullptr);
            ::execvp(arguments[0], arguments.data());
            ::_exit(127);
        }
        return child;
    }
    /// The exit code; 128 + the signal where one ended it.
    static int wait_for(pid_t child) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] static std::vector<std::string> words(const std::vector<std::string>& more) {
        std::vector<std::string> all{NPUNET_PROGRAM, "sweep"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    [[nodiscard]] int sweep(const std::vector<std::string>& more) const {
        return wait_for(start(words(more)));
    }
    [[nodiscard]] std::string log() const { return test::bytes_of(path("stderr")); }
    [[nodiscard]] std::string csv(const std::string& output) const {
        return test::bytes_of(folder_ / output / "results.csv");
    }
    [[nodiscard]] std::size_t records(const std::string& output) const {
        const std::filesystem::path journal = folder_ / output / "sweep.journal";
        if (!std::filesystem::exists(journal)) {
            return 0;
        }
        const std::string text = test::bytes_of(journal);
        const auto lines = std::count(text.begin(), text.end(), '\n');
        return lines > 0 ? static_cast<std::size_t>(lines) - 1 : 0;
    }

    /// Until so many points are done, or the process has ended.
    void wait_for_records(pid_t child, std::size_t count) const {
        siginfo_t info{};
        while (records("out") < count &&
               ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
               info.si_pid == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }

    test::TemporaryFolder folder_;
    /// 48 points, some of which fail.
    static constexpr const char* plans =
        "workload: {model: small.yml, batch: 16, seq: 128}\n"
        "plan: {dp: [1, 2, 4, 8, 16], tp: [1, 2, 4, 8, 16], pp: [1, 2, 4], micro_batch: [1, 2]}\n"
        "where: dp * tp * pp == npus\n"
        "systems: configs/systems/a100.json\n"
        "networks: [configs/networks/mesh-4x4.yml, configs/networks/torus-4x4.yml]\n";
};

}  // namespace npunet::cli
