// Disks that fill up while a command writes: it ends with exit code 4 and names what could not be
// written, and each file that is there is whole.
//
// A disk is full for a file of which no more than so many bytes can be written (RLIMIT_FSIZE); that
// limit goes up until everything fits.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

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

/// The files below a folder with their bytes, without what clocks say and without the journal of a
/// sweep, which is made to be broken off.
std::map<std::string, std::string> files_below(const fs::path& folder) {
    std::map<std::string, std::string> files;
    if (!fs::exists(folder)) {
        return files;
    }
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().lexically_relative(folder);
        if (!entry.is_regular_file() || name.rfind("sweep.", 0) == 0) {
            continue;
        }
        std::string bytes = test::bytes_of(entry.path());
        const std::string clock = "\"performance\": {";
        for (std::size_t at = bytes.find(clock); at != std::string::npos;
             at = bytes.find(clock, at)) {
            bytes.erase(at, bytes.find('}', at) + 1 - at);
        }
        files[name] = bytes;
    }
    return files;
}

class FullDisk : public testing::Test {
protected:
    FullDisk() {
        made("generate collective --type all_reduce --size 1MB --npus 8 --output-dir DIR/traces");
        made("plan profiles --from " NPUNET_SOURCE_DIR
             "/configs/systems/a100.json --hidden-size 1024 --vocab-size 51200 --sequence-length "
             "1024 --layers 10 --max-batch 16 --scale V100=3.5 --output-dir DIR/profiles");
        made("plan hostfile 8 --output DIR/hostfile --cluster-file DIR/cluster.json");
        made(simulation + " --output-dir DIR/results");
    }

    /// DIR is the folder of the test, OUT a folder in it that the command may write to.
    [[nodiscard]] Outcome ran(std::string command, const std::string& out) const {
        for (const auto& [word, path] : {std::pair{std::string("DIR"), folder_.path()},
                                         {"OUT", folder_ / out},
                                         {"SHIPPED", fs::path(NPUNET_SOURCE_DIR)}}) {
            for (std::size_t at = command.find(word); at != std::string::npos;
                 at = command.find(word, at)) {
                command.replace(at, word.size(), path.string());
            }
        }
        return run(command);
    }
    void made(const std::string& command) const {
        const Outcome outcome = ran(command, "made");
        ASSERT_EQ(outcome.code, 0) << outcome.log;
    }

    /// Runs the command on ever larger disks.
    void expect_all_or_nothing(const std::string& command) const {
        SCOPED_TRACE(command);
        made_whole(command);
        const auto whole = files_below(folder_ / "whole");
        ASSERT_FALSE(whole.empty());
        int full = 0;
        for (rlim_t bytes = 0;; bytes = bytes * 3 + 50) {
            SCOPED_TRACE(bytes);
            fs::remove_all(folder_ / "out");
            fs::create_directory(folder_ / "out");
            const Outcome outcome = [&] {
                const SmallDisk disk(bytes);
                return ran(command, "out");
            }();
            const auto left = files_below(folder_ / "out");
            if (outcome.code == 0) {
                EXPECT_EQ(left.size(), whole.size());
                break;
            }
            ++full;
            EXPECT_EQ(outcome.code, 4) << outcome.log;
            EXPECT_THAT(outcome.log, HasSubstr((folder_ / "out").string()));
            for (const auto& [name, content] : left) {
                ASSERT_TRUE(whole.count(name) > 0) << name << " is left";
                EXPECT_EQ(content, whole.at(name)) << name << " is not whole";
            }
            ASSERT_LT(bytes, rlim_t{1} << 30);
        }
        EXPECT_GT(full, 0);
        fs::remove_all(folder_ / "whole");
    }

    static inline const std::string simulation =
        "simulate --workload DIR/traces/workload --network SHIPPED/configs/networks/ring-8.yml "
        "--quiet --json";

private:
    void made_whole(const std::string& command) const {
        fs::create_directory(folder_ / "whole");
        const Outcome outcome = ran(command, "whole");
        ASSERT_EQ(outcome.code, 0) << outcome.log;
    }

    test::TemporaryFolder folder_;
};

TEST_F(FullDisk, Generators) {
    for (const char* const command :
         {"generate collective --type all_to_all --size 1MB --npus 4 --output-dir OUT",
          "generate transformer --model llama2-4layer --tp 2 --batch 2 --output-dir OUT",
          "generate pipeline --pp 2 --micro-batches 4 --forward 1ms --backward 1ms --output-dir "
          "OUT",
          "generate text SHIPPED/configs/text/mlp-data.txt --npus 4 --output-dir OUT",
          "generate profile SHIPPED/examples/profile-replay --output-dir OUT",
          "trace convert DIR/traces/workload --to json --output-dir OUT"}) {
        expect_all_or_nothing(command);
    }
}

TEST_F(FullDisk, Runs) {
    expect_all_or_nothing(simulation + " --output-dir OUT");
    expect_all_or_nothing(simulation + " --messages --output-dir OUT");
    expect_all_or_nothing("report DIR/results --output-dir OUT");
}

TEST_F(FullDisk, Studies) {
    expect_all_or_nothing("sweep SHIPPED/examples/sweep/collectives.yml --quiet --output-dir OUT");
    expect_all_or_nothing("analyze SHIPPED/examples/profiles --format csv,sqlite --output-dir OUT");
}

TEST_F(FullDisk, Plans) {
    expect_all_or_nothing(
        "plan profiles --from SHIPPED/configs/systems/a100.json --hidden-size "
        "1024 --vocab-size 51200 --sequence-length 1024 --layers 10 --max-batch "
        "4 --output-dir OUT");
    expect_all_or_nothing("plan hostfile 8 --output OUT/hostfile --cluster-file OUT/cluster.json");
    expect_all_or_nothing(
        "plan --hostfile DIR/hostfile --clusterfile DIR/cluster.json --profiles "
        "DIR/profiles --gbs 64 --hidden-size 1024 --quiet --verify 1 --traces "
        "OUT/traces --figure OUT/stages.svg");
}

// The kernel lets nobody make anything there, not even root.
TEST_F(FullDisk, FoldersThatNobodyMayWriteTo) {
    for (const std::string command :
         {"generate collective --type all_to_all --size 1MB --npus 4", "report DIR/results",
          "trace convert DIR/traces/workload", "analyze SHIPPED/examples/profiles",
          "sweep SHIPPED/examples/sweep/collectives.yml --quiet"}) {
        const Outcome outcome = ran(command + " --output-dir /proc/npunet/out", "out");
        EXPECT_EQ(outcome.code, 4) << command << outcome.log;
        EXPECT_THAT(outcome.log, HasSubstr("/proc/npunet")) << command;
    }
    const Outcome outcome = ran(simulation + " --output-dir /proc/npunet/out", "out");
    EXPECT_EQ(outcome.code, 4) << outcome.log;
    EXPECT_THAT(outcome.log, HasSubstr("/proc/npunet"));
}

}  // namespace
}  // namespace npunet::cli
