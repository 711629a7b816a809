// The search against the original's: every case of the shared folder. A case is a folder with
// hostfile, clusterfile.json and profile; each of its JSON files with "args" is a run of the
// original, with the order of the types, the first profile and what came out. Costs are compared to
// the last bit.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "planner/metis/search.h"
#include "planner/metis/uniform_search.h"
#include "sha256.h"
#include "tests/support/refusals.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace npunet::planner::metis {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<fs::path> files_of_cases(const std::string& prefix) {
    std::vector<fs::path> files;
    std::error_code absent;
    for (const auto& folder :
         fs::directory_iterator(fs::path(NPUNET_SHARED_DIR) / "data/planner", absent)) {
        for (const auto& file : fs::directory_iterator(folder, absent)) {
            const std::string name = file.path().filename().string();
            if (name.rfind(prefix, 0) == 0 && file.path().extension() == ".json") {
                files.push_back(file.path());
            }
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

Json json_of(const fs::path& file) {
    std::ifstream stream(file);
    return Json::parse(stream);
}

std::int64_t number_of(const Json& run, const std::string& option) {
    for (const std::string argument : run.at("args")) {
        const std::string start = "--" + option + "=";
        if (argument.rfind(start, 0) == 0) {
            return std::stoll(argument.substr(start.size()));
        }
    }
    throw std::runtime_error("no --" + option);
}

Arguments arguments_of(const Json& run) {
    Arguments arguments;
    arguments.num_layers = number_of(run, "num_layers");
    arguments.gbs = number_of(run, "gbs");
    arguments.hidden_size = number_of(run, "hidden_size");
    arguments.sequence_length = number_of(run, "sequence_length");
    arguments.vocab_size = number_of(run, "vocab_size");
    arguments.max_profiled_tp_degree = number_of(run, "max_profiled_tp_degree");
    arguments.max_profiled_batch_size = number_of(run, "max_profiled_batch_size");
    arguments.min_group_scale_variance = number_of(run, "min_group_scale_variance");
    arguments.max_permute_len = number_of(run, "max_permute_len");
    std::istringstream order(run.at("order").get<std::string>());
    for (std::string type; std::getline(order, type, ',');) {
        arguments.device_order.push_back(type);
    }
    arguments.first_profile = run.at("first_file");
    arguments.strategy = run.at("use_strat") ? Strategy::Headroom : Strategy::Metis;
    return arguments;
}

Inputs inputs_of(const fs::path& folder) {
    return read_inputs(folder / "hostfile", folder / "clusterfile.json", folder / "profile");
}

/// As Python's float.hex() writes it.
std::string hex_of(double number) {
    const std::string text = fmt::format("{:a}", number);
    const auto point = text.find('.');
    const auto exponent = text.find('p');
    const std::string digits =
        point == std::string::npos ? "" : text.substr(point + 1, exponent - point - 1);
    return text.substr(0, std::min(point, exponent)) + "." + digits +
           std::string(13 - digits.size(), '0') + text.substr(exponent);
}

/// A plan as the original's lists write it.
std::string line_of(const Plan& plan) {
    std::vector<std::string> strategies;
    for (const auto& [dp, tp] : plan.strategies) {
        strategies.push_back(fmt::format("{}:{}", dp, tp));
    }
    return fmt::format("{}|{}|{}|{}|{}|{}|{}\n", hex_of(plan.cost_ms),
                       fmt::join(plan.node_sequence, ","), fmt::join(plan.device_groups, ","),
                       fmt::join(strategies, ","), plan.batches,
                       fmt::join(plan.layer_partition, ","), plan.attempts);
}

std::string lines_of(const SearchResult& result) {
    std::string lines;
    for (std::size_t number = 0; number < result.size(); ++number) {
        lines += line_of(result.plan(number));
    }
    return lines;
}

Json json_of(const Plan& plan) {
    return {{"cost", plan.cost_ms},
            {"cost_hex", hex_of(plan.cost_ms)},
            {"node_sequence", plan.node_sequence},
            {"device_groups", plan.device_groups},
            {"strategies", plan.strategies},
            {"batches", plan.batches},
            {"layer_partition", plan.layer_partition},
            {"num_repartition", plan.attempts}};
}

class OriginalRun : public ::testing::TestWithParam<fs::path> {};

void expect_same(const fs::path& file, const Json& run, const SearchResult& result) {
    EXPECT_EQ(result.steps(), run.at("count").get<std::uint64_t>());
    EXPECT_EQ(result.plans_costed(), run.at("num_costed_plans").get<std::uint64_t>());
    EXPECT_EQ(result.plans_dropped(), run.at("num_keyerror_plans").get<std::uint64_t>());
    Json top = Json::array();
    for (const std::size_t number : result.best(10)) {
        top.push_back(json_of(result.plan(number)));
    }
    EXPECT_EQ(top, run.at("top10"));
    double sum = 0;
    for (std::size_t number = 0; number < result.size(); ++number) {
        sum += result.cost(number);
    }
    EXPECT_EQ(hex_of(sum), run.at("sum_cost_hex").get<std::string>());
    const std::string lines = lines_of(result);
    EXPECT_EQ(sha256(lines), run.at("plans_sha256").get<std::string>());
    fs::path list = file;
    list.replace_extension(".plans.txt");
    if (fs::exists(list)) {
        EXPECT_TRUE(lines == test::bytes_of(list)) << "other plans than in " << list;
    }
}

/// What the message must say where the original ends with an exception.
void expect_explained(const Json& run, const InputProblem& problem) {
    const std::string error = run.at("error");
    const std::string message = problem.found + " " + problem.expected + " " + problem.remedy;
    if (error.rfind("KeyError('tp", 0) == 0) {
        const std::string key = error.substr(10, error.find('\'', 10) - 10);
        EXPECT_NE(message.find(key), std::string::npos) << message;
    } else {
        EXPECT_EQ(error, "IndexError('list index out of range')");
        EXPECT_NE(message.find("IndexError"), std::string::npos) << message;
    }
}

TEST_P(OriginalRun, IsRepeatedBitForBit) {
    const Json run = json_of(GetParam());
    const Inputs inputs = inputs_of(GetParam().parent_path());
    const Arguments arguments = arguments_of(run);
    if (!run.at("error").is_null()) {
        expect_explained(run, test::problem_of([&] { return search(inputs, arguments); }));
        return;
    }
    expect_same(GetParam(), run, search(inputs, arguments));
}

std::string name_of(const ::testing::TestParamInfo<fs::path>& info) {
    std::string name =
        info.param.parent_path().filename().string() + "_" + info.param.stem().string();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char letter) { return std::isalnum(letter) == 0; },
        '_');
    return name;
}

