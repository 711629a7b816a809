// Stands in for the packet fidelity in a build without ns-3.

#include "api/packet_network.h"

#include "base/errors.h"

namespace npunet
{

bool
packet_fidelity_available()
{
    return false;
}

std::unique_ptr<engine::Network>
make_packet_network(const topology::NetworkDescription& /* description */,
                    engine::EventQueue& /* queue */,
                    const PacketOptions& /* options */)
{
    throw InputError({"",
                      "fidelity",
                      "packet",
                      "a fidelity that this build has: the packet fidelity is missing because "
                      "libns3-dev was not found when npunet was built",
                      "install it (on Debian: apt-get install libns3-dev) and build npunet again"});
}

} // namespace npunet
