#include "analytical/fluid/link_fold.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace npunet::analytical {

using topology::Hop;
using topology::NetworkDescription;
using topology::PlaneRoutes;

LinkFold::LinkFold(const NetworkDescription& description, const engine::Fold& fold)
    : description_(&description),
      fold_(&fold),
      answers_(description.packet.transport.kind != topology::TransportKind::None),
      rank_of_npu_(description.graph.npus()),
      representatives_(description.graph.links()),
      sizes_(description.graph.links()) {
    for (std::size_t rank = 0; rank < description.npu_of_rank.size(); ++rank) {
        rank_of_npu_[description.npu_of_rank[rank].index()] = Rank(rank);
    }
    std::iota(representatives_.begin(), representatives_.end(), 0U);
}

std::optional<LinkFold> LinkFold::find(const NetworkDescription& description,
                                       const engine::Fold& fold) {
    LinkFold links(description, fold);
    if (!links.join_routes()) {
        return std::nullopt;
    }
    for (std::uint32_t link = 0; link < links.representatives_.size(); ++link) {
        links.representatives_[link] = links.top(link);
        ++links.sizes_[links.representatives_[link]];
    }
    if (!links.carry_alike()) {
        return std::nullopt;
    }
    links.number_queues();
    return links;
}

std::uint32_t LinkFold::top(std::uint32_t link) {
    while (representatives_[link] != link) {
        link = representatives_[link] = representatives_[representatives_[link]];
    }
    return link;
}

void LinkFold::join(std::uint32_t a, std::uint32_t b) {
    a = top(a);
    b = top(b);
    representatives_[std::max(a, b)] = std::min(a, b);
}

template <class Function>
void LinkFold::each_pair(Function fn) const {
    for (std::size_t rank = 0; rank < description_->npu_of_rank.size(); ++rank) {
        if (!fold_->represents(Rank(rank))) {
            continue;
        }
        for (const Rank receiver : fold_->receivers(Rank(rank))) {
            if (receiver != Rank(rank)) {
                fn(description_->npu_of_rank[rank], description_->npu_of_rank[receiver.index()]);
            }
        }
    }
}

bool LinkFold::join_routes() {
    bool alike = true;
    each_pair([&](NodeId source, NodeId destination) {
        for (const bool back : {false, true}) {
            if (back && !answers_) {
                continue;
            }
            const PlaneRoutes own = back ? description_->routes(destination, source)
                                         : description_->routes(source, destination);
            each_route(
                source, destination,
                [&](const PlaneRoutes& planes) { alike = alike && join_planes(planes, own); },
                back);
        }
    });
    return alike;
}

bool LinkFold::join_planes(const PlaneRoutes& planes, const PlaneRoutes& own) {
    bool alike = planes.size() == own.size();
    for (std::size_t p = 0; alike && p < planes.size(); ++p) {
        alike = planes[p].size() == own[p].size();
        for (std::size_t h = 0; alike && h < planes[p].size(); ++h) {
            alike = planes[p][h].virtual_channel == own[p][h].virtual_channel;
            join(static_cast<std::uint32_t>(planes[p][h].link.value()),
                 static_cast<std::uint32_t>(own[p][h].link.value()));
        }
    }
    return alike;
}

std::vector<std::vector<std::uint32_t>> LinkFold::links_of(NodeId source, NodeId destination,
                                                           bool back) const {
    std::vector<std::vector<std::uint32_t>> links;
    each_route(
        source, destination,
        [&](const PlaneRoutes& planes) {
            std::size_t place = 0;
            for (const std::vector<Hop>& plane : planes) {
                for (const Hop& hop : plane) {
                    if (place == links.size()) {
                        links.emplace_back();
                    }
                    links[place++].push_back(static_cast<std::uint32_t>(hop.link.value()));
                }
            }
        },
        back);
    return links;
}

