// Who is told that an operation is done by what carried it out: collectives, sends and receives,
// accesses to remote memory.
//
// C++17-clean.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/quantities.h"

namespace npunet::engine {

class OperationListener {
public:
    /// Not for receives. A send is done when its last byte has left, or, in the astra-sim dialects,
    /// has arrived.
    virtual void on_operation_done(Rank rank, std::uint32_t operation) = 0;
    /// The message is in and its receive was posted. `first_byte_left` is when it left its source.
    virtual void on_receive_done(Rank rank, std::uint32_t operation, Time first_byte_left) = 0;

protected:
    ~OperationListener() = default;
};

}  // namespace npunet::engine
