// The commands that write, for tests of disks that fill up or may not be written to.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {

/// The files below a folder with their bytes, without what clocks say and without the journal of a
/// sweep, which is made to be broken off.
inline std::map<std::string, std::string> files_below(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    if (!std::filesystem::exists(folder)) {
        return files;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
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

/// The inputs of the commands, and the commands by what they do. In them DIR is the folder of the
/// test, SHIPPED the project's, and OUT a folder that the command may write to.
class DiskCommands : public testing::Test {
protected:
    DiskCommands() {
        made("generate collective --type all_reduce --size 1MB --npus 8 --output-dir DIR/traces");
        made(
            "plan profiles --from SHIPPED/configs/systems/a100.json --hidden-size 1024 "
            "--vocab-size 51200 --sequence-length 1024 --layers 10 --max-batch 16 "
            "--scale V100=3.5 --output-dir DIR/profiles");
        made("plan hostfile 8 --output DIR/hostfile --cluster-file DIR/cluster.json");
        made(
            "megatron trace --model-size small --dp 2 --timestamp 20250810_115239 --output-dir "
            "DIR/logs");
        made(simulation + " --output-dir DIR/results");
    }

    /// The command with its placeholders filled in.
    [[nodiscard]] std::string filled_in(std::string command,
                                        const std::filesystem::path& out) const {
        for (const auto& [word, path] : {std::pair{std::string("DIR"), folder_.path()},
                                         {"OUT", out},
                                         {"SHIPPED", std::filesystem::path(NPUNET_SOURCE_DIR)}}) {
            for (std::size_t at = command.find(word); at != std::string::npos;
                 at = command.find(word, at)) {
                command.replace(at, word.size(), path.string());
            }
        }
        return command;
    }
    [[nodiscard]] Outcome ran(const std::string& command, const std::filesystem::path& out) const {
        return run(filled_in(command, out));
    }

    [[nodiscard]] std::filesystem::path in_folder(const std::string& name) const {
        return folder_ / name;
    }

    static inline const std::string simulation =
        "simulate --workload DIR/traces/workload --network SHIPPED/configs/networks/ring-8.yml "
        "--quiet --json";

    static inline const std::vector<std::string> generators{
        "generate collective --type all_to_all --size 1MB --npus 4 --output-dir OUT",
        "generate transformer --model llama2-4layer --tp 2 --batch 2 --output-dir OUT",
        "generate pipeline --pp 2 --micro-batches 4 --forward 1ms --backward 1ms --output-dir OUT",
        "generate text SHIPPED/configs/text/mlp-data.txt --npus 4 --output-dir OUT",
        "generate profile SHIPPED/examples/profile-replay --output-dir OUT",
        "trace convert DIR/traces/workload --to json --output-dir OUT"};
    static inline const std::vector<std::string> logs{
        "megatron trace --model-size small --dp 2 --timestamp 20250810_115239 --output-dir OUT",
        "megatron convert DIR/logs/small_dp2_tp1_pp1_20250810_115239 --output-dir OUT"};
    static inline const std::vector<std::string> runs{
        simulation + " --output-dir OUT", simulation + " --messages --output-dir OUT",
        "compare --workload DIR/traces/workload --network SHIPPED/configs/networks/ring-8.yml "
        "--fidelities analytical,congestion-aware --quiet --output-dir OUT",
        "report DIR/results --output-dir OUT"};
    static inline const std::vector<std::string> studies{
        "sweep SHIPPED/examples/sweep/collectives.yml --quiet --output-dir OUT",
        "analyze SHIPPED/examples/profiles --format csv,sqlite --output-dir OUT"};
    static inline const std::vector<std::string> plans{
        "plan profiles --from SHIPPED/configs/systems/a100.json --hidden-size 1024 --vocab-size "
        "51200 --sequence-length 1024 --layers 10 --max-batch 4 --output-dir OUT",
        "plan hostfile 8 --output OUT/hostfile --cluster-file OUT/cluster.json",
        "plan --hostfile DIR/hostfile --clusterfile DIR/cluster.json --profiles DIR/profiles "
        "--gbs 64 --hidden-size 1024 --quiet --verify 1 --traces OUT/traces --figure "
        "OUT/stages.svg"};

private:
    void made(const std::string& command) const {
        const Outcome outcome = ran(command, in_folder("made"));
        ASSERT_EQ(outcome.code, 0) << outcome.log;
    }

    test::TemporaryFolder folder_;
};

}  // namespace npunet::cli
