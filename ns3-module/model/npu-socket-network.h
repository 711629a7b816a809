// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SOCKET_NETWORK_H
#define NPU_SOCKET_NETWORK_H

#include "npu-event-bridge.h"
#include "npu-message-header.h"
#include "npu-network.h"

#include <ns3/address.h>
#include <ns3/application-container.h>
#include <ns3/data-rate.h>
#include <ns3/nstime.h>
#include <ns3/type-id.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class NpuSocketApplication;

/**
 * @ingroup npunet
 * NPUs that are nodes of any ns-3 scenario and send their messages over its sockets: links, routing
 * and transport are whatever the nodes have. NpuSocketHelper makes one.
 *
 * Over TCP (Protocol) every message arrives exactly once; those from one NPU to another follow one
 * another. Over UDP messages are cut into datagrams, and the loss of one is the loss of its
 * message. Each message, or datagram, begins with an NpuMessageHeader. ns-3 must run in
 * picoseconds.
 *
 * A message is sent when the other end has acknowledged its last byte, as far as the socket tells:
 * over UDP, when the socket has taken it. With SendEnds "Accepted" that holds for every protocol,
 * as for a process that may use its memory again when the socket has made a copy.
 */
class NpuSocketNetwork final : public NpuNetwork,
                               private npunet::engine::Network,
                               private npunet::engine::EventHandler
{
  public:
    /// When a message counts as sent.
    enum SendEnd
    {
        ACKNOWLEDGED, //!< when the other end has acknowledged its last byte
        ACCEPTED      //!< when the socket has taken its last byte
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuSocketNetwork();
    ~NpuSocketNetwork() override;

    /**
     * Once only.
     * @param network the topology that the algorithms of collectives go by, with as many NPUs as
     *                there will be applications; its links carry nothing
     *
     * Stops the program when ns-3 does not run in picoseconds.
     */
    void SetNetwork(npunet::topology::NetworkDescription network);

    /**
     * Attaches the application of the next NPU.
     * @param application on the NPU's node
     * @param address by which the other NPUs know the node: an Ipv4Address or an Ipv6Address
     */
    void AddApplication(Ptr<NpuSocketApplication> application, const Address& address);

    /**
     * @return the applications, in the order of the NPUs
     */
    ApplicationContainer GetApplications() const;

    /**
     * @param npu number of an NPU
     * @return its address and port
     */
    Address GetAddress(uint32_t npu) const;

    /**
     * @return attribute Protocol
     */
    TypeId
    GetProtocol() const
    {
        return m_protocol;
    }

    /**
     * @return attribute Port
     */
    uint16_t
    GetPort() const
    {
        return m_port;
    }

    /**
     * @return attribute DatagramSize
     */
    uint32_t
    GetDatagramSize() const
    {
        return m_datagramSize;
    }

    /**
     * @return attribute DatagramRate
     */
    DataRate
    GetDatagramRate() const
    {
        return m_datagramRate;
    }

    // Inherited from NpuNetwork
    const npunet::topology::NetworkDescription&
    GetDescription() const override
    {
        return m_description;
    }

    npunet::engine::Network&
    GetNetwork() override
    {
        return *this;
    }

    npunet::engine::EventQueue&
    GetEventQueue() override
    {
        return m_queue;
    }

    void Synchronize() override;
    uint32_t GetNodeId(std::size_t position) const override;

    std::vector<npunet::engine::LinkUse>
    GatherLinkUse() const override
    {
        return {};
    }

    // What the applications tell, in ns-3 events.

    /**
     * A socket has taken the first byte of a message.
     * @param key the message
     */
    void FirstByteAccepted(const NpuMessageKey& key);

    /**
     * A socket has taken the last byte of a message.
     * @param key the message
     */
    void LastByteAccepted(const NpuMessageKey& key);

    /**
     * The other end has acknowledged the last byte of a message, as far as the protocol does that.
     * @param key the message
     */
    void LastByteAcknowledged(const NpuMessageKey& key);

    /**
     * @param key of a message, as a header that has come in tells it
     * @param bytes its payload
     * @return whether there is such a message, and bytes of it are still to come
     */
    bool IsComing(const NpuMessageKey& key, uint64_t bytes) const;

    /**
     * Further bytes of a message have arrived. What is not coming is ignored.
     * @param key the message
     * @param bytes how many; none where the whole message has none
     */
    void BytesArrived(const NpuMessageKey& key, uint64_t bytes);

    /**
     * Messages from one NPU to another may not arrive.
     * @param source number of an NPU
     * @param destination number of another
     * @param what a phrase about the source
     */
    void Failed(uint32_t source, uint32_t destination, const std::string& what);

  protected:
    void DoDispose() override;

  private:
    /// A message of which something is still to be heard.
    struct Record
    {
        NpuMessageKey key;               //!< in m_places until the message is in
        npunet::engine::Message message; //!< as its sender gave it
        npunet::Time begun;              //!< when the engine sent it
        npunet::Time firstByteLeft;      //!< when a socket took the first byte
        npunet::Bytes arrived;           //!< payload that is in
        bool delivered{false};           //!< all of it is in
        bool told{false};                //!< the engine has heard of that
        bool sent{false};                //!< the engine has heard that it is sent
    };

    // The engine's side
    void send(const npunet::engine::Message& message) override;

    std::vector<npunet::engine::LinkUse>
    link_use() const override
    {
        return {};
    }

    std::string explain_stall() const override;
    void run(npunet::engine::EventQueue& queue) override;
    void handle(std::uint64_t payload) override;

    /**
     * Lets the engine hear of a message, in the order that it wants.
     * @param place of the message in m_records
     * @param kind of the event: message_sent or message_delivered
     */
    void Tell(uint32_t place, unsigned kind);

    /**
     * @param key a message
     * @return its place in m_records; NOWHERE when it is not there
     */
    uint32_t Find(const NpuMessageKey& key) const;

    /**
     * @param record a message that has not arrived
     * @return what is known of it
     */
    std::string Explain(const Record& record) const;

    /// No place in m_records.
    static constexpr uint32_t NOWHERE = 0xffffffff;

    npunet::topology::NetworkDescription m_description;        //!< the topology of collectives
    npunet::engine::EventQueue m_queue;                        //!< driven by m_bridge
    std::unique_ptr<NpuEventBridge> m_bridge;                  //!< null before SetNetwork()
    std::vector<Ptr<NpuSocketApplication>> m_applications;     //!< by NPU
    std::vector<Address> m_addresses;                          //!< by NPU, with the port
    std::vector<Record> m_records;                             //!< used and free places
    std::vector<uint32_t> m_free;                              //!< places to be used again
    std::map<NpuMessageKey, uint32_t> m_places;                //!< of messages that are not through
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_count; //!< messages so far, by pair
    std::map<std::pair<uint32_t, uint32_t>, std::string> m_failures; //!< by pair
    TypeId m_protocol;                                               //!< attribute Protocol
    uint16_t m_port{0};                                              //!< attribute Port
    uint32_t m_datagramSize{0};                                      //!< attribute DatagramSize
    DataRate m_datagramRate;                                         //!< attribute DatagramRate
    SendEnd m_sendEnds{ACKNOWLEDGED};                                //!< attribute SendEnds
    npunet::Time m_lastArrival;                                      //!< of any bytes
};

} // namespace ns3

#endif /* NPU_SOCKET_NETWORK_H */
