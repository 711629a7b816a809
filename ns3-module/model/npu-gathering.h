// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_GATHERING_H
#define NPU_GATHERING_H

#include "engine/network/network.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * What the links have carried, from all processes, each of which knows a part of them and nothing
 * of the others. Every process must call it. Not installed; GatherNpuFlows() is its like.
 * @param uses of this process, by link
 * @return of all processes
 */
std::vector<npunet::engine::LinkUse> GatherNpuLinkUse(std::vector<npunet::engine::LinkUse> uses);

} // namespace ns3

#endif /* NPU_GATHERING_H */
