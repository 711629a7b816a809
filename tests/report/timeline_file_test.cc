// timeline.pb: what goes in comes out, and nothing that is wrong comes in.
#include "report/timeline/timeline_file.h"

#include <gtest/gtest.h>
#include <timeline.pb.h>

#include <functional>
#include <random>

#include "analysis/simulated_timeline.h"
#include "base/errors.h"
#include "report/html/report_pages.h"
#include "tests/report/sample_results.h"
#include "tests/report/sample_timeline.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace npunet::report::timeline_file_test {
namespace {

using analysis::RunTimeline;

std::string bytes_of(const RunTimeline& timeline, const InputList& inputs = {},
                     const engine::Results* results = nullptr) {
    const test::TemporaryFolder folder;
    write_timeline_file(timeline, inputs, results, folder / "timeline.pb");
    return test::bytes_of(folder / "timeline.pb");
}

void expect_equal(const RunTimeline& a, const RunTimeline& b) {
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.source, b.source);
    EXPECT_EQ(a.length, b.length);
    EXPECT_EQ(a.notes, b.notes);
    ASSERT_EQ(a.groups.size(), b.groups.size());
    for (std::size_t i = 0; i < a.groups.size(); ++i) {
        EXPECT_EQ(a.groups[i].name, b.groups[i].name);
        EXPECT_EQ(a.groups[i].ranks, b.groups[i].ranks);
    }
    EXPECT_EQ(a.load.bin, b.load.bin);
    EXPECT_EQ(a.load.bins, b.load.bins);
    EXPECT_EQ(a.load.kinds, b.load.kinds);
    EXPECT_EQ(a.load.shares, b.load.shares);
    ASSERT_EQ(a.load.links.size(), b.load.links.size());
    ASSERT_EQ(a.load.nodes.size(), b.load.nodes.size());
    for (std::size_t i = 0; i < a.load.links.size(); ++i) {
        EXPECT_EQ(a.load.links[i].to, b.load.links[i].to);
        EXPECT_EQ(a.load.links[i].kind, b.load.links[i].kind);
    }
    for (std::size_t i = 0; i < a.load.nodes.size(); ++i) {
        EXPECT_EQ(a.load.nodes[i].name, b.load.nodes[i].name);
        EXPECT_EQ(a.load.nodes[i].y, b.load.nodes[i].y);
    }
    ASSERT_EQ(a.intervals.size(), b.intervals.size());
    for (std::size_t i = 0; i < a.intervals.size(); ++i) {
        const analysis::Interval x = a.intervals[i];
        const analysis::Interval y = b.intervals[i];
        EXPECT_EQ(a.names[x.name], b.names[y.name]);
        EXPECT_EQ(a.names[x.lane], b.names[y.lane]);
        EXPECT_EQ(std::tie(x.rank, x.category, x.phase, x.dimension, x.micro_batch, x.start, x.end,
                           x.bytes, x.group, x.peer, x.joint, x.id),
                  std::tie(y.rank, y.category, y.phase, y.dimension, y.micro_batch, y.start, y.end,
                           y.bytes, y.group, y.peer, y.joint, y.id));
    }
}

TEST(TimelineFile, GivesBackWhatWasWritten) {
    RunTimeline timeline = sample_timeline();
    timeline.source = analysis::RunSource::Measured;
    timeline.notes = {"a note", std::string("bytes \xff that are no text")};
    const SavedTimeline saved =
        read_timeline(bytes_of(timeline, {{"--network", "ring.yml"}, {"--no-fold", ""}}), "t");
    expect_equal(timeline, saved.timeline);
    ASSERT_EQ(saved.inputs.size(), 2U);
    EXPECT_EQ(saved.inputs[0].name, "--network");
    EXPECT_EQ(saved.inputs[0].value, "ring.yml");
    RunTimeline step = step_timeline({4, 4, 2, 8, 2, 8});
    step.load.kinds = {"NIC", "leaf-spine"};
    step.load.links[1].kind = 1;
    expect_equal(step, read_timeline(bytes_of(step), "t").timeline);
    expect_equal(RunTimeline(), read_timeline(bytes_of(RunTimeline()), "t").timeline);
}

