#include "report/timeline/perfetto_trace.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <perfetto_trace.pb.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "report/timeline/activity.h"

namespace npunet::report {

namespace {

using analysis::Interval;
using analysis::LinkLoad;
using analysis::RunTimeline;

/// One writer, one sequence: any number but 0 will do.
constexpr std::uint32_t sequence = 1;
constexpr std::uint32_t state_cleared = 1;
constexpr std::uint32_t needs_state = 2;

constexpr std::uint64_t nanoseconds(Time time) {
    return static_cast<std::uint64_t>(time.ps() / 1000);
}

/// How the parts of what several ranks carry out hang together.
class Flows {
public:
    explicit Flows(const RunTimeline& timeline) : joints_(count(timeline)) {
        const analysis::Intervals& rows = timeline.intervals;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (rows.joint(row) < 0) {
                continue;
            }
            Joint& joint = joints_[static_cast<std::size_t>(rows.joint(row))];
            if (joint.parts++ == 0 || rows.start(joint.last) <= rows.start(row)) {
                joint.last = row;
            }
        }
    }

    void add(perfetto::TrackEvent& event, std::int32_t number, std::size_t row) const {
        if (number < 0) {
            return;
        }
        const Joint& joint = joints_[static_cast<std::size_t>(number)];
        const auto id = static_cast<std::uint64_t>(number) + 1;
        if (joint.parts < 2) {
            return;
        }
        if (joint.last == row) {
            event.add_terminating_flow_ids(id);
        } else {
            event.add_flow_ids(id);
        }
    }

private:
    struct Joint {
        std::size_t parts = 0;
        std::size_t last = 0;  ///< the row that starts last
    };
    static std::size_t count(const RunTimeline& timeline) {
        return static_cast<std::size_t>(timeline.joints());
    }

    std::vector<Joint> joints_;
};

/// Links that get a counter, ascending: those that are busiest over the whole run.
std::vector<std::size_t> busiest(const LinkLoad& load) {
    std::vector<double> busy(load.links.size());
    std::vector<std::size_t> links(load.links.size());
    std::iota(links.begin(), links.end(), std::size_t{0});
    if (links.size() <= most_counters) {
        return links;
    }
    for (const std::size_t link : links) {
        for (std::size_t bin = 0; bin < load.bins; ++bin) {
            busy[link] += static_cast<double>(load.share(link, bin));
        }
    }
    std::stable_sort(links.begin(), links.end(),
                     [&](std::size_t a, std::size_t b) { return busy[a] > busy[b]; });
    links.resize(most_counters);
    std::sort(links.begin(), links.end());
    return links;
}

/// Writes packets as the repeated field of a Trace message, which is never held as a whole.
class TraceWriter {
public:
    TraceWriter(const RunTimeline& timeline, std::ostream& stream)
        : timeline_(timeline),
          flows_(timeline),
          known_names_(timeline.names.size(), false),
          buffered_(&stream),
          coded_(&buffered_) {}

    void write() {
        packet_.set_sequence_flags(state_cleared);
        Rank process;
        for (std::size_t row = 0; row < timeline_.intervals.size(); ++row) {
            const Interval interval = timeline_.intervals[row];
            if (interval.rank != process) {
                process = interval.rank;
                write_process(process.value() + 1, fmt::format("rank {}", process.value()));
                lanes_ = {};
            }
            write_interval(interval, row);
        }
        if (!timeline_.load.empty()) {
            write_process(process.value() + 2, "links");
            for (const std::size_t link : busiest(timeline_.load)) {
                write_load(link);
            }
        }
    }

private:
    struct Lane {
        std::uint64_t track;
        Time free_from;
    };

    void write_process(std::int32_t pid, const std::string& name) {
        process_ = ++tracks_;
        auto& descriptor = *packet_.mutable_track_descriptor();
        descriptor.set_uuid(process_);
        descriptor.mutable_process()->set_pid(pid);
        descriptor.mutable_process()->set_process_name(name);
        descriptor.set_child_ordering(perfetto::TrackDescriptor::EXPLICIT);
        flush_packet();
    }

    void write_interval(const Interval& interval, std::size_t row) {
        const std::uint64_t track = free_track(interval, track_of(timeline_.intervals, row));
        write_begin(interval, row, track);
        packet_.set_timestamp(nanoseconds(interval.end));
        packet_.mutable_track_event()->set_type(perfetto::TrackEvent::TYPE_SLICE_END);
        packet_.mutable_track_event()->set_track_uuid(track);
        flush_packet();
    }

    std::uint64_t free_track(const Interval& interval, Track kind) {
        std::vector<Lane>& lanes = lanes_[static_cast<std::size_t>(kind)];
        for (Lane& lane : lanes) {
            if (lane.free_from <= interval.start) {
                lane.free_from = interval.end;
                return lane.track;
            }
        }
        lanes.push_back({++tracks_, interval.end});
        auto& descriptor = *packet_.mutable_track_descriptor();
        descriptor.set_uuid(tracks_);
        descriptor.set_parent_uuid(process_);
        descriptor.set_name(name_of(kind));
        descriptor.set_sibling_order_rank(static_cast<std::int32_t>(kind));
        flush_packet();
        return tracks_;
    }

