// What a user mistypes: every message names the option, what was found and what is expected, and
// the exit code is 2.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program_run.h"
#include "tests/support/temporary_folder.h"

namespace npunet::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// The one line that a refused command says.
std::string refusal(const std::string& line) {
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 2) << line << "\n" << outcome.log;
    EXPECT_EQ(outcome.out, "") << line;
    EXPECT_EQ(std::count(outcome.log.begin(), outcome.log.end(), '\n'), 1) << outcome.log;
    return outcome.log;
}

/// A plan for a shipped model that is fine but for `options`.
std::string refused_plan(const std::string& options) {
    return refusal("generate transformer --model llama2-4layer --print-memory " + options);
}

class OptionErrors : public ::testing::Test {
protected:
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        return folder_.write(name, text).string();
    }

    test::TemporaryFolder folder_;
};

TEST_F(OptionErrors, WholeNumbersSayTheirRange) {
    for (const std::string value :
         {"1.5", "1e3", "0x10", "two", "0", "-1", "99999999999999999999"}) {
        EXPECT_THAT(
            refused_plan("--dp " + value),
            HasSubstr("--dp: found '" + value + "'; expected a whole number from 1 to 1048576"));
    }
    EXPECT_THAT(refused_plan("--micro-batch 0"), HasSubstr("--micro-batch: found '0'; expected a "
                                                           "whole number from 1 to 16777216"));
    EXPECT_THAT(refused_plan("--seq 1e3"), HasSubstr("--seq: found '1e3'; expected a whole"));
    EXPECT_THAT(refused_plan("--batch 99999999999"),
                HasSubstr("--batch: found '99999999999'; expected a whole number from 1 to "));
    EXPECT_THAT(refused_plan("--zero 4"), HasSubstr("from 0 to 3"));
    EXPECT_THAT(refused_plan("--capacity-factor x"), HasSubstr("a number from 0 to 1048576"));
    const std::string all_reduce =
        "generate collective --type all_reduce --size 1MiB --output-dir x ";
    EXPECT_THAT(
        refusal(all_reduce + "--npus 8 --repeat 99999999999"),
        HasSubstr("--repeat: found '99999999999'; expected a whole number from 1 to 1048576"));
    EXPECT_THAT(refusal(all_reduce + "--npus 1"), HasSubstr("from 2 to 1048576"));
    for (const std::string group : {"0,,1", "0,1,", "0,x", "0,8", "-1,0"}) {
        EXPECT_THAT(refusal(all_reduce + "--npus 8 --group " + group),
                    AllOf(HasSubstr("--group: found"), HasSubstr("a whole number from 0 to 7")));
    }
    EXPECT_THAT(refusal("compare --fidelities analytical,,packet --workload w --network n"),
                HasSubstr("--fidelities"));
}

TEST_F(OptionErrors, SeedsAreWholeNumbersFromZero) {
    for (const std::string seed : {"-1", "99999999999999999999999", "1.5"}) {
        EXPECT_THAT(refused_plan("--seed " + seed),
                    AllOf(HasSubstr("--seed: found '" + seed), HasSubstr("a whole number from 0")));
    }
}

TEST_F(OptionErrors, WordsAreProposed) {
    EXPECT_THAT(refused_plan("--schedule zerobubble"),
                AllOf(HasSubstr("--schedule: found 'zerobubble'; expected one of 1f1b"),
                      HasSubstr("Did you mean 'zero-bubble'?")));
    EXPECT_THAT(refusal("generate transformr --model x"),
                AllOf(HasSubstr("npunet generate: found 'transformr'"),
                      HasSubstr("transformer, collective, flows, pipeline"),
                      HasSubstr("Did you mean 'transformer'?")));
    EXPECT_THAT(refusal("generate"), HasSubstr("npunet generate: found no subcommand; expected"));
    EXPECT_THAT(refusal(""), HasSubstr("npunet: found no subcommand; expected one of generate"));
}

TEST_F(OptionErrors, UnknownOptionsAreNamedWithTheirNeighbour) {
    EXPECT_THAT(refused_plan("--micro-bach 4"),
                AllOf(HasSubstr("--micro-bach: found an unknown option"),
                      HasSubstr("an option of npunet generate transformer"),
                      HasSubstr("Did you mean --micro-batch?")));
    EXPECT_THAT(refused_plan("--micro_bach=4"), HasSubstr("Did you mean --micro-batch?"));
    EXPECT_THAT(refused_plan("--quite"), HasSubstr("Did you mean --quiet?"));
    EXPECT_THAT(refused_plan("-dp 4"), HasSubstr("Did you mean --dp?"));
    EXPECT_THAT(refused_plan("four"), HasSubstr("four: found a word that belongs to no option"));
    EXPECT_THAT(refusal("--jason"), HasSubstr("--jason"));
    // An option that is required: what is wrong is its name.
    EXPECT_THAT(
        refusal("generate collective --tpye all_reduce --size 1 --npus 2 --output-dir x"),
        AllOf(HasSubstr("--tpye: found an unknown option"), HasSubstr("Did you mean --type?")));
    EXPECT_THAT(refusal("generate text --npus 4 --pases 2"), HasSubstr("Did you mean --passes?"));
}

