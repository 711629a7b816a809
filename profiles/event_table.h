// What one rank's profile holds: the events of a Kineto trace (PyTorch's profiler), in columns.
//
//     const EventTable trace = read_profile("rank_0000_iter_15.pt.trace.json");
//     for (std::size_t i = 0; i < trace.size(); ++i) {
//         if (trace.category[i] == EventCategory::Kernel) {
//             busy += trace.duration_ns[i];          // on trace.tracks[trace.track[i]].stream
//         }
//     }
//
// An event is known by its number, which is its place among the file's complete events ("ph": "X");
// columns that every event has are vectors by that number. What few events have (collectives,
// synchronization, autograd, inputs of operators, copied bytes) stands in tables of its own,
// ascending by event; row_of() finds an event's row. Flows have a separate table. Whatever is
// dropped is listed in the counts and the damage.
//
// Times are nanoseconds, read from the decimal text of the file without rounding (a fourth decimal
// of a microsecond and beyond is rounded half away from zero), as the file has them: the wall clock
// is base_time_ns + start_ns, which is what may be compared between ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "profiles/string_table.h"

namespace npunet::profiles {

using EventId = std::uint32_t;
inline constexpr EventId no_event = std::numeric_limits<EventId>::max();

/// An argument that the file does not give.
inline constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::min();

/// Limits that keep sums of times within 64 bits: 13 days per event, a begin within 73 years of its
/// clock's zero, 104 days of GPU work over all streams. Values beyond are damage.
inline constexpr std::int64_t longest_event_ns = std::int64_t{1} << 50;
inline constexpr std::int64_t latest_start_ns = std::int64_t{1} << 61;
inline constexpr std::int64_t most_gpu_work_ns = std::int64_t{1} << 53;

enum class EventCategory : std::uint8_t {
    CpuOp,              ///< cpu_op; Operator in 2021
    PythonFunction,     ///< python_function
    UserAnnotation,     ///< user_annotation
    GpuUserAnnotation,  ///< gpu_user_annotation: spans kernels, is none
    Runtime,            ///< cuda_runtime (HIP's too), Runtime, privateuse1_runtime
    Driver,             ///< cuda_driver
    Kernel,             ///< kernel, Kernel
    GpuMemcpy,          ///< gpu_memcpy, Memcpy
    GpuMemset,          ///< gpu_memset, Memset
    Sync,               ///< cuda_sync
    Trace,              ///< the profiler's own span
    Overhead,           ///< overhead
    Other
};

/// Kernel, GpuMemcpy or GpuMemset: what occupies a stream.
[[nodiscard]] constexpr bool is_gpu_work(EventCategory category) {
    return category == EventCategory::Kernel || category == EventCategory::GpuMemcpy ||
           category == EventCategory::GpuMemset;
}

/// A thread of the CPU or a stream of a GPU: what has one pid and tid in the file.
struct Track {
    StringId pid = 0;  ///< as text
    StringId tid = 0;
    StringId name = 0;          ///< of metadata: "thread 542 (pt_autograd_0)", "stream 7 "
    StringId process_name = 0;  ///< of metadata
    bool gpu = false;           ///< has GPU work, or synchronization as the GPU sees it
    std::int32_t device = -1;   ///< of its GPU work; -1: none
    std::int64_t stream = -1;
};

/// One communicator of distributedInfo.pg_config.
struct ProcessGroup {
    std::string name;
    std::string description;  ///< Megatron's group_desc; may be "undefined" or empty
    std::int64_t size = 0;
    std::vector<std::int32_t> ranks;  ///< global; empty when not given or cut off
};

struct Device {
    std::int64_t id = 0;
    std::string name;
    std::int64_t multiprocessors = 0;
};

/// One end of an arrow. Ends with the same id and category belong together; each stands at the
/// start of its event (the innermost event of its track that begins at start_ns).
struct Flow {
    std::int64_t id = 0;
    std::int64_t start_ns = 0;
    std::uint32_t track = 0;
    StringId category = 0;  ///< "fwdbwd", "ac2g"; in 2021 "async", "forward_backward"
    bool begins = true;     ///< "s"; else "f" (or "t")
};

/// Arguments of a collective or of a send or receive, on its kernel or on its CPU operation
/// (record_param_comms). Counts are elements of `dtype`; absent or 0 (no text) when not given.
struct CollectiveArgs {
    EventId event = 0;
    StringId collective = 0;  ///< "allreduce", "_allgather_base", "all_to_allv", "send", ...
    StringId dtype = 0;       ///< "BFloat16"; element_bytes()
    std::int64_t in_elements = absent;
    std::int64_t out_elements = absent;
    std::int64_t group_size = absent;
    StringId group_name = 0;         ///< "Process Group Name"; the older "Process Group ID"
    StringId group_description = 0;  ///< "Process Group Description"
    StringId group_ranks = 0;        ///< text "[0, 1]"; may be cut off with "..."
    StringId in_split = 0;           ///< text "[]", "[5, 3]"; may be cut off
    StringId out_split = 0;
    std::int64_t source = absent;  ///< "Src Rank"
    std::int64_t destination = absent;
    std::int64_t sequence = absent;  ///< "Seq", in its group
    StringId input_dims = 0;         ///< text "[[6144], []]", of CPU operations
    StringId input_types = 0;        ///< text "[\"float\", \"Scalar\"]"
};

/// Arguments of an event of category Sync.
struct SyncArgs {
    EventId event = 0;
    std::int64_t stream = absent;  ///< that waits; -1: the host
    std::int64_t wait_on_stream = absent;
    std::int64_t wait_on_event = absent;               ///< "wait_on_cuda_event_id"
    std::int64_t wait_on_record_correlation = absent;  ///< of the record that is waited for
};

/// What joins CPU operations with each other and with PyTorch execution traces.
struct CpuOpArgs {
    EventId event = 0;
    std::int64_t record_function_id = absent;  ///< rf_id of an execution trace
    std::int64_t sequence = absent;            ///< "Sequence number": forward and backward share it
    std::int64_t forward_thread = absent;      ///< "Fwd thread id": of a backward operation
};

/// The inputs of an operator of PyTorch (record_shapes), as texts; 0 where they are not given.
struct OperatorArgs {
    EventId event = 0;
    StringId input_dims = 0;       ///< "[[8, 4], [4, 2]]"
    StringId input_types = 0;      ///< "[\"float\", \"float\"]"
    StringId concrete_inputs = 0;  ///< "[\"\", \"\"]", of operators of attention
};

/// Bytes of a copy or set.
struct MemoryArgs {
    EventId event = 0;
    std::int64_t bytes = 0;
};

/// What could not be read, and where the first such places are.
struct Damage {
    struct Place {
        std::uint64_t line = 0;  ///< from 1; 0: unknown, the event is given by name
        std::uint64_t byte = 0;  ///< from 0, in the decompressed file
        std::string what;
    };
    /// Events read after a repair, such as inserting null for a missing value or leaving out an
    /// argument.
    std::uint64_t repaired_events = 0;
    std::uint64_t skipped_events = 0;  ///< not read
    bool cut_off = false;              ///< the file ends before its end
    std::vector<Place> first;          ///< the first few, including those outside events

