// The lists of results.json: collectives and links.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json_writer.h"
#include "engine/results/results.h"

namespace npunet::report {

/// Of collectives, and of links, that results.json lists one by one; of more
inline constexpr std::size_t most_listed = 10'000;
/// as many: the collectives that take longest, and the links that are busiest.
inline constexpr std::size_t most_of_many = 100;

/// An array of numbers.
void write_ranks(JsonWriter& json, const std::vector<Rank>& ranks);

/// Whether there are more collectives, or more links, than are listed one by one.
[[nodiscard]] inline bool are_truncated(const engine::Results& results) {
    return results.collectives.size() > most_listed || results.links.size() > most_listed;
}

/// The key `collectives`. Of too many, unless `full`: those that take longest, in their order,
/// after `truncated_collectives`: how many there are (`count`), and in `classes` those alike in
/// type, members, size and algorithm: how many, and their least, mean and longest duration.
void write_collectives(JsonWriter& json, const engine::Results& results, bool full);

/// The key `links`. Of too many, unless `full`: the busiest, in their order, after
/// `truncated_links`: how many there are (`count`). Their classes are in `link_classes`.
void write_links(JsonWriter& json, const engine::Results& results, bool full);

}  // namespace npunet::report
