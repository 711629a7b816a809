// system.json and remote_memory.json: units, keys of ASTRA-sim that would change the run, and files
// meant for another option.

#include "engine/machine/system_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/machine/remote_memory.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class SystemJson : public testing::Test {
protected:
    SystemConfig read(const std::string& text, const char* dialect = "npunet") {
        warnings_.clear();
        return read_system_config(folder_.write("system.json", text).string(),
                                  Dialect::named(dialect), warnings_);
    }
    InputProblem problem(const std::string& text, const char* dialect = "npunet") {
        return test::problem_of([&] { return read(text, dialect); });
    }
    RemoteMemoryConfig memory(const std::string& text) {
        return read_remote_memory(folder_.write("memory.json", text).string(),
                                  Dialect::named("npunet"), warnings_);
    }

    test::TemporaryFolder folder_;
    std::vector<std::string> warnings_;
};

// The same machine with plain numbers and with explicit units.
TEST_F(SystemJson, TakesNumbersInTheUnitOfTheKeyOrWithAUnit) {
    const SystemConfig plain = read(
        R"({"peak-perf": 989, "local-mem-bw": 3350, "memory-capacity": 80, "endpoint-delay": 2000,
            "npus": [{"ranks": [3], "peak-perf": 494.5, "local-mem-bw": 1675.25}]})");
    const SystemConfig written = read(
        R"({"peak-perf": "0.989 PFLOPS", "local-mem-bw": "3.35TB/s", "memory-capacity": "80GB",
            "endpoint-delay": "2us",
            "npus": [{"ranks": [3], "peak-perf": "494.5 TFLOP/s", "local-mem-bw": "1675.25GB/s"}]})");
    EXPECT_EQ(written.compute.peak_tflops, plain.compute.peak_tflops);
    EXPECT_EQ(written.compute.memory_bandwidth, plain.compute.memory_bandwidth);
    EXPECT_EQ(written.memory_capacity, plain.memory_capacity);
    EXPECT_EQ(written.endpoint_delay, plain.endpoint_delay);
    EXPECT_EQ(written.compute_rates(4)[3].peak_tflops, plain.compute_rates(4)[3].peak_tflops);
    EXPECT_EQ(written.compute_rates(4)[3].memory_bandwidth,
              plain.compute_rates(4)[3].memory_bandwidth);
    EXPECT_EQ(read(R"({"memory-capacity": "80GiB"})").memory_capacity,
              Bytes(std::int64_t{80} << 30));
    EXPECT_EQ(read(R"({"endpoint-delay": "1500ps"})").endpoint_delay, Time::ps(1500));
    const RemoteMemoryConfig remote =
        memory(R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": "0.1us",
                   "remote-mem-bw": "400Gbps"})");
    EXPECT_EQ(remote.latency, Time::ns(100));
    EXPECT_EQ(remote.bandwidth, Rate(50'000'000'000));
}

TEST_F(SystemJson, RefusesQuantitiesThatAreNone) {
    EXPECT_EQ(problem(R"({"peak-perf": "989"})").found, "'989'");
    EXPECT_THAT(problem(R"({"memory-capacity": "80"})").expected, HasSubstr("\"80GB\""));
    EXPECT_THAT(problem(R"({"peak-perf": "989 tflops"})").remedy, HasSubstr("989TFLOPS"));
    EXPECT_THAT(problem(R"({"local-mem-bw": "2039GB"})").remedy, HasSubstr("2039GB/s"));
    EXPECT_THAT(problem(R"({"local-mem-bw": "989 TFLOPS"})").expected, HasSubstr("50GB/s"));
    EXPECT_EQ(problem(R"({"local-mem-bw": true})").found, "true");
    EXPECT_EQ(problem(R"({"endpoint-delay": "2000s"})").found, "\"2000s\"");
    EXPECT_EQ(problem(R"({"endpoint-delay": "0.5ns"})", "astra-sim").found, "\"0.5ns\"");
    EXPECT_THAT(problem(R"({"endpoint-delay": 0})", "astra-sim").expected, HasSubstr("at least 1"));
}

// Data sheets give 989e12 FLOP/s; the key is in 10^12 FLOP/s.
TEST_F(SystemJson, NamesTheUnitOfANumberThatIsTooLarge) {
    const InputProblem peak = problem(R"({"peak-perf": 989e12})");
    EXPECT_EQ(peak.place, "peak-perf");
    EXPECT_THAT(peak.expected, HasSubstr("TFLOP/s (10^12 operations per second)"));
    EXPECT_EQ(peak.remedy, "Did you mean 989?");
    EXPECT_EQ(problem(R"({"local-mem-bw": 3.35e12})").remedy, "Did you mean 3350?");
    EXPECT_EQ(problem(R"({"memory-capacity": 80e9})").remedy, "Did you mean 80?");
    EXPECT_EQ(problem(R"({"peak-perf": 1e300})").remedy, "Correct the value");
}

TEST_F(SystemJson, HasEveryKeyOnce) {
    for (const char* const dialect : {"npunet", "astra-sim"}) {
        const InputProblem twice = problem(R"({"peak-perf": 1, "peak-perf": 312})", dialect);
        EXPECT_EQ(twice.place, "peak-perf");
        EXPECT_EQ(twice.found, "the same key twice in an object");
    }
    EXPECT_EQ(problem(R"({"npus": [{"ranks": [0], "peak-perf": 1, "peak-perf": 2}]})").place,
              "peak-perf");
    EXPECT_EQ(test::problem_of([&] {
                  return memory(R"({"memory-type": "MEMORY_POOL", "remote-mem-bw": 50,
                                    "remote-mem-bw": 5})");
              }).place,
              "remote-mem-bw");
}

