#include "chakra/wire/byte_blocks.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace npunet::chakra {

void ByteBlocks::clear() {
    full_ = {};
    last_.clear();
    size_ = 0;
}

std::size_t ByteBlocks::make_room(std::size_t bytes) {
    if (last_.size() >= block_bytes) {
        full_.push_back(std::exchange(last_, {}));
    }
    const std::size_t count = std::min(bytes, block_bytes - last_.size());
    // Small ones double; from then on all of the block, no more: a string would take twice as much.
    if (last_.size() + count > block_bytes / 4 && last_.capacity() < block_bytes) {
        std::string block;
        block.reserve(block_bytes);
        block = last_;
        last_ = std::move(block);
    }
    return count;
}

void ByteBlocks::append(char byte) {
    (void)make_room(1);
    last_ += byte;
    ++size_;
}

void ByteBlocks::append(std::string_view bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
        const std::size_t count = make_room(bytes.size());
        last_ += bytes.substr(0, count);
        bytes.remove_prefix(count);
    }
}

void ByteBlocks::append(ByteBlocks&& bytes) {
    if (!bytes.full_.empty()) {
        size_ += bytes.size_ - bytes.last_.size();
        last_.shrink_to_fit();
        full_.push_back(std::exchange(last_, {}));
        for (std::string& block : bytes.full_) {
            full_.push_back(std::move(block));
        }
    }
    append(bytes.last_);
    bytes.clear();
}

void ByteBlocks::append_varint(std::uint64_t value) {
    std::array<char, longest_varint> bytes;
    const char* const end = write_varint(bytes.data(), value);
    append(std::string_view(bytes.data(), static_cast<std::size_t>(end - bytes.data())));
}

void ByteBlocks::append_fixed32(std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) {
        append(static_cast<char>(value >> (8 * i) & 0xFFU));
    }
}

void ByteBlocks::append_fixed64(std::uint64_t value) {
    append_fixed32(static_cast<std::uint32_t>(value));
    append_fixed32(static_cast<std::uint32_t>(value >> 32U));
}

void ByteBlocks::move_to(std::string& bytes) {
    for (std::string& block : full_) {
        bytes += block;
        block = {};
    }
    bytes += last_;
    clear();
}

std::string ByteBlocks::take() {
    std::string bytes;
    bytes.reserve(size_);
    move_to(bytes);
    return bytes;
}

ByteBlocksReader::ByteBlocksReader(ByteBlocks&& bytes) : blocks_(std::move(bytes.full_)) {
    blocks_.push_back(std::move(bytes.last_));
    bytes.clear();
    at_ = blocks_.front().data();
    end_ = at_ + blocks_.front().size();
}

std::uint64_t ByteBlocksReader::varint_across_blocks() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        while (at_ == end_) {
            next_block();
        }
        const std::uint64_t byte = static_cast<unsigned char>(*at_++);
        value |= (byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) {
            return value;
        }
    }
}

void ByteBlocksReader::next_block() {
    blocks_[block_++] = {};
    assert(block_ < blocks_.size() && "nothing is read beyond the end");
    at_ = blocks_[block_].data();
    end_ = at_ + blocks_[block_].size();
}

}  // namespace npunet::chakra
