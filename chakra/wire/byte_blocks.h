// Bytes that are written one after the other and grow by blocks: never held twice, unlike those of
// a string, which grows by copying itself to twice the room. For the sources of chakra only.
//
//     ByteBlocks list;
//     list.append_varint(7);
//     message.append_bytes(5, std::move(list));   // a field of Protobuf: tag, length, bytes
//     std::string bytes = message.take();         // in one piece
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chakra/wire/wire.h"

namespace npunet::chakra {

class ByteBlocks {
public:
    static constexpr std::size_t block_bytes = std::size_t{1} << 14;

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    void clear();

    void append(char byte);
    void append(std::string_view bytes);
    /// Leaves nothing in `bytes`.
    void append(ByteBlocks&& bytes);

    // As the wire format of Protobuf has them; chakra/wire/wire.h reads them.
    void append_varint(std::uint64_t value);
    void append_fixed32(std::uint32_t value);
    void append_fixed64(std::uint64_t value);
    void append_tag(int field, WireType type) {
        append_varint(static_cast<std::uint64_t>(field) << 3U | static_cast<unsigned>(type));
    }
    void append_number(int field, std::uint64_t value) {
        append_tag(field, WireType::Varint);
        append_varint(value);
    }
    void append_bytes(int field, std::string_view bytes) {
        append_tag(field, WireType::Bytes);
        append_varint(bytes.size());
        append(bytes);
    }
    void append_bytes(int field, ByteBlocks&& bytes) {
        append_tag(field, WireType::Bytes);
        append_varint(bytes.size());
        append(std::move(bytes));
    }

    /// Appends all to `bytes`, and leaves nothing here: each block is freed when it is copied.
    void move_to(std::string& bytes);
    /// All of it; leaves nothing here.
    [[nodiscard]] std::string take();

private:
    friend class ByteBlocksReader;

    /// Room for more bytes, at most a block, in the last block. Returns how many fit.
    std::size_t make_room(std::size_t bytes);

    std::vector<std::string> full_;
    std::string last_;
    std::size_t size_ = 0;
};

/// Reads from the front, and frees each block when it was read.
class ByteBlocksReader {
public:
    explicit ByteBlocksReader(ByteBlocks&& bytes);

    /// There must be one.
    std::uint64_t varint() {
        if (end_ - at_ < static_cast<std::ptrdiff_t>(longest_varint)) {
            return varint_across_blocks();
        }
        std::uint64_t value = 0;
        at_ = read_varint(at_, end_, value);
        return value;
    }

private:
    std::uint64_t varint_across_blocks();
    void next_block();

    std::vector<std::string> blocks_;
    std::size_t block_ = 0;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
};

}  // namespace npunet::chakra
