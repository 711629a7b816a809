// An event handler that calls a member function of an object with the number that the event was
// scheduled with.
//
//     MemberEvent<&Port::wake> wake(port);
//     queue.schedule(at, key, wake, 7);  // port.wake(7)
#pragma once

#include "engine/clock/event_queue.h"

#include <cstdint>

namespace npunet::packet {

template <auto Function>
class MemberEvent;

template <class Class, void (Class::*Function)(std::uint32_t)>
class MemberEvent<Function> final : public engine::EventHandler {
public:
    /// The object must outlive this.
    explicit MemberEvent(Class& object) : object_(object) {}

    /// So an object with an event for itself cannot be copied.
    MemberEvent(const MemberEvent&) = delete;
    MemberEvent& operator=(const MemberEvent&) = delete;

    void handle(std::uint64_t payload) override {
        (object_.*Function)(static_cast<std::uint32_t>(payload));
    }

private:
    Class& object_;
};

}  // namespace npunet::packet