std::vector<fs::path> runs() {
    std::vector<fs::path> files = files_of_cases("met_");
    const auto others = files_of_cases("strat_");
    files.insert(files.end(), others.begin(), others.end());
    return files;
}

INSTANTIATE_TEST_SUITE_P(Shared, OriginalRun, ::testing::ValuesIn(runs()), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OriginalRun);

class UniformRun : public ::testing::TestWithParam<fs::path> {};

// The inputs and options are those of the runs beside it.
TEST_P(UniformRun, IsRepeatedBitForBit) {
    const Json run = json_of(GetParam());
    const fs::path folder = GetParam().parent_path();
    Arguments arguments;
    for (const fs::path& file : runs()) {
        if (file.parent_path() == folder) {
            arguments = arguments_of(json_of(file));
        }
    }
    arguments.device_order.clear();
    arguments.first_profile = run.at("first_file");
    const UniformResult result =
        uniform_search(inputs_of(folder), arguments, run.at("type").get<std::string>());
    Json plans = Json::array();
    for (const UniformPlan& plan : result.plans) {
        plans.push_back({{"dp", plan.dp},
                         {"pp", plan.pp},
                         {"tp", plan.tp},
                         {"mbs", plan.micro_batch},
                         {"gbs", arguments.gbs},
                         {"cost", plan.cost_ms},
                         {"cost_hex", hex_of(plan.cost_ms)}});
    }
    EXPECT_EQ(plans, run.at("plans_in_order"));
    EXPECT_EQ(result.plans.size(), run.at("num").get<std::size_t>());
    EXPECT_EQ(result.plans_dropped, run.at("keyerrors").get<std::uint64_t>());
    EXPECT_EQ(plans.at(result.best().front()), run.at("best"));
}

INSTANTIATE_TEST_SUITE_P(Shared, UniformRun, ::testing::ValuesIn(files_of_cases("homo_")), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UniformRun);

// Each file that the program finds when it starts is a test of its own; none of them may be lost.
TEST(OriginalRuns, AreAllThere) {
    NPUNET_SKIP_WITHOUT_SHARED_DATA();
    EXPECT_GE(runs().size(), 52U);
    EXPECT_GE(files_of_cases("homo_").size(), 3U);
}

}  // namespace
}  // namespace npunet::planner::metis
