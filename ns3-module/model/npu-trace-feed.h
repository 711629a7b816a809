// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TRACE_FEED_H
#define NPU_TRACE_FEED_H

#include "npu-log-feed.h"
#include "npu-net-device.h"
#include "packet/base/packet_network.h"
#include "packet/base/packet_observer.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Feeds the trace sources of the devices of a fabric with what its machine does. The machine has an
 * observer only while one of them has a sink. Not installed.
 *
 * What happens later than it is known, the arrival of packets, is told by ns-3 events of its own in
 * the context of the node. They change nothing in the machine, and its choices of an instant come
 * after them.
 */
class NpuTraceFeed final : private npunet::packet::PacketObserver
{
  public:
    /**
     * @param graph the network; must outlive the feed
     * @param machine that moves the packets; must outlive the feed
     */
    NpuTraceFeed(const npunet::topology::Graph& graph, npunet::packet::PacketNetwork& machine);

    /**
     * The listeners of a device have changed.
     * @param position number of its node
     * @param device the device
     */
    void Update(uint32_t position, const Ptr<NpuNetDevice>& device);

    /// Looks whether a component of the log has been enabled, or the last one disabled.
    void
    UpdateLog()
    {
        if (NpuLogFeed::IsWanted() != m_isLogging)
        {
            Observe();
        }
    }

  private:
    void packet_started(npunet::LinkId link,
                        const npunet::packet::ObservedPacket& packet,
                        npunet::Time arrival,
                        npunet::Bytes waited) override;
    void packet_entered(npunet::LinkId link, npunet::Bytes wire, npunet::Time arrival) override;
    void packet_queued(npunet::LinkId link, npunet::Bytes wire, npunet::Time from) override;
    void packet_gave_up(npunet::LinkId link, npunet::Bytes wire, npunet::Time from) override;
    void credit_stalled(npunet::LinkId link, npunet::Time from, npunet::Time duration) override;
    void packet_lost(npunet::LinkId link,
                     const npunet::packet::ObservedPacket& packet,
                     npunet::packet::PacketDrop why) override;
    void packet_marked(npunet::LinkId link, const npunet::packet::ObservedPacket& packet) override;
    void link_paused(npunet::LinkId link, std::uint8_t trafficClass, bool paused) override;

    void sender_heard(const npunet::packet::ObservedSender& sender) override;

    /// Lets the machine tell of packets where there are sinks.
    void Observe();

    /**
     * Bytes begin or cease to wait.
     * @param link they wait for it
     * @param bytes how many more
     * @param from when
     */
    void ChangeQueue(npunet::LinkId link, int64_t bytes, npunet::Time from);

    /**
     * @param node number of a node
     * @return its device when that has sinks, otherwise null
     */
    const Ptr<NpuNetDevice>&
    Listening(npunet::NodeId node) const
    {
        return m_devices[node.index()];
    }

    const npunet::topology::Graph& m_graph;   //!< the network
    npunet::packet::PacketNetwork& m_machine; //!< moves the packets
    std::vector<Ptr<NpuNetDevice>> m_devices; //!< by node; null where there is no sink
    std::size_t m_listening{0};               //!< how many are not
    NpuLogFeed m_log;                         //!< before this, where it is wanted
    bool m_isLogging{false};                  //!< it is
};

} // namespace ns3

#endif /* NPU_TRACE_FEED_H */
