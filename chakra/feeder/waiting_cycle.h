// Why nothing goes on: the nodes of a trace that wait for each other. For the sources of this
// folder only.
#pragma once

#include <cstdint>
#include <vector>

#include "chakra/dependencies/dependency_graph.h"
#include "chakra/feeder/id_set.h"
#include "chakra/feeder/seekable_frames.h"

namespace npunet::chakra {

/// A node of a cycle, and where its frame begins.
struct WaitingNode {
    std::uint64_t id = 0;
    std::uint64_t offset = 0;
};

/// A cycle among the nodes that have not finished, beginning with its lowest id, each waiting for
/// the next one, the last for the first. Every one of them must wait for another. `ids` are those
/// of the trace; dependencies on others do not count. One pass over the file; memory: 24 bytes for
/// each of at most 2^24 waiting nodes. Empty when there are more and the cycle lies beyond those.
[[nodiscard]] std::vector<WaitingNode> find_waiting_cycle(SeekableFrames& frames,
                                                          const IdSet& finished, const IdSet& ids,
                                                          FollowedDeps followed);

}  // namespace npunet::chakra