// Ignoring these keys would simulate a different run, so a warning is not enough in any dialect.
TEST_F(SystemJson, RefusesByNameWhatWouldMakeAnotherRun) {
    for (const char* const dialect : {"npunet", "astra-sim", "astra-sim-2025-03"}) {
        std::vector<std::string> keys{"broadcast-implementation-custom",
                                      "per-node-custom-implementation"};
        if (dialect == std::string("npunet")) {
            keys.insert(keys.end(),
                        {"all-reduce-implementation-custom", "all-reduce-implementation-chakra",
                         "all-gather-implementation-custom", "all-to-all-implementation-chakra"});
        }
        for (const std::string& key : keys) {
            const InputProblem custom = problem("{\"" + key + "\": [\"traces/mine\"]}", dialect);
            EXPECT_EQ(custom.place, key) << dialect;
            EXPECT_THAT(custom.found, HasSubstr("given as traces")) << dialect;
            EXPECT_THAT(custom.remedy, HasSubstr("-implementation")) << dialect;
        }
        for (const char* const value : {"1", "true", "\"1\""}) {
            const InputProblem bus =
                problem(std::string(R"({"L": 2, "o": 1, "g": 1, "G": 0.1, "model-shared-bus": )") +
                            value + "}",
                        dialect);
            EXPECT_EQ(bus.place, "model-shared-bus") << dialect;
            EXPECT_THAT(bus.expected, HasSubstr("L, o, g and G")) << dialect;
        }
    }
}

// Without model-shared-bus these keys have no effect in ASTRA-sim either.
TEST_F(SystemJson, TakesTheBusThatIsNotModelled) {
    for (const char* const dialect : {"npunet", "astra-sim"}) {
        static_cast<void>(read(R"({"model-shared-bus": 0, "L": 0, "G": 0})", dialect));
        EXPECT_THAT(warnings_, IsEmpty());
        static_cast<void>(read(R"({"model-shared-bus": false, "G": 0.0038})", dialect));
        EXPECT_THAT(warnings_, testing::ElementsAre(HasSubstr("G has no effect")));
    }
}

TEST_F(SystemJson, KnowsFilesThatAreMeantForAnotherOption) {
    for (const char* const dialect : {"npunet", "astra-sim"}) {
        const InputProblem groups = problem(R"({"1": [0, 2], "2": [1, 3]})", dialect);
        EXPECT_EQ(groups.found, "communicator groups");
        EXPECT_THAT(groups.remedy, HasSubstr("--comm-group"));
        const InputProblem network =
            problem("# mine\ntopology: [Ring]\nnpus_count: [8]\n", dialect);
        EXPECT_EQ(network.found, "YAML");
        EXPECT_THAT(network.place, HasSubstr("line 2"));
        EXPECT_THAT(network.remedy, HasSubstr("--network"));
        for (const char* const text :
             {"peak-perf: 312\nlocal-mem-bw: 2039\n", "---\npeak-perf: 312", "{peak-perf: 312}"}) {
            const InputProblem yaml = problem(text, dialect);
            EXPECT_EQ(yaml.found, "YAML") << text;
            EXPECT_THAT(yaml.expected,
                        AllOf(HasSubstr("a system.json in JSON"), HasSubstr("{\"peak-perf\": 1}")))
                << text;
        }
    }
    EXPECT_EQ(problem("true: false").found, "YAML");
    for (const char* const text :
         {"", "#", "---", "{", "true", "\"a\": 1", "{a", "[1]", "a b: 1"}) {
        EXPECT_NE(problem(text).found, "YAML") << text;
    }
    EXPECT_THAT(read("{}").implementations(CollectiveKind::AllReduce), IsEmpty());
    EXPECT_THAT(problem(R"({"all-reduce-implementation": ["auto", "ring"]})").expected,
                HasSubstr("auto alone"));
}

}  // namespace
}  // namespace npunet::engine
