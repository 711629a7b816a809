// Tables of kernel times: reading, errors, and a fit that finds the values that made a table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "base/errors.h"
#include "engine/device/kernel_time.h"
#include "study/kernels/kernel_ledger.h"
#include "study/kernels/profile_fit.h"
#include "tests/support/temporary_folder.h"

namespace npunet::study {
namespace {

using engine::DataType;
using engine::Kernel;
using engine::KernelTable;
using engine::KernelTableKind;
using engine::KernelTableOptions;

KernelTable table_of(const std::string& text, const KernelTableOptions& options = {}) {
    const test::TemporaryFolder folder;
    return engine::read_kernel_table(folder.write("times.csv", text).string(), options);
}

std::string message_of(const std::string& text, const KernelTableOptions& options = {}) {
    try {
        static_cast<void>(table_of(text, options));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(KernelTables, ColumnsTellTheKind) {
    const KernelTable products =
        table_of("m,n,k,time_us\n1,2,3,4.5\n", {"h100-sxm5-80gb", "bf16", {}});
    EXPECT_EQ(products.kind, KernelTableKind::Matmul);
    EXPECT_EQ(products.rows.at(0).matmul.k, 3);
    EXPECT_EQ(products.rows.at(0).type, DataType::Bf16);
    EXPECT_EQ(products.rows.at(0).line, 2U);
    const KernelTable attention = table_of(
        "gpu,dtype,batch,seq,heads,kv_heads,time_us,direction,causal\nB200,bf16,1,2,8,4,5,backward,"
        "0\n");
    EXPECT_EQ(attention.rows.at(0).kernel, Kernel::AttentionBackward);
    EXPECT_EQ(attention.rows.at(0).attention.kv_heads, 4);
    EXPECT_EQ(attention.rows.at(0).attention.head_dim, 128);
    EXPECT_FALSE(attention.rows.at(0).attention.causal);
    const KernelTable memory = table_of(
        "gpu,operation,bytes,time_us,cache\nA100,rms_norm,100,5,cold\nA100,what,100,5,cold\n"
        "A100,rms_norm,100,5,warm\n");
    EXPECT_EQ(memory.rows.at(0).kernel, Kernel::Norm);
    EXPECT_EQ(memory.rows.at(1).skipped, "unknown operation");
    EXPECT_EQ(memory.rows.at(2).skipped, "in the cache");
}

TEST(KernelTables, ErrorsNameLineAndColumn) {
    const KernelTableOptions options{"h200", "bf16", {}};
    EXPECT_THAT(message_of("m,n,k,time_us\n1,2,3,4\n1,x,3,4\n", options),
                testing::AllOf(testing::HasSubstr("line 3, n"), testing::HasSubstr("'x'")));
    EXPECT_THAT(message_of("m,n,k,time_us\n1,2,3,0\n", options), testing::HasSubstr("time_us"));
    EXPECT_THAT(message_of("m,n,time_us\n1,2,3\n", options), testing::HasSubstr("m,n,k"));
    EXPECT_THAT(message_of("m,n,k,time_us\n1,2,3,4\n"), testing::HasSubstr("--device"));
    EXPECT_THAT(message_of("m,n,k,time_us\n1,2,3,4\n", {"h200", "", {}}),
                testing::HasSubstr("--dtype"));
    EXPECT_THAT(message_of("m,n,k,time_us\n1,2,3,4\n", {"h200", "bf61", {}}),
                testing::HasSubstr("bf61"));
    EXPECT_THAT(message_of("m,n,k,time_us\n1,2,3,4\n", {"h200", "bf16", {{"x", "y"}}}),
                testing::HasSubstr("no column 'x'"));
}

TEST(KernelTables, ConditionsSelectRows) {
    const KernelTable table = table_of("m,n,k,time_us,state\n1,2,3,4,rested\n1,2,3,5,loaded\n",
                                       {"h200", "bf16", {{"state", "load"}}});
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(table.rows.front().measured_us, 5);
    EXPECT_EQ(table.rows.front().condition, "loaded");
}

TEST(KernelTables, NamesOfGpus) {
    EXPECT_EQ(engine::device_of_gpu("A100-SXM4-80GB"), "a100-sxm4-80gb");
    EXPECT_EQ(engine::device_of_gpu("H100-SXM 80GB"), "h100-sxm5-80gb");
    EXPECT_EQ(engine::device_of_gpu("B200"), "b200");
    EXPECT_EQ(engine::device_of_gpu("L40S"), "");
}

TEST(KernelLedgers, RowsWithoutAProfileAreListed) {
    const KernelTable table =
        table_of("gpu,dtype,m,n,k,time_us\nH100,bf16,4096,4096,4096,200\nL40S,bf16,8,8,8,1\n");
    const KernelLedger ledger = kernel_ledger(table, "");
    EXPECT_EQ(ledger.rows.at(1).skipped, "no profile of the device 'L40S'");
    EXPECT_EQ(ledger.all.back().summary.rows, 2U);
    EXPECT_EQ(ledger.all.back().summary.answered, 1U);
    const double predicted = ledger.rows.at(0).row.predicted_us;
    EXPECT_NEAR(predicted, 200, 40);
    EXPECT_DOUBLE_EQ(ledger.all.back().summary.mean, std::abs(predicted / 2 - 100));
    EXPECT_FALSE(ledger.rows.at(0).calibrated);
}

// Times that the model made with other values, by which the fit is judged.
TEST(ProfileFits, FindTheValuesThatMadeATable) {
    engine::DeviceProfile made = engine::load_device_profile("h100-sxm5-80gb");
    made.matmul[DataType::Bf16].efficiency = 0.7;
    made.matmul[DataType::Bf16].launch_us = 9;
    std::string text = "m,n,k,time_us\n";
    for (std::int64_t m = 256; m <= 8192; m *= 2) {
        for (std::int64_t n = 512; n <= 8192; n += 1280) {
            for (std::int64_t k = 512; k <= 8192; k += 1920) {
                text += fmt::format("{},{},{},{}\n", m, n, k,
                                    engine::matmul_us(made, DataType::Bf16, {1, m, n, k}));
            }
        }
    }
    const KernelTable table = table_of(text, {"h100-sxm5-80gb", "bf16", {}});
    engine::DeviceProfile profile = engine::load_device_profile("h100-sxm5-80gb");
    const std::vector<KernelFit> fits = fit_profile(profile, table, "made");
    ASSERT_EQ(fits.size(), 1U);
    EXPECT_EQ(fits.front().key, "matmul.bf16");
    EXPECT_LT(fits.front().left_out.front().summary.mean, 4);
    EXPECT_EQ(profile.sources.at("matmul.bf16"), "made");
    EXPECT_LT(made.matmul[DataType::Bf16].loaded_rate, 1);
    EXPECT_EQ(profile.matmul[DataType::Bf16].loaded_rate, made.matmul[DataType::Bf16].loaded_rate);
    engine::DeviceProfile again = engine::load_device_profile("a100-sxm4-80gb");
    again.multiprocessors = profile.multiprocessors;
    again.peak_tflops = profile.peak_tflops;
    again.memory_bandwidth = profile.memory_bandwidth;
    static_cast<void>(fit_profile(again, table, "made"));
    EXPECT_EQ(again.matmul.at(DataType::Bf16).efficiency,
              profile.matmul.at(DataType::Bf16).efficiency)
        << "the start does not depend on the old values";
}

TEST(ProfileFits, NeedEnoughRows) {
    engine::DeviceProfile profile = engine::load_device_profile("h100-sxm5-80gb");
    const KernelTable table =
        table_of("m,n,k,time_us\n4096,4096,4096,200\n", {"h100-sxm5-80gb", "bf16", {}});
    EXPECT_THROW(static_cast<void>(fit_profile(profile, table, "made")), InputError);
}

}  // namespace
}  // namespace npunet::study
