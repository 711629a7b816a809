// The communication calls of a profile's CPU side: record_param_comms with what stands around and
// within it, completed by an execution trace.
//
//     const RecordedCalls calls(table, trace);
//     calls.call_of(kernel, track, launch_ns);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "generators/profiler/communication_call.h"
#include "profiles/event_table.h"
#include "profiles/execution_trace.h"

namespace npunet::generators::profiler {

class RecordedCalls {
public:
    /// `trace` may be null; both must outlive this.
    RecordedCalls(const profiles::EventTable& table, const profiles::ExecutionTrace* trace);

    /// A communication was launched at that time on that track.
    void mark_launch(std::uint32_t track, std::int64_t ns);
    /// Whether a CPU call at that time on that track is part of launching a communication, rather
    /// than of waiting for one; all launches being marked.
    [[nodiscard]] bool launches(std::uint32_t track, std::int64_t ns) const;

    /// What a kernel communicates that was launched at that time on that track (negative: not
    /// known); several calls for a batch of sends and receives, whose members are those since the
    /// batch before. Kernels in the order of their launches.
    [[nodiscard]] std::vector<CommunicationCall> calls_of(profiles::EventId kernel,
                                                          std::int64_t track, std::int64_t ns);

    [[nodiscard]] std::int64_t joined() const { return joined_; }
    [[nodiscard]] const std::string& join_refusal() const { return refusal_; }

private:
    struct Slice {
        profiles::EventId event = 0;
        std::int64_t begin_ns = 0;
        std::int64_t end_ns = 0;
        bool record = false;    ///< record_param_comms
        bool launches = false;  ///< a kernel was launched within
        bool used = false;      ///< its kernel is known, alone or in a batch
        const profiles::RecordedCommunication* recorded = nullptr;
    };
    using Slices = std::vector<Slice>;

    void collect();
    void join(const profiles::ExecutionTrace& trace);
    /// The slices around a time, the outermost first.
    [[nodiscard]] std::vector<std::size_t> around(const Slices& slices, std::int64_t ns) const;
    void add_slice(const Slice& slice, CommunicationCall& call) const;
    void add_recorded(const profiles::RecordedCommunication& recorded,
                      CommunicationCall& call) const;
    /// One list for the same ranks; null for none. Throws InputError for ranks that cannot be.
    [[nodiscard]] RankList listed(const std::vector<std::int32_t>& numbers) const;
    [[nodiscard]] RankList strided(std::int64_t first, std::int64_t stride,
                                   std::int64_t size) const;
    void add_arguments(const profiles::CollectiveArgs& arguments, CommunicationCall& call) const;
    [[nodiscard]] std::vector<CommunicationCall> batch(Slices& slices, std::int64_t ns);
    void complete(CommunicationCall& call) const;

    const profiles::EventTable& table_;
    std::map<std::uint32_t, Slices> slices_;  ///< by track, by begin
    mutable std::map<std::vector<std::int32_t>, RankList> lists_;
    mutable std::map<profiles::StringId, RankList> lists_of_text_;
    std::int64_t joined_ = 0;
    std::string refusal_;
};

}  // namespace npunet::generators::profiler
