// npunet plan in Metis's dialect: recorded searches by the original's command line, what is
// printed and written, and bad input as one message.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/plan_inputs.h"
#include "tests/support/shared_data.h"

namespace npunet::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class PlanSearch : public PlanInputs {
protected:
    [[nodiscard]] json planned(const std::string& options) const {
        const Outcome outcome = run("plan" + files() + " --gbs 16 --json " + options);
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        json document = json::parse(outcome.out);
        document.erase("performance");
        return document;
    }
    [[nodiscard]] std::string refusal(const std::string& options) const {
        const Outcome outcome = run("plan " + options);
        EXPECT_EQ(outcome.code, 2) << options << "\n" << outcome.log;
        EXPECT_EQ(outcome.out, "") << options;
        EXPECT_EQ(std::count(outcome.log.begin(), outcome.log.end(), '\n'), 1) << outcome.log;
        return outcome.log;
    }
    [[nodiscard]] std::string refused(const std::string& options) const {
        return refusal(files() + " --gbs 16 " + options);
    }
};

// Costs ascend, parts add up to the cost, and stages have all devices.
TEST_F(PlanSearch, PlansAreWholeAndRanked) {
    for (const std::string strategy : {"metis", "headroom"}) {
        const json document = planned("--top 20 --strategy " + strategy);
        EXPECT_EQ(document["strategy"], strategy);
        ASSERT_GT(document["plans"].size(), 1U);
        EXPECT_GE(document["plans_costed"].get<std::size_t>(), document["plans"].size());
        double before = 0;
        for (const json& plan : document["plans"]) {
            const auto cost = plan["cost_ms"].get<double>();
            EXPECT_GE(cost, before);
            before = cost;
            double sum = 0;
            for (const json& part : plan["parts_ms"]) {
                sum += part.get<double>();
            }
            EXPECT_NEAR(sum, cost, 1e-9 * cost);
            std::int64_t devices = 0;
            for (std::size_t stage = 0; stage < plan["device_groups"].size(); ++stage) {
                const auto group = plan["device_groups"][stage].get<std::int64_t>();
                EXPECT_EQ(plan["strategies"][stage][0].get<std::int64_t>() *
                              plan["strategies"][stage][1].get<std::int64_t>(),
                          group);
                EXPECT_LE(plan["memory_mb"][stage], plan["capacity_mb"][stage]);
                devices += group;
            }
            EXPECT_EQ(devices, 8);
            EXPECT_EQ(plan["layer_partition"].size(), plan["device_groups"].size() + 1);
        }
    }
}

TEST_F(PlanSearch, ThreadsAndMetisNamesChangeNothing) {
    const json document = planned("--strategy headroom");
    EXPECT_EQ(planned("--strategy headroom --jobs 1"), document);
    const Outcome outcome =
        run("plan --json --gbs 16 --use_strat --hostfile_path=" + path("hostfile") +
            " --clusterfile_path=" + path("clusterfile.json") + " --profile_data_path=" +
            path("profiles") + " --model_name=GPT --model_size=1.5B --home_dir x");
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    json other = json::parse(outcome.out);
    other.erase("performance");
    EXPECT_EQ(other, document);
}

