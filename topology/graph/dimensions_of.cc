#include "topology/graph/dimensions_of.h"

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

private:
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
                const std::int64_t base = i / stride * (stride * size) + i % stride;
                if (!makes_line(dimension, base, stride)) {
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

}  // namespace npunet::topology
