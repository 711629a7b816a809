#include "chakra/feeder/waiting_nodes.h"

#include <limits>

namespace npunet::chakra {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t most_taken_at_once = 4096;
constexpr std::uint64_t only_bit = std::uint64_t{1} << 63;

WaitingNodes::Waiter waiter_from(const SpilledRecord& record) {
    return {record.id, record.value & ~only_bit, (record.value & only_bit) != 0};
}

}  // namespace

void WaitingNodes::add(std::uint64_t dep, const Waiter& waiter) {
    if (in_memory_ >= most_in_memory_) {
        spill();
    }
    const auto [first, inserted] = first_.try_emplace(dep, none);
    Place place = 0;
    if (free_.empty()) {
        place = static_cast<Place>(listed_.size());
        listed_.emplace_back();
    } else {
        place = free_.back();
        free_.pop_back();
    }
    listed_[place] = {waiter, first->second};
    first->second = place;
    ++in_memory_;
}

void WaitingNodes::take(std::uint64_t dep, const std::function<void(const Waiter&)>& use) {
    taken_.clear();
    if (const auto first = first_.find(dep); first != first_.end()) {
        for (Place place = first->second; place != none; place = listed_[place].next) {
            taken_.push_back(listed_[place].waiter);
            free_.push_back(place);
            --in_memory_;
        }
        first_.erase(first);
    }
    // Those that `use` adds wait for others.
    const bool some_spilled = spilled_.size() != 0;
    for (const Waiter& waiter : taken_) {
        use(waiter);
    }
    if (some_spilled) {
        take_spilled(dep, use);
    }
}

void WaitingNodes::take_spilled(std::uint64_t dep, const std::function<void(const Waiter&)>& use) {
    std::uint64_t from_id = 0;
    do {
        taken_records_.clear();
        spilled_.take(dep, from_id, most_taken_at_once, taken_records_);
        for (const SpilledRecord& record : taken_records_) {
            use(waiter_from(record));
            from_id = record.id + 1;
        }
    } while (taken_records_.size() == most_taken_at_once && from_id != 0);
}

void WaitingNodes::spill() {
    std::vector<SpilledRecord> records;
    records.reserve(in_memory_);
    for (const auto& [dep, first] : first_) {
        for (Place place = first; place != none; place = listed_[place].next) {
            const Waiter& waiter = listed_[place].waiter;
            records.push_back({dep, waiter.id, waiter.offset | (waiter.only ? only_bit : 0)});
        }
    }
    spilled_.add(std::move(records));
    first_.clear();
    listed_.clear();
    free_.clear();
    in_memory_ = 0;
}

}  // namespace npunet::chakra
