#pragma once

#include "packet/credit/network_state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npunet::packet {

/// What some ports have counted: at an instant, or between two.
struct PortCounts {
    std::int64_t payload = 0;  ///< bytes of messages
    std::int64_t wire = 0;     ///< bytes with headers
    std::int64_t busy = 0;     ///< picoseconds of sending
    std::int64_t packets = 0;  ///< carried
    std::int64_t stall = 0;    ///< picoseconds of waiting for credit
};

/// The state of some ports and of the messages that cross them at one instant, before its choices:
/// everything that decides what they do from then on, as long as no message begins or ends and
/// nothing comes from other ports. Times are relative to the instant, so that two samples with
/// equal states promise the same future, as much later as the second was taken later.
///
/// What is past does not decide anything and counts as 0: packets that are in, ports that are free,
/// credits that are back. The one exception is since when an idle port has had a packet to send but
/// no credit, which is counted when it sends again. Ports that send nothing between two samples are
/// exempt: whatever they have waits as it did.
class TrafficSample {
public:
    /// @param state of the machine
    /// @param ports the ports
    /// @param messages those that cross them
    /// @param now in picoseconds
    void take(CreditNetworkState& state, const std::vector<std::uint32_t>& ports,
              const std::vector<std::uint32_t>& messages, std::int64_t now);

    /// A quick look first.
    /// @param state of the machine
    /// @param ports as this sample was taken of
    /// @return whether as many bytes wait at each of them
    bool may_repeat(const CreditNetworkState& state, const std::vector<std::uint32_t>& ports) const;

    /// @param earlier a sample of the same ports and messages
    /// @return whether the state is the same
    bool repeats(const TrafficSample& earlier) const;

    /// @return when it was taken, in picoseconds
    std::int64_t at() const { return at_; }

    /// @param earlier a sample of the same ports and messages
    /// @param port place of a port in the list
    /// @return what it has counted in between
    PortCounts since(const TrafficSample& earlier, std::size_t port) const;

    /// Several traffic classes.
    /// @param earlier a sample of the same ports and messages
    /// @param place of a class of a port: place of the port x classes + class
    /// @return bytes with headers that it has carried in between
    std::int64_t class_wire_since(const TrafficSample& earlier, std::size_t place) const {
        return class_wire_[place] - earlier.class_wire_[place];
    }

    /// @param message place of a message in the list
    /// @return payload bytes that its source has not sent
    std::int64_t remaining(std::size_t message) const { return remaining_[message]; }

    /// @return how much was looked at, in words
    std::size_t size() const { return words_.size() + counts_.size(); }

private:
    /// @param state of the machine
    /// @param port number of a port
    void take_port(CreditNetworkState& state, std::uint32_t port);

    /// @param state of the machine
    /// @param queue of packets, not empty
    void take_packets(CreditNetworkState& state, const VirtualOutputQueue& queue);

    /// @param state of the machine
    /// @param port number of a port
    /// @return since when it waits for credit, relative to the sample; 0 when it does not
    std::int64_t waits_since(CreditNetworkState& state, std::uint32_t port) const;

    /// @param time in picoseconds
    /// @return how far ahead it is; 0 when it is past
    std::int64_t ahead(std::int64_t time) const { return time > at_ ? time - at_ : 0; }

    std::int64_t at_ = 0;                   ///< when it was taken
    std::vector<std::int64_t> words_;       ///< the state
    std::vector<std::int64_t> queued_;      ///< by port: bytes that wait
    std::vector<std::int64_t> waits_;       ///< by port: waits_since()
    std::vector<PortCounts> counts_;        ///< by port: since the start
    std::vector<std::int64_t> class_wire_;  ///< by port and class: bytes since the start
    std::vector<std::int64_t> remaining_;   ///< by message
};

}  // namespace npunet::packet
