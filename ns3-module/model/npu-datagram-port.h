// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_DATAGRAM_PORT_H
#define NPU_DATAGRAM_PORT_H

#include "npu-datagram-set.h"
#include "npu-message-port.h"

#include <ns3/event-id.h>
#include <ns3/socket.h>

#include <cstdint>
#include <deque>
#include <map>

namespace ns3
{

/**
 * @ingroup npunet
 * Messages in datagrams (UDP), a header in each. Those of one NPU leave in the order of its
 * messages, as fast as the network's attribute DatagramRate allows; what is lost is not sent again.
 * Not installed.
 */
class NpuDatagramPort final : public NpuMessagePort
{
  public:
    using NpuMessagePort::NpuMessagePort;
    ~NpuDatagramPort() override;

    void Start(Ptr<Socket> listening) override;
    void Stop() override;
    void Send(const NpuMessageKey& key, uint64_t bytes) override;

  private:
    /// A message of which not all datagrams have been sent.
    struct Outgoing
    {
        NpuMessageKey key;  //!< which
        uint64_t bytes;     //!< its payload
        uint64_t offset{0}; //!< what has been sent of it
    };

    /**
     * @return payload of a full datagram, without the header
     */
    uint32_t GetPart() const;

    /// Sends what waits, as far as the rate allows.
    void SendWaiting();

    /**
     * Sends one datagram of the first message that waits.
     * @return its size, with the header
     */
    uint32_t SendOne();

    /**
     * Reads what is in.
     * @param socket the socket
     */
    void Read(Ptr<Socket> socket);

    Ptr<Socket> m_socket;                             //!< for both directions
    std::deque<Outgoing> m_waiting;                   //!< in the order of Send()
    EventId m_next;                                   //!< when the rate allows the next datagram
    std::map<NpuMessageKey, NpuDatagramSet> m_coming; //!< messages of which something is in
};

} // namespace ns3

#endif /* NPU_DATAGRAM_PORT_H */
