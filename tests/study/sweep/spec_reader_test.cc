// sweep.yml: which points it means, and what is refused with which words.

#include "study/sweep/design_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class SpecReaderTest : public ::testing::Test {
protected:
    void SetUp() override {
        write("net.yml", ring(4));
        write("net8.yml", ring(8));
    }

    static std::string ring(int npus) {
        return "topology: [Ring]\nnpus_count: [" + std::to_string(npus) +
               "]\nbandwidth: [50]\nlatency: [500]\n";
    }
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    [[nodiscard]] DesignSpace read(const std::string& text) const {
        return read_design_space(folder_.write("specs/sweep.yml", text).string());
    }
    [[nodiscard]] std::vector<std::string> points(const std::string& text) const {
        const DesignSpace space = read(text);
        std::vector<std::string> list;
        for (const Point& point : space.points) {
            list.push_back(space.describe(point));
        }
        return list;
    }
    [[nodiscard]] std::string error_of(const std::string& text) const {
        return test::message_of<InputError>([&] { return read(text); });
    }

    test::TemporaryFolder folder_;
};

const std::string model = "workload: {model: llama2-4layer, batch: 8}\nnetworks: net.yml\n";

// The last key changes fastest; scalars have no column.
TEST_F(SpecReaderTest, ProductOfTheLists) {
    EXPECT_EQ(points(model + "plan: {tp: [1, 2], dp: [4, 2], pp: 1}\n"),
              (std::vector<std::string>{"tp=1 dp=4", "tp=1 dp=2", "tp=2 dp=4", "tp=2 dp=2"}));
}

TEST_F(SpecReaderTest, WhereUsesNumbersSwitchesAndNpus) {
    EXPECT_EQ(points(model + "plan: {tp: [1, 2, 4], dp: [1, 2, 4]}\nwhere: tp * dp == npus\n"),
              (std::vector<std::string>{"tp=1 dp=4", "tp=2 dp=2", "tp=4 dp=1"}));
    EXPECT_EQ(points("workload: {model: llama2-4layer, batch: 8}\n"
                     "networks: [net.yml, net8.yml]\nplan: {tp: [4, 8]}\nwhere: tp == npus\n"),
              (std::vector<std::string>{"tp=4 network=net.yml", "tp=8 network=net8.yml"}));
    EXPECT_EQ(
        points(model + "plan: {tp: [1, 2], sequence_parallel: [true, false]}\n"
                       "where: not sequence_parallel or tp > 1\n"),
        (std::vector<std::string>{"tp=1 sequence_parallel=false", "tp=2 sequence_parallel=true",
                                  "tp=2 sequence_parallel=false"}));
    EXPECT_EQ(points("workload: {collective: {type: all_reduce, size: [1KiB, 2000]}}\n"
                     "networks: net.yml\nwhere: size == 1024\n"),
              std::vector<std::string>{"size=1KiB"});
}

TEST_F(SpecReaderTest, FormsOfParallelism) {
    EXPECT_EQ(points(model + "plan: {zero: [0, 3], cp_comm: [p2p, a2a], ep: 1,\n"
                             "       rank_order: [tp-cp-ep-dp-pp, pp-tp-cp-ep-dp]}\n"
                             "where: zero == 3\n"),
              (std::vector<std::string>{"zero=3 cp_comm=p2p rank_order=tp-cp-ep-dp-pp",
                                        "zero=3 cp_comm=p2p rank_order=pp-tp-cp-ep-dp",
                                        "zero=3 cp_comm=a2a rank_order=tp-cp-ep-dp-pp",
                                        "zero=3 cp_comm=a2a rank_order=pp-tp-cp-ep-dp"}));
}

TEST_F(SpecReaderTest, LayersOfStages) {
    EXPECT_EQ(points(model + "plan: {pp: 4, pp_layers: ['1,1,1,1', '0,2,1,1'],\n"
                             "       first_stage_layers: 0}\n"),
              (std::vector<std::string>{"pp_layers=1*4", "pp_layers=0,2,1*2"}));
}

