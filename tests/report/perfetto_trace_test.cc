#include "report/timeline/perfetto_trace.h"

#include <gtest/gtest.h>
#include <perfetto_trace.pb.h>

#include <map>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "report/timeline/activity.h"
#include "tests/report/sample_timeline.h"

namespace npunet::report::perfetto_trace_test {
namespace {

using analysis::Category;
using analysis::Dimension;
using analysis::Phase;
using analysis::RunTimeline;

/// What a viewer makes of the file: tracks, the slices on them, counters, and flows.
struct Timeline {
    struct Track {
        std::string name;
        std::string process;
        std::size_t open_slice = 0;
        std::uint64_t now = 0;
        bool open = false;
        bool counter = false;
    };
    struct Slice {
        std::string process, track, name;
        std::uint64_t begin, end;
        std::map<std::string, std::string> annotations;
    };

    std::map<std::uint64_t, Track> tracks;
    std::vector<Slice> slices;
    std::set<std::int32_t> pids;
    std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> counters;
    std::map<std::uint64_t, std::vector<std::size_t>> flows;  ///< slices by id, the last one last
    std::set<std::uint64_t> ended_flows;
    std::map<std::uint64_t, std::string> names;
};

void add_track(Timeline& timeline, const perfetto::TrackDescriptor& descriptor) {
    Timeline::Track track;
    track.name = descriptor.name();
    track.counter = descriptor.has_counter();
    if (descriptor.has_process()) {
        track.process = descriptor.process().process_name();
        EXPECT_TRUE(timeline.pids.insert(descriptor.process().pid()).second);
        EXPECT_EQ(descriptor.child_ordering(), perfetto::TrackDescriptor::EXPLICIT);
    } else {
        ASSERT_TRUE(timeline.tracks.count(descriptor.parent_uuid()));
        track.process = timeline.tracks[descriptor.parent_uuid()].process;
    }
    EXPECT_NE(descriptor.uuid(), 0u);
    EXPECT_TRUE(timeline.tracks.emplace(descriptor.uuid(), track).second);
}

void begin_slice(Timeline& timeline, Timeline::Track& track, const perfetto::TracePacket& packet) {
    const perfetto::TrackEvent& event = packet.track_event();
    EXPECT_NE(packet.sequence_flags() & 2, 0u) << "names are interned";
    ASSERT_TRUE(timeline.names.count(event.name_iid())) << "a name is there before its use";
    Timeline::Slice slice{track.process,      track.name, timeline.names[event.name_iid()],
                          packet.timestamp(), 0,          {}};
    for (const auto& annotation : event.debug_annotations()) {
        slice.annotations[annotation.name()] =
            annotation.has_uint_value()  ? std::to_string(annotation.uint_value())
            : annotation.has_int_value() ? std::to_string(annotation.int_value())
                                         : annotation.string_value();
    }
    track.open_slice = timeline.slices.size();
    for (const std::uint64_t flow : event.flow_ids()) {
        timeline.flows[flow].push_back(timeline.slices.size());
    }
    for (const std::uint64_t flow : event.terminating_flow_ids()) {
        EXPECT_TRUE(timeline.ended_flows.insert(flow).second);
        timeline.flows[flow].push_back(timeline.slices.size());
    }
    timeline.slices.push_back(slice);
}

/// On each track begin and end alternate, and time does not run backwards.
void add_event(Timeline& timeline, const perfetto::TracePacket& packet) {
    const perfetto::TrackEvent& event = packet.track_event();
    ASSERT_TRUE(timeline.tracks.count(event.track_uuid())) << "a track is described before its use";
    Timeline::Track& track = timeline.tracks[event.track_uuid()];
    EXPECT_GE(packet.timestamp(), track.now);
    track.now = packet.timestamp();
    if (track.counter) {
        EXPECT_EQ(event.type(), perfetto::TrackEvent::TYPE_COUNTER);
        timeline.counters[track.name].emplace_back(packet.timestamp(),
                                                   event.double_counter_value());
        return;
    }
    EXPECT_EQ(event.type(), track.open ? perfetto::TrackEvent::TYPE_SLICE_END
                                       : perfetto::TrackEvent::TYPE_SLICE_BEGIN);
    track.open = !track.open;
    if (track.open) {
        begin_slice(timeline, track, packet);
    } else {
        timeline.slices[track.open_slice].end = packet.timestamp();
    }
}

std::string bytes_of(const RunTimeline& timeline) {
    std::ostringstream stream;
    write_perfetto_trace(timeline, stream);
    return stream.str();
}

Timeline read_back(const RunTimeline& written) {
    perfetto::Trace trace;
    EXPECT_TRUE(trace.ParseFromString(bytes_of(written)));
    Timeline timeline;
    for (int i = 0; i < trace.packet_size(); ++i) {
        const perfetto::TracePacket& packet = trace.packet(i);
        EXPECT_NE(packet.trusted_packet_sequence_id(), 0u);
        EXPECT_EQ((packet.sequence_flags() & 1) != 0, i == 0) << "forgets what others interned";
        for (const perfetto::EventName& name : packet.interned_data().event_names()) {
            EXPECT_NE(name.iid(), 0u);
            EXPECT_TRUE(timeline.names.emplace(name.iid(), name.name()).second);
        }
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

/// Walks the bytes by the rules of protobuf alone: which numbers are where, as which wire type.
class Wire {
public:
    /// `messages`: the paths of fields that hold messages.
    explicit Wire(std::set<std::string> messages) : messages_(std::move(messages)) {}

    void walk(std::string_view bytes, const std::string& path) {
        while (!bytes.empty()) {
            const std::uint64_t tag = varint(bytes);
            const std::string field = path + "." + std::to_string(tag >> 3);
            found.insert(field + ":" + std::to_string(tag & 7));
            switch (tag & 7) {
                case 0:
                    (void)varint(bytes);
                    break;
                case 1:
                    bytes.remove_prefix(8);
                    break;
                case 2: {
                    const std::uint64_t length = varint(bytes);
                    if (messages_.count(field) != 0) {
                        walk(bytes.substr(0, length), field);
                    }
                    bytes.remove_prefix(length);
                    break;
                }
                default:
                    FAIL() << field;
            }
        }
    }

    std::set<std::string> found;

private:
    static std::uint64_t varint(std::string_view& bytes) {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes.front());
            bytes.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) {
                return value;
            }
        }
    }

