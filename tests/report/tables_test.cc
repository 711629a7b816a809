#include "report/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/results/csv.h"
#include "report/results/npu_summary.h"
#include "report/results/step_summary.h"
#include "report/text_table.h"
#include "tests/report/sample_results.h"

namespace npunet::report::tables_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<Rank> ranks(std::initializer_list<std::int32_t> values) {
    std::vector<Rank> result;
    for (const std::int32_t value : values) {
        result.emplace_back(value);
    }
    return result;
}

TEST(Csv, NpusHaveOneRowARank) {
    const auto lines = lines_of(npus_csv(sample_results()));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(lines[0],
              "rank,class,finish_ns,compute_ns,comm_ns,exposed_comm_ns,exposed_memory_ns,idle_ns,"
              "peak_memory_bytes,compute_bound_percent,compute_utilization_percent,"
              "memory_utilization_percent,operation_intensity_flop_per_byte,bubble_percent,"
              "exposed_tp_ns,exposed_cp_ns,exposed_ep_ns,exposed_pp_ns,exposed_dp_ns,"
              "exposed_other_ns,memory_capacity_bytes,waiting_tp_ns,waiting_cp_ns,waiting_ep_ns,"
              "waiting_pp_ns,waiting_dp_ns,waiting_other_ns,bubble_of_step_percent");
    EXPECT_EQ(lines[1],
              "0,0,1000.25,600,300,300,0,100.25,1073741824,83.794,85.661,28.401,3523.082,"
              "11.13888888888889,50,0,0,0,250,0,4294967296,0,0,0,0,20,0,10.022494376405898");
    EXPECT_EQ(lines[4],
              "3,1,800,600,300,150,0,50,1073741824,83.794,85.661,28.401,3523.082,"
              "33.36666666666667,50,0,0,0,100,0,4294967296,0,0,0,0,20,0,25.018745313671584");
    engine::Results reference = sample_results();
    reference.npus[0].dimensions = nullptr;
    EXPECT_THAT(lines_of(npus_csv(reference))[1],
                testing::EndsWith("11.13888888888889,,,,,,,4294967296,,,,,,,10.022494376405898"));
}

TEST(Csv, CollectivesQuoteNamesAndSeparateRanksByBlanks) {
    const auto lines = lines_of(collectives_csv(sample_results()));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[2], "1,\"grad, layer 1\",all_to_all,0 1,ring,1000,500,500,900,2.5,200,5");
}

TEST(Csv, LinksSayHowLongTheyWereBusy) {
    const auto lines = lines_of(links_csv(sample_results()));
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[3], "npu2,npu0,0,0,0,0,4160,17,2,3,0,leaf-spine,0,0,0,5,0,0");
}

TEST(Csv, LinksHaveAColumnForEachClassWhereThereAreSeveral) {
    engine::Results results = sample_results();
    results.links[0].classes_wire = {Bytes(5), Bytes(7)};
    results.links[0].bound = Time::ps(2500);
    const auto lines = lines_of(links_csv(results));
    EXPECT_THAT(lines[0],
                ::testing::EndsWith(",link_bound_ns,link_class,pauses,marked,drops,notifications,"
                                    "class_0_wire_bytes,class_1_wire_bytes"));
    EXPECT_THAT(lines[1], ::testing::EndsWith(",3,2.5,NIC,0,0,0,5,5,7"));
    for (engine::LinkResult& link : results.links) {
        link.classes_wire.clear();
    }
    EXPECT_THAT(lines_of(links_csv(results))[0],
                ::testing::EndsWith(",marked,drops,notifications"));
}

TEST(Csv, QuotesAreDoubled) {
    engine::Results results;
    results.links.resize(1);
    results.links[0].from = "the \"first\"";
    results.links[0].to = "b";
    EXPECT_THAT(links_csv(results), HasSubstr("\n\"the \"\"first\"\"\",b,"));
}

TEST(TextTable, AlignsTextLeftAndNumbersRight) {
    TextTable table({"link", "bytes"});
    table.add({"a", "1000"});
    table.add({"longer", "1"});
    EXPECT_EQ(table.text(),
              "link    bytes\n"
              "-------------\n"
              "a        1000\n"
              "longer      1\n");
}

