// Minimal adaptive routing on products of dimensions: a packet goes on in any dimension in which it
// still has to, by the link that is free soonest; round a ring in either direction when both are as
// short.
//
//     network.multipath = std::make_shared<ProductNextHops>(dimensions);
//
// The highest virtual channel is adaptive: it is taken only when there is room at its end. The
// others are the escape, which is the dimension-order route from where the packet is. On a ring of
// more than three NPUs the escape has two channels: 0 as long as the link that closes the ring is
// still ahead, 1 otherwise (Dally and Seitz, IEEE Trans. Computers C-36, 1987); so it does not
// matter how a packet came to where it is. At the switch of a line it keeps its channel.
//
// C++17-clean: reached from ns-3 scenario scripts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/dimension.h"
#include "topology/multipath.h"

namespace npunet::topology {

class ProductNextHops : public MultipathRouter {
public:
    explicit ProductNextHops(std::vector<Dimension> dimensions);

    void list_next_hops(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const override;
    [[nodiscard]] bool is_oblivious() const override { return false; }
    [[nodiscard]] std::uint8_t virtual_channels_needed() const override {
        return static_cast<std::uint8_t>(escapes_ + 1);
    }
    [[nodiscard]] std::string name() const override { return "adaptive"; }

private:
    /// The dimension of a link, where its line begins, and where the dimension's links begin.
    struct Block {
        std::int64_t first_link = 0;
        std::int64_t stride = 1;
        std::int64_t line_links = 0;
    };
    void add_next_hops(std::size_t dimension, std::int64_t line_link, std::int32_t here,
                       std::int32_t there, bool escape_too,
                       std::vector<OfferedHop>& next_hops) const;
    void list_at_switch(const Graph& graph, const PacketPlace& place,
                        std::vector<OfferedHop>& next_hops) const;

    std::vector<Dimension> dimensions_;
    std::vector<Block> blocks_;
    std::int64_t npus_ = 1;
    std::uint8_t escapes_ = 1;
};

}  // namespace npunet::topology