TEST_F(OptionErrors, MissingAndRepeatedValues) {
    EXPECT_THAT(refused_plan("--dp"), HasSubstr("--dp: found no value; expected one"));
    EXPECT_THAT(refused_plan("--dp 1 --dp 2"), HasSubstr("--dp: found 2 values; expected one"));
    EXPECT_THAT(refused_plan("--json=maybe"), HasSubstr("--json: found a value; expected none"));
    EXPECT_THAT(refusal("generate collective --type all_reduce --size 1 --output-dir x"),
                HasSubstr("--npus: found no value; expected one"));
    EXPECT_THAT(refusal("topology net.yml --route 1"), HasSubstr("--route: found"));
}

TEST_F(OptionErrors, PlansNameTheTrueReason) {
    for (const std::string option : {"--sp 2", "--cp 2"}) {
        EXPECT_THAT(refused_plan(option + " --mode decode"),
                    AllOf(HasSubstr("--cp 2: found --mode decode"), HasSubstr("not offered")));
    }
    EXPECT_THAT(refused_plan("--batch 5 --dp 2"),
                AllOf(HasSubstr("--batch: found 5; expected a multiple of --dp 2"),
                      Not(HasSubstr("--micro-batch"))));
    EXPECT_THAT(refused_plan("--batch 4000000000"),
                AllOf(HasSubstr("--batch 4000000000"), HasSubstr("Give --micro-batch")));
    EXPECT_THAT(refused_plan("--weight-sharded 1"), HasSubstr("--zero 3 shards weights"));
}

// A step without a backward pass has no gradients and no optimizer; whatever arranges them is
// refused rather than ignored. Weights can be split in inference too.
TEST_F(OptionErrors, InferenceRefusesWhatOnlyTrainingHas) {
    for (const std::string mode : {"prefill", "decode"}) {
        for (const std::string option :
             {"--zero 1", "--zero 2", "--distributed-optimizer", "--overlap-grad-reduce",
              "--zero 1 --overlap-param-gather", "--grad-dtype bf16", "--schedule gpipe",
              "--schedule zero-bubble", "--recompute full"}) {
            EXPECT_THAT(refused_plan("--dp 2 --pp 2 --batch 4 --micro-batch 1 --mode " + mode +
                                     " " + option),
                        AllOf(HasSubstr("--mode " + mode), HasSubstr("a training step")))
                << option;
        }
        EXPECT_EQ(run("generate transformer --model llama2-4layer --dp 2 --zero 3 --print-memory "
                      "--mode " +
                      mode)
                      .code,
                  0);
    }
}

TEST_F(OptionErrors, SizesBesideAModel) {
    EXPECT_THAT(refused_plan("--dialect npunet --din 1000 --dout 1000"),
                AllOf(HasSubstr("--din, --dout: found 1000 beside --model llama2-4layer")));
    EXPECT_THAT(refused_plan("--dialect npunet --din 1000"), HasSubstr("--din, --dout"));
    EXPECT_THAT(refused_plan("--experts 8 --kexperts 2"), HasSubstr("--experts: found 8 beside"));
    const std::string plain =
        "generate transformer --dialect npunet --dmodel 64 --dff 128 --head 4 --num-stacks 2 "
        "--seq 16 --print-memory --json ";
    EXPECT_THAT(refusal(plain + "--din 1000 --dout 1000 --dvocal 500"),
                HasSubstr("--vocab: found 500 beside --din and --dout 1000"));
    EXPECT_EQ(run(plain + "--din 1000 --dout 1000 --dvocal 1000").out,
              run(plain + "--dvocal 1000").out);
}

