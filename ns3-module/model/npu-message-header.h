// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_MESSAGE_HEADER_H
#define NPU_MESSAGE_HEADER_H

#include <ns3/header.h>

#include <cstdint>

namespace ns3
{

/**
 * @ingroup npunet
 * Which of the messages that an NpuSocketNetwork carries.
 */
struct NpuMessageKey
{
    uint32_t source{0};      //!< number of the NPU that sends
    uint32_t destination{0}; //!< number of the NPU that receives
    uint32_t number{0};      //!< how many messages the pair exchanged before, this way round

    /**
     * @param other another message
     * @return whether this one comes first
     */
    bool
    operator<(const NpuMessageKey& other) const
    {
        if (source != other.source)
        {
            return source < other.source;
        }
        return destination != other.destination ? destination < other.destination
                                                : number < other.number;
    }
};

/**
 * @ingroup npunet
 * What goes before the payload of a message on a stream, and before each part of it in a datagram:
 * 24 bytes in network order, namely the number of the NPU that sends (4), the number of the message
 * (4), its payload in bytes (8) and where in that the part begins (8; 0 on a stream).
 */
class NpuMessageHeader : public Header
{
  public:
    /// Bytes of the header.
    static constexpr uint32_t SIZE = 24;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NpuMessageHeader() = default;

    /**
     * @param key the message
     * @param size its payload in bytes
     * @param begin of the part that follows, in the payload
     */
    NpuMessageHeader(const NpuMessageKey& key, uint64_t size, uint64_t begin = 0)
        : source(key.source), number(key.number), bytes(size), offset(begin)
    {
    }

    // Inherited from Header
    TypeId
    GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    void Print(std::ostream& os) const override;

    uint32_t
    GetSerializedSize() const override
    {
        return SIZE;
    }

    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

    uint32_t source{0}; //!< number of the NPU that sends
    uint32_t number{0}; //!< of the message, among those to the same NPU
    uint64_t bytes{0};  //!< payload of the whole message
    uint64_t offset{0}; //!< of the part that follows, in the payload
};

} // namespace ns3

#endif /* NPU_MESSAGE_HEADER_H */
