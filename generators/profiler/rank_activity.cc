#include "generators/profiler/rank_activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/errors.h"
#include "generators/profiler/recorded_calls.h"

namespace npunet::generators::profiler {

namespace {

using profiles::EventCategory;
using profiles::EventId;
using profiles::EventTable;

bool is_host_call(EventCategory category) {
    return category == EventCategory::Runtime || category == EventCategory::Driver;
}

bool has(std::string_view name, std::string_view part) {
    return name.find(part) != std::string_view::npos;
}

/// What a call does that launches nothing; nothing when the conversion has no use for it.
std::optional<HostCall::Kind> waiting_kind(std::string_view name) {
    using Kind = HostCall::Kind;
    if (has(name, "StreamSynchronize")) {
        return Kind::StreamSynchronize;
    }
    if (has(name, "DeviceSynchronize") || has(name, "CtxSynchronize")) {
        return Kind::DeviceSynchronize;
    }
    if (has(name, "EventSynchronize")) {
        return Kind::EventSynchronize;
    }
    if (has(name, "StreamWaitEvent")) {
        return Kind::StreamWait;
    }
    return std::nullopt;
}

std::vector<Span> merged(std::vector<Span> spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
        return std::pair(a.begin_ns, a.end_ns) < std::pair(b.begin_ns, b.end_ns);
    });
    std::vector<Span> disjoint;
    for (const Span& span : spans) {
        if (!disjoint.empty() && span.begin_ns <= disjoint.back().end_ns) {
            disjoint.back().end_ns = std::max(disjoint.back().end_ns, span.end_ns);
        } else {
            disjoint.push_back(span);
        }
    }
    return disjoint;
}

class ActivityBuilder {
public:
    ActivityBuilder(const EventTable& table, const profiles::ExecutionTrace* trace)
        : table_(table), calls_(table, trace) {
        activity_.file = table.file;
        activity_.rank = table.rank ? Rank(*table.rank) : Rank();
        activity_.world_size = table.world_size;
        activity_.damage = table.damage;
    }

    RankActivity build() {
        collect_operations();
        collect_kernels();
        collect_launches();
        collect_host_calls();
        collect_threads();
        collect_waits();
        collect_communication();
        measure();
        return std::move(activity_);
    }

private:
    [[nodiscard]] Span span_of(EventId event) const {
        return {table_.base_time_ns + table_.start_ns[event],
                table_.base_time_ns + table_.end_ns(event)};
    }

    void collect_operations() {
        std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> streams;
        for (EventId event = 0; event < table_.size(); ++event) {
            if (is_gpu_work(table_.category[event])) {
                const profiles::Track& track = table_.track_of(event);
                streams.emplace(std::pair(track.device, track.stream), 0);
                events_.push_back(event);
            }
        }
        if (events_.empty()) {
            throw InputError({table_.file, "", "a profile without any work of a GPU",
                              "kernels, copies or sets",
                              "Record with ProfilerActivity.CUDA; what ran on CPUs alone has "
                              "nothing that a simulation of NPUs could run"});
        }
        for (auto& [key, number] : streams) {
            number = static_cast<std::int32_t>(activity_.streams.size());
            activity_.streams.push_back({key.first, key.second});
        }
        std::stable_sort(events_.begin(), events_.end(), [&](EventId a, EventId b) {
            return table_.start_ns[a] < table_.start_ns[b];
        });
        for (const EventId event : events_) {
            const profiles::Track& track = table_.track_of(event);
            DeviceOperation operation;
            operation.name = table_.name_of(event);
            operation.stream = streams.at({track.device, track.stream});
            operation.span = span_of(event);
            operation.communication = table_.category[event] == EventCategory::Kernel &&
                                      is_communication_kernel(operation.name);
            activity_.operations.push_back(std::move(operation));
        }
    }

    /// The longest of an operator's kernels is the one that its inputs tell of; the others, such as
    /// those that add up the parts of a product, belong to it.
    void collect_kernels() {
        std::unordered_map<std::int64_t, std::size_t> operators;
        for (std::size_t row = 0; row < table_.operators.size(); ++row) {
            const std::int64_t id = table_.external_id[table_.operators[row].event];
            if (id > 0) {
                operators.try_emplace(id, row);
            }
        }
        std::map<std::size_t, std::vector<std::size_t>> launched;
        for (std::size_t i = 0; i < events_.size() && !operators.empty(); ++i) {
            const auto found = operators.find(table_.external_id[events_[i]]);
            if (table_.category[events_[i]] == EventCategory::Kernel && found != operators.end() &&
                !activity_.operations[i].communication) {
                launched[found->second].push_back(i);
            }
        }
        for (const auto& [row, operations] : launched) {
            const auto longest = std::max_element(
                operations.begin(), operations.end(), [&](std::size_t a, std::size_t b) {
                    return table_.duration_ns[events_[a]] < table_.duration_ns[events_[b]];
                });
            for (const std::size_t operation : operations) {
                activity_.operations[operation].kernel =
                    kernel_of(table_.operators[row], activity_.operations[operation].name,
                              operation == *longest);
            }
        }
    }