// Numbers in their shortest form, so that equal ones are seen to be equal.
TEST_F(SpecReaderTest, RoutingOfExperts) {
    write("specs/counts.txt", "* 1 2 3 4 5 6 7 8\n");
    const std::string mixtral = "workload: {model: mixtral-8x7b, batch: 8}\nnetworks: net.yml\n";
    EXPECT_EQ(points(mixtral + "plan: {moe_routing: [uniform, 'zipf:1.50', counts.txt],\n"
                               "       capacity_factor: [0, 1.250], seed: [0, 7]}\n"
                               "where: seed == 7\n"),
              (std::vector<std::string>{"moe_routing=uniform capacity_factor=0 seed=7",
                                        "moe_routing=uniform capacity_factor=1.25 seed=7",
                                        "moe_routing=zipf:1.5 capacity_factor=0 seed=7",
                                        "moe_routing=zipf:1.5 capacity_factor=1.25 seed=7",
                                        "moe_routing=counts.txt capacity_factor=0 seed=7",
                                        "moe_routing=counts.txt capacity_factor=1.25 seed=7"}));
    EXPECT_EQ(points(model + "plan: {distributed_optimizer: [false, true],\n"
                             "       activation_recompute: [0, 1]}\n"
                             "where: distributed_optimizer\n"),
              (std::vector<std::string>{"distributed_optimizer=true activation_recompute=false",
                                        "distributed_optimizer=true activation_recompute=true"}));
}

TEST_F(SpecReaderTest, TheFingerprintFollowsFilesOfRouting) {
    write("specs/counts.txt", "* 1 2 3 4 5 6 7 8\n");
    const std::string spec =
        "workload: {model: mixtral-8x7b, batch: 8}\nnetworks: net.yml\n"
        "plan: {moe_routing: [counts.txt]}\n";
    const std::uint64_t plain = read(spec).fingerprint;
    EXPECT_EQ(read(spec).fingerprint, plain);
    write("specs/counts.txt", "* 1 2 3 4 5 6 7 9\n");
    EXPECT_NE(read(spec).fingerprint, plain);
    // One that a model file names.
    write("specs/own.yml",
          "hidden: 64\nlayers: 2\nheads: 4\nffn: 64\nvocab: 64\nseq: 16\n"
          "moe: {experts: 8, top_k: 2, routing: counts.txt}\n");
    const std::string own = "workload: {model: own.yml, batch: 8}\nnetworks: net.yml\n";
    const std::uint64_t before = read(own).fingerprint;
    write("specs/counts.txt", "* 1 2 3 4 5 6 7 8\n");
    EXPECT_NE(read(own).fingerprint, before);
}

TEST_F(SpecReaderTest, TheFingerprintFollowsFilesOfLinks) {
    write("links.txt", "npu a b\na b 50 500\n");
    write("graph.yml", "Custom: {file: links.txt}\n");
    const std::string spec =
        "workload: {collective: {type: all_reduce, size: 1MiB}}\nnetworks: graph.yml\n";
    const std::uint64_t plain = read(spec).fingerprint;
    EXPECT_EQ(read(spec).fingerprint, plain);
    for (const std::string line : {"a b 5 500", "a b 50 501", "a b 50 500 2", "b a 50 500"}) {
        write("links.txt", "npu a b\n" + line + "\n");
        EXPECT_NE(read(spec).fingerprint, plain) << line;
    }
}

TEST_F(SpecReaderTest, SampleKeepsTheOrder) {
    const std::string all = model + "plan: {tp: [1, 2, 3, 4, 5, 6, 7, 8]}\n";
    const auto some = points(all + "sample: {count: 3, seed: 1}\n");
    EXPECT_EQ(some.size(), 3U);
    EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
    EXPECT_EQ(some, points(all + "sample: {count: 3, seed: 1}\n"));
    EXPECT_EQ(points(all + "sample: {count: 300}\n").size(), 8U);
}

