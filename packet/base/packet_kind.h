// The kinds of packets. Networks with credits have data only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npunet::packet {

enum class PacketKind : std::uint8_t {
    Data,
    Acknowledgement,  ///< by the receiver: of all below a sequence number, and perhaps one more
    GoBack,           ///< by the receiver: a later packet than the expected one arrived
    Trimmed,          ///< by the receiver: a packet arrived without its payload
    Notification,     ///< by the receiver: marked data arrived (CNP)
    Request,          ///< by the sender: how many packets wait for credit
    Grant,            ///< by the receiver: credit
    Pause,            ///< to the upstream node: stop sending a class
    Resume            ///< to the upstream node: continue with a class
};

/// For people: "data", "acknowledgement".
[[nodiscard]] constexpr const char* name_of(PacketKind kind) {
    constexpr const char* names[] = {"data",         "acknowledgement", "go-back",
                                     "trimmed",      "notification",    "credit-request",
                                     "credit-grant", "pause",           "resume"};
    return names[static_cast<std::size_t>(kind)];
}

}  // namespace npunet::packet