    /// The number of the kernel; -1 for none.
    std::int32_t kernel_of(const profiles::OperatorArgs& one, std::string_view name, bool main) {
        // Products of fp32 in TF32 have it in the name of their kernel.
        const bool tf32 = has(name, "tf32");
        const auto [known, is_new] =
            kernels_.try_emplace({table_.name[one.event], one.input_dims, one.input_types,
                                  one.concrete_inputs, main, tf32},
                                 -1);
        if (!is_new) {
            return known->second;
        }
        auto kernel =
            operator_kernel({table_.name_of(one.event), table_.strings[one.input_dims],
                             table_.strings[one.input_types], table_.strings[one.concrete_inputs]});
        if (kernel) {
            kernel->kernel.launches = main ? 1 : 0;
            if (tf32 && kernel->kernel.type == chakra::DataType::Fp32) {
                kernel->kernel.type = chakra::DataType::Tf32;
            }
            known->second = static_cast<std::int32_t>(activity_.kernels.size());
            activity_.kernels.push_back(*kernel);
        }
        return known->second;
    }

    /// Which CPU call launched which operations, and on which tracks such calls stand.
    void collect_launches() {
        std::unordered_map<std::int64_t, EventId> callers;
        for (EventId event = 0; event < table_.size(); ++event) {
            if (is_host_call(table_.category[event]) && table_.correlation[event] >= 0) {
                callers.try_emplace(table_.correlation[event], event);
            }
        }
        for (std::size_t i = 0; i < events_.size(); ++i) {
            const auto caller = callers.find(table_.correlation[events_[i]]);
            if (caller == callers.end() || table_.correlation[events_[i]] < 0) {
                ++activity_.without_launch;
            } else {
                launched_[caller->second].push_back(static_cast<std::uint32_t>(i));
                threads_.emplace(table_.track[caller->second], 0);
                if (activity_.operations[i].communication) {
                    calls_.mark_launch(table_.track[caller->second],
                                       table_.start_ns[caller->second]);
                }
            }
        }
        for (auto& [track, number] : threads_) {
            number = static_cast<std::int32_t>(activity_.threads.size());
            HostThread thread;
            thread.name = table_.strings[table_.tracks[track].tid];
            activity_.threads.push_back(std::move(thread));
        }
    }

    void collect_host_calls() {
        for (EventId event = 0; event < table_.size(); ++event) {
            const auto thread = threads_.find(table_.track[event]);
            if (!is_host_call(table_.category[event]) || thread == threads_.end()) {
                continue;
            }
            const auto launches = launched_.find(event);
            const auto waiting = waiting_kind(table_.name_of(event));
            if (launches == launched_.end() && !waiting) {
                continue;
            }
            HostCall call;
            call.thread = thread->second;
            call.span = span_of(event);
            call.kind = waiting.value_or(HostCall::Kind::Launch);
            if (launches != launched_.end()) {
                call.launches = launches->second;
                const std::string_view name = table_.name_of(event);
                call.kind = has(name, "emcpy") || has(name, "emset") ? HostCall::Kind::Copy
                                                                     : HostCall::Kind::Launch;
            }
            call.in_communication = calls_.launches(table_.track[event], table_.start_ns[event]);
            host_events_.emplace_back(event, std::move(call));
        }
        std::stable_sort(host_events_.begin(), host_events_.end(),
                         [](const auto& a, const auto& b) {
                             return a.second.span.begin_ns < b.second.span.begin_ns;
                         });
        for (auto& [event, call] : host_events_) {
            const auto number = static_cast<std::uint32_t>(activity_.host_calls.size());
            for (const std::uint32_t operation : call.launches) {
                activity_.operations[operation].launch = static_cast<std::int32_t>(number);
            }
            activity_.threads[static_cast<std::size_t>(call.thread)].calls.push_back(number);
            if (table_.correlation[event] >= 0) {
                call_of_correlation_.try_emplace(table_.correlation[event], number);
            }
            activity_.host_calls.push_back(call);
        }
    }

    void collect_threads() {
        std::vector<std::vector<Span>> busy(activity_.threads.size());
        for (EventId event = 0; event < table_.size(); ++event) {
            const auto thread = threads_.find(table_.track[event]);
            const EventCategory category = table_.category[event];
            // Older profilers write steps and the like, "ProfilerStep#7", as operations.
            const bool operation =
                category == EventCategory::CpuOp && !has(table_.name_of(event), "#");
            if (thread != threads_.end() && (operation || is_host_call(category))) {
                busy[static_cast<std::size_t>(thread->second)].push_back(span_of(event));
            }
        }
        for (std::size_t i = 0; i < busy.size(); ++i) {
            activity_.threads[i].busy = merged(std::move(busy[i]));
        }
    }

