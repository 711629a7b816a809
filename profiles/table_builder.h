// Puts the events of a trace into an EventTable, one after the other.
//
// For the sources of this folder only.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "profiles/event_draft.h"

namespace npunet::profiles {

class TableBuilder {
public:
    explicit TableBuilder(EventTable& table) : table_(table) {}

    /// False when it is no event: it lacks its phase or what its phase must have.
    bool add(const EventDraft& draft);
    /// After the last one: names of processes.
    void finish();

private:
    [[nodiscard]] std::uint32_t track_of(const EventDraft& draft);
    void count(const EventDraft& draft);
    void add_event(const EventDraft& draft);
    void add_arguments(const EventDraft& draft, EventId event);
    void add_metadata(const EventDraft& draft);

    EventTable& table_;
    std::unordered_map<std::uint64_t, std::uint32_t> tracks_;  ///< by pid and tid
    std::uint64_t last_key_ = 0;
    std::uint32_t last_track_ = 0;
    std::unordered_map<StringId, StringId> process_names_;  ///< by pid
    std::unordered_map<StringId, EventCategory> categories_;
};

}  // namespace npunet::profiles
