// A network model of one's own: one ideal crossbar in place of the whole network, as in Hockney's
// model ("The communication challenge for MPP: Intel Paragon and Meiko CS-2", 1994). A message of b
// bytes takes a + ser(b), a the latency and ser the rate of the network's first link; only the port
// by which messages leave an NPU is shared.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/clock/clock_limit.h"
#include "engine/clock/event_queue.h"
#include "engine/machine/dialect.h"
#include "engine/network/network.h"
#include "topology/network/network_description.h"

namespace extending {

using namespace npunet;

class CrossbarNetwork final : public engine::Network, private engine::EventHandler {
public:
    CrossbarNetwork(const topology::NetworkDescription& description, engine::EventQueue& queue,
                    const engine::Dialect&)
        : port_(description.graph.link(LinkId(0))),
          queue_(queue),
          links_(description.graph.links()),
          free_(description.graph.npus()) {}

    void send(const engine::Message& message) override {
        Time& free = free_[message.source.index()];
        const Time started = std::max(queue_.now(), free);
        free = engine::later(started, transfer_time(message.bytes, port_.rate));
        if (started_.size() <= message.handle) {
            started_.resize(message.handle + 1);
        }
        started_[message.handle] = started;
        // Events of one instant are in order of what they are about: the message.
        if (message.wants_sent) {
            schedule(free, engine::event_kind::message_sent, message);
        }
        schedule(engine::later(free, port_.latency), engine::event_kind::message_delivered,
                 message);
    }

    [[nodiscard]] std::vector<engine::LinkUse> link_use() const override {
        return std::vector<engine::LinkUse>(links_);
    }

private:
    void schedule(Time at, unsigned kind, const engine::Message& message) {
        queue_.schedule(at, engine::EventKey::of(engine::Phase::Arrival, kind, message.id.value()),
                        *this, std::uint64_t{message.handle} << 4 | kind);
    }

    void handle(std::uint64_t payload) override {
        const auto handle = static_cast<std::uint32_t>(payload >> 4);
        if ((payload & 15) == engine::event_kind::message_sent) {
            listener_->on_sent(handle);
        } else {
            listener_->on_delivered(handle, started_[handle]);
        }
    }

    const topology::Link& port_;
    engine::EventQueue& queue_;
    std::size_t links_;
    std::vector<Time> free_;     ///< by NPU: when its port can send again
    std::vector<Time> started_;  ///< by handle
};

}  // namespace extending
