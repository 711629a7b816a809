#include "analysis/run_timeline.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace npunet::analysis {

namespace {

/// The column in a new order: `order[i]` is where row i was.
template <class Value>
void reorder(std::vector<Value>& column, const std::vector<std::uint32_t>& order) {
    std::vector<Value> sorted;
    sorted.reserve(column.size());
    for (const std::uint32_t row : order) {
        sorted.push_back(column[row]);
    }
    column = std::move(sorted);
}

}  // namespace

const char* name_of(Category category) {
    static constexpr std::array<const char*, categories> names{"computation", "communication",
                                                               "memory", "host", "other"};
    return names[static_cast<std::size_t>(category)];
}

const char* name_of(Phase phase) {
    static constexpr std::array<const char*, phases> names{"forward", "backward", "recompute",
                                                           "optimizer", "other"};
    return names[static_cast<std::size_t>(phase)];
}

void Intervals::add(const Interval& row) {
    rank_.push_back(row.rank);
    lane_.push_back(row.lane);
    category_.push_back(row.category);
    phase_.push_back(row.phase);
    dimension_.push_back(row.dimension);
    micro_batch_.push_back(row.micro_batch);
    name_.push_back(row.name);
    start_.push_back(row.start);
    end_.push_back(row.end);
    bytes_.push_back(row.bytes);
    group_.push_back(row.group);
    peer_.push_back(row.peer);
    joint_.push_back(row.joint);
    id_.push_back(row.id);
}

void Intervals::reserve(std::size_t rows) {
    rank_.reserve(rows);
    lane_.reserve(rows);
    category_.reserve(rows);
    phase_.reserve(rows);
    dimension_.reserve(rows);
    micro_batch_.reserve(rows);
    name_.reserve(rows);
    start_.reserve(rows);
    end_.reserve(rows);
    bytes_.reserve(rows);
    group_.reserve(rows);
    peer_.reserve(rows);
    joint_.reserve(rows);
    id_.reserve(rows);
}

Interval Intervals::operator[](std::size_t row) const {
    return {rank_[row],        lane_[row], category_[row], phase_[row], dimension_[row],
            micro_batch_[row], name_[row], start_[row],    end_[row],   bytes_[row],
            group_[row],       peer_[row], joint_[row],    id_[row]};
}

void Intervals::sort() {
    const auto before = [this](std::uint32_t a, std::uint32_t b) {
        return std::tuple(rank_[a], start_[a], end_[b]) < std::tuple(rank_[b], start_[b], end_[a]);
    };
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0U);
    if (std::is_sorted(order.begin(), order.end(), before)) {
        return;
    }
    std::stable_sort(order.begin(), order.end(), before);
    reorder(rank_, order);
    reorder(lane_, order);
    reorder(category_, order);
    reorder(phase_, order);
    reorder(dimension_, order);
    reorder(micro_batch_, order);
    reorder(name_, order);
    reorder(start_, order);
    reorder(end_, order);
    reorder(bytes_, order);
    reorder(group_, order);
    reorder(peer_, order);
    reorder(joint_, order);
    reorder(id_, order);
}

void Intervals::move(Time shift) {
    for (std::size_t row = 0; row < size(); ++row) {
        start_[row] += shift;
        end_[row] += shift;
    }
}

void RunTimeline::finish() {
    intervals.sort();
    for (std::size_t row = 0; row < intervals.size(); ++row) {
        length = std::max(length, intervals.end(row));
    }
}

std::int32_t RunTimeline::joints() const {
    std::int32_t next = 0;
    for (std::size_t row = 0; row < intervals.size(); ++row) {
        next = std::max(next, intervals.joint(row) + 1);
    }
    return next;
}

std::vector<Rank> RunTimeline::ranks() const {
    std::vector<Rank> list;
    for (std::size_t row = 0; row < intervals.size(); ++row) {
        if (list.empty() || list.back() != intervals.rank(row)) {
            list.push_back(intervals.rank(row));
        }
    }
    return list;
}

std::pair<std::size_t, std::size_t> RunTimeline::rows_of(Rank rank) const {
    const auto first_from = [this](std::int32_t value) {
        std::size_t low = 0;
        std::size_t high = intervals.size();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (intervals.rank(middle).value() < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    };
    return {first_from(rank.value()), first_from(rank.value() + 1)};
}

}  // namespace npunet::analysis