TEST(FormatRanks, JoinsNeighboursAndCutsLongLists) {
    EXPECT_EQ(format_ranks(ranks({3})), "3");
    EXPECT_EQ(format_ranks(ranks({0, 1, 2, 3, 8, 12, 13})), "0-3, 8, 12-13");
    EXPECT_EQ(format_ranks(ranks({0, 2, 4, 6}), 5), "0, 2, ... (4 ranks)");
    EXPECT_EQ(format_ranks({}), "");
}

// A class is shown by its slowest NPU: of ranks 0 (1000.25 ns) and 1 (900 ns) that is rank 0.
TEST(NpuClasses, ShowTheSlowestMember) {
    const engine::Results results = sample_results();
    const auto classes = npu_classes(results);
    ASSERT_EQ(classes.size(), 2u);
    EXPECT_EQ(classes[0].ranks, ranks({0, 1}));
    EXPECT_EQ(classes[0].slowest->rank, Rank(0));
    EXPECT_EQ(classes[1].slowest->rank, Rank(2));
}

TEST(SummaryTable, ShowsEachClassOnce) {
    EXPECT_EQ(summary_table(sample_results()),
              "packet: finished after 1.000 us (1000.25 ns), 4 ranks\n"
              "\n"
              "time: rank 0, the last to finish: compute 600 ns (60.0%), exposed communication 300 "
              "ns (30.0%), idle 100.25 ns (10.0%); bubble 10.0% of the step\n"
              "FLOPs: 51.4% of peak performance over the run, by the operations of the traces "
              "(HFU)\n"
              "exposed: TP 50 ns, DP 250 ns (20 ns of it waiting for late ranks)\n"
              "held up by: DP 270 ns, compute of other ranks 80.25 ns, TP 50 ns\n"
              "peak memory: 1 GiB of 4 GiB (25.0%) on rank 0 at 250 ns: weights 512 MiB, input 1 "
              "MiB and 3 more of 511 MiB\n"
              "bottleneck: the NICs carry data-parallel all_reduce and all_gather of rank 0 for "
              "250 ns, 230 ns of it exposed (23.0% of the run); rank 0 waits another 40 ns (4.0% "
              "of the run) for ranks that do the same\n"
              "bounds: the run takes 1.67x the compute of rank 0 (600 ns)\n"
              "\n"
              "ranks    finish         compute   communication  exposed communication              "
              " idle\n"
              "------------------------------------------------------------------------------------"
              "-----\n"
              "0-1    1.000 us  600 ns (60.0%)  300 ns (30.0%)         300 ns (30.0%)  100.25 ns "
              "(10.0%)\n"
              "2-3      800 ns  600 ns (75.0%)  300 ns (37.5%)         150 ns (18.8%)       50 ns "
              "(6.2%)\n");
}

// NPUs ascending, whichever ranks they have.
TEST(JobsTable, ShowsEachJob) {
    EXPECT_EQ(jobs_table(sample_jobs()),
              "packet: 2 jobs finished after 1.000 us (1000.25 ns)\n"
              "\n"
              "job     NPUs     start    finish   duration\n"
              "-------------------------------------------\n"
              "first   0-3       0 ns  1.000 us   1.000 us\n"
              "second  4-6, 9  250 ns  1.000 us  750.25 ns\n"
              "note: second: a choice\n");
}

TEST(SummaryTable, ShowsMemoryWhereItIsExposed) {
    engine::Results results = sample_results();
    results.npus[2].exposed_memory = Time::ns(200);
    EXPECT_THAT(summary_table(results), HasSubstr("  exposed memory  "));
    EXPECT_THAT(summary_table(results), HasSubstr("  200 ns (25.0%)  "));
}

