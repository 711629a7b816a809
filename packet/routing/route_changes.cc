#include "packet/routing/route_changes.h"

#include "engine/network/network.h"

#include <vector>

namespace npunet::packet {

using engine::EventKey;
using engine::Phase;

void RouteChanges::await_next() {
    const std::vector<Time>& begins = reroutes_->epochs();
    // Nothing was under way, so skipped epochs had no effect.
    std::size_t epoch = epoch_;
    while (epoch + 1 < begins.size() && begins[epoch + 1] <= queue_.now()) {
        ++epoch;
    }
    if (epoch != epoch_) {
        epoch_ = epoch;
        reroutes_->set_epoch(epoch);
    }
    if (epoch + 1 < begins.size()) {
        is_awaited_ = true;
        queue_.schedule(begins[epoch + 1],
                        EventKey::of(Phase::Arrival, engine::event_kind::routes, 0), begin_event_,
                        static_cast<std::uint32_t>(epoch + 1));
    }
}

void RouteChanges::begin(std::uint32_t epoch) {
    is_awaited_ = false;
    epoch_ = epoch;
    reroutes_->set_epoch(epoch);
    for (std::size_t link = 0; link < links_; ++link) {
        if (reroutes_->is_dead(LinkId(link))) {
            host_.leave_dead_link(static_cast<std::uint32_t>(link));
        }
    }
    host_.choose_again();
    if (all_ || host_.is_busy()) {
        await();
    }
}

}  // namespace npunet::packet
