// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TOPOLOGY_HELPER_H
#define NPU_TOPOLOGY_HELPER_H

#include "topology/network/network_description.h"

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Describes any network that a network.yml can describe, in ns-3's types. The last call of a
 * Set...() holds; AddNpu(), AddSwitch() and AddLink() make a user-defined graph.
 *
 *     NpuTopologyHelper::Link fast(DataRate("800Gbps"), NanoSeconds(100));
 *     NpuTopologyHelper::Link slow(DataRate("200Gbps"), NanoSeconds(500));
 *     NpuTopologyHelper topology;
 *     topology.SetProduct({{"FullyConnected", 8, fast}, {"Switch", 4, slow}});
 *     NpuFabricHelper helper;
 *     helper.SetTopology(topology);
 *
 * Links are checked when they are given, the network as a whole when it is built: what cannot be is
 * an npunet::InputError.
 */
class NpuTopologyHelper
{
  public:
    /// Rate and delay of each direction of a link.
    struct Link
    {
        /// 400 Gb/s and 500 ns.
        Link() : rate("400Gbps"), delay(NanoSeconds(500))
        {
        }

        /**
         * @param dataRate at least 8 bit/s
         * @param signalDelay 0 to 1000 s
         */
        Link(DataRate dataRate, Time signalDelay) : rate(dataRate), delay(signalDelay)
        {
        }

        DataRate rate; //!< at least 8 bit/s
        Time delay;    //!< 0 to 1000 s
    };

    /// A dimension of a product.
    struct Dimension
    {
        std::string kind; //!< "Ring", "Mesh1D", "FullyConnected" or "Switch"
        uint32_t size{1}; //!< NPUs in it
        Link link;        //!< of its links
    };

    /// A fat tree, or one rail of SetRail().
    struct FatTree
    {
        uint32_t levels{2}; //!< of switches, 2 or 3
        uint32_t radix{0};  //!< ports of a switch
        uint32_t npus{0};   //!< in all; of rails: 0
        /// Ports towards the NPUs for each port away from them: of the leaves, with three levels
        /// also of the aggregation switches. Empty: 1, half of the ports.
        std::vector<double> oversubscription;
        /// Of the NPUs, of the leaves' ports upwards and, with three levels, of the aggregation
        /// switches'; one holds for all.
        std::vector<Link> links{Link()};
    };

    /**
     * The Cartesian product: every NPU has the links of each dimension.
     * @param dimensions the innermost first
     */
    void SetProduct(const std::vector<Dimension>& dimensions);

    /**
     * The same, of dimensions of one kind.
     * @param kind of all dimensions
     * @param sizes of the dimensions, as many as there are
     * @param link of all links
     */
    void SetProduct(const std::string& kind,
                    const std::vector<uint32_t>& sizes,
                    const Link& link = Link());

    /**
     * @param sizes of the dimensions, as many as there are
     * @param link of all links
     */
    void
    SetMesh(const std::vector<uint32_t>& sizes, const Link& link = Link())
    {
        SetProduct("Mesh1D", sizes, link);
    }

    /// @copydoc SetMesh
    void
    SetTorus(const std::vector<uint32_t>& sizes, const Link& link = Link())
    {
        SetProduct("Ring", sizes, link);
    }

    /**
     * @param tree a fat tree (folded Clos network)
     */
    void SetFatTree(const FatTree& tree);

    /**
     * A dragonfly: fully connected groups of routers, global links between the groups.
     * @param a routers of a group
     * @param p NPUs of a router
     * @param h global links of a router
     * @param groups at most a h + 1
     * @param links of the NPUs, within groups, between groups; one holds for all
     */
    void SetDragonfly(uint32_t a,
                      uint32_t p,
                      uint32_t h,
                      uint32_t groups,
                      const std::vector<Link>& links = {Link()});

    /**
     * Servers of NPUs, and a fat tree for each place in a server.
     * @param servers how many
     * @param npusPerServer how many in each
     * @param scaleUp within a server: "switch" or "fully-connected"
     * @param scaleUpLink of the links within a server
     * @param rail of each place; its `npus` stays 0
     */
    void SetRail(uint32_t servers,
                 uint32_t npusPerServer,
                 const std::string& scaleUp,
                 const Link& scaleUpLink,
                 const FatTree& rail);

    /**
     * @param name of an NPU of a user-defined graph; NPUs are numbered in the order of these calls
     */
    void
    AddNpu(const std::string& name)
    {
        AddNode(name, "npu");
    }

    /**
     * @param name of a switch of a user-defined graph; numbered after the NPUs
     */
    void
    AddSwitch(const std::string& name)
    {
        AddNode(name, "switch");
    }

    /**
     * A link of a user-defined graph.
     * @param from name of a node
     * @param to name of another node
     * @param link its rate and delay
     * @param count so many parallel ones
     * @param both directions
     */
    void AddLink(const std::string& from,
                 const std::string& to,
                 const Link& link = Link(),
                 uint32_t count = 1,
                 bool both = true);

    /**
     * @param routing its name in a network.yml; "auto": as suits the topology
     * @param seed of hashes that spread routes
     * @param pauses whether it is for FlowControl Pfc, where "auto" means routes of AddLink() that
     * need one virtual channel, if there are such routes
     * @return the network
     *
     * Throws npunet::InputError for what cannot be built and for a routing that the topology does
     * not offer.
     */
    npunet::topology::NetworkDescription Describe(const std::string& routing = "auto",
                                                  uint64_t seed = 1,
                                                  bool pauses = false) const;

    /**
     * Throws npunet::InputError for a link that cannot be.
     * @param link to be checked
     */
    static void Check(const Link& link);

  private:
    /**
     * @param name of a node of a user-defined graph
     * @param kind of the node
     */
    void AddNode(const std::string& name, const std::string& kind);

    std::string m_text;                //!< the network but for a user-defined graph
    std::vector<std::string> m_nodes;  //!< of a user-defined graph
    std::vector<std::string> m_cables; //!< of a user-defined graph
};

} // namespace ns3

#endif /* NPU_TOPOLOGY_HELPER_H */
