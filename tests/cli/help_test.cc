// What --help and --help-all show, and that names of options stay accepted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string first_word(const std::string& line) {
    std::string word;
    std::istringstream(line) >> word;
    return word;
}

/// "", "generate", "generate transformer", ...: the commands, found by what their helps list.
void add_levels(const std::string& path, std::vector<std::string>& levels) {
    levels.push_back(path);
    bool subcommands = false;
    for (const std::string& line : lines_of(run(path + " --help").out)) {
        if (line.rfind("  ", 0) != 0) {
            subcommands = line == "Subcommands:";
        } else if (subcommands && line[2] != ' ') {
            add_levels(path.empty() ? first_word(line) : path + " " + first_word(line), levels);
        }
    }
}

std::vector<std::string> levels() {
    std::vector<std::string> found;
    add_levels("", found);
    return found;
}

/// The words of a text that begin with a dash, without what follows a comma or an equals sign.
std::set<std::string> option_names(const std::string& text) {
    std::set<std::string> names;
    std::string name;
    for (const char c : text + ' ') {
        const bool of_name = c == '-' || c == '_' || (c >= 'a' && c <= 'z') ||
                             (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (of_name) {
            name += c;
        } else {
            if (name.rfind('-', 0) == 0) {
                names.insert(name);
            }
            name.clear();
        }
    }
    return names;
}

TEST(Help, FitsAScreenAndShowsAnExample) {
    const std::vector<std::string> all = levels();
    EXPECT_GE(all.size(), 40U);
    for (const std::string& level : all) {
        SCOPED_TRACE("npunet " + level);
        const Outcome help = run(level + " --help");
        EXPECT_EQ(help.code, 0) << help.log;
        const std::vector<std::string> lines = lines_of(help.out);
        EXPECT_LE(lines.size(), 40U);
        for (const std::string& line : lines) {
            EXPECT_LE(line.size(), 100U) << line;
        }
        EXPECT_THAT(help.out, HasSubstr("\nExample"));
        EXPECT_THAT(help.out, HasSubstr("\n  npunet " + level));
    }
}

// Where --help leaves options out it says so, and --help-all has every one.
TEST(Help, AllHasEveryOption) {
    std::size_t shortened = 0;
    for (const std::string& level : levels()) {
        SCOPED_TRACE("npunet " + level);
        const Outcome all = run(level + " --help-all");
        EXPECT_EQ(all.code, 0) << all.log;
        const std::string help = run(level + " --help").out;
        const std::set<std::string> every = option_names(all.out);
        for (const std::string& name : option_names(help)) {
            EXPECT_EQ(every.count(name), 1U) << name;
        }
        if (help.find("All options: npunet" + (level.empty() ? "" : " " + level) +
                      " --help-all\n") != std::string::npos) {
            ++shortened;
            EXPECT_GT(lines_of(all.out).size(), lines_of(help).size());
        }
    }
    EXPECT_GE(shortened, 8U);
    EXPECT_THAT(run("simulate --help").out, HasSubstr("npunet simulate --help-all"));
}

// Names of other programs are for their scripts.
TEST(Help, NamesOfOtherProgramsStandInTheFullHelpAlone) {
    const std::vector<std::string> foreign{"--workload-configuration",
                                           "--comm-group-configuration",
                                           "--system-configuration",
                                           "--network-configuration",
                                           "--remote-memory-configuration",
                                           "--logging-configuration",
                                           "--rendezvous-protocol",
                                           "--dmodel",
                                           "--dff",
                                           "--head",
                                           "--kvhead",
                                           "--kexperts",
                                           "--num-stacks",
                                           "--dvocal",
                                           "--din",
                                           "--dout",
                                           "--sp",
                                           "--weight-sharded",
                                           "--activation-recompute",
                                           "--comm-group-file",
                                           "--output-name",
                                           "--hostfile-path",
                                           "--use-strat"};
    std::set<std::string> in_full;
    for (const std::string& level : levels()) {
        const std::set<std::string> names = option_names(run(level + " --help").out);
        const std::set<std::string> all = option_names(run(level + " --help-all").out);
        // Its own option, for the name of the one file that it writes.
        const bool own_output_name = level == "trace convert";
        for (const std::string& name : foreign) {
            if (!(own_output_name && name == "--output-name")) {
                EXPECT_EQ(names.count(name), 0U) << level << " --help: " << name;
            }
            if (all.count(name) > 0) {
                in_full.insert(name);
            }
        }
    }
    EXPECT_EQ(in_full.size(), foreign.size());
}

// One name for a thing: these are second names wherever they are accepted.
TEST(Help, OneNameForAThing) {
    const std::set<std::string> second{"--gbs",
                                       "--global-batch-size",
                                       "--num-layers",
                                       "--num-stacks",
                                       "--hidden-size",
                                       "--dmodel",
                                       "--sequence-length",
                                       "--vocab-size",
                                       "--dvocal",
                                       "--ffn-size",
                                       "--dff",
                                       "--head",
                                       "--kvhead",
                                       "--kexperts",
                                       "--max-batch",
                                       "--max-profiled-batch-size",
                                       "--max-profiled-tp-degree",
                                       "--world-size",
                                       "--ranks",
                                       "--gpus",
                                       "--gpus-per-node",
                                       "--cluster-file",
                                       "--draw",
                                       "--num-npus",
                                       "--num-passes",
                                       "--sp"};
    std::set<std::string> seen;
    for (const std::string& level : levels()) {
        for (const std::string& line : lines_of(run(level + " --help-all").out)) {
            if (line.rfind("  --", 0) != 0) {
                continue;
            }
            std::istringstream names(first_word(line));
            std::string name;
            std::getline(names, name, ',');
            // --sp is an option of its own, which tells of --cp.
            EXPECT_TRUE(second.count(name) == 0 || name == "--sp") << level << ": " << line;
            for (seen.insert(name); std::getline(names, name, ',');) {
                seen.insert(name);
            }
        }
    }
    for (const std::string& name : second) {
        EXPECT_EQ(seen.count(name), 1U) << name;
    }
}

// earlier_options.txt: a command and one of its options a line, as they were before short helps.
// Behind an option that is known, an unknown one is what is refused, or the value is.
TEST(Options, EarlierOnesAreStillAccepted) {
    std::ifstream file(NPUNET_SOURCE_DIR "/tests/cli/earlier_options.txt");
    std::size_t options = 0;
    for (std::string line; std::getline(file, line); ++options) {
        SCOPED_TRACE(line);
        const std::string name = line.substr(line.rfind(' ') + 1);
        const std::string value = name.rfind("--", 0) == 0 ? "=1" : " 1";
        const Outcome outcome = run(line + value + " --no-such-option");
        EXPECT_THAT(outcome.code, AnyOf(0, 2)) << outcome.log;  // --version ends with 0
        EXPECT_THAT(outcome.log, Not(HasSubstr(name + ": found an unknown option")));
        EXPECT_THAT(outcome.log, Not(HasSubstr("belongs to no option")));
    }
    EXPECT_GT(options, 550U);
    EXPECT_THAT(run("simulate --no-sush-option=1 --no-such-option").log,
                HasSubstr("--no-sush-option: found an unknown option"));
}

/// Without the time that a search has taken.
std::string result_of(const Outcome& outcome) {
    return outcome.out.substr(0, outcome.out.find("\"performance\""));
}

// Each name means what its successor does: what is printed is the same.
TEST(Options, EarlierNamesMeanTheSame) {
    const test::TemporaryFolder folder;
    const std::string in = folder.path().string();
    const std::string root = NPUNET_SOURCE_DIR;
    const std::string profiles = "plan profiles --json --from " + root +
                                 "/configs/systems/a100.json --output-dir " + in + "/profiles ";
    const std::string search = "plan --json --hostfile " + in + "/hosts --clusterfile " + in +
                               "/cluster --profiles " + in + "/profiles ";
    const std::vector<std::array<std::string, 3>> commands{
        {"generate transformer --print-memory --json ",
         "--dmodel 64 --dff 128 --head 4 --kvhead 2 --experts 4 --kexperts 2 --num_stacks 2 "
         "--dvocal 100 --seq 16",
         "--hidden 64 --ffn 128 --heads 4 --kv-heads 2 --experts 4 --top-k 2 --layers 2 "
         "--vocab 100 --seq 16"},
        {"generate transformer --model llama2-4layer --print-memory --json ", "--sp 2", "--cp 2"},
        {"megatron groups --json --tp 2 --pp 4 ", "--world-size 16 --global-batch-size 32",
         "--npus 16 --batch 32"},
        {"megatron trace --json --dp 2 --output-dir " + in + " ",
         "--model-size medium --global-batch-size 16", "--model medium --batch 16"},
        {"megatron convert --json --dp 2 --output-dir " + in + "/traces ",
         "--model-size medium --global-batch-size 16", "--model medium --batch 16"},
        {"generate text " + root + "/configs/text/mlp-data.txt --json --output-dir " + in +
             "/text ",
         "--num-npus 4 --num-passes 2", "--npus 4 --passes 2"},
        {profiles,
         "--hidden-size 512 --heads 8 --ffn-size 1024 --vocab-size 1024 --sequence-length 256 "
         "--layers 6 --max-batch 4",
         "--hidden 512 --heads 8 --ffn 1024 --vocab 1024 --seq 256 --total-layers 6 "
         "--max-micro-batch 4"},
        {"plan hostfile 8 --types A100 --json --output " + in + "/hosts ",
         "--cluster-file " + in + "/cluster", "--clusterfile " + in + "/cluster"},
        {search,
         "--gbs 16 --num-layers 6 --hidden-size 512 --sequence-length 256 --vocab-size 1024 "
         "--max-profiled-tp-degree 2 --max-profiled-batch-size 2",
         "--batch 16 --total-layers 6 --hidden 512 --seq 256 --vocab 1024 --max-tp 2 "
         "--max-micro-batch 2"}};
    for (const auto& [command, earlier, today] : commands) {
        SCOPED_TRACE(command + earlier);
        const Outcome former = run(command + earlier);
        const Outcome latter = run(command + today);
        EXPECT_EQ(former.code, 0) << former.log;
        EXPECT_FALSE(former.out.empty());
        EXPECT_EQ(result_of(former), result_of(latter));
        EXPECT_EQ(latter.log, command.rfind("generate transformer", 0) == 0 ? "" : former.log);
    }
}

TEST(Options, SequenceParallelismIsNotContextParallelismUnsaid) {
    const std::string note = "npunet: warning: --sp 2 is taken as --cp 2, context parallelism";
    const std::string step = "generate transformer --print-memory --model llama2-4layer ";
    EXPECT_THAT(run(step + "--sp 2").log,
                AllOf(HasSubstr(note), HasSubstr("inside tp, is --sequence-parallel")));
    EXPECT_EQ(run(step + "--cp 2").log, "");
    EXPECT_THAT(run(step + "--sp 2 --cp 2").log, HasSubstr("expected one of them"));
    const test::TemporaryFolder folder;
    const std::string network = folder
                                    .write("ring.yml",
                                           "topology: [Ring]\nnpus_count: [2]\n"
                                           "bandwidth: [50]\nlatency: [500]\n")
                                    .string();
    const std::string system = NPUNET_SOURCE_DIR "/configs/systems/a100.json";
    const std::string simulate = "simulate --network " + network + " --system " + system + " ";
    EXPECT_THAT(run(simulate + "--model llama2-4layer --seq 64 --sp 2").log, HasSubstr(note));
    // STAGE's workloads call it so.
    const std::string stage =
        "--din 64 --dout 64 --dmodel 64 --dff 128 --head 4 --seq 64 --batch 4 --num-stacks 2 ";
    const Outcome of_stage = run(simulate + stage + "--sp 2");
    EXPECT_EQ(of_stage.code, 0) << of_stage.log;
    EXPECT_THAT(of_stage.log, Not(HasSubstr("--sp")));
    const std::string spec =
        folder
            .write("sweep.yml",
                   "workload: {model: llama2-4layer, batch: 1, seq: 64}\nplan: {sp: [2]}\n"
                   "networks: ring.yml\nsystems: " +
                       system + "\n")
            .string();
    EXPECT_THAT(run("sweep " + spec).log,
                AllOf(HasSubstr("sweep.yml: "), HasSubstr("sp is taken as cp")));
}

}  // namespace
}  // namespace npunet::cli