    [[nodiscard]] bool any() const {
        return repaired_events + skipped_events > 0 || cut_off || !first.empty();
    }
    /// ", first at line 3 (byte 120): 'dur' is null, ..."; empty if no place is known.
    [[nodiscard]] std::string first_text() const;
};

/// How many events of one category ("-": without one) the file has, of whatever phase.
struct CategoryCount {
    StringId category = 0;
    std::uint64_t events = 0;
};

struct EventTable {
    std::string file;
    std::int64_t schema_version = 0;
    std::int64_t base_time_ns = 0;     ///< baseTimeNanoseconds; 0 when times are absolute
    std::optional<std::int32_t> rank;  ///< of distributedInfo, else of the file's name
    std::int32_t world_size = 0;       ///< 0: not given
    std::string backend;
    std::vector<ProcessGroup> groups;
    std::vector<Device> devices;
    std::uint64_t bytes = 0;   ///< of the decompressed file
    std::uint64_t events = 0;  ///< of every phase, those skipped left out
    std::vector<CategoryCount> counts;
    Damage damage;

    StringTable strings;
    std::vector<Track> tracks;

    std::vector<EventCategory> category;
    std::vector<StringId> name;
    std::vector<std::uint32_t> track;
    std::vector<std::int64_t> start_ns;
    std::vector<std::int64_t> duration_ns;  ///< at least 0
    std::vector<std::int64_t> correlation;  ///< of launches and what they launch; or absent
    std::vector<std::int64_t> external_id;  ///< of the CPU operation; or absent

    std::vector<Flow> flows;
    std::vector<CollectiveArgs> collectives;
    std::vector<SyncArgs> syncs;
    std::vector<CpuOpArgs> cpu_ops;
    std::vector<OperatorArgs> operators;
    std::vector<MemoryArgs> copies;

    [[nodiscard]] std::size_t size() const { return start_ns.size(); }
    [[nodiscard]] std::int64_t end_ns(EventId event) const {
        return start_ns[event] + duration_ns[event];
    }
    [[nodiscard]] std::string_view name_of(EventId event) const { return strings[name[event]]; }
    [[nodiscard]] const Track& track_of(EventId event) const { return tracks[track[event]]; }
    [[nodiscard]] const CollectiveArgs* collective_of(EventId event) const {
        return row_of(collectives, event);
    }

    /// The row of an event in one of the tables above; null when it has none.
    template <class Row>
    [[nodiscard]] static const Row* row_of(const std::vector<Row>& rows, EventId event) {
        const auto row =
            std::lower_bound(rows.begin(), rows.end(), event,
                             [](const Row& one, EventId id) { return one.event < id; });
        return row != rows.end() && row->event == event ? &*row : nullptr;
    }
};

/// Bytes of one element of a "dtype" ("BFloat16": 2); none for a name that is not known.
[[nodiscard]] std::optional<std::int64_t> element_bytes(std::string_view dtype);

/// The ranks of a text "[0, 1]"; none when it is no such list or was cut off.
[[nodiscard]] std::optional<std::vector<std::int32_t>> ranks_of(std::string_view text);

}  // namespace npunet::profiles
