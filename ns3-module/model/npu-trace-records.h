// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_TRACE_RECORDS_H
#define NPU_TRACE_RECORDS_H

#include <ns3/data-rate.h>
#include <ns3/nstime.h>

#include <cstdint>
#include <limits>

namespace ns3
{

/**
 * @ingroup npunet
 * A packet of a fabric at one of its links: what the trace source Packet of NpuNetDevice tells.
 */
struct NpuPacketRecord
{
    /// What happens to it.
    enum Event
    {
        SENT,    //!< its first bit is put on the link
        DROPPED, //!< it, or its payload, is lost in front of the link or on it
        MARKED   //!< it is marked (ECN) as it comes to wait for the link
    };

    /// What it is. Fabrics with credits have data only.
    enum Kind
    {
        DATA,
        ACKNOWLEDGEMENT,
        GO_BACK,        //!< asks for the expected packet (NACK)
        TRIMMED,        //!< says that a packet came without its payload
        NOTIFICATION,   //!< of congestion (CNP)
        CREDIT_REQUEST, //!< receiver credits
        CREDIT_GRANT,   //!< receiver credits
        PAUSE,          //!< priority flow control
        RESUME          //!< priority flow control
    };

    /// Of packets without a number.
    static constexpr uint64_t NO_SEQUENCE = std::numeric_limits<uint64_t>::max();

    Time time;               //!< now
    Event event{SENT};       //!< what happens
    Kind kind{DATA};         //!< what it is
    uint32_t link{0};        //!< number of the link; NpuFabric::GetLinkName() names it
    uint32_t source{0};      //!< number of the node that has made the packet
    uint32_t destination{0}; //!< number of the node to which it goes; of PAUSE and RESUME: source
    uint8_t trafficClass{0}; //!< of the packet; of PAUSE and RESUME: the class they are about
    uint64_t sequence{NO_SEQUENCE}; //!< data: number in its flow, or with credits in its message;
                                    //!< answers: the number that is expected next
    uint32_t wireBytes{0};          //!< with header
    bool marked{false};             //!< data: with an ECN mark
    bool repeated{false};           //!< data: a retransmission by the transport
};

/**
 * @ingroup npunet
 * The sender of a queue pair, after it has heard something: what the trace source Sender of the
 * source's NpuNetDevice tells.
 */
struct NpuSenderRecord
{
    /// What it has heard.
    enum Event
    {
        ACKNOWLEDGED, //!< an acknowledgement, or a request to go back
        NOTIFIED,     //!< a notification of congestion (CNP)
        LOST,         //!< of a loss, by an answer
        TIMED_OUT     //!< nothing for the retransmission timeout
    };

    Time time;                 //!< now
    Event event{ACKNOWLEDGED}; //!< what it has heard
    uint32_t source{0};        //!< number of an NPU
    uint32_t destination{0};   //!< number of an NPU
    uint8_t trafficClass{0};   //!< of the queue pair
    uint64_t acknowledged{0};  //!< newly, in bytes on the wire
    Time roundTrip;            //!< of the acknowledged packet; 0 for other events
    uint64_t inFlight{0};      //!< bytes on the wire
    uint64_t window{0};        //!< bytes on the wire
    DataRate rate;             //!< that paces packets; 0: none does
    double congestion{-1};     //!< alpha of DCQCN and DCTCP, 0 to 1; -1: the algorithm has none
};

} // namespace ns3

#endif /* NPU_TRACE_RECORDS_H */
