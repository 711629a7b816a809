#include "engine/collective_library/channel_ring.h"

#include <algorithm>

namespace npunet::engine {

Time ring_channel_time(const RingChannel& channel) {
    std::vector<Time> arrivals;  // of the slices of the last call, at the receiver
    Time now;
    for (const RingLoops& like : channel.work) {
        const auto slices = static_cast<std::size_t>(like.slices);
        arrivals.assign(slices, Time());
        for (std::int64_t loop = 0; loop < like.loops; ++loop) {
            for (std::int32_t call = 0; call < channel.calls; ++call) {
                for (std::size_t slice = 0; slice < slices; ++slice) {
                    if (call > 0) {
                        now = std::max(now, arrivals[slice]);
                    }
                    now += like.takes(call, channel.calls);
                    arrivals[slice] = now + channel.hop;
                }
            }
        }
    }
    return now;
}

}  // namespace npunet::engine
