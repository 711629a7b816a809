#include "packet/congestion/dctcp.h"

#include "packet/congestion/congestion_parameters.h"

#include "topology/parameters/congestion_parameters.h"

#include <algorithm>
#include <limits>

namespace npunet::packet {

Dctcp::Dctcp(const topology::CongestionControlChoice& choice, const FlowPath& path)
    : parameters_(resolve(choice, path)),
      window_(parameters_.initial_window),
      threshold_(parameters_.slow_start ? std::numeric_limits<double>::max() : 0),
      alpha_(parameters_.initial_alpha) {
    bound();
}

Dctcp::Parameters Dctcp::resolve(const topology::CongestionControlChoice& choice,
                                 const FlowPath& path) {
    using Parameter = topology::DctcpParameter;
    const CongestionParameters given(choice, path);
    const auto packet = static_cast<double>(path.packet);
    const double min_window = given[Parameter::min_window] * packet;
    return {.gain = given[Parameter::gain],
            .initial_alpha = given[Parameter::initial_alpha],
            .initial_window = given[Parameter::initial_window],
            .window_ai = given[Parameter::window_ai] * packet,
            .min_window = min_window,
            .max_window = std::max(min_window, given[Parameter::max_window]),
            .slow_start = given.flag(Parameter::slow_start)};
}

std::int64_t Dctcp::window() const {
    return rounded(window_);
}

void Dctcp::acknowledged(const Acknowledgement& acknowledgement) {
    next_ = acknowledgement.next;
    sent_ = acknowledgement.sent;
    acknowledged_ += acknowledgement.bytes;
    marked_ += acknowledgement.marked;
    marks_ += acknowledgement.marked > 0 ? 1 : 0;
    if (next_ > window_end_ && acknowledged_ > 0) {
        average(static_cast<double>(marked_) / static_cast<double>(acknowledged_));
        window_end_ = sent_;
        acknowledged_ = 0;
        marked_ = 0;
    }
    if (next_ <= recovery_) {
        return;
    }
    if (acknowledgement.marked > 0) {
        cut(1 - alpha_ / 2);
        return;
    }
    grow(static_cast<double>(acknowledgement.bytes));
}

void Dctcp::lost(std::int64_t /* now */, bool timeout) {
    if (timeout) {
        threshold_ = parameters_.slow_start ? window_ / 2 : 0;
        window_ = 0;
        recovery_ = next_;
        bound();
        return;
    }
    if (next_ > recovery_) {
        cut(0.5);
    }
}

void Dctcp::average(double fraction) {
    alpha_ = (1 - parameters_.gain) * alpha_ + parameters_.gain * fraction;
    ++averages_;
}

void Dctcp::scan(engine::StateScan& scan, const engine::FlowProgress& progress) {
    scan.same(window_);
    scan.same(threshold_);
    scan_alpha(scan);
    scan.same(acknowledged_);
    scan.same(marked_);
    // The receiver will expect next_ or more from now on, so lower numbers have equal effects.
    scan.sequence_from(window_end_, next_ - 1, progress);
    scan.sequence_from(recovery_, next_ - 1, progress);
    scan.sequence(next_, progress);
    scan.sequence(sent_, progress);
}

void Dctcp::scan_alpha(engine::StateScan& scan) {
    // Without marks alpha decays unread.
    scan.fading(alpha_, marks_);
    const std::int64_t marks = marks_;
    const std::int64_t averages = averages_;
    scan.count(marks_);
    scan.count(averages_);
    if (marks == marks_) {
        const std::int64_t until = averages_;
        for (averages_ = averages; averages_ < until;) {
            average(0);
        }
    }
}

void Dctcp::cut(double factor) {
    window_ *= factor;
    threshold_ = 0;
    recovery_ = sent_;
    bound();
}

void Dctcp::grow(double bytes) {
    if (window_ < threshold_) {
        window_ += bytes;
    } else {
        window_ += parameters_.window_ai * bytes / window_;
    }
    bound();
}

void Dctcp::bound() {
    window_ = std::clamp(window_, parameters_.min_window, parameters_.max_window);
}

}  // namespace npunet::packet
