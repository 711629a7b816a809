// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_NETWORK_H
#define NPU_NETWORK_H

#include "npu-flow-statistics.h"

#include "base/ids.h"
#include "engine/clock/event_queue.h"
#include "engine/network/network.h"
#include "engine/network/shared_network.h"
#include "engine/results/flow_statistics.h"
#include "topology/network/network_description.h"

#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/traced-callback.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class NpuChakraWorkload;

/**
 * @defgroup npunet Networks of NPUs
 * Packet-level networks of NPUs (accelerators that train large models together).
 */

/**
 * @ingroup npunet
 * What carries the messages of workloads between NPUs: NpuFabric, a network of the module's own, or
 * NpuSocketNetwork, the sockets of any other ns-3 scenario. NpuChakraHelper puts workloads on it:
 * any number at a time, each on NPUs of its own.
 *
 * A further kind of network derives from this class and implements npunet::engine::Network, on an
 * event queue that ns-3 drives (NpuEventBridge).
 */
class NpuNetwork : public Object
{
  public:
    NpuNetwork();
    ~NpuNetwork() override;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return the NPUs and the topology that the algorithms of collectives go by
     */
    virtual const npunet::topology::NetworkDescription& GetDescription() const = 0;

    /**
     * The network as a workload engine wants it: message numbers are the engine's own, their counts
     * below 2^35 per source. Its run() runs the Simulator. Workloads have their shares of it from
     * Carry(); who has an engine of another kind sets its listener, and installs no workload.
     * @return the network; lives as long as this object
     */
    virtual npunet::engine::Network& GetNetwork() = 0;

    /**
     * @return the events that ns-3 drives; lives as long as this object
     */
    virtual npunet::engine::EventQueue& GetEventQueue() = 0;

    /**
     * Moves the clock of GetEventQueue() to ns-3's: for code that runs in an ns-3 event, before it
     * schedules there or sends by GetNetwork().
     */
    virtual void Synchronize() = 0;

    /**
     * @param position number of a node in the network: NPUs first, then switches
     * @return the ns-3 id of the node
     */
    virtual uint32_t GetNodeId(std::size_t position) const = 0;

    /**
     * @param position number of a node in the network
     * @return whether the node is in this process
     */
    virtual bool IsHere(std::size_t position) const;

    /**
     * What the links have carried in all processes. Each must call it, after Simulator::Run().
     * @return as engine::Network::link_use() has it
     */
    virtual std::vector<npunet::engine::LinkUse> GatherLinkUse() const = 0;

    /**
     * Counts the messages that arrive from now on by their flows, which takes 16 bytes a message.
     */
    void EnableFlowStatistics();

    /**
     * @return what became of the messages that have arrived in this process since
     *         EnableFlowStatistics(), by numbers of source and destination, then class; empty
     *         without
     */
    std::vector<NpuFlowStatistics> GetFlowStatistics() const;

    /**
     * The same of all processes. Each must call it, after Simulator::Run().
     * @return by numbers of source and destination, then class
     */
    std::vector<NpuFlowStatistics> GatherFlowStatistics() const;

    /**
     * A workload wants to send and to hear of its messages.
     * @param workload that is about to be installed; it stays until Drop()
     * @param npus by rank: the number of its NPU
     * @return the network as the workload sees it; lives as long as this object
     *
     * Throws npunet::InputError for NPUs that the network does not have or that stand twice, and
     * while another workload with one of them is not finished.
     */
    npunet::engine::Network& Carry(NpuChakraWorkload* workload,
                                   const std::vector<npunet::NodeId>& npus);

    /**
     * Messages of a workload that are under way end, but are not reported.
     * @param workload that is disposed of
     */
    void Drop(NpuChakraWorkload* workload);

    /**
     * Keeps what messages and events under way refer to until the network is gone.
     * @param parts of a workload that is disposed of
     */
    void Keep(std::shared_ptr<void> parts);

    /**
     * TracedCallback signature of MessageSent and MessageDelivered.
     *
     * @param [in] source ns-3 id of the node that sends
     * @param [in] destination ns-3 id of the node that receives
     * @param [in] bytes payload of the message
     * @param [in] time now: when the last byte has left, or has arrived
     */
    typedef void (*MessageTracedCallback)(uint32_t source,
                                          uint32_t destination,
                                          uint64_t bytes,
                                          Time time);

    /**
     * TracedCallback signature of MessageCompleted.
     *
     * @param [in] source ns-3 id of the node that sends
     * @param [in] destination ns-3 id of the node that receives
     * @param [in] bytes payload of the message
     * @param [in] start when it was handed to the network
     * @param [in] end now: when the last byte has arrived
     */
    typedef void (*MessageCompletedTracedCallback)(
        uint32_t source, uint32_t destination, uint64_t bytes, Time start, Time end);

  protected:
    void DoDispose() override;

    /**
     * @return what a transport has done for each flow so far, in this process
     */
    virtual std::vector<npunet::engine::FlowUse>
    GetFlowUse() const
    {
        return {};
    }

    /**
     * @return how long a message takes alone on an idle network; null where it is not known
     */
    virtual npunet::engine::FlowStatistics::IdleTime
    GetIdleTime() const
    {
        return nullptr;
    }

    /**
     * @return whether anybody listens to MessageSent
     */
    bool
    HasSentListeners() const
    {
        return !m_messageSent.IsEmpty();
    }

    /**
     * The last byte of a message has left its source, now.
     * @param message as its sender gave it
     */
    void NotifySent(const npunet::engine::Message& message) const;

    /**
     * The last byte of a message has arrived, now.
     * @param message as its sender gave it
     * @param start when it did
     */
    void NotifyDelivered(const npunet::engine::Message& message, npunet::Time start) const;

  private:
    /**
     * @return what became of the messages that have arrived in this process
     */
    std::vector<npunet::engine::FlowResult> GetFlows() const;

    /**
     * @param flows as the engine has them
     * @return the same for ns-3
     */
    std::vector<NpuFlowStatistics> StatisticsOf(
        const std::vector<npunet::engine::FlowResult>& flows) const;

    /**
     * @param npu that a workload cannot have
     * @param why a phrase about it
     *
     * Throws npunet::InputError.
     */
    [[noreturn]] static void Refuse(npunet::NodeId npu, const std::string& why);

    /// A workload that was installed and is not disposed of.
    struct Carried
    {
        NpuChakraWorkload* workload;          //!< which one
        std::vector<npunet::NodeId> npus;     //!< those that it has
        const npunet::engine::Network* share; //!< what it sends by
    };

    std::unique_ptr<npunet::engine::SharedNetwork> m_shared; //!< tells workloads; null before them
    std::vector<Carried> m_carried;                          //!< in the order of installation
    std::vector<std::shared_ptr<void>> m_kept;               //!< of workloads disposed of

    /// The last byte of a message has left its source.
    TracedCallback<uint32_t, uint32_t, uint64_t, Time> m_messageSent;
    /// The last byte of a message has arrived.
    TracedCallback<uint32_t, uint32_t, uint64_t, Time> m_messageDelivered;
    /// The same, with its start.
    TracedCallback<uint32_t, uint32_t, uint64_t, Time, Time> m_messageCompleted;
    std::unique_ptr<npunet::engine::FlowStatistics> m_flows; //!< null: not wanted
};

} // namespace ns3

#endif /* NPU_NETWORK_H */
