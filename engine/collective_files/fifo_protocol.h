// The FIFO of a connection: how NCCL and what is built on it (MSCCL) move the bytes that a thread
// block sends to one peer over one channel.
//
// A connection has 8 slots in the receiver's memory. A send writes its bytes into slots and is done
// when they are written; the receiver frees them when it has used what was in them. A sender is
// therefore never more than 8 slots ahead of its receiver. The protocols differ in how many bytes
// one call of a primitive may move, and how many slots that takes:
//
//     protocol   bytes a call   slots a call   calls ahead
//     Simple     2 MiB          4              2
//     LL         32 KiB         1              8
//     LL128      576 000        1              8
//
// A call of Simple has two slices of two slots, each sent by itself, so that the receiver passes on
// the first while the second one comes; up to 32 KiB are one slice, and the call takes its four
// slots all the same. Sources: NCCL 2.30.7, src/init.cc (computeBuffSizes), src/include/device.h
// (NCCL_STEPS), src/device/prims_simple.h (genericOp); RCCL, src/include/msccl/msccl_struct.h
// (MSCCL_CHUNKSTEPS, MSCCL_SLICESTEPS).
//
// Bytes are payload: the flags on the wire (LL one byte for each byte of data, LL128 8 for 120) are
// not in them.
//
//     const FifoProtocol& simple = *FifoProtocol::named("Simple");
//     std::vector<FifoMessage> messages;
//     simple.add_call(Bytes(1 << 20), messages);    // two of 512 KiB, each in 2 slots
//
// C++17-clean.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/quantities.h"

namespace npunet::engine {

/// What a sender hands over at one time.
struct FifoMessage {
    Bytes bytes;
    std::int32_t slots = 0;
};

struct FifoProtocol {
    static constexpr std::int32_t slots = 8;  ///< of a connection

    const char* name;
    Bytes call_bytes;         ///< most payload of a call
    std::int32_t call_slots;  ///< that a call takes, however few its bytes are
    bool slices;              ///< two messages a call; else one

    /// Simple, LL or LL128; null for other names.
    [[nodiscard]] static const FifoProtocol* named(std::string_view name);

    /// Appends the messages of a call that moves `bytes`.
    void add_call(Bytes bytes, std::vector<FifoMessage>& messages) const;
};

}  // namespace npunet::engine
