// The sending side of a queue pair of the plain simulator: its packets with their states, its
// window, its timer and its start jitter; what is lost it judges by the answers. It knows neither
// ports nor messages, only where messages end, and is told the time.
//
//     sender.add_message(Bytes(10'000), now);
//     if (sender.may_send() && sender.next_start() <= now) {
//         const Packet packet = sender.take_packet(now);
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plain_lossy_network.h"
#include "plain_packet.h"

namespace npunet::packet_test::plain {

struct SenderSettings {
    Bytes window;
    Time timeout;
    std::uint64_t key = 0;  ///< of the queue pair, for its draws
};

class Sender {
public:
    Sender(const topology::PacketParameters& parameters, const SenderSettings& settings)
        : parameters_(parameters), full_(full_packet(parameters)), settings_(settings) {}

    /// Returns the number of its last packet.
    std::size_t add_message(Bytes bytes, Time now);
    [[nodiscard]] bool may_send() const;
    /// Until then its start is put off.
    [[nodiscard]] Time next_start() const { return next_start_; }
    /// One that may be sent; without route.
    [[nodiscard]] Packet take_packet(Time now);
    void receive_answer(const Packet& answer, Time now);
    /// When the timer runs out; Time::max() when it does not run.
    [[nodiscard]] Time deadline() const { return deadline_; }
    /// The timer has run out. False: it gives up.
    [[nodiscard]] bool time_out(Time now);

    /// All packets below have been answered.
    [[nodiscard]] std::size_t acknowledged() const { return acknowledged_; }
    [[nodiscard]] const LossyFlow& use() const { return use_; }

private:
    struct Part {
        enum class State : std::uint8_t { Waiting, Flying, In };
        State state = State::Waiting;
        Bytes payload;
        Bytes wire;
        bool sent_before = false;
        bool judged = false;  ///< looked at for loss
        bool urgent = false;  ///< since the sender last went back: it asked, or ends a message
        bool ends = false;    ///< a message
    };

    [[nodiscard]] Bytes in_flight() const;
    [[nodiscard]] std::size_t next_part() const;
    [[nodiscard]] bool is_open() const;
    void put_off(Time now);
    void start_timer(Time now);
    void go_back(Time now);
    void judge();

    const topology::PacketParameters& parameters_;
    Bytes full_;
    SenderSettings settings_;
    std::vector<Part> parts_;
    std::size_t acknowledged_ = 0;
    std::size_t top_ = 0;  ///< one past the highest that was ever sent
    Time next_start_;
    std::uint64_t starts_ = 0;  ///< how often it was put off
    Time deadline_ = Time::max();
    int timeouts_in_a_row_ = 0;
    LossyFlow use_;
};

}  // namespace npunet::packet_test::plain
