#include "engine/npu/ready_set.h"

#include <algorithm>
#include <tuple>

#include "engine/program/hash_walk.h"

namespace npunet::engine {

namespace {

/// A heap for each resource.
class AscendingReadySet final : public ReadySet {
public:
    void insert(const ReadyOperation& operation) override {
        std::vector<Entry>& heap = heaps_[index_of(operation.needs)];
        heap.push_back({operation.preference, operation.number, operation.holds});
        std::push_heap(heap.begin(), heap.end());
    }

    void choose(FreePlaces& free, std::vector<std::uint32_t>& chosen) override {
        const auto first = static_cast<std::ptrdiff_t>(chosen.size());
        for (std::size_t resource = 0; resource < resource_kinds; ++resource) {
            std::vector<Entry>& heap = heaps_[resource];
            const bool unlimited = resource == index_of(Resource::None);
            while (!heap.empty() && (unlimited || free[resource] > 0)) {
                chosen.push_back(heap.front().number);
                free[resource] -= heap.front().holds ? 1 : 0;
                std::pop_heap(heap.begin(), heap.end());
                heap.pop_back();
            }
        }
        std::sort(chosen.begin() + first, chosen.end());
    }

    void started(std::uint64_t) override {}

private:
    struct Entry {
        std::int64_t preference;
        std::uint32_t number;
        bool holds;
        /// For heaps whose top starts first.
        friend bool operator<(const Entry& a, const Entry& b) {
            return std::tie(b.preference, b.number) < std::tie(a.preference, a.number);
        }
    };

    std::array<std::vector<Entry>, resource_kinds> heaps_;
};

/// One walk over everything, as far as it can find something to start.
class HashWalkReadySet final : public ReadySet {
public:
    void insert(const ReadyOperation& operation) override {
        if (kinds_.size() <= operation.number) {
            kinds_.resize(operation.number + std::size_t{1});
        }
        kinds_[operation.number] = {operation.needs, operation.holds};
        ++ready_[index_of(operation.needs)];
        walk_.insert(operation.node, operation.number);
    }

    void choose(FreePlaces& free, std::vector<std::uint32_t>& chosen) override {
        // How many of those not yet passed could still start.
        std::array<std::size_t, resource_kinds> left = ready_;
        const auto hopeful = [&] {
            for (std::size_t resource = 0; resource < resource_kinds; ++resource) {
                if (left[resource] > 0 &&
                    (resource == index_of(Resource::None) || free[resource] > 0)) {
                    return true;
                }
            }
            return false;
        };
        for (auto at = walk_.first(); at != HashWalk::end && hopeful(); at = walk_.next(at)) {
            const Kind kind = kinds_[walk_.value(at)];
            const std::size_t resource = index_of(kind.needs);
            --left[resource];
            if (kind.needs == Resource::None || free[resource] > 0) {
                chosen.push_back(walk_.value(at));
                free[resource] -= kind.holds ? 1 : 0;
            }
        }
    }

    void started(std::uint64_t node) override {
        const std::uint32_t number = walk_.erase(node);
        --ready_[index_of(kinds_[number].needs)];
    }

private:
    struct Kind {
        Resource needs = Resource::None;
        bool holds = true;
    };

    HashWalk walk_;
    std::vector<Kind> kinds_;  ///< by number
    std::array<std::size_t, resource_kinds> ready_{};
};

}  // namespace

std::unique_ptr<ReadySet> make_ready_set(IssueOrder order) {
    if (order == IssueOrder::HashWalk) {
        return std::make_unique<HashWalkReadySet>();
    }
    return std::make_unique<AscendingReadySet>();
}

}  // namespace npunet::engine
