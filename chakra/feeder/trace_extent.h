// What is known of a trace before its nodes are looked at: which ids there are, and where low ones
// can still come. For the sources of chakra only.
#pragma once

#include <cstdint>
#include <vector>

#include "chakra/feeder/id_set.h"
#include "chakra/feeder/seekable_frames.h"

namespace npunet::chakra {

/// Made by one pass over the frames. Memory: that of the ids (chakra/feeder/id_set.h), and 40 bytes
/// for each of at most 8192 stretches.
class TraceExtent {
public:
    /// Throws InputError for malformed frames and for an id that stands there twice.
    explicit TraceExtent(SeekableFrames& frames);

    /// Consecutive nodes of the file.
    struct Stretch {
        std::uint64_t begin = 0;  ///< where its first frame begins
        std::uint64_t nodes = 0;
        std::uint64_t lowest = ~std::uint64_t{0};  ///< of their ids
        std::uint64_t highest = 0;
        std::uint64_t lowest_from_here = ~std::uint64_t{0};  ///< of theirs and all later ones
        bool ascending = true;
    };

    [[nodiscard]] const IdSet& ids() const { return ids_; }
    [[nodiscard]] const std::vector<Stretch>& stretches() const { return stretches_; }

private:
    void add(std::uint64_t offset, std::uint64_t id);
    void join_pairs();
    [[noreturn]] static void fail_duplicate(SeekableFrames& frames, std::uint64_t offset,
                                            std::uint64_t id);

    IdSet ids_;
    std::vector<Stretch> stretches_;
    std::uint64_t nodes_of_a_stretch_;
    std::uint64_t last_id_ = 0;
};

}  // namespace npunet::chakra
