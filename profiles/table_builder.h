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

    /// The reason why it was not added: its phase, a required field of its phase or a valid time is
    /// missing; empty if it was added.
    [[nodiscard]] std::string add(const EventDraft& draft);
    /// After the last event: adds the names of processes. Returns the events that begin
    /// longest_event_ns or more from the median begin: their times are implausible, so they lose
    /// their category and duration.
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