bool LinkFold::carry_alike() {
    bool alike = true;
    std::vector<std::uint32_t> crossed(description_->graph.links());  // by the messages of a place
    const std::uint32_t channels = description_->virtual_channels();
    std::uint32_t place = 0;
    each_pair([&](NodeId source, NodeId destination) {
        if (!alike || crossings_.size() > most_crossings) {
            return;
        }
        const PlaneRoutes own = description_->routes(source, destination);
        const std::size_t hops = own.front().size();
        const std::vector<std::vector<std::uint32_t>> links = links_of(source, destination, false);
        places_[pair(source, destination)] = {place, static_cast<std::uint32_t>(hops)};
        for (std::size_t i = 0; i < links.size(); ++i, ++place) {
            alike = alike && cross(links[i], crossed);
            if (i % hops != 0 && links[i].size() == sizes_[representatives_[links[i].front()]]) {
                const std::uint32_t channel = own[i / hops][i % hops - 1].virtual_channel;
                for (std::size_t k = 0; k < links[i].size(); ++k) {
                    crossings_.push_back(
                        {links[i][k], links[i - 1][k] * channels + channel, place});
                }
            }
        }
        if (answers_) {
            for (const std::vector<std::uint32_t>& each : links_of(source, destination, true)) {
                alike = alike && cross(each, crossed);
            }
        }
    });
    queues_.assign(place, cannot_queue);
    return alike && crossings_.size() <= most_crossings;
}

bool LinkFold::cross(const std::vector<std::uint32_t>& links,
                     std::vector<std::uint32_t>& crossed) const {
    const std::uint32_t size = sizes_[representatives_[links.front()]];
    const auto count = static_cast<std::uint32_t>(links.size());
    for (const std::uint32_t link : links) {
        ++crossed[link];
    }
    const bool alike =
        count % size == 0 && std::all_of(links.begin(), links.end(), [&](std::uint32_t link) {
            return crossed[link] == count / size;
        });
    for (const std::uint32_t link : links) {
        crossed[link] = 0;
    }
    return alike;
}

void LinkFold::number_queues() {
    std::sort(crossings_.begin(), crossings_.end(), [&](const Crossing& a, const Crossing& b) {
        return std::make_tuple(representatives_[a.link], a.link, a.place) <
               std::make_tuple(representatives_[b.link], b.link, b.place);
    });
    std::uint32_t queues = 0;
    for (std::size_t begin = 0; begin < crossings_.size();) {
        const std::uint32_t representative = representatives_[crossings_[begin].link];
        std::size_t end = begin;
        while (end < crossings_.size() &&
               representatives_[crossings_[end].link] == representative) {
            ++end;
        }
        // Each link of the class has the same places, in their order.
        const std::size_t width = (end - begin) / sizes_[representative];
        const auto first_alike = [&](std::size_t link, std::size_t i) {
            std::size_t j = 0;
            while (crossings_[link + j].input != crossings_[link + i].input) {
                ++j;
            }
            return j;
        };
        bool same = true;
        for (std::size_t i = 0; i < width && same; ++i) {
            const std::size_t like = first_alike(begin, i);
            for (std::size_t link = begin + width; link < end && same; link += width) {
                same = first_alike(link, i) == like;
            }
            queues_[crossings_[begin + i].place] =
                like == i ? queues++ : queues_[crossings_[begin + like].place];
        }
        for (std::size_t i = 0; i < width && !same; ++i) {
            queues_[crossings_[begin + i].place] = cannot_queue;
        }
        begin = end;
    }
    crossings_ = {};
}

std::optional<std::size_t> LinkFold::shared_hops(const Place& a, const Place& b) const {
    std::unordered_map<std::int32_t, std::vector<Hop>> behind;  // by link, of what crosses it
    each_route(a.source, a.destination, [&](const PlaneRoutes& planes) {
        const std::vector<Hop>& hops = planes[a.plane];
        const auto begin = hops.begin() + static_cast<std::ptrdiff_t>(a.hop);
        behind.emplace(begin->link.value(), std::vector<Hop>(begin + 1, hops.end()));
    });
    std::optional<std::size_t> result;
    bool alike = true;
    each_route(b.source, b.destination, [&](const PlaneRoutes& planes) {
        const std::vector<Hop>& hops = planes[b.plane];
        const auto other = behind.find(hops[b.hop].link.value());
        std::size_t shared = 0;
        while (other != behind.end() && shared < other->second.size() &&
               b.hop + 1 + shared < hops.size() &&
               other->second[shared].link == hops[b.hop + 1 + shared].link) {
            ++shared;
        }
        alike = alike && other != behind.end() && result.value_or(shared) == shared;
        result = shared;
    });
    return alike ? result : std::nullopt;
}

std::uint32_t LinkFold::queue(NodeId source, NodeId destination, std::size_t plane,
                              std::size_t h) const {
    const Places places = places_.at(pair(source, destination));
    return queues_[places.first + plane * places.hops + h];
}

}  // namespace npunet::analytical
