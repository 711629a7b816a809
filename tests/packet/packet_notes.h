// Notes what an observer of packets is told, those that come in from elsewhere as those that start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packet/base/packet_network.h"

namespace npunet::packet_test {

class Notes final : public packet::PacketObserver {
public:
    explicit Notes(packet::PacketNetwork& machine) : machine_(machine) {
        machine.set_observer(this);
    }
    ~Notes() { machine_.set_observer(nullptr); }
    Notes(const Notes&) = delete;
    Notes& operator=(const Notes&) = delete;

    void add_to(std::vector<std::string>& all) const {
        all.insert(all.end(), notes_.begin(), notes_.end());
    }

private:
    void note(const char* what, LinkId link, std::int64_t a, Time at) {
        notes_.push_back(std::string(what) + ' ' + std::to_string(link.value()) + ' ' +
                         std::to_string(a) + ' ' + std::to_string(at.ps()));
    }
    void packet_started(LinkId link, const packet::ObservedPacket& packet, Time arrival,
                        Bytes waited) override {
        note(waited > Bytes() ? "goes on" : "starts", link, packet.wire.value(), arrival);
        notes_.back() += ' ' + std::to_string(packet.source.value()) + ' ' +
                         std::to_string(packet.destination.value()) + ' ' +
                         std::to_string(packet.traffic_class) + ' ' +
                         std::to_string(packet.sequence);
        if (!machine_.is_cut(link) && arrival < Time::max()) {
            packet_entered(link, packet.wire, arrival);
        }
    }
    void packet_entered(LinkId link, Bytes wire, Time arrival) override {
        note("comes in", link, wire.value(), arrival);
    }
    void packet_queued(LinkId link, Bytes wire, Time from) override {
        note("waits", link, wire.value(), from);
    }
    void packet_gave_up(LinkId link, Bytes wire, Time from) override {
        note("gives up", link, wire.value(), from);
    }
    void credit_stalled(LinkId link, Time from, Time duration) override {
        note("stalled", link, duration.ps(), from);
    }

    packet::PacketNetwork& machine_;
    std::vector<std::string> notes_;
};

}  // namespace npunet::packet_test
