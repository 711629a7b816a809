#include "packet/ethernet/network_setup.h"

#include "packet/base/packet_network.h"

#include "base/errors.h"
#include "topology/ethernet_problem.h"
#include "topology/transport_section.h"

namespace npunet::packet {

const topology::NetworkDescription& checked_for_ethernet(
    const topology::NetworkDescription& description) {
    check_packet_parameters(description.packet, description.file);
    topology::check_transport(description, description.file, "packet");
    if (const auto problem = topology::ethernet_problem(description)) {
        throw InputError({description.file, "packet." + problem->key, problem->found,
                          problem->expected, problem->remedy});
    }
    return description;
}

}  // namespace npunet::packet
