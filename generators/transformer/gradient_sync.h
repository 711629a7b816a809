// The sum of parameter gradients over the replicas, unit by unit.
//
// A unit (a decoder layer, the embedding, the head) is all-reduced over the gradient group in the
// gradients' data type. Without overlap all units follow the whole backward pass; with it a unit's
// all-reduce may start when the last micro-batch's backward of that unit is done. Either way they
// go one after the other, as on one communicator's stream, in the order of the backward pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/role_builder.h"

namespace npunet::generators {

class GradientSync {
public:
    GradientSync(RoleBuilder& builder, std::int64_t bytes_per_element, bool overlap)
        : builder_(builder), bytes_per_element_(bytes_per_element), overlap_(overlap) {}

    /// The gradients of `unit` are complete on this rank.
    void ready(const std::string& unit, std::int64_t parameters);
    /// The backward pass is over; what follows needs all sums.
    void finish();

private:
    struct Unit {
        std::string name;
        Collective sum;
    };

    RoleBuilder& builder_;
    std::int64_t bytes_per_element_;
    bool overlap_;
    std::vector<Unit> waiting_;
    Pending last_;
};

}  // namespace npunet::generators