// b = 1000.25 - 100.25 = 900 of 1000.25 ns; 800 - 50 = 750; 0 of what does nothing.
TEST(SummaryTable, ShowsBubblesWhenAsked) {
    engine::Results results = sample_results();
    const std::string text = summary_table(results, 16, true);
    EXPECT_THAT(text, HasSubstr("  bubble\n"));
    EXPECT_THAT(text, HasSubstr("100.25 ns (10.0%)   10.0%\n"));
    EXPECT_THAT(text, HasSubstr("50 ns (6.2%)   25.0%\n"));
    EXPECT_THAT(summary_table(results), Not(HasSubstr("  bubble\n")));
    results.npus[0].idle = results.npus[0].finish;
    results.npus[1].idle = results.npus[1].finish;
    EXPECT_THAT(summary_table(results, 16, true), HasSubstr("  100.0%\n"));
}

TEST(SummaryTable, BeginsWithAWarningWhereMemoryIsNotEnough) {
    engine::Results results = sample_results();
    results.npus[1].peak_memory = Bytes(std::int64_t{5} << 30);
    const std::string warning =
        "does not fit in memory: 1 of 4 NPUs use more than their memory-capacity; rank 1 most, 5 "
        "GiB of 4 GiB: 1 GiB too much";
    results.notes = {warning, "another"};
    const std::string text = summary_table(results);
    EXPECT_EQ(text.rfind("WARNING: " + warning + "\n\npacket: finished", 0), 0U) << text;
    EXPECT_THAT(text, Not(HasSubstr("note: does not fit")));
    EXPECT_THAT(text, HasSubstr("note: another"));
    EXPECT_EQ(step_summary_facts(results).front().second, warning);
    EXPECT_EQ(summary_table(sample_results()).rfind("packet: ", 0), 0U);
}

// 51.4 % executed: above MFU nothing is said, below it why.
TEST(SummaryTable, SaysWhyLessIsExecutedThanMfuCounts) {
    engine::Results results = sample_results();
    results.rates = sample_rates();
    EXPECT_THAT(summary_table(results), Not(HasSubstr("HFU")));
    results.rates->mfu_percent = 55;
    EXPECT_THAT(
        summary_table(results),
        HasSubstr("FLOPs: 51.4% of peak performance over the run, by the operations of the "
                  "traces (HFU): less than MFU, which counts the attention scores above the "
                  "diagonal that kernels skip\n"));
}

TEST(SummaryTable, LeavesOutTheEarliestClassesAndPrintsNotes) {
    engine::Results results = sample_results();
    results.notes = {"one ring in listed order"};
    const std::string text = summary_table(results, 1);
    EXPECT_THAT(text, HasSubstr("\n0-1 "));
    EXPECT_THAT(text, Not(HasSubstr("\n2-3 ")));
    EXPECT_THAT(text, HasSubstr("(classes of NPUs that finish earlier: 1)\n"));
    EXPECT_THAT(text, HasSubstr("note: one ring in listed order\n"));
}

TEST(HotLinks, AreOrderedByBusyTimeAndCarriedSomething) {
    EXPECT_EQ(hot_links(sample_results(), 10), (std::vector<std::size_t>{1, 0}));
    EXPECT_EQ(hot_links(sample_results(), 1), (std::vector<std::size_t>{1}));
}

TEST(HotLinks, EqualLinksKeepTheOrderOfTheTopology) {
    engine::Results results = sample_results();
    for (engine::LinkResult& link : results.links) {
        link.busy = Time::ns(1);
        link.wire = Bytes(1);
    }
    EXPECT_EQ(hot_links(results, 10), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(SummaryTable, HasTheRatesOfAStep) {
    engine::Results results = sample_results();
    EXPECT_THAT(summary_table(results), Not(HasSubstr("tokens/s")));
    results.rates = sample_rates();
    EXPECT_THAT(summary_table(results),
                HasSubstr("\nstep: 15084 tokens/s, 3.683 samples/s, 421.3 model TFLOP/s per NPU; "
                          "MFU 42.6% of 989 TFLOP/s (bf16 of h100-sxm5-80gb), by PaLM's count "
                          "43.0%\n"));
    results.rates->peak_tflops_per_npu = 0;
    EXPECT_THAT(summary_table(results), HasSubstr("421.3 model TFLOP/s per NPU\n"));
}

}  // namespace
}  // namespace npunet::report::tables_test
