// How long a message of 1 MB to the NPU after the next one takes round a ring: congestion-unaware,
// and in packets.

#include <cstdio>
#include <memory>

#include "analytical/congestion_unaware.h"
#include "engine/machine/dialect.h"
#include "packet/make_packet_network.h"
#include "topology/builders/builder.h"

namespace {

/// Notes when the message is in.
struct Listener final : npunet::engine::MessageListener {
    explicit Listener(const npunet::engine::EventQueue& its_queue) : queue(its_queue) {}
    void on_sent(std::uint32_t) override {}
    void on_delivered(std::uint32_t, npunet::Time) override { at = queue.now(); }
    const npunet::engine::EventQueue& queue;
    npunet::Time at;
};

npunet::Time time_of_message(npunet::engine::Network& network, npunet::engine::EventQueue& queue) {
    Listener listener(queue);
    network.set_listener(listener);
    npunet::engine::Message message;
    message.id = npunet::engine::MessageId(npunet::NodeId(0), 0);
    message.source = npunet::NodeId(0);
    message.destination = npunet::NodeId(2);
    message.bytes = npunet::Bytes(1'000'000);
    network.send(message);
    network.run(queue);
    return listener.at;
}

}  // namespace

int main() {
    const npunet::topology::NetworkDescription ring = npunet::topology::make_network(
        {npunet::topology::make_dimension(npunet::topology::DimensionKind::Ring, 8,
                                          npunet::Rate(50'000'000'000), npunet::Time::ns(500))});
    const npunet::engine::Dialect dialect = npunet::engine::Dialect::named("npunet");
    npunet::engine::EventQueue estimate_queue;
    npunet::analytical::CongestionUnaware estimate(ring, estimate_queue, dialect);
    std::printf("%lld ps congestion-unaware\n",
                static_cast<long long>(time_of_message(estimate, estimate_queue).ps()));
    npunet::engine::EventQueue queue;
    const std::unique_ptr<npunet::engine::Network> packets =
        npunet::make_packet_network(ring, queue);
    std::printf("%lld ps in packets\n",
                static_cast<long long>(time_of_message(*packets, queue).ps()));
    return 0;
}
