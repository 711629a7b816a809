// How Metis divides the layers among the stages by their performance. Every layer is cut into seven
// equal sub-layers, which are given to the stages in three passes; a stage then owns the layers of
// which it has four sub-layers or more, and at most three layers are moved to a neighbour.
//
// What it gives are counts of layers: a layer that no stage has the most of is lost.
//
//     LayerBalancer balancer(norm, layers);
//     balancer.run(performance, counts);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/metis/slice_sums.h"

namespace npunet::planner::metis {

class LayerBalancer {
public:
    /// `norm`: the layers' shares of the time, at least one for each layer.
    LayerBalancer(const std::vector<double>& norm, std::int64_t layers);

    /// `counts[s]` becomes the number of layers of stage s. Performances are shares of about 1.
    void run(const std::vector<double>& performance, std::vector<std::uint16_t>& counts);

private:
    void give_forward();
    void give_backward();
    void give_rest();
    void give(std::int32_t sub_layer, std::size_t stage);
    [[nodiscard]] static std::size_t at(std::int32_t sub_layer) {
        return static_cast<std::size_t>(sub_layer);
    }
    [[nodiscard]] std::size_t stage_below(std::int32_t sub) const;
    [[nodiscard]] std::size_t stage_above(std::int32_t sub, std::int32_t given) const;
    void own_layers(const std::vector<double>& performance);
    void move_layers();
    bool move_to(std::size_t stage);
    [[nodiscard]] std::size_t neighbour_of(std::size_t stage) const;
    [[nodiscard]] static bool one_owner(const std::int16_t* owners);
    [[nodiscard]] std::int16_t owner_of_most(std::size_t layer) const;

    std::size_t layers_;
    std::size_t subs_;
    std::size_t stages_ = 0;
    std::vector<double> norm_;
    std::vector<double> share_;  ///< of a sub-layer
    SliceSums norm_sums_;

    std::vector<double> capacity_;          ///< left, of a stage
    std::vector<std::int16_t> sub_owner_;   ///< stage of a sub-layer
    std::vector<std::int32_t> unassigned_;  ///< ascending
    std::vector<std::int32_t> lowest_;      ///< sub-layer of a stage; least number: none
    std::vector<std::int32_t> highest_;     ///< largest number: none
    std::vector<std::int16_t> owner_;       ///< stage of a layer; -1: none
    std::vector<std::uint16_t> owned_;      ///< layers of a stage
    std::vector<double> tried_capacity_;
    std::vector<std::uint16_t> tried_owned_;
};

}  // namespace npunet::planner::metis