    std::set<std::string> messages_;
};

// Field numbers and wire types of the public schema, read off it and not off our .proto file.
TEST(PerfettoTrace, HasTheNumbersOfThePublicSchema) {
    Wire wire({".1", ".1.11", ".1.11.4", ".1.12", ".1.12.2", ".1.60", ".1.60.3", ".1.60.8"});
    wire.walk(bytes_of(sample_timeline()), "");
    EXPECT_EQ(wire.found, (std::set<std::string>{
                              ".1:2",          // Trace.packet
                              ".1.8:0",        // timestamp
                              ".1.10:0",       // trusted_packet_sequence_id
                              ".1.13:0",       // sequence_flags
                              ".1.11:2",       // track_event
                              ".1.11.4:2",     // debug_annotations
                              ".1.11.4.3:0",   // uint_value
                              ".1.11.4.4:0",   // int_value
                              ".1.11.4.6:2",   // string_value
                              ".1.11.4.10:2",  // name
                              ".1.11.9:0",     // type
                              ".1.11.10:0",    // name_iid
                              ".1.11.11:0",    // track_uuid
                              ".1.11.22:2",    // categories
                              ".1.11.44:1",    // double_counter_value
                              ".1.11.47:1",    // flow_ids
                              ".1.11.48:1",    // terminating_flow_ids
                              ".1.12:2",       // interned_data
                              ".1.12.2:2",     // event_names
                              ".1.12.2.1:0",   // iid
                              ".1.12.2.2:2",   // name
                              ".1.60:2",       // track_descriptor
                              ".1.60.1:0",     // uuid
                              ".1.60.2:2",     // name
                              ".1.60.3:2",     // process
                              ".1.60.3.1:0",   // pid
                              ".1.60.3.6:2",   // process_name
                              ".1.60.5:0",     // parent_uuid
                              ".1.60.8:2",     // counter
                              ".1.60.8.6:2",   // unit_name
                              ".1.60.11:0",    // child_ordering
                              ".1.60.12:0",    // sibling_order_rank
                          }));
}

TEST(PerfettoTrace, HasAProcessForEachRankAndATrackForEachDimension) {
    const Timeline timeline = read_back(sample_timeline());
    EXPECT_EQ(timeline.pids, (std::set<std::int32_t>{1, 3, 4}));
    std::multiset<std::pair<std::string, std::string>> found;
    for (const auto& [uuid, track] : timeline.tracks) {
        found.emplace(track.process, track.name);
    }
    // Two sums of gradients of rank 0 overlap and need a track each.
    EXPECT_EQ(found,
              (std::multiset<std::pair<std::string, std::string>>{{"rank 0", ""},
                                                                  {"rank 0", "compute"},
                                                                  {"rank 0", "TP"},
                                                                  {"rank 0", "DP"},
                                                                  {"rank 0", "DP"},
                                                                  {"rank 0", "PP"},
                                                                  {"rank 0", "optimizer"},
                                                                  {"rank 2", ""},
                                                                  {"rank 2", "TP"},
                                                                  {"rank 2", "DP"},
                                                                  {"rank 2", "PP"},
                                                                  {"links", ""},
                                                                  {"links", "npu0 -> npu2"}}));
}

// Timestamps are floor(ps / 1000); what is lost stands in the annotations.
TEST(PerfettoTrace, RoundsDownAndKeepsTheExactInstants) {
    const Timeline timeline = read_back(sample_timeline());
    ASSERT_EQ(timeline.slices.size(), 9u);
    const Timeline::Slice& first = timeline.slices[0];
    EXPECT_EQ(std::tie(first.process, first.track, first.name),
              std::make_tuple("rank 0", "compute", "mlp"));
    EXPECT_EQ(first.begin, 0u);
    EXPECT_EQ(first.end, 100u);
    EXPECT_EQ(first.annotations,
              (std::map<std::string, std::string>{
                  {"node", "1"}, {"start_ps", "0"}, {"end_ps", "100250"}, {"phase", "forward"}}));
    EXPECT_EQ(timeline.slices[1].annotations,
              (std::map<std::string, std::string>{
                  {"node", "2"}, {"phase", "forward"}, {"bytes", "1000"}, {"group", "1"}}));
}

// One flow each for the two collectives that both ranks take part in and for the message; none
// where one part alone is there. It ends at the part that starts last.
TEST(PerfettoTrace, FlowsJoinWhatBelongsTogether) {
    const Timeline timeline = read_back(sample_timeline());
    ASSERT_EQ(timeline.flows.size(), 3u);
    EXPECT_EQ(timeline.ended_flows.size(), 3u);
    std::set<std::pair<std::string, std::string>> ends;
    for (const auto& [id, slices] : timeline.flows) {
        ASSERT_EQ(slices.size(), 2u);
        ends.emplace(timeline.slices[slices[0]].name, timeline.slices[slices[1]].name);
        EXPECT_NE(timeline.slices[slices[0]].process, timeline.slices[slices[1]].process);
    }
    EXPECT_EQ(ends, (std::set<std::pair<std::string, std::string>>{
                        {"sum", "sum"}, {"gradients", "gradients"}, {"send", "receive"}}));
}

// 0, 50, 50 and 100 percent in bins of 50 ns: a value where it changes, and 0 at the end; nothing
// of a link that was never used.
TEST(PerfettoTrace, CountsTheLoadOfLinks) {
    const Timeline timeline = read_back(sample_timeline());
    ASSERT_EQ(timeline.counters.size(), 1u);
    EXPECT_EQ(timeline.counters.at("npu0 -> npu2"),
              (std::vector<std::pair<std::uint64_t, double>>{{50, 50}, {150, 100}, {200, 0}}));
}

// Whatever the overlaps: every interval is one slice, and the slices of a track's name sum to the
// intervals that belong there.
TEST(PerfettoTrace, SlicesSumToTheIntervals) {
    std::mt19937_64 random(7);
    RunTimeline written;
    const std::uint32_t name = written.names.number_of("op");
    for (std::int32_t rank = 0; rank < 5; ++rank) {
        for (std::uint64_t node = 0; node < 400; ++node) {
            analysis::Interval row;
            row.rank = Rank(rank);
            row.name = name;
            row.category = static_cast<Category>(random() % analysis::categories);
            row.phase = static_cast<Phase>(random() % analysis::phases);
            row.dimension = static_cast<Dimension>(random() % analysis::dimensions);
            row.start = Time::ns(static_cast<std::int64_t>(random() % 9000));
            row.end = row.start + Time::ns(static_cast<std::int64_t>(random() % 300));
            written.intervals.add(row);
        }
    }
    written.finish();
    std::map<std::string, std::uint64_t> expected;
    for (std::size_t row = 0; row < written.intervals.size(); ++row) {
        expected[name_of(track_of(written.intervals, row))] += static_cast<std::uint64_t>(
            (written.intervals.end(row) - written.intervals.start(row)).ps() / 1000);
    }
    EXPECT_EQ(expected.size(), tracks);
    const Timeline timeline = read_back(written);
    EXPECT_EQ(timeline.slices.size(), written.intervals.size());
    std::map<std::string, std::uint64_t> sums;
    for (const Timeline::Slice& slice : timeline.slices) {
        sums[slice.track] += slice.end - slice.begin;
    }
    EXPECT_EQ(sums, expected);
}

// Starts every 10 ns, each 25 ns long: three are under way at once, so three tracks and the
// process.
TEST(PerfettoTrace, UsesNoMoreTracksThanIntervalsOverlap) {
    RunTimeline written;
    const std::uint32_t name = written.names.number_of("op");
    for (std::int64_t i = 0; i < 100; ++i) {
        analysis::Interval row;
        row.rank = Rank(0);
        row.name = name;
        row.start = Time::ns(10 * i);
        row.end = row.start + Time::ns(25);
        written.intervals.add(row);
    }
    written.finish();
    EXPECT_EQ(read_back(written).tracks.size(), 1u + 3u);
}

TEST(PerfettoTrace, OfNothingIsEmpty) {
    EXPECT_TRUE(read_back(RunTimeline()).slices.empty());
}

}  // namespace
}  // namespace npunet::report::perfetto_trace_test
