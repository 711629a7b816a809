#include "analysis/link_classes.h"

#include <algorithm>
#include <tuple>

namespace npunet::analysis {

using engine::LinkResult;

void LinkClassUse::add(const LinkResult& link) {
    ++links;
    // A mean so far, so that nothing is divided at the end.
    mean_percent += (link.utilization_percent - mean_percent) / static_cast<double>(links);
    max_percent = std::max(max_percent, link.utilization_percent);
    payload += link.payload;
    wire += link.wire;
    max_queue = std::max(max_queue, link.max_queue);
    credit_stall += link.credit_stall;
    packets += link.packets;
    retransmissions += link.retransmissions;
    pauses += link.pauses;
    marked += link.marked;
    drops += link.drops;
    notifications += link.notifications;
}

std::vector<LinkClassUse> use_by_class(const engine::Results& results) {
    std::vector<LinkClassUse> classes(results.link_classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
        classes[i].name = results.link_classes[i];
    }
    for (const LinkResult& link : results.links) {
        if (link.link_class < classes.size()) {
            classes[link.link_class].add(link);
        }
    }
    return classes;
}

std::string class_of(const engine::Results& results, const LinkResult& link) {
    return link.link_class < results.link_classes.size() ? results.link_classes[link.link_class]
                                                         : std::string();
}

LinkClassUse use_of_all(const engine::Results& results) {
    LinkClassUse all;
    for (const LinkResult& link : results.links) {
        all.add(link);
    }
    return all;
}

std::vector<const LinkResult*> busiest_links(const engine::Results& results) {
    std::vector<const LinkResult*> order;
    for (const LinkResult& link : results.links) {
        if (link.wire > Bytes(0)) {
            order.push_back(&link);
        }
    }
    std::stable_sort(order.begin(), order.end(), [](const LinkResult* a, const LinkResult* b) {
        return std::tie(b->busy, b->wire) < std::tie(a->busy, a->wire);
    });
    return order;
}

}  // namespace npunet::analysis
