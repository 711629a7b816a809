#include "report/perfetto_trace.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/wire_format_lite.h>
#include <perfetto_trace.pb.h>

#include <array>
#include <cassert>
#include <cstdint>
#include <ostream>
#include <vector>

#include "base/atomic_file.h"

namespace npunet::report {

namespace {

using engine::Operation;

constexpr std::array<const char*, 6> kind_names{"compute", "cpu",        "send",
                                                "receive", "collective", "memory"};

/// One writer, one sequence: any number but 0 will do.
constexpr std::uint32_t sequence = 1;

constexpr std::uint64_t nanoseconds(Time time) {
    return static_cast<std::uint64_t>(time.ps() / 1000);
}

/// Writes packets as the repeated field of a Trace message, which is never held as a whole.
class TraceWriter {
public:
    explicit TraceWriter(std::ostream& stream) : buffered_(&stream), coded_(&buffered_) {}

    void write_process(Rank rank) {
        process_ = ++tracks_;
        lanes_ = {};
        auto& descriptor = *packet_.mutable_track_descriptor();
        descriptor.set_uuid(process_);
        descriptor.mutable_process()->set_pid(rank.value() + 1);
        descriptor.mutable_process()->set_process_name(fmt::format("rank {}", rank.value()));
        flush_packet();
    }

    void write_operation(const Operation& operation) {
        const std::uint64_t track = free_track(operation);
        write_begin(operation, track);
        packet_.set_timestamp(nanoseconds(operation.end));
        packet_.mutable_track_event()->set_type(perfetto::TrackEvent::TYPE_SLICE_END);
        packet_.mutable_track_event()->set_track_uuid(track);
        flush_packet();
    }

private:
    struct Lane {
        std::uint64_t track;
        Time free_from;
    };

    std::uint64_t free_track(const Operation& operation) {
        const auto kind = static_cast<std::size_t>(operation.kind);
        for (Lane& lane : lanes_[kind]) {
            if (lane.free_from <= operation.start) {
                lane.free_from = operation.end;
                return lane.track;
            }
        }
        lanes_[kind].push_back({++tracks_, operation.end});
        auto& descriptor = *packet_.mutable_track_descriptor();
        descriptor.set_uuid(tracks_);
        descriptor.set_parent_uuid(process_);
        descriptor.set_name(kind_names[kind]);
        flush_packet();
        return tracks_;
    }

    void write_begin(const Operation& operation, std::uint64_t track) {
        packet_.set_timestamp(nanoseconds(operation.start));
        auto& event = *packet_.mutable_track_event();
        event.set_type(perfetto::TrackEvent::TYPE_SLICE_BEGIN);
        event.set_track_uuid(track);
        event.add_categories(kind_names[static_cast<std::size_t>(operation.kind)]);
        event.set_name(operation.name);
        auto& node = *event.add_debug_annotations();
        node.set_name("node");
        node.set_uint_value(operation.node);
        if (operation.start.ps() % 1000 != 0 || operation.end.ps() % 1000 != 0) {
            annotate(event, "start_ps", operation.start);
            annotate(event, "end_ps", operation.end);
        }
        flush_packet();
    }

    static void annotate(perfetto::TrackEvent& event, const char* name, Time time) {
        auto& annotation = *event.add_debug_annotations();
        annotation.set_name(name);
        annotation.set_int_value(time.ps());
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

    google::protobuf::io::OstreamOutputStream buffered_;
    google::protobuf::io::CodedOutputStream coded_;
    perfetto::TracePacket packet_;
    std::uint64_t tracks_ = 0;
    std::uint64_t process_ = 0;
    std::array<std::vector<Lane>, kind_names.size()> lanes_;
};

}  // namespace

void write_perfetto_trace(const engine::Results& results, std::ostream& stream) {
    TraceWriter writer(stream);
    Rank process;
    for (const Operation& operation : results.operations) {
        if (operation.rank != process) {
            assert(process < operation.rank && "operations are sorted by rank");
            process = operation.rank;
            writer.write_process(process);
        }
        writer.write_operation(operation);
    }
}

void write_perfetto_trace(const engine::Results& results, const std::filesystem::path& path) {
    AtomicFile file(path);
    write_perfetto_trace(results, file.stream());
    file.commit();
}

}  // namespace npunet::report