// The page of the results that come back is the page of those that were written.
TEST(TimelineFile, KeepsWhatThePageShows) {
    engine::Results step = sample_results();
    step.rates = sample_rates();
    for (const engine::Results& results : {sample_results(), sample_analytical(), step}) {
        const RunTimeline timeline = analysis::simulated_timeline(results);
        const InputList inputs{{"--network", "ring.yml"}};
        const SavedTimeline saved = read_timeline(bytes_of(timeline, inputs, &results), "t");
        ASSERT_TRUE(saved.results.has_value());
        EXPECT_EQ(results_page(*saved.results, saved.timeline, saved.inputs),
                  results_page(results, timeline, inputs));
    }
    EXPECT_FALSE(read_timeline(bytes_of(sample_timeline()), "t").timeline.intervals.empty());
    EXPECT_FALSE(read_timeline(bytes_of(sample_timeline()), "t").results.has_value());
}

TEST(TimelineFile, RefusesWhatIsWrong) {
    timeline::Timeline good;
    ASSERT_TRUE(good.ParseFromString(bytes_of(sample_timeline())));
    const std::pair<const char*, std::function<void(timeline::Timeline&)>> faults[] = {
        {"version", [](timeline::Timeline& file) { file.set_version(2); }},
        {"length_ps", [](timeline::Timeline& file) { file.set_length_ps(-1); }},
        {"columns", [](timeline::Timeline& file) { file.add_lane(0); }},
        {"names", [](timeline::Timeline& file) { file.add_names(file.names(0)); }},
        {"rank", [](timeline::Timeline& file) { file.set_rank(0, -1); }},
        {"name", [](timeline::Timeline& file) { file.set_name(0, 1000); }},
        {"category", [](timeline::Timeline& file) { file.set_category(0, 9); }},
        {"start_ps", [](timeline::Timeline& file) { file.set_start_ps(0, -5); }},
        {"start_ps", [](timeline::Timeline& file) { file.set_start_ps(0, INT64_MIN); }},
        {"start_ps", [](timeline::Timeline& file) { file.set_duration_ps(0, -5); }},
        {"load",
         [](timeline::Timeline& file) { file.mutable_load()->mutable_links(0)->set_kind(1); }},
        {"group", [](timeline::Timeline& file) { file.set_group(0, 7); }},
        {"peer", [](timeline::Timeline& file) { file.set_peer(0, -2); }},
        {"joint", [](timeline::Timeline& file) { file.set_joint(0, 1 << 30); }},
        {"groups", [](timeline::Timeline& file) { file.mutable_groups(0)->add_ranks(-3); }},
        {"load", [](timeline::Timeline& file) { file.mutable_load()->add_shares(0); }},
        {"load", [](timeline::Timeline& file) { file.mutable_load()->set_shares(0, 2); }},
        {"load", [](timeline::Timeline& file) { file.mutable_load()->set_bin_ps(-1); }}};
    for (const auto& [place, fault] : faults) {
        timeline::Timeline bad = good;
        fault(bad);
        const InputProblem problem =
            test::problem_of([&] { return read_timeline(bad.SerializeAsString(), "bad.pb"); });
        EXPECT_EQ(problem.file, "bad.pb");
        EXPECT_NE(problem.place.find(place), std::string::npos) << place << ": " << problem.place;
    }
}

// Bytes that were changed at random are refused or are a timeline; nothing else happens.
TEST(TimelineFile, EndsWellWhateverItReads) {
    const std::string good = bytes_of(sample_timeline());
    std::mt19937 random(5);
    std::size_t refused = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string bytes = good.substr(0, round % 3 == 0 ? random() % good.size() : good.size());
        for (std::size_t i = 0; i <= random() % 3 && !bytes.empty(); ++i) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        try {
            const SavedTimeline saved = read_timeline(bytes, "bad.pb");
            for (std::size_t i = 0; i < saved.timeline.intervals.size(); ++i) {
                ASSERT_LE(saved.timeline.intervals.start(i), saved.timeline.intervals.end(i));
            }
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 500U);
}

TEST(TimelineFile, SaysWhereThereIsNone) {
    EXPECT_THROW((void)read_timeline_file("no/such/timeline.pb"), InputError);
}

}  // namespace
}  // namespace npunet::report::timeline_file_test
