// What one NPU could start: the operations whose dependencies are done, and which of them start
// when places become free.
//
//     std::unique_ptr<ReadySet> ready = make_ready_set(IssueOrder::AscendingId);
//     ready->insert({number, node_id, Resource::Compute, true, 0});
//     ready->choose(free_places, chosen);       // takes places, fills `chosen`
//     for (std::uint32_t number : chosen) { ready->started(...); ... }
//
// C++17-clean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/program/issue_order.h"

namespace npunet::engine {

/// What an operation occupies while it runs; None: nothing, it can always start.
enum class Resource : std::uint8_t { Compute, Cpu, Communication, Memory, None };
inline constexpr std::size_t resource_kinds = 5;

[[nodiscard]] constexpr std::size_t index_of(Resource resource) {
    return static_cast<std::size_t>(resource);
}

/// How many more operations could start, by Resource; that of None is not looked at.
using FreePlaces = std::array<std::int32_t, resource_kinds>;

struct ReadyOperation {
    std::uint32_t number = 0;
    std::uint64_t node = 0;
    /// Must have a free place when the operation starts.
    Resource needs = Resource::None;
    /// Keeps the place until its end; else it only passes through.
    bool holds = true;
    /// Of operations that need the same resource, that with the least starts first; then that with
    /// the lowest number. The hash walk does not look at it.
    std::int64_t preference = 0;
};

class ReadySet {
public:
    virtual ~ReadySet() = default;

    virtual void insert(const ReadyOperation& operation) = 0;

    /// Appends the numbers of what starts now, in the order in which it starts, and takes its
    /// places from `free`.
    virtual void choose(FreePlaces& free, std::vector<std::uint32_t>& chosen) = 0;

    /// A chosen operation has started. What is inserted before that finds it still there.
    virtual void started(std::uint64_t node) = 0;
};

[[nodiscard]] std::unique_ptr<ReadySet> make_ready_set(IssueOrder order);

}  // namespace npunet::engine
