// Profiles of public repositories, converted: the run of eight ranks replays at every fidelity, and
// every other file is converted or says why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/errors.h"
#include "chakra/files/trace_reader.h"
#include "generators/profiler/operator_times.h"
#include "generators/profiler/profile_conversion.h"
#include "kineto_text.h"
#include "packet/make_packet_network.h"
#include "profiles/profile_reader.h"
#include "tests/cli/program_run.h"
#include "tests/profiles/tar_file.h"
#include "tests/support/shared_data.h"

namespace npunet::generators::profiler {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path data = fs::path(NPUNET_SHARED_DIR) / "data/pytorch";

class RealProfiles : public ProfileFiles {
protected:
    void SetUp() override { NPUNET_SKIP_WITHOUT_SHARED_DATA(); }

    void unpack(const fs::path& archive, const fs::path& folder) const {
        fs::create_directories(folder);
        for (const auto& [name, contents] : profiles::files_of_tar(archive)) {
            if (name.ends_with(".json")) {
                std::ofstream(folder / fs::path(name).filename(), std::ios::binary) << contents;
            }
        }
    }

    [[nodiscard]] ConversionSummary convert(const fs::path& profiles, const fs::path& traces,
                                            ProfileConversion options = {}) const {
        options.files.folder = folder_ / "traces";
        return convert_profiles(open_profile_folder(profiles, traces), options, {});
    }
    void expect_valid(const std::string& file) const {
        const cli::Outcome valid =
            cli::run(fmt::format("trace validate {0}/workload --comm-group {0}/comm_group.json",
                                 (folder_ / "traces").string()));
        EXPECT_EQ(valid.code, 0) << file;
        EXPECT_THAT(valid.out, HasSubstr("no findings")) << file;
    }
    [[nodiscard]] std::int64_t finish_ns(const std::string& fidelity) const {
        folder_.write("net.yml",
                      "topology: [Switch]\nnpus_count: [8]\nbandwidth: [75]\nlatency: [700]\n");
        const cli::Outcome outcome = cli::run(
            fmt::format("simulate --workload {0}/traces/workload --comm-group "
                        "{0}/traces/comm_group.json --network {0}/net.yml --fidelity {1} --json",
                        folder_.path().string(), fidelity));
        EXPECT_EQ(outcome.code, 0) << outcome.log;
        return static_cast<std::int64_t>(
            nlohmann::json::parse(outcome.out).at("finish_ns").get<double>());
    }
};

// One step of DLRM on 8 ranks: 5 all-to-alls and 3 all-reduces each. Operations are the kernels and
// copies of expected.json. Each all-to-all delivers what its receivers expect: the splits of the
// execution traces are a matrix whose columns are the outputs.
TEST_F(RealProfiles, EightRanksOfDlrm) {
    unpack(data / "kineto/dlrm_kineto.tar.gz", folder_ / "dlrm");
    unpack(data / "execution_traces/dlrm_pytorch_et.tar.gz", folder_ / "et");
    const ConversionSummary summary = convert(folder_ / "dlrm", folder_ / "et");
    EXPECT_EQ(summary.ranks, 8);
    std::ifstream stream(data / "expected.json");
    std::int64_t operations = 0;
    double gpu_us = 0;
    double nccl_us = 0;
    const nlohmann::json records = nlohmann::json::parse(stream);
    for (const auto& [name, record] : records.items()) {
        if (name.find("dlrm_kineto") != std::string::npos) {
            operations += record["cats"]["kernel"].get<std::int64_t>() +
                          record["cats"]["gpu_memcpy"].get<std::int64_t>() +
                          record["cats"].value("gpu_memset", 0);
            gpu_us += record["gpu_dur_us"].get<double>();
            nccl_us += record["nccl_dur_us"].get<double>();
        }
    }
    EXPECT_EQ(summary.operations, operations);
    EXPECT_NEAR(static_cast<double>(summary.compute_ns) / 1e3, gpu_us - nccl_us, 1e-3);
    EXPECT_EQ(summary.communication.at("ALL_TO_ALL").nodes, 8 * 5);
    EXPECT_EQ(summary.communication.at("ALL_REDUCE").nodes, 8 * 3);
    EXPECT_GE(summary.joined, 8 * 8);
    EXPECT_LT(std::abs(summary.replay.difference_percent()), 0.5)
        << summary.replay.replayed_ns << " against " << summary.replay.measured_ns;
    EXPECT_LT(summary.replay.largest_ns, 100'000);
    expect_valid("dlrm");

    std::vector<std::vector<std::int64_t>> sent;      // by collective, to each rank
    std::vector<std::vector<std::int64_t>> expected;  // by collective, of each rank
    for (std::size_t rank = 0; rank < 8; ++rank) {
        std::size_t k = 0;
        for (const chakra::Node& node :
             chakra::read_trace(trace_file({folder_ / "traces"}, Rank(rank)))) {
            if (node.find("comm_sizes") == nullptr) {
                continue;
            }
            sent.resize(std::max(sent.size(), k + 1), std::vector<std::int64_t>(8));
            expected.resize(sent.size(), std::vector<std::int64_t>(8));
            const auto& parts = std::get<std::vector<std::int64_t>>(node.find("comm_sizes")->value);
            for (std::size_t other = 0; other < 8; ++other) {
                sent[k][other] += parts[other];
            }
            expected[k][rank] = *node.integer("out_bytes");
            ++k;
        }
    }
    EXPECT_FALSE(sent.empty());
    EXPECT_EQ(sent, expected);

    // The CPU limits this run, so that a fast switch hides in it.
    const std::int64_t analytical = finish_ns("analytical");
    EXPECT_NEAR(static_cast<double>(analytical), static_cast<double>(summary.replay.measured_ns),
                0.01 * static_cast<double>(summary.replay.measured_ns));
    EXPECT_GE(finish_ns("congestion-aware"), analytical);
    EXPECT_GE(finish_ns("packet"), analytical);
}

// The same without execution traces, and without the CPU.
TEST_F(RealProfiles, EightRanksOfDlrmByTheirProfilesAlone) {
    unpack(data / "kineto/dlrm_kineto.tar.gz", folder_ / "dlrm");
    ProfileConversion options;
    for (const CpuModel model : {CpuModel::Gap, CpuModel::None}) {
        options.cpu = model;
        const ConversionSummary summary = convert(folder_ / "dlrm", {}, options);
        EXPECT_THAT(summary.warnings,
                    ::testing::Contains(HasSubstr("share of what both send and receive: 1")));
        expect_valid("dlrm");
        EXPECT_GT(finish_ns("analytical"), 0);
    }
}

// Every other profile. Of a rank alone the CPU's time and what it waits for are most of the
// measured time: the replay ends within 1.5 %.
TEST_F(RealProfiles, EveryProfileConvertsOrSaysWhyNot) {
    ProfileConversion options;
    options.matching.missing_left_out = true;
    options.matching.unknown_as_compute = true;
    std::size_t converted = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(data / "kineto")) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(".json.gz")) {
            continue;
        }
        try {
            const ConversionSummary summary = convert(entry.path(), {}, options);
            EXPECT_LT(std::abs(summary.replay.difference_percent()), 1.5) << name;
            expect_valid(name);
            ++converted;
        } catch (const InputError& error) {
            const bool execution_trace = name.find("_et.json") != std::string::npos;
            EXPECT_THAT(error.what(), HasSubstr(execution_trace ? "execution traces alone"
                                                                : "without any work of a GPU"))
                << name;
        }
    }
    EXPECT_GE(converted, 14U);
}

