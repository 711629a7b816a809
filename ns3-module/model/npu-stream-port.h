// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_STREAM_PORT_H
#define NPU_STREAM_PORT_H

#include "npu-message-port.h"
#include "npu-stream-reader.h"

#include <ns3/address.h>
#include <ns3/socket.h>

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Messages over connections (TCP): one to each NPU that this one sends to, made for the first
 * message. Messages to the same NPU follow one another on the stream, a header before each. Not
 * installed.
 */
class NpuStreamPort final : public NpuMessagePort
{
  public:
    using NpuMessagePort::NpuMessagePort;
    ~NpuStreamPort() override;

    void Start(Ptr<Socket> listening) override;
    void Stop() override;
    void Send(const NpuMessageKey& key, uint64_t bytes) override;

  private:
    /// A message that is not wholly handed to its socket.
    struct Outgoing
    {
        NpuMessageKey key; //!< which
        uint64_t bytes;    //!< its payload
    };

    /// A message of which the other end has not acknowledged everything.
    struct Unacknowledged
    {
        NpuMessageKey key; //!< which
        uint64_t end;      //!< of its last byte on the stream
    };

    /// The way to another NPU.
    struct Connection
    {
        Ptr<Socket> socket;                        //!< null before the first message
        bool open{false};                          //!< it can take bytes
        uint32_t room{0};                          //!< bytes that it takes while it holds none
        std::deque<Outgoing> waiting;              //!< the first is being written
        uint64_t written{0};                       //!< bytes of the first that the socket took
        uint64_t accepted{0};                      //!< bytes that the socket took in all
        std::deque<Unacknowledged> unacknowledged; //!< in the order of the stream
    };

    /// A connection that another NPU has made.
    struct Inlet
    {
        Ptr<Socket> socket;     //!< of this end
        NpuStreamReader reader; //!< of what comes
    };

    /**
     * @param destination number of an NPU
     */
    void Connect(uint32_t destination);

    /**
     * @return all sockets: that which listens, those to other NPUs by their numbers, and those of
     *         others in the order in which they have connected
     */
    std::vector<Ptr<Socket>> GetSockets() const;

    /**
     * The connection is there.
     * @param destination number of the NPU at its other end
     */
    void Opened(uint32_t destination);

    /**
     * The connection cannot be made, or has broken.
     * @param destination number of the NPU at its other end
     */
    void Failed(uint32_t destination);

    /**
     * The socket may have room, because acknowledgements are in.
     * @param destination number of the NPU at its other end
     */
    void Progress(uint32_t destination);

    /**
     * Hands the socket as much as it takes.
     * @param connection with something to write
     */
    void Write(Connection& connection);

    /**
     * Another NPU has connected.
     * @param socket of this end
     */
    void Accepted(Ptr<Socket> socket);

    /**
     * @param inlet with bytes to be read
     */
    void Read(Inlet& inlet);

    /**
     * Bytes have come in. Those of messages that are not coming, which other programs have sent,
     * are left out of account.
     * @param header of their message
     * @param bytes how many
     */
    void Arrived(const NpuMessageHeader& header, uint64_t bytes) const;

    Ptr<Socket> m_listening;                      //!< for connections of others
    std::map<uint32_t, Connection> m_connections; //!< by number of the NPU
    std::deque<Inlet> m_inlets;                   //!< in the order in which others have connected
};

} // namespace ns3

#endif /* NPU_STREAM_PORT_H */
