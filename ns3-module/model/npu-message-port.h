// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_MESSAGE_PORT_H
#define NPU_MESSAGE_PORT_H

#include "npu-message-header.h"

#include <ns3/packet.h>
#include <ns3/ptr.h>
#include <ns3/socket.h>

#include <algorithm>
#include <cstdint>

namespace ns3
{

class NpuSocketApplication;

/**
 * @ingroup npunet
 * The sockets of one NPU: sends messages, and tells the network what comes in. Not installed.
 */
class NpuMessagePort
{
  public:
    /**
     * @param application that owns the port
     */
    explicit NpuMessagePort(NpuSocketApplication& application) : m_application(application)
    {
    }

    virtual ~NpuMessagePort() = default;
    NpuMessagePort(const NpuMessagePort&) = delete;
    NpuMessagePort& operator=(const NpuMessagePort&) = delete;

    /**
     * @param listening socket at which others reach the NPU
     */
    virtual void Start(Ptr<Socket> listening) = 0;

    /// Closes all sockets. Without it, they are left to the node.
    virtual void Stop() = 0;

    /**
     * @param key of a message of this NPU, which is under way in the network
     * @param bytes its payload
     */
    virtual void Send(const NpuMessageKey& key, uint64_t bytes) = 0;

  protected:
    /**
     * @param header of a message
     * @param from index of the first byte wanted, the header's bytes included
     * @param length how many bytes are wanted
     * @return that part of header and payload; the payload has no content
     */
    static Ptr<Packet>
    MakePart(const NpuMessageHeader& header, uint64_t from, uint32_t length)
    {
        if (from >= NpuMessageHeader::SIZE)
        {
            return Create<Packet>(length);
        }
        const auto skipped = static_cast<uint32_t>(from);
        const uint32_t ofHeader = std::min(NpuMessageHeader::SIZE - skipped, length);
        Ptr<Packet> part = Create<Packet>(length - ofHeader);
        part->AddHeader(header);
        part->RemoveAtStart(skipped);
        part->RemoveAtEnd(part->GetSize() - length);
        return part;
    }

    NpuSocketApplication& m_application; //!< that owns the port
};

} // namespace ns3

#endif /* NPU_MESSAGE_PORT_H */
