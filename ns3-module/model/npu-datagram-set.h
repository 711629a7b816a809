// SPDX-License-Identifier: GPL-2.0-only

#ifndef NPU_DATAGRAM_SET_H
#define NPU_DATAGRAM_SET_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup npunet
 * Which parts of a message are in, whatever their order and however often they come.
 *
 *     NpuDatagramSet set(bytes, 1448);
 *     if (set.Insert(offset, size)) { ... } // size bytes are new
 */
class NpuDatagramSet
{
  public:
    /**
     * @param bytes payload of the message
     * @param part payload of all its datagrams but the last, not 0
     */
    NpuDatagramSet(uint64_t bytes, uint32_t part)
        : m_bytes(bytes), m_part(part),
          m_in(static_cast<std::size_t>(bytes == 0 ? 1 : (bytes - 1) / part + 1))
    {
    }

    /**
     * @param offset of a part in the payload
     * @param size payload of the part
     * @return whether it is one of the message's parts and was not in before
     */
    bool
    Insert(uint64_t offset, uint64_t size)
    {
        const uint64_t index = offset / m_part;
        const uint64_t left = offset <= m_bytes ? m_bytes - offset : 0;
        if (offset % m_part != 0 || index >= m_in.size() ||
            size != (left < m_part ? left : m_part) || m_in[static_cast<std::size_t>(index)])
        {
            return false;
        }
        m_in[static_cast<std::size_t>(index)] = true;
        return true;
    }

  private:
    uint64_t m_bytes;       //!< payload of the message
    uint32_t m_part;        //!< payload of all its datagrams but the last
    std::vector<bool> m_in; //!< by index of the part
};

} // namespace ns3

#endif /* NPU_DATAGRAM_SET_H */
