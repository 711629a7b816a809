// What crosses from one partition of a split network to another: a kind, then values in their
// in-memory representation, as all partitions run the same program on machines of one kind.
//
//     BoundaryFrame frame;
//     frame.begin(CREDIT);
//     frame.add(credit);
//
//     BoundaryFrameReader reader(data, size);
//     if (reader.kind() == CREDIT) {
//         const auto credit = reader.take<BoundaryCredit>();
//     }
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace npunet::packet {

/// Collects the values of a frame.
class BoundaryFrame {
public:
    /// Discards the previous content.
    void begin(std::uint8_t kind) { bytes_.assign(1, kind); }

    template <class Value>
    void add(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        const std::size_t end = bytes_.size();
        bytes_.resize(end + sizeof(Value));
        std::memcpy(bytes_.data() + end, &value, sizeof(Value));
    }

    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    std::vector<std::uint8_t> bytes_;  ///< the kind, then the values
};

/// Returns the values of a frame in the order in which they were added.
class BoundaryFrameReader {
public:
    /// `data` is BoundaryFrame::bytes() and must outlive the reader; `size` is at least 1.
    BoundaryFrameReader(const std::uint8_t* data, std::size_t size)
        : kind_(*data), next_(data + 1), left_(size - 1) {}

    std::uint8_t kind() const { return kind_; }

    bool is_at_end() const { return left_ == 0; }

    /// The next value, which must be taken with the type that was added.
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
    std::uint8_t kind_;
    const std::uint8_t* next_;
    std::size_t left_;  ///< bytes not taken yet
};

}  // namespace npunet::packet
