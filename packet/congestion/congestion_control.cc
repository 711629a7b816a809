#include "packet/congestion/congestion_control.h"

namespace npunet::packet {

CongestionControl::~CongestionControl() = default;

void CongestionControl::packet_sent(std::int64_t /* now */, std::int64_t /* wire */) {}

void CongestionControl::acknowledged(const Acknowledgement& /* acknowledgement */) {}

void CongestionControl::notified(std::int64_t /* now */) {}

void CongestionControl::lost(std::int64_t /* now */, bool /* timeout */) {}

std::int64_t CongestionControl::window() const {
    return no_window;
}

std::int64_t CongestionControl::rate(std::int64_t /* now */) {
    return no_pacing;
}

void CongestionControl::scan(engine::StateScan& /* scan */,
                             const engine::FlowProgress& /* progress */) {}

}  // namespace npunet::packet
