#include "generators/megatron/groups/edge_colouring.h"

#include <algorithm>
#include <cstddef>

namespace npunet::generators::megatron {

namespace {

constexpr std::int32_t none = -1;

/// The copies of one side's vertices, numbered in the order in which edges need them.
class SplitVertices {
public:
    explicit SplitVertices(std::int32_t colours) : colours_(colours) {}

    /// The copy that takes the next edge of the vertex.
    std::int32_t next(std::int32_t vertex) {
        const auto at = static_cast<std::size_t>(vertex);
        if (at >= edges_.size()) {
            edges_.resize(at + 1, 0);
            copy_.resize(at + 1, none);
        }
        if (edges_[at]++ % colours_ == 0) {
            copy_[at] = copies_++;
        }
        return copy_[at];
    }

    [[nodiscard]] std::int32_t copies() const { return copies_; }

private:
    std::int32_t colours_;
    std::int32_t copies_ = 0;
    std::vector<std::int64_t> edges_;  ///< so far, by vertex
    std::vector<std::int32_t> copy_;   ///< the last one, by vertex
};

/// Koenig's colouring, edge by edge.
class Colouring {
public:
    Colouring(const std::vector<BipartiteEdge>& edges, std::int32_t colours)
        : colours_(colours), colour_(edges.size(), none) {
        SplitVertices left(colours);
        SplitVertices right(colours);
        for (const BipartiteEdge& edge : edges) {
            ends_.push_back({left.next(edge.left), right.next(edge.right)});
        }
        for (BipartiteEdge& ends : ends_) {
            ends.right += left.copies();
        }
        edge_at_.assign(static_cast<std::size_t>(left.copies() + right.copies()) *
                            static_cast<std::size_t>(colours),
                        none);
    }

    std::vector<std::int32_t> colours() {
        for (std::size_t edge = 0; edge < ends_.size(); ++edge) {
            const auto [left, right] = ends_[edge];
            const std::int32_t colour = free_colour(left);
            if (at(right, colour) != none) {
                swap_along_path(right, colour, free_colour(right));
            }
            give(static_cast<std::int32_t>(edge), colour);
        }
        return std::move(colour_);
    }

private:
    std::int32_t& at(std::int32_t vertex, std::int32_t colour) {
        return edge_at_[static_cast<std::size_t>(vertex) * static_cast<std::size_t>(colours_) +
                        static_cast<std::size_t>(colour)];
    }

    std::int32_t free_colour(std::int32_t vertex) {
        std::int32_t* first = &at(vertex, 0);
        return static_cast<std::int32_t>(std::find(first, first + colours_, none) - first);
    }

    void give(std::int32_t edge, std::int32_t colour) {
        const auto [left, right] = ends_[static_cast<std::size_t>(edge)];
        colour_[static_cast<std::size_t>(edge)] = colour;
        at(left, colour) = edge;
        at(right, colour) = edge;
    }

    /// Swaps the two colours along the path that begins at `vertex` with `first`; `second` is free
    /// there. The path cannot end at the other end of the new edge: it would get there by `first`,
    /// which is free there.
    void swap_along_path(std::int32_t vertex, std::int32_t first, std::int32_t second) {
        std::vector<std::int32_t> path;
        std::int32_t colour = first;
        for (std::int32_t edge = at(vertex, colour); edge != none; edge = at(vertex, colour)) {
            path.push_back(edge);
            const auto [left, right] = ends_[static_cast<std::size_t>(edge)];
            vertex = vertex == left ? right : left;
            colour = colour == first ? second : first;
        }
        for (const std::int32_t edge : path) {
            const auto [left, right] = ends_[static_cast<std::size_t>(edge)];
            const std::int32_t old = colour_[static_cast<std::size_t>(edge)];
            at(left, old) = none;
            at(right, old) = none;
        }
        for (const std::int32_t edge : path) {
            const std::int32_t old = colour_[static_cast<std::size_t>(edge)];
            give(edge, old == first ? second : first);
        }
    }

    std::int32_t colours_;
    std::vector<BipartiteEdge> ends_;   ///< copies of vertices, those of the right after the left's
    std::vector<std::int32_t> colour_;  ///< by edge
    std::vector<std::int32_t> edge_at_;  ///< by vertex and colour
};

}  // namespace

std::vector<std::int32_t> equitable_colours(const std::vector<BipartiteEdge>& edges,
                                            std::int32_t colours) {
    return Colouring(edges, colours).colours();
}

}  // namespace npunet::generators::megatron
