// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_SOCKET_APPLICATION_H
#define NPU_SOCKET_APPLICATION_H

#include "npu-message-header.h"

#include <ns3/address.h>
#include <ns3/application.h>
#include <ns3/packet.h>
#include <ns3/socket.h>
#include <ns3/traced-callback.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

class NpuMessagePort;
class NpuSocketNetwork;

/**
 * @ingroup npunet
 * The sockets of one NPU of an NpuSocketNetwork, on its node. It listens from its StartTime, which
 * should be the same for all, and sends from then on, until its StopTime. NpuSocketHelper makes
 * one for each NPU.
 */
class NpuSocketApplication : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuSocketApplication();
    ~NpuSocketApplication() override;

    /**
     * @param network that the NPU belongs to
     * @param npu its number there
     */
    void SetNetwork(Ptr<NpuSocketNetwork> network, uint32_t npu);

    /**
     * @return the network; null after Dispose()
     */
    Ptr<NpuSocketNetwork> GetNetwork() const;

    /**
     * @return number of the NPU
     */
    uint32_t
    GetNpu() const
    {
        return m_npu;
    }

    /**
     * @return whether it is between its StartTime and its StopTime
     */
    bool IsRunning() const;

    /**
     * Sends a message, when the application runs.
     * @param key of a message of this NPU, which is under way in the network
     * @param bytes its payload
     */
    void Send(const NpuMessageKey& key, uint64_t bytes);

    // For the ports.

    /**
     * @param listening whether others shall find it, at the network's port
     * @return a socket of the node
     */
    Ptr<Socket> MakeSocket(bool listening) const;

    /**
     * @param packet that a socket has taken
     */
    void
    NotifyTx(Ptr<const Packet> packet) const
    {
        m_tx(packet);
    }

    /**
     * @param packet that has come in
     * @param from address of its sender
     */
    void
    NotifyRx(Ptr<const Packet> packet, const Address& from) const
    {
        m_rx(packet, from);
    }

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    Ptr<NpuSocketNetwork> m_network;                           //!< that the NPU belongs to
    uint32_t m_npu{0};                                         //!< its number
    std::unique_ptr<NpuMessagePort> m_port;                    //!< the sockets, while it runs
    std::vector<std::pair<NpuMessageKey, uint64_t>> m_waiting; //!< messages before it runs
    TracedCallback<Ptr<const Packet>> m_tx;                    //!< a socket has taken a packet
    TracedCallback<Ptr<const Packet>, const Address&> m_rx;    //!< a packet has come in
};

} // namespace ns3

#endif /* NPU_SOCKET_APPLICATION_H */
