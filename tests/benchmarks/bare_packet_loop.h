// The yardstick of the packet machine's benchmark: the least that any event-driven packet simulator
// does. A 4-ary heap with one pending event per link, a first-come-first-served line of packets per
// link, no buffers, no credits, no virtual channels, no arbitration. On a network without
// contention it finds the same times as the machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "topology/network/network_description.h"

namespace npunet::benchmark {

class BarePacketLoop {
public:
    explicit BarePacketLoop(const topology::NetworkDescription& description)
        : description_(description),
          full_(static_cast<std::uint32_t>(
              (description.packet.mtu + description.packet.header).value())),
          routes_(description.graph.npus() * description.graph.npus(), 0) {
        for (std::size_t i = 0; i < description.graph.links(); ++i) {
            const topology::Link& link = description.graph.link(LinkId(i));
            lines_.push_back({});
            lines_.back().latency = link.latency.ps();
            lines_.back().full_time = transfer_time(Bytes(full_), link.rate).ps();
        }
    }

    /// Whole packets only: bytes is a multiple of the mtu. `when_delivered` gets the handle.
    void send(NodeId source, NodeId destination, Bytes bytes, std::uint32_t handle) {
        const std::uint32_t hop = first_hop(source, destination);
        const auto packets =
            static_cast<std::uint32_t>(bytes.value() / description_.packet.mtu.value());
        Line& line = lines_[hops_[hop].link];
        line.messages.push_back({handle, hop, packets});
        if (!line.pending) {
            wake(hops_[hop].link, std::max(line.busy, now_));
        }
    }

    /// Handles events until none is left. `delivered(handle)` may send.
    template <class Delivered>
    void run(Delivered delivered) {
        while (!heap_.empty()) {
            const Event event = pop();
            now_ = event.at;
            if (event.what >= lines_.size()) {
                delivered(static_cast<std::uint32_t>(event.what - lines_.size()));
            } else {
                transmit(static_cast<std::uint32_t>(event.what));
            }
        }
    }

    [[nodiscard]] std::uint64_t packet_hops() const { return packet_hops_; }
    [[nodiscard]] Time now() const { return Time::ps(now_); }

private:
    struct Event {
        std::int64_t at;
        std::uint64_t what;  ///< a link, or links + the handle of a delivered message
    };
    struct Packet {
        std::int64_t ready;
        std::uint32_t hop;
        std::uint32_t handle;  ///< none unless the packet is the last of its message
    };
    struct Waiting {
        std::uint32_t handle;
        std::uint32_t hop;
        std::uint32_t packets;
    };
    struct BareHop {
        std::uint32_t link;
        bool final;
    };
    /// A ring buffer of packets that grows.
    class RingBuffer {
    public:
        [[nodiscard]] bool empty() const { return count_ == 0; }
        [[nodiscard]] Packet& front() { return packets_[first_]; }
        void pop() {
            first_ = (first_ + 1) & (packets_.size() - 1);
            --count_;
        }
        void push(const Packet& packet) {
            if (count_ == packets_.size()) {
                std::vector<Packet> larger(std::max<std::size_t>(16, 2 * count_));
                for (std::size_t i = 0; i < count_; ++i) {
                    larger[i] = packets_[(first_ + i) & (packets_.size() - 1)];
                }
                packets_.swap(larger);
                first_ = 0;
            }
            packets_[(first_ + count_) & (packets_.size() - 1)] = packet;
            ++count_;
        }

    private:
        std::vector<Packet> packets_;
        std::size_t first_ = 0;
        std::size_t count_ = 0;
    };
    struct Line {
        std::int64_t busy = 0;
        std::int64_t latency = 0;
        std::int64_t full_time = 0;
        std::int64_t bytes = 0;
        bool pending = false;
        RingBuffer packets;
        std::vector<Waiting> messages;
        std::size_t next_message = 0;
    };
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t first_hop(NodeId source, NodeId destination) {
        std::uint32_t& known =
            routes_[source.index() * description_.graph.npus() + destination.index()];
        if (known == 0) {
            known = static_cast<std::uint32_t>(hops_.size()) + 1;
            for (const topology::Hop& hop : description_.route(source, destination)) {
                hops_.push_back({static_cast<std::uint32_t>(hop.link.index()), false});
            }
            hops_.back().final = true;
        }
        return known - 1;
    }

    void transmit(std::uint32_t number) {
        Line& line = lines_[number];
        Packet packet{};
        if (!line.packets.empty() && line.packets.front().ready <= now_) {
            packet = line.packets.front();
            line.packets.pop();
        } else if (line.next_message < line.messages.size()) {
            Waiting& message = line.messages[line.next_message];
            packet.hop = message.hop;
            packet.handle = --message.packets == 0 ? message.handle : none;
            line.next_message += message.packets == 0 ? 1 : 0;
        } else {
            wake(number, line.packets.front().ready);
            return;
        }
        ++packet_hops_;
        line.bytes += full_;
        line.busy = now_ + line.full_time;
        line.pending = !line.packets.empty() || line.next_message < line.messages.size();
        if (line.pending) {
            const std::int64_t ready =
                line.next_message < line.messages.size() ? line.busy : line.packets.front().ready;
            wake(number, std::max(line.busy, ready));
        }
        packet.ready = line.busy + line.latency;
        if (!hops_[packet.hop].final) {
            ++packet.hop;
            Line& next = lines_[hops_[packet.hop].link];
            next.packets.push(packet);
            if (!next.pending) {
                wake(hops_[packet.hop].link, std::max(next.busy, packet.ready));
            }
        } else if (packet.handle != none) {
            push({packet.ready, lines_.size() + packet.handle});
        }
    }

    void wake(std::uint32_t number, std::int64_t at) {
        lines_[number].pending = true;
        push({at, number});
    }

    static bool before(const Event& a, const Event& b) {
        return a.at < b.at || (a.at == b.at && a.what < b.what);
    }

    void push(const Event& event) {
        std::size_t hole = heap_.size();
        heap_.push_back(event);
        for (; hole > 0 && before(event, heap_[(hole - 1) / 4]); hole = (hole - 1) / 4) {
            heap_[hole] = heap_[(hole - 1) / 4];
        }
        heap_[hole] = event;
    }

    Event pop() {
        const Event top = heap_.front();
        const Event last = heap_.back();
        heap_.pop_back();
        std::size_t hole = 0;
        for (std::size_t first = 1; first < heap_.size(); first = 4 * hole + 1) {
            std::size_t least = first;
            const std::size_t end = std::min(first + 4, heap_.size());
            for (std::size_t child = first + 1; child < end; ++child) {
                least = before(heap_[child], heap_[least]) ? child : least;
            }
            if (!before(heap_[least], last)) {
                break;
            }
            heap_[hole] = heap_[least];
            hole = least;
        }
        if (!heap_.empty()) {
            heap_[hole] = last;
        }
        return top;
    }

    const topology::NetworkDescription& description_;
    std::uint32_t full_;
    std::vector<std::uint32_t> routes_;
    std::vector<BareHop> hops_;
    std::vector<Line> lines_;
    std::vector<Event> heap_;
    std::int64_t now_ = 0;
    std::uint64_t packet_hops_ = 0;
};

}  // namespace npunet::benchmark