TEST_F(SpecReaderTest, PointsFromAFile) {
    write("specs/points.csv", "tp, dp ,schedule\n1,4,gpipe\n\n\"2\",2,1f1b\r\n");
    EXPECT_EQ(points(model + "points: points.csv\n"),
              (std::vector<std::string>{"tp=1 dp=4 schedule=gpipe", "tp=2 dp=2 schedule=1f1b"}));
    write("specs/points.csv", "tp,dp\n1,4,3\n");
    EXPECT_THAT(error_of(model + "points: points.csv\n"),
                AllOf(HasSubstr("points.csv: line 2"), HasSubstr("3 fields")));
    write("specs/points.csv", "tp,pd\n1,4\n");
    EXPECT_THAT(error_of(model + "points: points.csv\n"), HasSubstr("line 1: found 'pd'"));
    write("specs/points.csv", "tp\nx\n");
    EXPECT_THAT(error_of(model + "points: points.csv\n"), HasSubstr("line 2, tp: found 'x'"));
    write("specs/points.csv", "tp\n");
    EXPECT_THAT(error_of(model + "points: points.csv\n"), HasSubstr("no points"));
    write("specs/points.csv", "tp\n1\n");
    EXPECT_THAT(error_of(model + "plan: {tp: 2}\npoints: points.csv\n"),
                HasSubstr("'tp' beside 'tp'"));
}

// The nearest file counts: beside the spec before those above it.
TEST_F(SpecReaderTest, PathsAreLookedUpFromTheSpecUpwards) {
    EXPECT_EQ(read(model).find({{0, 0, 0}, {}}, "network")->path, (folder_ / "net.yml").string());
    write("specs/net.yml", ring(4));
    EXPECT_EQ(read(model).find({{0, 0, 0}, {}}, "network")->path,
              (folder_ / "specs/net.yml").string());
    const fs::path before = fs::current_path();
    const std::uint64_t here = read(model).fingerprint;
    fs::current_path(folder_.path());
    EXPECT_EQ(read_design_space("specs/sweep.yml").fingerprint, here);
    fs::current_path(before);
}

TEST_F(SpecReaderTest, TheFingerprintFollowsEverythingThatMatters) {
    const std::uint64_t plain = read(model + "plan: {tp: [1, 2]}\n").fingerprint;
    EXPECT_EQ(read("# a comment\n" + model + "plan: {tp: [1, 2]}\n").fingerprint, plain);
    EXPECT_NE(read(model + "plan: {tp: [1, 4]}\n").fingerprint, plain);
    EXPECT_NE(
        read(model + "plan: {tp: [1, 2]}\nwhere: tp > 0\nlimits: {memory: 1GB}\n").fingerprint,
        plain);
    EXPECT_NE(read(model + "plan: {tp: [1, 2]}\nthen: {fidelity: analytical}\n").fingerprint,
              plain);
    write("net.yml", ring(4) + "# other bytes\n");
    EXPECT_NE(read(model + "plan: {tp: [1, 2]}\n").fingerprint, plain);
}

