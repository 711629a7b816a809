// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_STREAM_READER_H
#define NPU_STREAM_READER_H

#include "npu-message-header.h"

#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <array>
#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup npunet
 * Finds the messages in a stream of bytes, however it is cut.
 *
 *     NpuStreamReader reader([](const NpuMessageHeader& header, uint64_t bytes) { ... });
 *     reader.Read(packet);
 */
class NpuStreamReader
{
  public:
    /// Hears of a message and so many further bytes of its payload; of an empty one, once.
    using Arrived = std::function<void(const NpuMessageHeader&, uint64_t)>;

    /**
     * @param arrived to be told
     */
    explicit NpuStreamReader(Arrived arrived);

    /**
     * @param packet the next bytes
     */
    void Read(Ptr<const Packet> packet);

  private:
    /**
     * @param packet the next bytes
     * @param from index of the first that is not read
     * @return how many of them belong to a header
     */
    uint32_t ReadHeader(Ptr<const Packet> packet, uint32_t from);

    Arrived m_arrived;                                   //!< to be told
    std::array<uint8_t, NpuMessageHeader::SIZE> m_bytes; //!< of the header that is coming in
    uint32_t m_filled{0};                                //!< how many of them are in
    NpuMessageHeader m_header;                           //!< the last whole one
    uint64_t m_left{0};                                  //!< bytes of its payload to come
};

} // namespace ns3

#endif /* NPU_STREAM_READER_H */
