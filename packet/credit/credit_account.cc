#include "packet/credit/credit_account.h"

#include "packet/base/constants.h"

#include <algorithm>

namespace npunet::packet {

void CreditAccount::insert(std::int64_t stamp, std::int64_t bytes) {
    if (count_ == returning_.size()) {
        grow();
    }
    std::size_t place = count_;
    for (; place > 0 && at(place - 1).stamp > stamp; --place) {
        at(place) = at(place - 1);
    }
    at(place) = {stamp, bytes};
    ++count_;
}

void CreditAccount::absorb(std::int64_t now) {
    while (count_ > 0 && at(0).stamp <= now) {
        available_ += at(0).bytes;
        first_ = (first_ + 1) & (returning_.size() - 1);
        --count_;
    }
}

std::int64_t CreditAccount::when_returned(std::int64_t wire) const {
    std::int64_t sum = available_;
    for (std::size_t i = 0; i < count_; ++i) {
        sum += at(i).bytes;
        if (sum >= wire) {
            return at(i).stamp;
        }
    }
    return never;
}

bool CreditAccount::returns_by(std::int64_t bytes, std::int64_t time) const {
    std::int64_t sum = available_;
    for (std::size_t i = 0; i < count_; ++i) {
        sum += at(i).bytes;
    }
    return sum == bytes && at(count_ - 1).stamp <= time;
}

void CreditAccount::describe(std::int64_t now, std::vector<std::int64_t>& words) {
    absorb(now);
    words.push_back(available_);
    words.push_back(static_cast<std::int64_t>(count_));
    for (std::size_t i = 0; i < count_; ++i) {
        words.push_back(at(i).stamp - now);
        words.push_back(at(i).bytes);
    }
}

void CreditAccount::shift(std::int64_t by) {
    for (std::size_t i = 0; i < count_; ++i) {
        at(i).stamp += by;
    }
}

void CreditAccount::grow() {
    std::vector<Returning> larger(std::max<std::size_t>(8, 2 * returning_.size()));
    for (std::size_t i = 0; i < count_; ++i) {
        larger[i] = at(i);
    }
    returning_.swap(larger);
    first_ = 0;
}

}  // namespace npunet::packet
