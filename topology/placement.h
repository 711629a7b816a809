// Which NPU each rank sits on.
//
//     linear: rank r on NPU r
//     snake:  every other pass over a dimension runs backwards, so that consecutive ranks are
//             neighbours: on a 3 x 2 mesh ranks 0 .. 5 sit on NPUs 0 1 2 5 4 3
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/yaml_field.h"
#include "topology/dimension.h"

namespace npunet::topology {

[[nodiscard]] std::vector<NodeId> linear_placement(std::size_t npus);

/// Consecutive ranks differ by one in one coordinate and agree in all others.
[[nodiscard]] std::vector<NodeId> snake_placement(const std::vector<Dimension>& dimensions);

/// The key `placement`: linear, snake, a list of NPUs (one for each rank), or the name of a file
/// with that list, relative to the network description. The file holds numbers parted by blanks,
/// commas or line ends, in brackets or not; '#' begins a comment. Throws InputError for what is not
/// a permutation of the NPUs.
[[nodiscard]] std::vector<NodeId> read_placement(const YamlField& field,
                                                 const std::vector<Dimension>& dimensions,
                                                 std::size_t npus);

/// The same as one text: linear, snake, NPUs with commas or blanks between them, or the name of a
/// file, relative to the working directory. `from` says in errors where the text stands.
[[nodiscard]] std::vector<NodeId> placement_of_text(const std::string& text,
                                                    const std::string& from,
                                                    const std::vector<Dimension>& dimensions,
                                                    std::size_t npus);

}  // namespace npunet::topology
