// Puts the events of a trace into an EventTable, one after the other.
//
// For the sources of this folder only.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/event_draft.h"

namespace npunet::profiles {

class TableBuilder {
public:
    explicit TableBuilder(EventTable& table) : table_(table) {}

    /// What keeps it from being an event: it lacks its phase or what its phase must have, or its
    /// time is none; empty for one that was added.
    [[nodiscard]] std::string add(const EventDraft& draft);
    /// After the last one: names of processes. Gives those that are longest_event_ns or more from
    /// the middle of all: their times are none, and they become events of no category or length.
    [[nodiscard]] std::vector<EventId> finish();

private:
    [[nodiscard]] std::uint32_t track_of(const EventDraft& draft);
    [[nodiscard]] std::string refusal(const EventDraft& draft) const;
    [[nodiscard]] EventCategory known_category(StringId text);
    void count(const EventDraft& draft);
    void add_event(const EventDraft& draft);
    void add_arguments(const EventDraft& draft, EventId event);
    void add_metadata(const EventDraft& draft);

    EventTable& table_;
    std::int64_t gpu_work_ns_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> tracks_;  ///< by pid and tid
    std::uint64_t last_key_ = 0;
    std::uint32_t last_track_ = 0;
    std::unordered_map<StringId, StringId> process_names_;  ///< by pid
    std::unordered_map<StringId, EventCategory> categories_;
};

}  // namespace npunet::profiles