TEST_F(PlanSearch, WritesLogAndCsv) {
    const json document = planned("--top 3 --trials 2 --model_name GPT --model_size 1B --csv " +
                                  path("plans.csv") + " --log_path " + path("logs"));
    std::ifstream log(folder_ / "logs/GPT_1B.log");
    std::string line;
    std::getline(log, line);
    EXPECT_EQ(line.rfind("average time: ", 0), 0U);
    std::getline(log, line);
    EXPECT_EQ(line, "count: " + std::to_string(document["steps"].get<int>()));
    std::getline(log, line);
    std::getline(log, line);
    const std::string cost = line.substr(line.find(',') + 1);
    EXPECT_EQ(std::stod(cost), document["plans"][0]["cost_ms"].get<double>());
    std::int64_t plans = 1;
    while (std::getline(log, line)) {
        ++plans;
    }
    EXPECT_EQ(plans, document["plans_costed"]);
    const std::string csv = test::bytes_of(folder_ / "plans.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
}

TEST_F(PlanSearch, HomogeneousPlansHaveOneStrategy) {
    const json document = planned("--homogeneous A100 --top 100");
    EXPECT_EQ(document["strategy"], "homogeneous");
    EXPECT_EQ(document["plans"].size(), document["plans_costed"].get<std::size_t>());
    for (const json& plan : document["plans"]) {
        EXPECT_EQ(plan["layer_partition"].back(), 6);
        const auto dp = plan["strategies"][0][0].get<std::int64_t>();
        const auto tp = plan["strategies"][0][1].get<std::int64_t>();
        EXPECT_EQ(dp * tp * static_cast<std::int64_t>(plan["strategies"].size()), 8);
    }
}

TEST_F(PlanSearch, SearchTimesOfBothStrategies) {
    const Outcome outcome = run("plan" + files() +
                                " --gbs 16 --json --layers-list 8,4 "
                                "--search-times " +
                                path("times.svg"));
    ASSERT_EQ(outcome.code, 0) << outcome.log;
    const json searches = json::parse(outcome.out)["searches"];
    ASSERT_EQ(searches.size(), 4U);
    EXPECT_EQ(searches[0]["layers"], 4);
    EXPECT_EQ(searches[1]["layers"], 8);
    EXPECT_EQ(searches[3]["strategy"], "headroom");
    EXPECT_THAT(test::bytes_of(folder_ / "times.svg"), HasSubstr("<svg"));
}

TEST_F(PlanSearch, SaysWhatIsWrong) {
    EXPECT_THAT(refusal(""), HasSubstr("--hostfile: found no value"));
    EXPECT_THAT(refusal(files()), HasSubstr("--batch: found no value"));
    EXPECT_THAT(refused("--hostfile_path " + path("hostfile")), HasSubstr("beside --hostfile"));
    EXPECT_THAT(refused("--use-strat --strategy metis"), HasSubstr("beside --strategy metis"));
    EXPECT_THAT(refused("--dialect meti"), HasSubstr("--dialect: found 'meti'"));
    EXPECT_THAT(refused("--device-order A100"), HasSubstr("--device-order"));
    EXPECT_THAT(refused("--first-profile none.json"), HasSubstr("--first-profile"));
    EXPECT_THAT(refused("--dialect metis --num-layers 7"),
                AllOf(HasSubstr("6 layers"), HasSubstr("--total-layers")));
    EXPECT_THAT(refused("--log-path " + path("logs")), HasSubstr("--model-name"));
    EXPECT_THAT(refused("--log-path x --model-name a/b --model-size c"), HasSubstr("'a/b'"));
    EXPECT_THAT(refused("--layers-list 4"), HasSubstr("no --search-times"));
    EXPECT_THAT(refused("--search-times a.txt --layers-list 4"), HasSubstr(".svg"));
    EXPECT_THAT(refused("--search-times a.svg --layers-list 4,x"), HasSubstr("'x'"));
    EXPECT_THAT(refused("--homogeneous H100"), HasSubstr("no profile of H100"));
    EXPECT_THAT(refused("hostfile 4"), HasSubstr("before 'hostfile'"));
    EXPECT_THAT(refused("hostfil 4"), HasSubstr("Did you mean 'hostfile'?"));
    EXPECT_FALSE(fs::exists("x"));
}

// 4 MiB a device are too little; the factor that the message gives is enough, and half of it is
// not.
TEST_F(PlanSearch, SaysHowMuchMemoryIsEnough) {
    const double memory = 4.0 / 1024;
    const auto with_memory = [this](double gib) {
        EXPECT_EQ(run("plan hostfile 4 --output " + path("hostfile") + " --cluster-file " +
                      path("clusterfile.json") + " --memory " + std::to_string(gib))
                      .code,
                  0);
    };
    with_memory(memory);
    const std::string log = refused("--dialect metis");
    ASSERT_THAT(log, AllOf(HasSubstr("clusterfile.json: memory: found no plan among"),
                           HasSubstr("times the memory is enough")));
    const std::size_t end = log.find(" times the memory");
    const double factor = std::stod(log.substr(log.rfind(' ', end - 1) + 1));
    with_memory(memory * factor);
    EXPECT_EQ(run("plan --dialect metis" + files() + " --gbs 16").code, 0);
    with_memory(memory * factor / 2);
    EXPECT_EQ(run("plan --dialect metis" + files() + " --gbs 16").code, 2);
}

// What the original's program found, by its command line, to the last bit.
TEST(PlanSearchRecorded, EverySearchOfTheSharedFolder) {
    const fs::path cases = fs::path(NPUNET_SHARED_DIR) / "data/planner";
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    std::size_t compared = 0;
    for (const auto& folder : fs::directory_iterator(cases)) {
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            if (name.find("_A.json") == std::string::npos &&
                name.find("_V.json") == std::string::npos &&
                name.find("_AV.json") == std::string::npos) {
                continue;
            }
            const json recorded = json::parse(test::bytes_of(entry.path()));
            std::vector<std::string> line{"plan",
                                          "--json",
                                          "--device-order",
                                          recorded["order"],
                                          "--first-profile",
                                          recorded["first_file"]};
            for (const std::string argument : recorded["args"]) {
                const std::size_t at = argument.find("_path=");
                line.push_back(at == std::string::npos
                                   ? argument
                                   : argument.substr(0, at + 6) +
                                         (cases / argument.substr(at + 6)).string());
            }
            if (recorded["use_strat"].get<bool>()) {
                line.emplace_back("--use_strat");
            }
            const Outcome outcome = run(line);
            ++compared;
            if (!recorded["error"].is_null()) {
                EXPECT_EQ(outcome.code, 2) << entry.path();
                continue;
            }
            ASSERT_EQ(outcome.code, 0) << entry.path() << outcome.log;
            const json found = json::parse(outcome.out);
            EXPECT_EQ(found["steps"], recorded["count"]) << entry.path();
            EXPECT_EQ(found["plans_costed"], recorded["num_costed_plans"]) << entry.path();
            ASSERT_EQ(found["plans"].size(), recorded["top10"].size()) << entry.path();
            for (std::size_t i = 0; i < found["plans"].size(); ++i) {
                const json& plan = found["plans"][i];
                const json& expected = recorded["top10"][i];
                EXPECT_EQ(plan["cost_ms"].get<double>(), expected["cost"].get<double>());
                for (const char* key : {"node_sequence", "device_groups", "strategies", "batches",
                                        "layer_partition"}) {
                    EXPECT_EQ(plan[key], expected[key]) << entry.path() << " plan " << i;
                }
            }
        }
    }
    EXPECT_GE(compared, 22U);
}

}  // namespace
}  // namespace npunet::cli
