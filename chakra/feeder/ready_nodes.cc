#include "chakra/feeder/ready_nodes.h"

#include <algorithm>

namespace npunet::chakra {

namespace {

/// For heaps whose top is the lowest id.
constexpr auto higher = [](const ReadyNodes::Ready& a, const ReadyNodes::Ready& b) {
    return a.id > b.id;
};

}  // namespace

void ReadyNodes::add(const Ready& node) {
    heap_.push_back(node);
    std::push_heap(heap_.begin(), heap_.end(), higher);
    if (heap_.size() > most_in_memory_) {
        spill();
    }
}

bool ReadyNodes::lowest_is_spilled() {
    if (spilled_.size() == 0) {
        return false;
    }
    return heap_.empty() || spilled_.first()->key < heap_.front().id;
}

std::uint64_t ReadyNodes::lowest() {
    return lowest_is_spilled() ? spilled_.first()->key : heap_.front().id;
}

ReadyNodes::Ready ReadyNodes::take_lowest() {
    if (lowest_is_spilled()) {
        const SpilledRecord record = *spilled_.first();
        spilled_.drop_first();
        return {record.key, record.value};
    }
    std::pop_heap(heap_.begin(), heap_.end(), higher);
    const Ready node = heap_.back();
    heap_.pop_back();
    return node;
}

// The half with the higher ids goes: the lower is asked for first.
void ReadyNodes::spill() {
    const auto middle = heap_.begin() + static_cast<std::ptrdiff_t>(heap_.size() / 2);
    std::nth_element(heap_.begin(), middle, heap_.end(),
                     [](const Ready& a, const Ready& b) { return a.id < b.id; });
    std::vector<SpilledRecord> records;
    records.reserve(static_cast<std::size_t>(heap_.end() - middle));
    std::for_each(middle, heap_.end(), [&](const Ready& node) {
        records.push_back({node.id, 0, node.offset});
    });
    spilled_.add(std::move(records));
    heap_.erase(middle, heap_.end());
    std::make_heap(heap_.begin(), heap_.end(), higher);
}

}  // namespace npunet::chakra
