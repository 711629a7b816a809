// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_FAULT_LIST_H
#define NPU_FAULT_LIST_H

#include "topology/network/network_description.h"

#include <ns3/nstime.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * What is to be wrong with networks that are yet to be built: what NpuFabricHelper::AddLinkFault()
 * and AddNpuSlowdown() have gathered. The functions are theirs.
 *
 *     NpuFaultList faults;
 *     faults.AddLinkFault(0, 1, MicroSeconds(2), MicroSeconds(5), 0, Time(0), true);   // down
 *     faults.AddTo(network);
 */
class NpuFaultList
{
  public:
    /// @copydoc NpuFabricHelper::AddLinkFault
    void AddLinkFault(uint32_t from,
                      uint32_t to,
                      Time at,
                      Time until,
                      double rateFactor,
                      Time extraDelay,
                      bool both);

    /// @copydoc NpuFabricHelper::AddNpuSlowdown
    void AddNpuSlowdown(uint32_t npu, double slowdown);

    /**
     * Adds the faults to those that the network has.
     * @param network a network
     *
     * Throws npunet::InputError where it does not have the link or the NPU.
     */
    void AddTo(npunet::topology::NetworkDescription& network) const;

  private:
    /// A fault whose link is looked up in the network.
    struct LinkFault
    {
        uint32_t from;                     //!< number of a node
        uint32_t to;                       //!< number of a node
        bool both;                         //!< directions
        npunet::topology::LinkFault fault; //!< without its link
    };

    std::vector<LinkFault> m_links;                 //!< to be added
    std::vector<npunet::topology::NpuFault> m_npus; //!< to be added
};

} // namespace ns3

#endif /* NPU_FAULT_LIST_H */
