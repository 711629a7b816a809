#include "analysis/patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/errors.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::analysis {
namespace {

TEST(Patterns, MatchWholeNames) {
    EXPECT_TRUE(matches("*nccl*", "ncclDevKernel_AllReduce"));
    EXPECT_FALSE(matches("*nccl*", "NCCL"));
    EXPECT_FALSE(matches("nccl", "ncclKernel"));
    EXPECT_TRUE(matches("*pretrain*loss_func*", "pretrain_gpt.py(12): loss_func"));
    EXPECT_FALSE(matches("*pretrain*loss_func*", "loss_func in pretrain"));
    EXPECT_TRUE(matches("a?c", "abc"));
    EXPECT_FALSE(matches("a?c", "ac"));
    EXPECT_TRUE(matches("[a-c]x[^0-9]", "bxz"));
    EXPECT_FALSE(matches("[a-c]x[^0-9]", "bx7"));
    EXPECT_TRUE(matches("[]]", "]"));
    EXPECT_TRUE(matches("a[b", "a[b"));
    EXPECT_TRUE(matches("*a*b", "xaxbxb"));
    EXPECT_TRUE(matches("**", ""));
    EXPECT_FALSE(matches("", "a"));
}

class PatternFile : public testing::Test {
protected:
    [[nodiscard]] std::filesystem::path write(const std::string& text) const {
        return folder_.write("patterns.json", text);
    }

    test::TemporaryFolder folder_;
};

TEST_F(PatternFile, ReplacesAndAddsKeyByKey) {
    PatternTable patterns;
    patterns.read(write(R"({"kernel_comm+": ["*deepep*"], "forward_cpu_slice": ["*my_step*"]})"));
    EXPECT_EQ(patterns.of(Mark::CommunicationKernel),
              (std::vector<std::string>{"*nccl*", "*mccl*", "*deepep*"}));
    EXPECT_EQ(patterns.of(Mark::ForwardFrame), (std::vector<std::string>{"*my_step*"}));
    EXPECT_EQ(patterns.of(Mark::BackwardFrame), (std::vector<std::string>{"*backward_step*"}));

    profiles::StringTable strings;
    const auto kernel = strings.intern("deepep::dispatch nccl");
    const NameMarks marks(patterns, strings);
    EXPECT_TRUE(marks.has(kernel, Mark::CommunicationKernel));
    EXPECT_FALSE(marks.has(kernel, Mark::MemoryKernel));
}

TEST_F(PatternFile, IsRefusedWhereItMeansNothing) {
    const auto message = [&](const std::string& text) {
        return test::message_of<InputError>([&] { PatternTable().read(write(text)); });
    };
    EXPECT_THAT(message("[]"), testing::HasSubstr("no JSON object"));
    EXPECT_THAT(message(R"({"kernel_com": []})"), testing::HasSubstr("Did you mean kernel_comm?"));
    EXPECT_THAT(message(R"({"kernel_comm": "*a*"})"), testing::HasSubstr("a list of patterns"));
    EXPECT_THAT(message(R"({"kernel_comm": )" + std::string(100'000, '[')),
                testing::HasSubstr("65 deep"));
    EXPECT_THROW(PatternTable().read("/nonexistent"), InputError);
}

}  // namespace
}  // namespace npunet::analysis