    void write_begin(const Interval& interval, std::size_t row, std::uint64_t track) {
        packet_.set_timestamp(nanoseconds(interval.start));
        packet_.set_sequence_flags(packet_.sequence_flags() | needs_state);
        auto& event = *packet_.mutable_track_event();
        event.set_type(perfetto::TrackEvent::TYPE_SLICE_BEGIN);
        event.set_track_uuid(track);
        event.add_categories(name_of(interval.category));
        event.set_name_iid(interned(interval.name));
        annotate(event, interval);
        flows_.add(event, interval.joint, row);
        flush_packet();
    }

    void annotate(perfetto::TrackEvent& event, const Interval& interval) const {
        auto& node = *event.add_debug_annotations();
        node.set_name("node");
        node.set_uint_value(interval.id);
        if (interval.start.ps() % 1000 != 0 || interval.end.ps() % 1000 != 0) {
            annotate(event, "start_ps", interval.start.ps());
            annotate(event, "end_ps", interval.end.ps());
        }
        if (interval.phase != analysis::Phase::Other) {
            annotate(event, "phase", name_of(interval.phase));
        }
        if (interval.micro_batch >= 0) {
            annotate(event, "micro_batch", interval.micro_batch);
        }
        if (interval.bytes >= Bytes(0)) {
            annotate(event, "bytes", interval.bytes.value());
        }
        if (interval.group >= 0) {
            annotate(event, "group",
                     timeline_.groups[static_cast<std::size_t>(interval.group)].name);
        }
        if (interval.peer.valid()) {
            annotate(event, "peer", interval.peer.value());
        }
    }

    static void annotate(perfetto::TrackEvent& event, const char* name, std::int64_t value) {
        auto& annotation = *event.add_debug_annotations();
        annotation.set_name(name);
        annotation.set_int_value(value);
    }

    static void annotate(perfetto::TrackEvent& event, const char* name, const std::string& text) {
        auto& annotation = *event.add_debug_annotations();
        annotation.set_name(name);
        annotation.set_string_value(text);
    }

    /// The number of a name, which goes out with the first packet that needs it.
    std::uint64_t interned(std::uint32_t name) {
        const std::uint64_t number = std::uint64_t{name} + 1;
        if (!known_names_[name]) {
            known_names_[name] = true;
            auto& entry = *packet_.mutable_interned_data()->add_event_names();
            entry.set_iid(number);
            entry.set_name(timeline_.names[name]);
        }
        return number;
    }

    /// The counter of a link: its value wherever it changes, and 0 at the end.
    void write_load(std::size_t link) {
        const LinkLoad& load = timeline_.load;
        double shown = 0;
        bool described = false;
        for (std::size_t bin = 0; bin <= load.bins; ++bin) {
            // Tenths of a percent: more would say nothing and make the file larger.
            const double percent =
                bin == load.bins
                    ? 0
                    : std::round(1000 * static_cast<double>(load.share(link, bin))) / 10;
            if (percent == shown) {
                continue;
            }
            if (!described) {
                described = true;
                describe_counter(load.links[link]);
            }
            shown = percent;
            packet_.set_timestamp(
                nanoseconds(std::min(static_cast<std::int64_t>(bin) * load.bin, timeline_.length)));
            auto& event = *packet_.mutable_track_event();
            event.set_type(perfetto::TrackEvent::TYPE_COUNTER);
            event.set_track_uuid(tracks_);
            event.set_double_counter_value(percent);
            flush_packet();
        }
    }

    void describe_counter(const LinkLoad::Link& link) {
        auto& descriptor = *packet_.mutable_track_descriptor();
        descriptor.set_uuid(++tracks_);
        descriptor.set_parent_uuid(process_);
        descriptor.set_name(fmt::format("{} -> {}", link.from, link.to));
        descriptor.mutable_counter()->set_unit_name("%");
        descriptor.set_sibling_order_rank(static_cast<std::int32_t>(tracks_ - process_));
        flush_packet();
    }

    void flush_packet() {
        using google::protobuf::internal::WireFormatLite;
        packet_.set_trusted_packet_sequence_id(sequence);
        coded_.WriteTag(WireFormatLite::MakeTag(perfetto::Trace::kPacketFieldNumber,
                                                WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
        coded_.WriteVarint64(packet_.ByteSizeLong());
        packet_.SerializeWithCachedSizes(&coded_);
        packet_.Clear();
    }

    const RunTimeline& timeline_;
    Flows flows_;
    std::vector<bool> known_names_;
    google::protobuf::io::OstreamOutputStream buffered_;
    google::protobuf::io::CodedOutputStream coded_;
    perfetto::TracePacket packet_;
    std::uint64_t tracks_ = 0;
    std::uint64_t process_ = 0;
    std::array<std::vector<Lane>, tracks> lanes_;
};

}  // namespace

void write_perfetto_trace(const RunTimeline& timeline, std::ostream& stream) {
    TraceWriter(timeline, stream).write();
}

void write_perfetto_trace(const RunTimeline& timeline, const std::filesystem::path& path) {
    AtomicFile file(path);
    write_perfetto_trace(timeline, file.stream());
    file.commit();
}

}  // namespace npunet::report
