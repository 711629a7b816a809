/*
 * Copyright (c) 2026 The npunet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NPU_BORDER_FRAME_H
#define NPU_BORDER_FRAME_H

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace npunet::packet
{

/**
 * @ingroup npunet
 * What crosses from one part of a split network to another: a kind, and values as they are in
 * memory, since all parts run the same program on machines of one kind.
 *
 *     BorderFrame frame;
 *     frame.Begin(CREDIT);
 *     frame.Add(credit);
 */
class BorderFrame
{
  public:
    /**
     * Forgets what the frame has had.
     * @param kind by which its reader knows what is in it
     */
    void
    Begin(std::uint8_t kind)
    {
        m_bytes.assign(1, kind);
    }

    /**
     * @param value the next one
     */
    template <class Value>
    void
    Add(const Value& value)
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        const std::size_t end = m_bytes.size();
        m_bytes.resize(end + sizeof(Value));
        std::memcpy(m_bytes.data() + end, &value, sizeof(Value));
    }

    /**
     * @return all of it
     */
    const std::vector<std::uint8_t>&
    GetBytes() const
    {
        return m_bytes;
    }

  private:
    std::vector<std::uint8_t> m_bytes; ///< the kind, then the values
};

/**
 * @ingroup npunet
 * Reads what a BorderFrame has carried, value by value.
 *
 *     BorderFrameReader reader(data, size);
 *     if (reader.GetKind() == CREDIT)
 *     {
 *         const auto credit = reader.Take<BorderCredit>();
 *     }
 */
class BorderFrameReader
{
  public:
    /**
     * @param data BorderFrame::GetBytes(); must outlive this
     * @param size how many, at least 1
     */
    BorderFrameReader(const std::uint8_t* data, std::size_t size)
        : m_kind(*data), m_next(data + 1), m_left(size - 1)
    {
    }

    /**
     * @return of the frame
     */
    std::uint8_t
    GetKind() const
    {
        return m_kind;
    }

    /**
     * @return whether all values are taken
     */
    bool
    IsAtEnd() const
    {
        return m_left == 0;
    }

    /**
     * @return the next value, of the type that was added
     */
    template <class Value>
    Value
    Take()
    {
        static_assert(std::is_trivially_copyable_v<Value>);
        assert(m_left >= sizeof(Value) && "a frame of another program");
        Value value;
        std::memcpy(&value, m_next, sizeof(Value));
        m_next += sizeof(Value);
        m_left -= sizeof(Value);
        return value;
    }

  private:
    std::uint8_t m_kind;        ///< of the frame
    const std::uint8_t* m_next; ///< the next value
    std::size_t m_left;         ///< bytes not taken yet
};

} // namespace npunet::packet

#endif /* NPU_BORDER_FRAME_H */
