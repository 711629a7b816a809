#include "engine/collective_files/fifo_protocol.h"

#include <algorithm>
#include <array>

namespace npunet::engine {

namespace {

constexpr std::array<FifoProtocol, 3> fifo_protocols{{
    {"Simple", Bytes(2 << 20), 4, true},
    {"LL", Bytes(32 << 10), 1, false},
    {"LL128", Bytes(576'000), 1, false},
}};

/// No slice is smaller, unless the call is.
constexpr std::int64_t least_slice = 32 << 10;

}  // namespace

const FifoProtocol* FifoProtocol::named(std::string_view name) {
    const auto* const found =
        std::find_if(fifo_protocols.begin(), fifo_protocols.end(),
                     [&](const FifoProtocol& protocol) { return name == protocol.name; });
    return found == fifo_protocols.end() ? nullptr : found;
}

void FifoProtocol::add_call(Bytes bytes, std::vector<FifoMessage>& messages) const {
    const std::int64_t half = ((bytes.value() + 1) / 2 + 15) / 16 * 16;
    const Bytes slice(std::max(half, least_slice));
    if (!slices || bytes <= slice) {
        messages.push_back({bytes, call_slots});
        return;
    }
    messages.push_back({slice, call_slots / 2});
    messages.push_back({bytes - slice, call_slots / 2});
}

}  // namespace npunet::engine
