#include "engine/program/partition_refinement.h"

#include <map>
#include <utility>

namespace npunet::engine {

namespace {

using Words = std::vector<std::uint64_t>;

/// Gives equal keys equal numbers, from 0 in the order in which they first come.
class Numbers {
public:
    std::uint32_t of(Words key) {
        return known_.emplace(std::move(key), static_cast<std::uint32_t>(known_.size()))
            .first->second;
    }
    [[nodiscard]] std::size_t count() const { return known_.size(); }

private:
    std::map<Words, std::uint32_t> known_;
};

}  // namespace

std::vector<std::uint32_t> coarsest_partition(const std::vector<Portrait>& portraits) {
    std::vector<std::uint32_t> classes;
    Numbers by_words;
    for (const Portrait& portrait : portraits) {
        classes.push_back(by_words.of(portrait.words));
    }
    for (std::size_t count = by_words.count();;) {
        Numbers by_peers;
        std::vector<std::uint32_t> finer;
        for (std::size_t rank = 0; rank < classes.size(); ++rank) {
            Words key{classes[rank]};
            for (const Rank peer : portraits[rank].peers) {
                key.push_back(classes[peer.index()]);
            }
            finer.push_back(by_peers.of(std::move(key)));
        }
        classes = std::move(finer);
        if (by_peers.count() == count) {
            return classes;
        }
        count = by_peers.count();
    }
}

}  // namespace npunet::engine
