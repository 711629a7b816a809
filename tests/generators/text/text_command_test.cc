// `npunet generate text`: its files, what it prints, and that its workloads run.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program_run.h"
#include "tests/generators/text/texts.h"

namespace npunet::generators {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class TextCommand : public TextTest {
protected:
    [[nodiscard]] cli::Outcome generate(const std::string& text, const std::string& options) const {
        return cli::run(fmt::format("generate text {} {} --output-dir {}",
                                    folder_.write("workload.txt", text).string(), options,
                                    (folder_ / "out").string()));
    }

    /// What a run on a ring found; null, and a failed expectation, where it does not end.
    [[nodiscard]] Json run_on_ring(const std::string& text, int npus) const {
        std::filesystem::remove_all(folder_ / "out");
        const cli::Outcome made = generate(text, fmt::format("--npus {} --passes 2 --quiet", npus));
        EXPECT_EQ(made.code, 0) << made.log;
        const auto ring = folder_.write(
            "ring.yml",
            fmt::format("topology: [Ring]\nnpus_count: [{}]\nbandwidth: [50]\nlatency: [500]\n",
                        npus));
        const cli::Outcome run =
            cli::run(fmt::format("simulate --json --workload {} --comm-group {} --network {}",
                                 (folder_ / "out/workload").string(),
                                 (folder_ / "out/comm_group.json").string(), ring.string()));
        EXPECT_EQ(run.code, 0) << run.log;
        return run.code == 0 ? Json::parse(run.out) : Json();
    }
    /// Its finish in ns.
    [[nodiscard]] double finish_on_ring(const std::string& text, int npus) const {
        return run_on_ring(text, npus).value("finish_ns", 0.0);
    }
};

// One NPU sends nothing and computes one thing at a time: two passes of the times of four layers,
// 100 i + 1, 2 and 3, but the gradient of layer 0's input, where it is not needed: 2. MICRO
// computes nothing. Four NPUs send besides.
TEST_F(TextCommand, WorkloadsRun) {
    for (const std::string& heading : headings()) {
        SCOPED_TRACE(heading);
        const bool weights_first = heading == "DATA" || heading.find("DLRM") != std::string::npos;
        const double micros =
            heading == "MICRO" ? 0 : 2 * (3 * 600 + 4 * 6 - (weights_first ? 2 : 0));
        const std::string text = text_of(heading, 4);
        if (heading.find("TRANSFORMER") == std::string::npos) {
            EXPECT_EQ(finish_on_ring(text, 1), 1000 * micros);
        }
        EXPECT_GT(finish_on_ring(text, 4), 1000 * micros);
    }
}

// NONE of 0 bytes, which becomes an all-reduce of 0 bytes, is done at once and lets go what waits
// for it: the run takes what the operations take one after the other, and no link carries anything.
TEST_F(TextCommand, EmptyCollectivesRun) {
    const std::string layer = "conv -1 5 NONE 0 5 NONE 0 5 NONE 0 5\n";
    // Two passes of two layers with three operations of 5 us each; DATA needs no gradient of layer
    // 0's input, and MICRO has the collectives alone.
    for (const auto& [type, micros] :
         {std::pair{"MICRO", 0}, std::pair{"DATA", 2 * 5 * 5}, std::pair{"MODEL", 2 * 6 * 5},
          std::pair{"HYBRID_DATA_MODEL", 2 * 6 * 5}}) {
        SCOPED_TRACE(type);
        const Json results = run_on_ring(fmt::format("{}\n2\n{}{}", type, layer, layer), 4);
        EXPECT_EQ(results.at("finish_ns"), 1000 * micros);
        ASSERT_FALSE(results.at("links").empty());
        for (const Json& link : results.at("links")) {
            EXPECT_EQ(link.at("wire_bytes"), 0);
            EXPECT_EQ(link.at("utilization_percent"), 0);
        }
    }
}

TEST_F(TextCommand, SaysWhatItMade) {
    const cli::Outcome people = generate(text_of("DATA", 4), "--npus 8 --passes 3");
    EXPECT_EQ(people.code, 0) << people.log;
    EXPECT_THAT(people.out, AllOf(HasSubstr("DATA: 4 layers, 3 passes\n"), HasSubstr("360 nodes")));
    const cli::Outcome json = generate(text_of("DATA", 4), "--npus 8 --passes 3 --json");
    const Json description = Json::parse(json.out);
    EXPECT_EQ(description.at("type"), "DATA");
    EXPECT_EQ(description.at("layers"), 4);
    EXPECT_EQ(description.at("passes"), 3);
    EXPECT_EQ(description.at("ranks"), 8);
    EXPECT_EQ(description.at("nodes"), 8 * 3 * (4 * 4 - 1));
    // Gradients of layers 0 to 3: 3000, 103000, 203000 and 303000 bytes on each rank and pass.
    EXPECT_EQ(description.at("traffic")[0].at("bytes"), 8 * 3 * 612000);
    EXPECT_EQ(description.at("traffic")[0].at("nodes"), 8 * 3 * 4);
}

TEST_F(TextCommand, TakesTheNamesOfTheConverter) {
    const std::string text = text_of("MODEL", 3);
    EXPECT_EQ(generate(text, "--npus 2 --passes 2 --output-name a").code, 0);
    EXPECT_EQ(generate(text, "--num-npus 2 --num_passes 2 --output-name b").code, 0);
    for (const char* rank : {".0.et", ".1.et"}) {
        const std::string a = test::bytes_of(folder_ / fmt::format("out/a{}", rank));
        EXPECT_FALSE(a.empty());
        EXPECT_EQ(a, test::bytes_of(folder_ / fmt::format("out/b{}", rank)));
    }
}

TEST_F(TextCommand, WarnsOfCollectivesThatChange) {
    const cli::Outcome outcome = generate(
        "MICRO\n1\n" + layer_line(0, {"NONE", "NONE", "ALLREDUCEALLTOALL"}), "--npus 2 --json");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.log,
                AllOf(HasSubstr("warning"), HasSubstr("ALLREDUCEALLTOALL of 1 layer")));
}

TEST_F(TextCommand, BadInputLeavesNothingBehind) {
    const std::string text = text_of("DATA", 2);
    const std::vector<std::tuple<std::string, std::string, std::string>> cases{
        {text + "\n", "--npus 2", "line 5"},
        {text, "--npus 0", "--npus"},
        {text, "--npus two", "--npus"},
        {text, "--npus 2 --passes 0", "--passes"},
        {text, "--npus 2 --passes 1048576", "Take fewer passes"},
        {text, "--passes 2", "--npus"},
        {text, "--npus 2 --chakra-schema-version xml", "--chakra-schema-version"},
        {text, "--npus 2 --num-npus 2", "found 2 values"},
        {text_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 3", 2), "--npus 4",
         "a multiple of 3"}};
    for (const auto& [content, options, part] : cases) {
        const cli::Outcome outcome = generate(content, options);
        EXPECT_EQ(outcome.code, 2) << options;
        EXPECT_THAT(outcome.log, HasSubstr(part));
        EXPECT_EQ(outcome.out, "");
        EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << options;
    }
}

}  // namespace
}  // namespace npunet::generators
