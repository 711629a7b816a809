// What a message is part of: a collective of some type, or a send.
//
//     message.kind = Communication::AllToAll;
//     name_of(message.kind)                        // "all_to_all"
//     communication_named("send_recv")             // Communication::SendReceive
//
// For whoever treats messages by what they are for, such as networks with traffic classes.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npunet {

enum class Communication : std::uint8_t {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    Barrier,
    SendReceive
};

inline constexpr std::size_t communications = 10;

/// "all_reduce", "all_gather", ..., "barrier", "send_recv", in the order of the enumerators.
[[nodiscard]] const std::vector<std::string>& communication_names();

[[nodiscard]] const std::string& name_of(Communication kind);

/// The kind of that name; nothing when there is none.
[[nodiscard]] std::optional<Communication> communication_named(const std::string& name);

}  // namespace npunet
