#include "report/perfetto_trace.h"

#include <gtest/gtest.h>
#include <perfetto_trace.pb.h>

#include <map>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "tests/report/sample_results.h"

namespace npunet::report {
namespace {

using engine::Operation;
using engine::OperationKind;

/// What a viewer makes of the file: tracks, and the slices on them.
struct Timeline {
    struct Track {
        std::string name;
        std::string process;
        std::uint64_t open_since = 0;
        std::uint64_t now = 0;
        bool open = false;
    };
    struct Slice {
        std::string process, track, name;
        std::uint64_t begin, end;
        std::map<std::string, std::uint64_t> annotations;
    };

    std::map<std::uint64_t, Track> tracks;
    std::vector<Slice> slices;
    std::set<std::int32_t> pids;
};

void add_track(Timeline& timeline, const perfetto::TrackDescriptor& descriptor) {
    Timeline::Track track;
    track.name = descriptor.name();
    if (descriptor.has_process()) {
        track.process = descriptor.process().process_name();
        EXPECT_TRUE(timeline.pids.insert(descriptor.process().pid()).second);
    } else {
        ASSERT_TRUE(timeline.tracks.count(descriptor.parent_uuid()));
        track.process = timeline.tracks[descriptor.parent_uuid()].process;
    }
    EXPECT_NE(descriptor.uuid(), 0u);
    EXPECT_TRUE(timeline.tracks.emplace(descriptor.uuid(), track).second);
}

/// On each track begin and end alternate, and time does not run backwards.
void add_event(Timeline& timeline, const perfetto::TracePacket& packet) {
    const perfetto::TrackEvent& event = packet.track_event();
    ASSERT_TRUE(timeline.tracks.count(event.track_uuid())) << "a track is described before its use";
    Timeline::Track& track = timeline.tracks[event.track_uuid()];
    EXPECT_GE(packet.timestamp(), track.now);
    track.now = packet.timestamp();
    EXPECT_EQ(event.type(), track.open ? perfetto::TrackEvent::TYPE_SLICE_END
                                       : perfetto::TrackEvent::TYPE_SLICE_BEGIN);
    track.open = !track.open;
    if (track.open) {
        Timeline::Slice slice{track.process, track.name, event.name(), packet.timestamp(), 0, {}};
        for (const auto& annotation : event.debug_annotations()) {
            slice.annotations[annotation.name()] =
                annotation.has_uint_value() ? annotation.uint_value()
                                            : static_cast<std::uint64_t>(annotation.int_value());
        }
        track.open_since = timeline.slices.size();
        timeline.slices.push_back(slice);
    } else {
        timeline.slices[track.open_since].end = packet.timestamp();
    }
}

Timeline read_back(const engine::Results& results) {
    std::stringstream stream;
    write_perfetto_trace(results, stream);
    perfetto::Trace trace;
    EXPECT_TRUE(trace.ParseFromIstream(&stream));
    Timeline timeline;
    for (const perfetto::TracePacket& packet : trace.packet()) {
        EXPECT_NE(packet.trusted_packet_sequence_id(), 0u);
        if (packet.has_track_descriptor()) {
            add_track(timeline, packet.track_descriptor());
        } else {
            add_event(timeline, packet);
        }
    }
    for (const auto& [uuid, track] : timeline.tracks) {
        EXPECT_FALSE(track.open) << track.name;
    }
    return timeline;
}

TEST(PerfettoTrace, HasAProcessForEachRankAndATrackForEachKind) {
    const Timeline timeline = read_back(sample_results());
    EXPECT_EQ(timeline.pids, (std::set<std::int32_t>{1, 3}));
    std::multiset<std::pair<std::string, std::string>> tracks;
    for (const auto& [uuid, track] : timeline.tracks) {
        tracks.emplace(track.process, track.name);
    }
    // Two collectives of rank 0 overlap and need a track each; the compute operations touch.
    EXPECT_EQ(tracks, (std::multiset<std::pair<std::string, std::string>>{{"rank 0", ""},
                                                                          {"rank 0", "compute"},
                                                                          {"rank 0", "collective"},
                                                                          {"rank 0", "collective"},
                                                                          {"rank 2", ""},
                                                                          {"rank 2", "receive"}}));
}

// Timestamps are floor(ps / 1000); what is lost stands in the annotations.
TEST(PerfettoTrace, RoundsDownAndKeepsTheExactInstants) {
    const Timeline timeline = read_back(sample_results());
    ASSERT_EQ(timeline.slices.size(), 5u);
    const Timeline::Slice& first = timeline.slices[0];
    EXPECT_EQ(std::tie(first.process, first.track, first.name),
              std::make_tuple("rank 0", "compute", "matmul"));
    EXPECT_EQ(first.begin, 0u);
    EXPECT_EQ(first.end, 100u);
    EXPECT_EQ(first.annotations, (std::map<std::string, std::uint64_t>{
                                     {"node", 1}, {"start_ps", 0}, {"end_ps", 100'250}}));
    const Timeline::Slice& whole = timeline.slices[3];
    EXPECT_EQ(whole.annotations, (std::map<std::string, std::uint64_t>{{"node", 4}}));
}

// Whatever the overlaps: every operation is one slice, the slices of a kind sum to the operations
// of the kind, and a kind has as many tracks as operations of it were ever under way at once.
TEST(PerfettoTrace, SlicesSumToTheOperations) {
    std::mt19937_64 random(7);
    engine::Results results;
    for (std::int32_t rank = 0; rank < 5; ++rank) {
        std::int64_t now = 0;
        for (std::uint64_t node = 0; node < 400; ++node) {
            now += static_cast<std::int64_t>(random() % 50) * 1000;
            const auto length = static_cast<std::int64_t>(random() % 300) * 1000;
            const auto kind = static_cast<OperationKind>(random() % 6);
            results.operations.push_back(
                {Rank(rank), kind, node, "op", Time::ps(now), Time::ps(now + length)});
        }
    }
    std::map<std::string, std::uint64_t> expected;
    const std::vector<std::string> names{"compute", "cpu",        "send",
                                         "receive", "collective", "memory"};
    for (const Operation& operation : results.operations) {
        expected[names[static_cast<std::size_t>(operation.kind)]] +=
            static_cast<std::uint64_t>((operation.end - operation.start).ps() / 1000);
    }
    const Timeline timeline = read_back(results);
    EXPECT_EQ(timeline.slices.size(), results.operations.size());
    std::map<std::string, std::uint64_t> sums;
    for (const Timeline::Slice& slice : timeline.slices) {
        sums[slice.track] += slice.end - slice.begin;
    }
    EXPECT_EQ(sums, expected);
}

// Starts every 10 ns, each 25 ns long: three are under way at once, so three tracks and the
// process.
TEST(PerfettoTrace, UsesNoMoreTracksThanOperationsOverlap) {
    engine::Results results;
    for (std::uint64_t node = 0; node < 100; ++node) {
        const Time start = Time::ns(static_cast<std::int64_t>(node) * 10);
        results.operations.push_back(
            {Rank(0), OperationKind::Send, node, "op", start, start + Time::ns(25)});
    }
    EXPECT_EQ(read_back(results).tracks.size(), 1u + 3u);
}

TEST(PerfettoTrace, OfNothingIsEmpty) {
    EXPECT_TRUE(read_back(engine::Results()).slices.empty());
}

}  // namespace
}  // namespace npunet::report
