#include "profiles/table_builder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace npunet::profiles {

namespace {

constexpr std::array<std::pair<std::string_view, EventCategory>, 20> known_categories = {
    {{"cpu_op", EventCategory::CpuOp},
     {"Operator", EventCategory::CpuOp},
     {"python_function", EventCategory::PythonFunction},
     {"Python", EventCategory::PythonFunction},
     {"user_annotation", EventCategory::UserAnnotation},
     {"gpu_user_annotation", EventCategory::GpuUserAnnotation},
     {"cuda_runtime", EventCategory::Runtime},
     {"hip_runtime", EventCategory::Runtime},
     {"privateuse1_runtime", EventCategory::Runtime},
     {"Runtime", EventCategory::Runtime},
     {"cuda_driver", EventCategory::Driver},
     {"kernel", EventCategory::Kernel},
     {"Kernel", EventCategory::Kernel},
     {"gpu_memcpy", EventCategory::GpuMemcpy},
     {"Memcpy", EventCategory::GpuMemcpy},
     {"gpu_memset", EventCategory::GpuMemset},
     {"Memset", EventCategory::GpuMemset},
     {"cuda_sync", EventCategory::Sync},
     {"Trace", EventCategory::Trace},
     {"overhead", EventCategory::Overhead}}};

EventCategory category_of(std::string_view text) {
    for (const auto& [name, category] : known_categories) {
        if (name == text) {
            return category;
        }
    }
    return EventCategory::Other;
}

}  // namespace

std::string TableBuilder::refusal(const EventDraft& draft) const {
    const bool lasts = draft.phase == 'X';
    const bool flows = draft.phase == 's' || draft.phase == 't' || draft.phase == 'f';
    if (draft.phase == '\0' ||
        ((lasts || flows) && draft.start_ns == absent && draft.unusable_time.empty()) ||
        (lasts && draft.duration_ns == absent && draft.unusable_time.empty()) ||
        (flows && draft.id == absent)) {
        return "an event that lacks a required field of its phase (ph, ts, dur, id)";
    }
    if ((lasts || flows) && !draft.unusable_time.empty()) {
        return draft.unusable_time;
    }
    return {};
}

std::string TableBuilder::add(const EventDraft& draft) {
    if (std::string why = refusal(draft); !why.empty()) {
        return why;
    }
    switch (draft.phase) {
        case 'X':
            if (is_gpu_work(known_category(draft.category))) {
                if (draft.duration_ns > most_gpu_work_ns - gpu_work_ns_) {
                    return "GPU work that adds up to more than 104 days";
                }
                gpu_work_ns_ += draft.duration_ns;
            }
            add_event(draft);
            break;
        case 's':
        case 't':
        case 'f':
            table_.flows.push_back(
                {draft.id, draft.start_ns, track_of(draft), draft.category, draft.phase == 's'});
            break;
        case 'M':
            add_metadata(draft);
            break;
        default:
            break;
    }
    count(draft);
    return {};
}

EventCategory TableBuilder::known_category(StringId text) {
    const auto known = categories_.find(text);
    return known != categories_.end()
               ? known->second
               : categories_.emplace(text, category_of(table_.strings[text])).first->second;
}

void TableBuilder::count(const EventDraft& draft) {
    ++table_.events;
    const StringId category = draft.has_category ? draft.category : table_.strings.intern("-");
    for (CategoryCount& one : table_.counts) {
        if (one.category == category) {
            ++one.events;
            return;
        }
    }
    table_.counts.push_back({category, 1});
}

std::uint32_t TableBuilder::track_of(const EventDraft& draft) {
    const std::uint64_t key = std::uint64_t{draft.pid} << 32 | draft.tid;
    if (key == last_key_ && !table_.tracks.empty()) {
        return last_track_;
    }
    const auto [place, is_new] =
        tracks_.emplace(key, static_cast<std::uint32_t>(table_.tracks.size()));
    if (is_new) {
        Track track;
        track.pid = draft.pid;
        track.tid = draft.tid;
        table_.tracks.push_back(track);
    }
    last_key_ = key;
    last_track_ = place->second;
    return last_track_;
}

void TableBuilder::add_event(const EventDraft& draft) {
    const auto event = static_cast<EventId>(table_.size());
    const EventCategory category = known_category(draft.category);
    const std::uint32_t track = track_of(draft);
    table_.category.push_back(category);
    table_.name.push_back(draft.name);
    table_.track.push_back(track);
    table_.start_ns.push_back(draft.start_ns);
    table_.duration_ns.push_back(draft.duration_ns);
    table_.correlation.push_back(draft.correlation);
    table_.external_id.push_back(draft.external_id);
    if (is_gpu_work(category) || category == EventCategory::Sync ||
        category == EventCategory::GpuUserAnnotation) {
        Track& on = table_.tracks[track];
        on.gpu = true;
        on.device = draft.device == absent ? on.device : static_cast<std::int32_t>(draft.device);
        on.stream = draft.stream == absent ? on.stream : draft.stream;
    }
    add_arguments(draft, event);
}

void TableBuilder::add_arguments(const EventDraft& draft, EventId event) {
    if (draft.has_collective) {
        table_.collectives.push_back(draft.collective);
        table_.collectives.back().event = event;
    }
    if (draft.has_sync || table_.category[event] == EventCategory::Sync) {
        table_.syncs.push_back(draft.sync);
        table_.syncs.back().event = event;
        table_.syncs.back().stream = draft.stream;
    }
    if (draft.has_cpu_op) {
        table_.cpu_ops.push_back(draft.cpu_op);
        table_.cpu_ops.back().event = event;
    }
    if (draft.has_inputs) {
        table_.operators.push_back(draft.inputs);
        table_.operators.back().event = event;
    }
    if (draft.bytes != absent) {
        table_.copies.push_back({event, draft.bytes});
    }
}

void TableBuilder::add_metadata(const EventDraft& draft) {
    const std::string_view what = table_.strings[draft.name];
    if (what == "thread_name") {
        table_.tracks[track_of(draft)].name = draft.label;
    } else if (what == "process_name") {
        process_names_[draft.pid] = draft.label;
    }
}

std::vector<EventId> TableBuilder::finish() {
    for (Track& track : table_.tracks) {
        const auto name = process_names_.find(track.pid);
        track.process_name = name == process_names_.end() ? 0 : name->second;
    }
    std::vector<EventId> far;
    const auto [first, last] = std::minmax_element(table_.start_ns.begin(), table_.start_ns.end());
    if (table_.start_ns.empty() || *last - *first < longest_event_ns) {
        return far;
    }
    std::vector<std::int64_t> starts = table_.start_ns;
    const auto middle = starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2);
    std::nth_element(starts.begin(), middle, starts.end());
    for (EventId event = 0; event < table_.size(); ++event) {
        if (std::abs(table_.start_ns[event] - *middle) >= longest_event_ns) {
            far.push_back(event);
            table_.category[event] = EventCategory::Other;
            table_.start_ns[event] = *middle;
            table_.duration_ns[event] = 0;
        }
    }
    return far;
}

}  // namespace npunet::profiles
