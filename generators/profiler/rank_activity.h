// What one rank's profile says that the conversion needs: what its streams ran, which CPU calls
// launched it and waited for it, and when its CPU threads were busy.
//
//     const RankActivity activity = activity_of(profiles::read_profile(file), nullptr);
//     for (const DeviceOperation& operation : activity.operations) { ... }   // by start
//
// Times are nanoseconds of the wall clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "generators/profiler/communication_call.h"
#include "generators/profiler/operator_kernel.h"
#include "profiles/event_table.h"
#include "profiles/execution_trace.h"

namespace npunet::generators::profiler {

struct Span {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
};

/// A kernel, copy or set.
struct DeviceOperation {
    std::string_view name;    ///< in the table
    std::int32_t stream = 0;  ///< index into RankActivity::streams
    Span span;
    std::int32_t launch = -1;    ///< index into RankActivity::host_calls; -1: not in the profile
    bool communication = false;  ///< a kernel of a communication library
    std::int32_t kernel = -1;    ///< index into RankActivity::kernels; -1: not known
    /// What it communicates: more than one in a batch of sends and receives.
    std::vector<CommunicationCall> calls;
};

/// A CPU call that launches operations, or waits for some.
struct HostCall {
    enum class Kind : std::uint8_t {
        Launch,
        Copy,               ///< launches a copy or set, and may wait for it
        StreamSynchronize,  ///< waits for one stream
        DeviceSynchronize,
        EventSynchronize,
        StreamWait  ///< makes a stream wait; the CPU goes on
    };
    Kind kind = Kind::Launch;
    std::int32_t thread = 0;  ///< index into RankActivity::threads
    Span span;
    bool in_communication = false;        ///< part of launching a communication
    std::int32_t stream = -1;             ///< that is waited for, where the profile tells
    std::int64_t recorded_ns = -1;        ///< what was launched there by then, for events
    std::vector<std::uint32_t> launches;  ///< operations, by start
};

/// What one stream was told to wait for on another.
struct StreamWait {
    std::int32_t waiting = 0;
    std::int32_t recorded = 0;
    std::int64_t wait_ns = 0;    ///< operations launched from then on wait
    std::int64_t record_ns = 0;  ///< for those launched before this
};

struct HostThread {
    std::string name;
    std::vector<Span> busy;            ///< disjoint, ascending: CPU operations and runtime calls
    std::vector<std::uint32_t> calls;  ///< by start
};

struct Stream {
    std::int32_t device = 0;
    std::int64_t number = 0;
};

struct RankActivity {
    std::string file;
    Rank rank;
    std::int32_t world_size = 0;              ///< 0: not told
    Span span;                                ///< of everything below
    std::vector<Stream> streams;              ///< ascending
    std::vector<DeviceOperation> operations;  ///< by start, then by place in the file
    std::vector<OperatorKernel> kernels;      ///< each once
    std::vector<HostCall> host_calls;
    std::vector<HostThread> threads;  ///< those that launch; by name
    std::vector<StreamWait> waits;
    bool tells_waits = false;         ///< has synchronization events, of which `waits` is all
    std::int64_t without_launch = 0;  ///< operations whose launch is not there
    std::int64_t joined = 0;          ///< communications found in the execution trace
    std::string join_refusal;         ///< why the execution trace was not used
    profiles::Damage damage;
};

/// `table` has to outlive the result. `trace`, when not null, is the execution trace of the same
/// rank. Throws InputError for a profile
/// without any work of a GPU.
[[nodiscard]] RankActivity activity_of(const profiles::EventTable& table,
                                       const profiles::ExecutionTrace* trace);

}  // namespace npunet::generators::profiler
