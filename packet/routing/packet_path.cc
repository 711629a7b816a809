#include "packet/routing/packet_path.h"

#include "topology/routing/pair_hash.h"

namespace npunet::packet {

std::uint64_t PacketPaths::hash(std::uint64_t message, std::int64_t number) const {
    using topology::mixed;
    return mixed(mixed(mixed(seed) ^ message) + static_cast<std::uint64_t>(number));
}

}  // namespace npunet::packet
