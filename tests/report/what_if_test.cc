#include "report/results/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/report/sample_results.h"

namespace npunet::report::what_if_test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

/// 400 us; 200 us with faster NICs; the same and not for want of effect; not run.
WhatIf sample() {
    WhatIf answers;
    answers.finish = Time::ns(400'000);
    answers.bound = bound_by(sample_results());
    WhatIfLine faster;
    faster.part = "scale_out_rate";
    faster.name = "NIC rate x 2";
    faster.factor = 2;
    faster.classes = {"NIC"};
    faster.finish = Time::ns(200'000);
    faster.bound = bound_by(sample_results());
    WhatIfLine same = faster;
    same.part = "scale_up_rate";
    same.name = "scale-up rate x 2";
    same.finish = answers.finish;
    same.note = "measured";
    WhatIfLine none;
    none.part = "latency";
    none.name = "latencies / 2";
    none.factor = 0.5;
    none.note = "the run stalls";
    answers.lines = {faster, same, none};
    return answers;
}

TEST(WhatIfTable, HasARowForEachLineAndItsNotes) {
    const std::string table = what_if_table(sample());
    EXPECT_THAT(table, testing::ContainsRegex("as it is +[^\n]* 400.0 us +-\n"));
    EXPECT_THAT(table, testing::ContainsRegex("NIC rate x 2 +[^\n]* 200.0 us +-50.0%\n"));
    EXPECT_THAT(table, testing::ContainsRegex("scale-up rate x 2 +[^\n]* 400.0 us +-\n"));
    EXPECT_THAT(table, testing::ContainsRegex("latencies / 2 +- +- +-\n"));
    EXPECT_THAT(table, HasSubstr("note: scale-up rate x 2: measured\n"));
    EXPECT_THAT(table, HasSubstr("note: latencies / 2: the run stalls\n"));
}

TEST(WhatIfJson, LeavesOutWhatIsNotKnown) {
    JsonWriter writer;
    write_what_if(writer, sample());
    const Json lines = Json::parse(writer.text());
    EXPECT_EQ(lines[0]["part"], "scale_out_rate");
    EXPECT_EQ(lines[0]["factor"], 2);
    EXPECT_EQ(lines[0]["links"], Json::parse(R"(["NIC"])"));
    EXPECT_EQ(lines[0]["finish_ns"], 200'000);
    EXPECT_EQ(lines[0]["change_percent"], -50);
    EXPECT_TRUE(lines[0]["bottleneck"].contains("exposed_ns"));
    EXPECT_FALSE(lines[0].contains("note"));
    EXPECT_EQ(lines[1]["finish_ns"], 400'000);
    EXPECT_FALSE(lines[1].contains("change_percent"));
    EXPECT_FALSE(lines[2].contains("finish_ns"));
    EXPECT_EQ(lines[2]["note"], "the run stalls");
}

// The words are those of the summary, in short.
TEST(BoundBy, SaysWhatTheRunSpendsItsTimeOn) {
    engine::NpuResult npu;
    engine::Results results;
    npu.finish = results.finish = Time::ns(1000);
    const auto words = [&](auto change) {
        engine::NpuResult changed = npu;
        change(changed);
        results.npus = {changed};
        return bound_by(results)->words;
    };
    EXPECT_EQ(words([](auto& n) { n.compute = Time::ns(850); }), "compute, 85.0%");
    EXPECT_EQ(words([](auto& n) { n.exposed_communication = Time::ns(600); }),
              "communication, 60.0% exposed");
    EXPECT_EQ(words([](auto& n) { n.exposed_memory = Time::ns(600); }),
              "remote memory, 60.0% exposed");
    EXPECT_EQ(words([](auto& n) { n.idle = Time::ns(600); }), "idle, 60.0%");
    EXPECT_FALSE(bound_by(engine::Results()).has_value());
}

}  // namespace
}  // namespace npunet::report::what_if_test
