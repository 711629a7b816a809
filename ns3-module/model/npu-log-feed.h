// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_LOG_FEED_H
#define NPU_LOG_FEED_H

#include "packet/base/packet_observer.h"
#include "topology/graph/graph.h"

namespace ns3
{

/**
 * @ingroup npunet
 * Writes what happens to packets of a fabric to ns-3's log, and passes it on. The components:
 *
 *     NS_LOG="NpuSwitch=info|prefix_time" build/mine
 *
 *   - NpuSwitch: drops, marks and pauses (info); links that could not send for want of credit, and
 *     every packet that starts on a link (logic)
 *   - NpuTransport: losses and timeouts (info), acknowledgements (logic)
 *   - NpuCongestionControl: rate, window and alpha of a sender after a notification, a loss or a
 *     timeout (info), after an acknowledgement (logic)
 *
 * Not installed: it knows the machine's headers.
 */
class NpuLogFeed final : public npunet::packet::PacketObserver
{
  public:
    /**
     * @param graph the network; must outlive the feed
     */
    explicit NpuLogFeed(const npunet::topology::Graph& graph) : m_graph(graph)
    {
    }

    /**
     * @return whether one of the components is enabled, in builds of any profile
     */
    static bool IsWanted();

    /**
     * @param next who hears of it, too; may be null
     */
    void
    SetNext(npunet::packet::PacketObserver* next)
    {
        m_next = next;
    }

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

  private:
    const npunet::topology::Graph& m_graph;          //!< the network
    npunet::packet::PacketObserver* m_next{nullptr}; //!< or null
};

} // namespace ns3

#endif /* NPU_LOG_FEED_H */
