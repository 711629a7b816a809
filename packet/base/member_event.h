#pragma once

#include "engine/event_queue.h"

#include <cstdint>

namespace npunet::packet {

template <auto Function>
class MemberEvent;

/// Calls a member function of an object when an event is due, with the number that the event was
/// scheduled with.
///
///     MemberEvent<&Port::Wake> wake(port);
///     queue.schedule(at, key, wake, 7); // port.wake(7)
///
/// @tparam Class of the object
/// @tparam Function its member function
template <class Class, void (Class::*Function)(std::uint32_t)>
class MemberEvent<Function> final : public engine::EventHandler {
public:
    /// @param object whose member function it is; must outlive this
    explicit MemberEvent(Class& object) : object_(object) {}

    void handle(std::uint64_t payload) override {
        (object_.*Function)(static_cast<std::uint32_t>(payload));
    }

private:
    Class& object_;  ///< whose member function it is
};

}  // namespace npunet::packet
