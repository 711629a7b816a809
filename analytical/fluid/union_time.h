// For how long at least one of several states lasts.
//
//     UnionTime held;
//     held.set(port.held, true, now);     // a port's state, which begins
//     held.until(finish);
#pragma once

#include <cstddef>

#include "base/quantities.h"
#include "engine/clock/clock_limit.h"

namespace npunet::analytical {

class UnionTime {
public:
    /// `own`: a state that is counted here, false at first.
    void set(bool& own, bool lasts, Time now) {
        if (own == lasts) {
            return;
        }
        own = lasts;
        if (lasts && count_++ == 0) {
            since_ = now;
        }
        if (!lasts && --count_ == 0) {
            total_ = engine::later(total_, now - since_);
        }
    }
    [[nodiscard]] Time until(Time end) const {
        return count_ > 0 && end > since_ ? engine::later(total_, end - since_) : total_;
    }

private:
    std::size_t count_ = 0;  ///< states that last
    Time since_;
    Time total_;
};

}  // namespace npunet::analytical