TEST_F(SpecReaderTest, WhatCannotBeMeantIsRefused) {
    const std::string networks = "networks: net.yml\n";
    const struct {
        std::string text;
        std::vector<std::string> words;
    } cases[] = {
        {model + "plna: {tp: 1}\n", {"line 3", "plna", "Did you mean plan?"}},
        {model + "plan: {tpp: 1}\n", {"plan.tpp", "Did you mean tp?"}},
        {model + "plan: {tp: 0}\n", {"plan.tp", "'0'", "from 1"}},
        {model + "plan: {tp: 1.5}\n", {"'1.5'"}},
        {model + "plan: {tp: []}\n", {"empty list"}},
        {model + "plan: {tp: [2, 2]}\n", {"'2' twice"}},
        {model + "plan: {tp: 1, tp: 2}\n", {"a second time"}},
        {model + "plan: {cp: 1, sp: 1}\n", {"'sp' beside 'cp'"}},
        {model + "plan: {batch: 4}\n", {"'batch' beside 'batch'"}},
        {model + "plan: {schedule: 1b1f}\n", {"one of 1f1b, gpipe", "Did you mean 1f1b?"}},
        {model + "plan: {sequence_parallel: maybe}\n", {"false, true"}},
        {model + "plan: {cp_comm: ring}\n", {"one of p2p, all_gather, a2a"}},
        {model + "plan: {moe_routing: zipf}\n", {"plan.moe_routing", "'zipf'", "zipf:S"}},
        {model + "plan: {moe_routing: none.txt}\n", {"'none.txt'", "or a folder above it"}},
        {model + "plan: {moe_routing: ['zipf:1', 'zipf:1.0']}\n", {"'zipf:1' twice"}},
        {model + "plan: {capacity_factor: -1}\n", {"plan.capacity_factor", "'-1'", "from 0"}},
        {model + "plan: {capacity_factor: nan}\n", {"'nan'"}},
        {model + "plan: {capacity_factor: many}\n", {"'many'"}},
        {model + "plan: {seed: -1}\n", {"plan.seed", "from 0"}},
        {model + "plan: {capacity_factor: 1}\nwhere: capacity_factor > 1\n", {"no number"}},
        {model + "plan: {zero: 1, distributed_optimizer: true}\n", {"beside 'zero'"}},
        {model + "plan: {recompute: full, activation_recompute: true}\n", {"beside 'recompute'"}},
        {model + "plan: {weight_sharded: true}\n", {"weight_sharded"}},
        {model + "plan: {rank_order: tp-dp-pp}\n", {"plan.rank_order", "'tp-dp-pp'", "once"}},
        {model + "plan: {pp_layers: '1,x'}\n", {"plan.pp_layers", "'x' in '1,x'", "N*K"}},
        {model + "plan: {pp_layers: ['1,1', '1*2']}\n", {"'1*2' twice"}},
        {model + "where: dp == 1\n", {"column 1, 'dp'", "no value"}},
        {model + "plan: {schedule: 1f1b}\nwhere: schedule == 1\n", {"no number"}},
        {model + "plan: {tp: [1, 2]}\nwhere: 4 / (tp - 1) > 0\n",
         {"line 4, where", "division of 4 by zero", "at tp=1"}},
        {model + "plan: {tp: [1, 2]}\nwhere: tp > 2\n", {"no point of 2 combinations"}},
        {model + "plan: {tp: 1}\nwhere: tp ==\n", {"found the end"}},
        {model + "fidelity: [packets]\n", {"line 3, fidelity[0]", "'packets'"}},
        {model + "dialects: astra\n", {"dialects", "'astra'"}},
        {model + "dialect: astra-sim\n", {"Did you mean dialects?"}},
        {model + "systems: no.json\n", {"'no.json'", "or a folder above it"}},
        {model + "limits: {memory: 80GG}\n", {"80GG"}},
        {model + "limits: {mem: 80GB}\n", {"limits.mem", "expected one of memory"}},
        {model + "then: {top: 3}\n", {"then.fidelity"}},
        {model + "then: {fidelity: analytical, top: 0}\n", {"then.top"}},
        {model + "sample: {seed: 3}\n", {"sample.count"}},
        {model + "points: no.csv\n", {"no.csv"}},
        {"workload: {model: llama2-4layer}\n" + networks, {"workload.batch"}},
        {"workload: {batch: 4}\n" + networks, {"workload.model"}},
        {"workload: {model: llama2-4layer, batch: 8, dialect: stage}\n" + networks,
         {"unknown key 'model'"}},
        {"workload: {model: ./none.yml, batch: 8}\n" + networks, {"./none.yml"}},
        {"workload: {model: llama2-4layer, batch: 8}\n", {"networks"}},
        {networks, {"workload"}},
        {"workload: {prefix: t/w}\n" + networks, {"t/w.0.et"}},
        {"workload: {collective: {type: [all_reduse], size: 1MiB}}\n" + networks,
         {"Did you mean all_reduce?"}},
        {"workload: {collective: {type: all_reduce}}\n" + networks, {"size"}},
        {"workload: {collective: {type: all_reduce, size: 1MiB}}\nplan: {tp: 1}\n" + networks,
         {"Leave the plan out"}},
        {"workload: [1, 2]\n" + networks, {"a list of 2"}},
        {"workload: {model: {a: b}, batch: 1}\n" + networks, {"a map"}},
        {"", {"Begin with"}},
        {"workload: {model: [\n", {"YAML"}},
    };
    for (const auto& [text, words] : cases) {
        const std::string error = error_of(text);
        EXPECT_NE(error, "") << text;
        for (const std::string& word : words) {
            EXPECT_THAT(error, HasSubstr(word)) << text;
        }
    }
    std::string product = model + "plan:\n";
    for (const char* name : {"dp", "tp", "cp", "pp", "micro_batch"}) {
        product += std::string("  ") + name + ": [1";
        for (int i = 2; i <= 40; ++i) {
            product += ", " + std::to_string(i);
        }
        product += "]\n";
    }
    EXPECT_THAT(error_of(product), HasSubstr("more than 10000000 combinations"));
}

