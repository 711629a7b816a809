#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace npunet::packet {

/// What crosses from one part of a split network to another: a kind, and values as they are in
/// memory, since all parts run the same program on machines of one kind.
///
///     BoundaryFrame frame;
///     frame.begin(CREDIT);
///     frame.add(credit);
class BoundaryFrame {
public:
    /// Forgets what the frame has had.
    /// @param kind by which its reader knows what is in it
    void begin(std::uint8_t kind) { bytes_.assign(1, kind); }

    /// @param value the next one
    template <class Value>
    void add(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        const std::size_t end = bytes_.size();
        bytes_.resize(end + sizeof(Value));
        std::memcpy(bytes_.data() + end, &value, sizeof(Value));
    }

    /// @return all of it
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    std::vector<std::uint8_t> bytes_;  ///< the kind, then the values
};

/// Reads what a BoundaryFrame has carried, value by value.
///
///     BoundaryFrameReader reader(data, size);
///     if (reader.kind() == CREDIT)
///     {
///         const auto credit = reader.Take<BoundaryCredit>();
///     }
class BoundaryFrameReader {
public:
    /// @param data BoundaryFrame::bytes(); must outlive this
    /// @param size how many, at least 1
    BoundaryFrameReader(const std::uint8_t* data, std::size_t size)
        : kind_(*data), next_(data + 1), left_(size - 1) {}

    /// @return of the frame
    std::uint8_t kind() const { return kind_; }

    /// @return whether all values are taken
    bool is_at_end() const { return left_ == 0; }

    /// @return the next value, of the type that was added
    template <class Value>
    Value take() {
        static_assert(std::is_trivially_copyable_v<Value>);
        assert(left_ >= sizeof(Value) && "a frame of another program");
        Value value;
        std::memcpy(&value, next_, sizeof(Value));
        next_ += sizeof(Value);
        left_ -= sizeof(Value);
        return value;
    }

private:
    std::uint8_t kind_;         ///< of the frame
    const std::uint8_t* next_;  ///< the next value
    std::size_t left_;          ///< bytes not taken yet
};

}  // namespace npunet::packet