    /// -1 for none; a negative device is any.
    [[nodiscard]] std::int32_t stream_of(std::int32_t device, std::int64_t number) const {
        for (std::size_t i = 0; i < activity_.streams.size(); ++i) {
            const Stream& stream = activity_.streams[i];
            if (stream.number == number && (device < 0 || stream.device == device)) {
                return static_cast<std::int32_t>(i);
            }
        }
        return -1;
    }

    /// Synchronization events say which streams and records their calls are about.
    void collect_waits() {
        activity_.tells_waits = !table_.syncs.empty();
        std::unordered_map<std::int64_t, EventId> records;
        for (EventId event = 0; event < table_.size() && activity_.tells_waits; ++event) {
            if (is_host_call(table_.category[event]) && has(table_.name_of(event), "EventRecord") &&
                table_.correlation[event] >= 0) {
                records.try_emplace(table_.correlation[event], event);
            }
        }
        for (const profiles::SyncArgs& sync : table_.syncs) {
            const auto call = call_of_correlation_.find(table_.correlation[sync.event]);
            if (call == call_of_correlation_.end()) {
                continue;
            }
            HostCall& caller = activity_.host_calls[call->second];
            const std::int32_t device = table_.track_of(sync.event).device;
            const auto record = records.find(sync.wait_on_record_correlation);
            const std::int64_t record_ns =
                record == records.end() ? -1 : span_of(record->second).begin_ns;
            const std::int32_t recorded = stream_of(device, sync.wait_on_stream);
            const std::int32_t stream = stream_of(device, sync.stream);
            switch (caller.kind) {
                case HostCall::Kind::StreamSynchronize:
                    caller.stream = stream;
                    break;
                case HostCall::Kind::EventSynchronize:
                    caller.stream = record_ns < 0 ? -1 : recorded;
                    caller.recorded_ns = record_ns;
                    break;
                case HostCall::Kind::StreamWait:
                    if (stream >= 0 && recorded >= 0 && record_ns >= 0) {
                        activity_.waits.push_back(
                            {stream, recorded, caller.span.begin_ns, record_ns});
                    }
                    break;
                default:
                    break;
            }
        }
    }

    void collect_communication() {
        std::vector<std::tuple<std::int64_t, std::size_t>> order;
        for (std::size_t i = 0; i < events_.size(); ++i) {
            const DeviceOperation& operation = activity_.operations[i];
            if (operation.communication) {
                const std::int64_t ns =
                    operation.launch < 0
                        ? operation.span.begin_ns
                        : activity_.host_calls[static_cast<std::size_t>(operation.launch)]
                              .span.begin_ns;
                order.emplace_back(ns, i);
            }
        }
        std::sort(order.begin(), order.end());
        for (const auto& [ns, i] : order) {
            DeviceOperation& operation = activity_.operations[i];
            std::int64_t track = -1;
            if (operation.launch >= 0) {
                track =
                    table_.track[host_events_[static_cast<std::size_t>(operation.launch)].first];
            }
            operation.calls = calls_.calls_of(events_[i], track, ns - table_.base_time_ns);
        }
        activity_.joined = calls_.joined();
        activity_.join_refusal = calls_.join_refusal();
    }

    void measure() {
        Span span = activity_.operations.front().span;
        const auto add = [&](const Span& one) {
            span.begin_ns = std::min(span.begin_ns, one.begin_ns);
            span.end_ns = std::max(span.end_ns, one.end_ns);
        };
        for (const DeviceOperation& operation : activity_.operations) {
            add(operation.span);
        }
        for (const HostThread& thread : activity_.threads) {
            add({thread.busy.front().begin_ns, thread.busy.back().end_ns});
        }
        activity_.span = span;
    }

    const EventTable& table_;
    RecordedCalls calls_;
    RankActivity activity_;
    std::vector<EventId> events_;  ///< of the operations
    /// By the operator's name, inputs, whether it is its main kernel, and whether that is of TF32.
    std::map<std::tuple<profiles::StringId, profiles::StringId, profiles::StringId,
                        profiles::StringId, bool, bool>,
             std::int32_t>
        kernels_;
    std::unordered_map<EventId, std::vector<std::uint32_t>> launched_;
    std::map<std::uint32_t, std::int32_t> threads_;  ///< by track
    std::vector<std::pair<EventId, HostCall>> host_events_;
    std::unordered_map<std::int64_t, std::uint32_t> call_of_correlation_;
};

}  // namespace

RankActivity activity_of(const EventTable& table, const profiles::ExecutionTrace* trace) {
    return ActivityBuilder(table, trace).build();
}

}  // namespace npunet::generators::profiler
