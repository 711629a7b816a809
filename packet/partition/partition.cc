#include "packet/partition/partition.h"

#include "base/errors.h"

#include <cassert>
#include <string>
#include <utility>

namespace npunet::packet {

Partition::Partition(const topology::Graph& graph, std::vector<bool> owned, PartitionLink& cut)
    : graph_(graph), owned_(std::move(owned)), cut_(cut) {
    assert(owned_.size() == graph.nodes());
    for (std::size_t number = 0; number < graph.links(); ++number) {
        const topology::Link& link = graph.link(LinkId(number));
        if (is_cut(LinkId(number)) && link.latency == Time()) {
            throw InputError({"", "network",
                              "a link without latency between two parts, from '" +
                                  graph.name(link.from) + "' to '" + graph.name(link.to) + "'",
                              "links with a latency where the network is split",
                              "keep the two nodes together"});
        }
    }
}

}  // namespace npunet::packet
