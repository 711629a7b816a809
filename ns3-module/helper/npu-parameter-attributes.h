// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_PARAMETER_ATTRIBUTES_H
#define NPU_PARAMETER_ATTRIBUTES_H

#include "topology/network_description.h"

#include <ns3/attribute.h>

#include <functional>

namespace ns3
{

/**
 * @ingroup npunet
 * The packet parameters of a network as attributes of NpuFabric. Not installed.
 * @param packet parameters, such as those of a network.yml
 * @param give is called with the name and the value of each attribute
 */
void GiveNpuParameters(const npunet::topology::PacketParameters& packet,
                       const std::function<void(const char*, const AttributeValue&)>& give);

} // namespace ns3

#endif /* NPU_PARAMETER_ATTRIBUTES_H */