// h = 64, f = 128, E = 4: of 2 layers each has E x 2 h f weights in experts and h E in the router;
// a token meets 2 of the experts.
TEST_F(OptionErrors, ExpertsOfAPlainModel) {
    const std::string plain =
        "generate transformer --dmodel 64 --dff 128 --head 4 --num-stacks 2 --seq 16 --dvocal 100 "
        "--print-memory --json ";
    const Outcome outcome = run(plain + "--experts 4 --kexperts 2 --ep 2 --dp 2");
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const std::int64_t expert = 2 * 64 * 128;
    const std::int64_t others = 2 * 100 * 64 + 64 + 2 * (64 * 3 * 64 + 64 * 64 + 2 * 64 + 64 * 4);
    const nlohmann::json document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["parameters"], others + 2 * 4 * expert);
    EXPECT_EQ(document["active_parameters"], others + 2 * 2 * expert);
    EXPECT_THAT(refusal(plain + "--experts 4"), HasSubstr("--experts: found no --top-k"));
    EXPECT_THAT(refusal(plain + "--kexperts 4"), HasSubstr("--top-k: found no --experts"));
    EXPECT_THAT(refusal(plain + "--experts 4 --kexperts 5"), HasSubstr("1 to 4"));
    EXPECT_THAT(refusal("generate transformer --dialect stage --experts 8 --kexperts 2 "
                        "--output-dir x"),
                HasSubstr("--experts: found beside the stage dialect"));
}

TEST_F(OptionErrors, PrintMemoryReadsTheRoutingFile) {
    const std::string line =
        "generate transformer --model mixtral-8x7b --tp 8 --print-memory --moe-routing ";
    EXPECT_THAT(refusal(line + "/nonexist"), HasSubstr("/nonexist: found no such file"));
    EXPECT_THAT(refusal(line + folder_.path().string()),
                HasSubstr(folder_.path().string() + ": found a folder"));
    EXPECT_THAT(refusal(line + write("few.txt", "* 1 2 3\n")),
                AllOf(HasSubstr("few.txt: line 1"), HasSubstr("3 numbers")));
    EXPECT_EQ(run(line + write("good.txt", "* 1 2 3 4 5 6 7 8\n")).code, 0);
}

TEST_F(OptionErrors, FilesInPlaceOfOutputFolders) {
    const std::string file = write("file", "");
    for (const std::string& path : {file, file + "/below"}) {
        for (const std::string command :
             {"generate collective --type all_reduce --size 1 --npus 2",
              "generate transformer --model gpt2-small", "generate pipeline --pp 2",
              "simulate --model gpt2-small --network n.yml", "compare --network n.yml",
              "sweep spec.yml"}) {
            EXPECT_THAT(refusal(command + " --output-dir " + path),
                        HasSubstr("--output-dir: found '" + file + "', a file; expected a folder"));
        }
    }
}

// 2^56 bytes is what a trace can say, also of what an all-gather's members have together.
TEST_F(OptionErrors, SizesEndWhereThoseOfTracesDo) {
    const auto collective = [this](const std::string& options) {
        return "generate collective --npus 2 --output-dir " + (folder_ / "t").string() +
               " --type " + options;
    };
    const std::string network = write(
        "ring.yml", "topology: [Ring]\nnpus_count: [2]\nbandwidth: [1000000]\nlatency: [500]\n");
    const auto simulated = [&](const std::string& options) {
        EXPECT_EQ(run(collective(options)).code, 0) << options;
        return run("simulate --workload " + (folder_ / "t" / "workload").string() + " --network " +
                   network)
            .code;
    };
    EXPECT_EQ(simulated("all_reduce --size 65536TiB"), 0);
    EXPECT_EQ(simulated("all_gather --size 32768TiB"), 0);
    EXPECT_THAT(refusal(collective("all_reduce --size 72057594037927937")),
                AllOf(HasSubstr("--size: found 72057594037927937 bytes"), HasSubstr("2^56")));
    EXPECT_THAT(refusal(collective("all_gather --size 65536TiB")), HasSubstr("2^56 at most"));
    EXPECT_THAT(refusal(collective("all_reduce --size 99999999TB")),
                AllOf(HasSubstr("'99999999TB'"), HasSubstr("2^62")));
    EXPECT_THAT(refusal(collective("all_reduce --size 99999999999999999999")), HasSubstr("2^62"));
}

TEST_F(OptionErrors, BarriersHaveNoSize) {
    const std::string barrier =
        "generate collective --type barrier --npus 4 --output-dir " + folder_.path().string();
    EXPECT_EQ(run(barrier).code, 0);
    EXPECT_THAT(refusal(barrier + " --size 1MiB"), HasSubstr("--size: found 1MiB; expected none"));
    EXPECT_THAT(refusal("generate collective --type reduce --npus 4 --output-dir x"),
                HasSubstr("--size: found no value"));
}

}  // namespace
}  // namespace npunet::cli
