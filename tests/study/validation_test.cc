// Measured collectives beside the profile that comes with npunet, and fits.

#include "study/validation/collective_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "base/errors.h"
#include "report/library_profile_text.h"
#include "study/validation/library_fit.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study {
namespace {

using testing::HasSubstr;

engine::LibraryProfile profile() {
    std::vector<std::string> warnings;
    return engine::find_library_profile("nccl-2.29", "", warnings);
}

const report::ValidationRows& own_rows() {
    static const report::ValidationRows rows = validate_collectives(
        profile(), read_measured_collectives(NPUNET_SOURCE_DIR "/validation/collectives.csv"));
    return rows;
}

report::ValidationMean mean_of_rows(
    const std::function<bool(const report::ValidationRow&)>& wanted) {
    std::vector<const report::ValidationRow*> rows;
    for (const report::ValidationRow& row : own_rows().rows) {
        if (wanted(row)) {
            rows.push_back(&row);
        }
    }
    return report::mean_of(rows);
}

bool is_curve(const report::ValidationRow& row) {
    return row.id.rfind("AIC-", 0) == 0 && row.device != "L40S";
}

// Mean |ln(simulated / measured)| of aiconfigurator's curves: at most 5 % of all-reduces,
// all-gathers and reduce-scatters, at any size and from 1 MiB; 12 % of all-to-alls from 64 KiB.
TEST(CollectiveValidation, MeetsItsBars) {
    const auto gathers = [](const report::ValidationRow& row) {
        return is_curve(row) && row.operation != "all_to_all";
    };
    const report::ValidationMean all = mean_of_rows(gathers);
    EXPECT_EQ(all.answered, all.rows);
    EXPECT_EQ(all.rows, 256U);
    EXPECT_LE(all.mean, 0.05);
    EXPECT_LE(all.percentile, 0.15);
    EXPECT_LE(
        mean_of_rows([&](const auto& row) { return gathers(row) && row.size >= 1 << 20; }).mean,
        0.05);
    EXPECT_LE(mean_of_rows([&](const auto& row) {
                  return is_curve(row) && row.operation == "all_to_all" && row.size >= 1 << 16;
              }).mean,
              0.12);
}

// GB200 has B200's constants and was not calibrated on; 32 H100s over InfiniBand, from 16 MiB.
TEST(CollectiveValidation, MeetsItsBarsElsewhere) {
    const report::ValidationMean racks = mean_of_rows([](const report::ValidationRow& row) {
        return row.device == "GB200" && row.operation == "all_reduce";
    });
    EXPECT_EQ(racks.answered, 4U);
    EXPECT_LE(racks.mean, 0.065);
    const report::ValidationMean nodes = mean_of_rows([](const report::ValidationRow& row) {
        return row.group == "log309-4n" && row.size >= 16 << 20;
    });
    EXPECT_EQ(nodes.answered, 11U);
    EXPECT_LE(nodes.mean, 0.10);
}

// Bus bandwidth of all-reduces of 8 and 16 GiB by 4 to 8 GPUs, with NVLS and without: each row
// within 4 %. The rows' source does not allow copies, so that they are read where they lie.
TEST(CollectiveValidation, NvlsByNumberOfGpus) {
    const std::filesystem::path file =
        std::filesystem::path(NPUNET_SHARED_DIR) / "data/hardware/measurements.csv";
    if (!std::filesystem::exists(file)) {
        GTEST_SKIP() << "not there: " << file;
    }
    const report::ValidationRows all =
        validate_collectives(profile(), read_measured_collectives(file.string()));
    std::size_t rows = 0;
    for (const report::ValidationRow& row : all.rows) {
        if (row.group.rfind("nvls-", 0) == 0 && row.operation == "all_reduce") {
            ++rows;
            EXPECT_LE(std::abs(row.log_error()), 0.04) << row.id;
        }
    }
    EXPECT_EQ(rows, 22U);
}

TEST(CollectiveValidation, SkippedRowsSayWhy) {
    const test::TemporaryFolder folder;
    const std::string path = folder
                                 .write("rows.csv",
                                        "id,gpu,gpus,bytes,quantity,value,unit\n"
                                        "1,L40S,2,1024,all_reduce_time,8,us\n"
                                        "2,H100-SXM,about eight,1024,all_reduce_time,8,us\n"
                                        "3,H100-SXM,8,1024,matmul_tflops,8,TFLOP/s\n"
                                        "4,H100-SXM,8,1024,all_reduce_time,8,h\n"
                                        "5,H100-SXM,8,,all_reduce_time,8,us\n"
                                        "6,H100-SXM,8,1024,all_reduce_time,-1,us\n"
                                        "7,H100-SXM,1,1024,all_reduce_time,1,us\n"
                                        "8,H100-SXM,8,1073741824,all_reduce_busbw,460,GB/s\n")
                                 .string();
    const report::ValidationRows rows =
        validate_collectives(profile(), read_measured_collectives(path));
    ASSERT_EQ(rows.rows.size(), 8U);
    EXPECT_THAT(rows.rows[0].skipped, HasSubstr("'l40s'"));
    EXPECT_THAT(rows.rows[1].skipped, HasSubstr("'about eight'"));
    EXPECT_THAT(rows.rows[2].skipped, HasSubstr("not a collective"));
    EXPECT_THAT(rows.rows[3].skipped, HasSubstr("unit 'h'"));
    EXPECT_THAT(rows.rows[4].skipped, HasSubstr("size"));
    EXPECT_THAT(rows.rows[5].skipped, HasSubstr("value"));
    EXPECT_THAT(rows.rows[6].skipped, HasSubstr("one GPU"));
    EXPECT_EQ(rows.rows[7].skipped, "");
    EXPECT_NEAR(rows.rows[7].simulated, 460, 40);
    EXPECT_FALSE(rows.rows[7].calibrated);
    EXPECT_THAT(rows.rows[7].how, HasSubstr("NVLS"));
}

// Rows that a model of known constants has made give it back where they depend on it: the errors
// vanish. Two fits of the same rows are the same.
TEST(LibraryFit, FindsAModelAgain) {
    const engine::GpuArchitecture& hopper = *engine::GpuArchitecture::named("hopper");
    const engine::LibraryVersion version{2, 29, 2};
    engine::LibraryConstants made = starting_constants(hopper);
    made.base = {4.5, 11, 12};
    made.hop = {0.8, 1.2, 2.9};
    made.simple_link = 350;
    made.nvls_loop = 3;
    const engine::LibraryModel model(hopper, version, made);
    std::vector<MeasuredCollective> rows;
    for (const auto kind : {engine::CollectiveKind::AllReduce, engine::CollectiveKind::AllGather}) {
        for (const std::int32_t members : {2, 4, 8}) {
            for (std::int64_t bytes = 2048; bytes <= 512 << 20; bytes *= 4) {
                MeasuredCollective row;
                row.call.kind = kind;
                row.call.members = members;
                row.call.bytes = bytes;
                row.quantity = "time";
                row.unit = "us";
                row.value = static_cast<double>(
                                model.time(row.call, row.machine, row.override)->time.ps()) *
                            1e-6;
                rows.push_back(row);
            }
        }
    }
    const FittedGpu fitted = fit_library_gpu(hopper, version, rows);
    EXPECT_EQ(fitted.rows, rows.size());
    EXPECT_LT(fitted.mean_error, 0.005);
    EXPECT_NEAR(fitted.constants.simple_link, 350, 7);
    EXPECT_TRUE(fitted.calibrated[0]);
    EXPECT_FALSE(fitted.calibrated.back());  // no rows of several nodes
    const FittedGpu again = fit_library_gpu(hopper, version, rows);
    EXPECT_EQ(fitted.constants.simple_link, again.constants.simple_link);
}

// What is written is read back, constant by constant.
TEST(LibraryProfileText, IsReadBack) {
    const engine::LibraryProfile written = profile();
    const test::TemporaryFolder folder;
    const engine::LibraryProfile read = engine::read_library_profile(
        folder.write("profile.json", report::library_profile_text(written)).string());
    EXPECT_EQ(report::library_profile_text(read), report::library_profile_text(written));
}

}  // namespace
}  // namespace npunet::study