// A step of one linear layer on an MI250: what its 14 kernels took, by the operators that a
// recording of the same program has; the copies of the batch from the host are none of them.
TEST_F(RealProfiles, OperatorsOfAStepTakeTheTimesOfTheirKernels) {
    const OperatorNest nest(profiles::read_profile(
        data / "kineto/amd_trace__mi250_minitoy_train_ROCm6_2_kineto.json.gz"));
    const OperatorTimes times =
        nest.times({"aten::_foreach_add_", "aten::add_", "aten::addmm", "aten::mm",
                    "aten::mse_loss", "aten::mse_loss_backward", "aten::ones_like", "aten::relu",
                    "aten::sum", "aten::threshold_backward", "aten::_to_copy"});
    const auto of = [&times](const std::string& name, const std::string& inputs) {
        return times.at(name).at(inputs);
    };
    using ::testing::ElementsAre;
    EXPECT_THAT(of("aten::addmm", "float32[128] float32[5,128] float32[128,128]"),
                ElementsAre(6'880 + 17'600));
    EXPECT_THAT(of("aten::relu", "float32[5,128]"), ElementsAre(6'720));
    EXPECT_THAT(of("aten::mse_loss", "float32[5,128] float32[5,128]"), ElementsAre(8'320 + 11'040));
    EXPECT_THAT(of("aten::mse_loss_backward", "float32[5,128] float32[5,128]"),
                ElementsAre(2'240 + 5'280));
    EXPECT_THAT(of("aten::_foreach_add_", "([128,128],[128]) ([128,128],[128])"),
                ElementsAre(8'481));
    EXPECT_EQ(times.count("aten::_to_copy"), 0U);
    std::int64_t sum = 0;
    for (const auto& [name, by_inputs] : times) {
        for (const auto& [inputs, calls] : by_inputs) {
            sum += std::accumulate(calls.begin(), calls.end(), std::int64_t{0});
        }
    }
    EXPECT_EQ(sum, 110'881);
}

}  // namespace
}  // namespace npunet::generators::profiler
