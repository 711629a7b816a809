#include "packet/ethernet/ecn_marks.h"

#include "base/splitmix64.h"
#include "topology/network/marking.h"

namespace npunet::packet {

EcnMarks::EcnMarks(const topology::NetworkDescription& description)
    : most_(description.packet.ecn.pmax),
      seed_(splitmix64(description.packet.seed ^ 0x6d61726b)),
      draws_at_(description.graph.links()) {
    wanted_ = topology::looks_at_marks(description.packet.congestion_control);
    for (std::size_t number = 0; number < description.graph.links(); ++number) {
        const topology::MarkThresholds thresholds = topology::mark_thresholds(
            description.packet.ecn, description.graph.link(LinkId(number)).rate);
        kmin_.push_back(thresholds.kmin.value());
        kmax_.push_back(thresholds.kmax.value());
    }
}

bool EcnMarks::marks(std::uint32_t link, std::uint64_t number, std::int64_t queued) {
    if (queued <= kmin_[link]) {
        return false;
    }
    if (queued > kmax_[link]) {
        return true;
    }
    const double share =
        static_cast<double>(queued - kmin_[link]) / static_cast<double>(kmax_[link] - kmin_[link]);
    const std::uint64_t drawn = splitmix64(splitmix64(seed_ + link) + number);
    ++draws_at_[link];
    ++draws_;
    // 53 bits are exact in a double.
    constexpr double unit = 1.0 / 9007199254740992.0;
    return static_cast<double>(drawn >> 11) * unit < most_ * share;
}

}  // namespace npunet::packet