TEST_F(SpecReaderTest, TheDefaultLimitOfMemoryIsThatOfTheSystems) {
    write("h100.json", R"({"device": "h100-sxm5-80gb"})");
    write("own.json", R"({"memory-capacity": "40GB"})");
    write("none.json", "{}");
    const auto limit_of = [this](const std::string& systems) {
        return read(model + "systems: " + systems + "\n").memory_limit;
    };
    EXPECT_EQ(limit_of("h100.json"), Bytes(80'000'000'000));
    EXPECT_EQ(limit_of("[h100.json, own.json]"), Bytes(40'000'000'000));
    EXPECT_EQ(limit_of("[h100.json, none.json]"), std::nullopt);
    EXPECT_EQ(read(model + "systems: h100.json\nlimits: {memory: 1GB}\n").memory_limit,
              Bytes(1'000'000'000));
}

TEST_F(SpecReaderTest, TheFingerprintFollowsTheProfilesOfSystems) {
    write("mine.json", R"({"schema": 1, "name": "mine", "based-on": "h100-sxm5-80gb",
        "multiprocessors": 100, "peak-tflops": {"bf16": 700},
        "memory": {"bandwidth-gb-s": 3000, "capacity-gb": 64}, "sources": {"hardware": "own"}})");
    write("sys.json", R"({"device": "./mine.json"})");
    const std::string spec = model + "systems: sys.json\nlimits: {memory: 1GB}\n";
    const std::uint64_t before = read(spec).fingerprint;
    EXPECT_EQ(read(spec).fingerprint, before);
    write("mine.json", R"({"schema": 1, "name": "mine", "based-on": "h100-sxm5-80gb",
        "multiprocessors": 101, "peak-tflops": {"bf16": 700},
        "memory": {"bandwidth-gb-s": 3000, "capacity-gb": 64}, "sources": {"hardware": "own"}})");
    EXPECT_NE(read(spec).fingerprint, before);

    write("mine.json", R"({"schema": 1, "name": "mine", "based-on": "h100-sxm5-80gb",
        "multiprocessors": 101, "peak-tflops": {"bf16": 700}, "times": {"bf16": ["gemm.csv"]},
        "memory": {"bandwidth-gb-s": 3000, "capacity-gb": 64}, "sources": {"hardware": "own"}})");
    write("gemm.csv", "m,n,k,time_us\n1,2,3,4\n");
    const std::uint64_t with_table = read(spec).fingerprint;
    write("gemm.csv", "m,n,k,time_us\n1,2,3,5\n");
    EXPECT_NE(read(spec).fingerprint, with_table);
}

// A limit of 80 bytes is never intended.
TEST_F(SpecReaderTest, ALimitOfMemoryHasItsUnit) {
    EXPECT_EQ(read(model + "limits: {memory: 80GB}\n").memory_limit, Bytes(80'000'000'000));
    EXPECT_EQ(read(model + "limits: {memory: 80B}\n").memory_limit, Bytes(80));
    for (const char* const number : {"80", "0", "80e9"}) {
        EXPECT_THAT(error_of(model + "limits: {memory: " + number + "}\n"),
                    AllOf(HasSubstr("limits.memory: found"), HasSubstr("a size with its unit"),
                          HasSubstr("Did you mean")))
            << number;
    }
    EXPECT_THAT(error_of(model + "limits: {memory: 80G}\n"), HasSubstr("80GB or 80GiB"));
}

}  // namespace
}  // namespace npunet::study
