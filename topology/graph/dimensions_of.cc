#include "topology/graph/dimensions_of.h"

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "topology/graph/line.h"

namespace npunet::topology {

namespace {

/// Finds the dimensions on the lines through NPU 0, then compares all lines with them.
class ProductFinder {
public:
    ProductFinder(const Graph& graph, const Neighbours& neighbours)
        : npus_(static_cast<std::int64_t>(graph.npus())), neighbours_(neighbours) {}

    [[nodiscard]] std::vector<Dimension> find() const {
        std::vector<Dimension> dimensions;
        std::int64_t stride = 1;
        while (stride < npus_) {
            const Dimension dimension = dimension_at(stride);
            if (dimension.size < 2 || npus_ % (stride * dimension.size) != 0) {
                return {};
            }
            dimensions.push_back(dimension);
            stride *= dimension.size;
        }
        return makes_all_links(dimensions) ? dimensions : std::vector<Dimension>();
    }

    /// Calls visit(from, to) for the links of the dimensions, which make the graph.
    template <class Visit>
    void visit_links(const std::vector<Dimension>& dimensions, Visit&& visit) const {
        std::int64_t stride = 1;
        for (const Dimension& dimension : dimensions) {
            for (std::int64_t i = 0; i < npus_ / dimension.size; ++i) {
                const std::int64_t base = first_of_line(i, stride, dimension.size);
                const std::int64_t own_switch = dimension.kind == DimensionKind::Switch
                                                    ? switch_between(base, base + stride)
                                                    : -1;
                visit_line(dimension, [&](const auto& line) {
                    for (std::int64_t link = 0; link < line.links(); ++link) {
                        const LineLink ends = line.link(link);
                        const auto node_at = [&](std::int64_t position) {
                            return position < dimension.size ? base + position * stride
                                                             : own_switch;
                        };
                        visit(node_at(ends.from), node_at(ends.to));
                    }
                });
            }
            stride *= dimension.size;
        }
    }

private:
    [[nodiscard]] static std::int64_t first_of_line(std::int64_t line, std::int64_t stride,
                                                    std::int64_t size) {
        return line / stride * (stride * size) + line % stride;
    }

    [[nodiscard]] const Neighbour* link(std::int64_t from, std::int64_t to) const {
        return find_neighbour(neighbours_[static_cast<std::size_t>(from)],
                              static_cast<std::int32_t>(to));
    }

    /// The switch that one NPU sends to and the other receives from; -1: none.
    [[nodiscard]] std::int64_t switch_between(std::int64_t from, std::int64_t to) const {
        for (const Neighbour& next : neighbours_[static_cast<std::size_t>(from)]) {
            if (next.node >= npus_ && link(next.node, to) != nullptr) {
                return next.node;
            }
        }
        return -1;
    }

    /// The dimension whose line through NPU 0 goes on at NPU `stride`; of size 0: none.
    [[nodiscard]] Dimension dimension_at(std::int64_t stride) const {
        const Neighbour* speed = link(0, stride);
        DimensionKind kind = DimensionKind::Switch;
        std::int64_t size = 0;
        if (speed != nullptr) {
            for (size = 2; size * stride < npus_; ++size) {
                if (link((size - 1) * stride, size * stride) == nullptr) {
                    break;
                }
            }
            kind = size < 3 || link(0, 2 * stride) != nullptr ? DimensionKind::FullyConnected
                   : link(0, (size - 1) * stride) != nullptr  ? DimensionKind::Ring
                                                              : DimensionKind::Mesh1D;
        } else {
            const std::int64_t own_switch = switch_between(0, stride);
            if (own_switch < 0) {
                return make_dimension(kind, 0, Rate(), Time());
            }
            speed = link(0, own_switch);
            size =
                static_cast<std::int64_t>(neighbours_[static_cast<std::size_t>(own_switch)].size());
        }
        return make_dimension(kind, static_cast<std::int32_t>(size), Rate(speed->rate),
                              Time::ps(speed->latency));
    }

    /// Whether these dimensions make all links, each with its rate and latency. As many links as
    /// there are, all of them different and found, are all.
    [[nodiscard]] bool makes_all_links(const std::vector<Dimension>& dimensions) const {
        std::int64_t expected = 0;
        std::int64_t stride = 1;
        for (const Dimension& dimension : dimensions) {
            const std::int64_t size = dimension.size;
            for (std::int64_t i = 0; i < npus_ / size; ++i) {
                if (!makes_line(dimension, first_of_line(i, stride, size), stride)) {
                    return false;
                }
            }
            expected +=
                npus_ / size * visit_line(dimension, [](const auto& line) { return line.links(); });
            stride *= size;
        }
        std::int64_t links = 0;
        for (const auto& list : neighbours_) {
            links += static_cast<std::int64_t>(list.size());
        }
        return !dimensions.empty() && links == expected;
    }

    [[nodiscard]] bool makes_line(const Dimension& dimension, std::int64_t base,
                                  std::int64_t stride) const {
        const Neighbour speed{0, dimension.rate.bytes_per_second(), dimension.latency.ps()};
        const std::int64_t own_switch =
            dimension.kind == DimensionKind::Switch ? switch_between(base, base + stride) : 0;
        // A switch of more NPUs than the line's would let two lines share it.
        if (own_switch < 0 || (dimension.kind == DimensionKind::Switch &&
                               neighbours_[static_cast<std::size_t>(own_switch)].size() !=
                                   static_cast<std::size_t>(dimension.size))) {
            return false;
        }
        const auto node_at = [&](std::int64_t position) {
            return position < dimension.size ? base + position * stride : own_switch;
        };
        return visit_line(dimension, [&](const auto& line) {
            for (std::int64_t i = 0; i < line.links(); ++i) {
                const LineLink ends = line.link(i);
                const Neighbour* const found = link(node_at(ends.from), node_at(ends.to));
                if (found == nullptr || !found->same_speed(speed)) {
                    return false;
                }
            }
            return true;
        });
    }

    std::int64_t npus_;
    const Neighbours& neighbours_;
};

}  // namespace

std::vector<Dimension> dimensions_of(const Graph& graph, const Neighbours& neighbours) {
    return ProductFinder(graph, neighbours).find();
}

std::vector<LinkId> links_in_product_order(const Graph& graph, const Neighbours& neighbours,
                                           const std::vector<Dimension>& dimensions) {
    // By node, its lowest link to each neighbour, in the order of the neighbours.
    std::vector<std::vector<LinkId>> lowest(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
        lowest[node].resize(neighbours[node].size());
        for (const LinkId id : graph.links_from(NodeId(node))) {
            const Neighbour* const next =
                find_neighbour(neighbours[node], graph.link(id).to.value());
            LinkId& link = lowest[node][static_cast<std::size_t>(next - neighbours[node].data())];
            link = link.valid() ? link : id;
        }
    }
    std::vector<LinkId> links;
    ProductFinder(graph, neighbours)
        .visit_links(dimensions, [&](std::int64_t from, std::int64_t to) {
            const auto node = static_cast<std::size_t>(from);
            const Neighbour* const next =
                find_neighbour(neighbours[node], static_cast<std::int32_t>(to));
            assert(next != nullptr && "the dimensions make the graph");
            links.push_back(lowest[node][static_cast<std::size_t>(next - neighbours[node].data())]);
        });
    return links;
}

}  // namespace npunet::topology
