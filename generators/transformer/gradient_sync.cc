#include "generators/transformer/gradient_sync.h"

#include "generators/transformer/rank_grid.h"

namespace npunet::generators {

void GradientSync::ready(const std::string& unit, std::int64_t parameters) {
    Unit complete{
        unit + "_gradients_all_reduce",
        {gradient_group, chakra::CollectiveType::AllReduce, parameters * bytes_per_element_}};
    if (overlap_) {
        builder_.set_scope("");
        last_ = builder_.start(complete.name, complete.sum, last_);
    } else {
        waiting_.push_back(std::move(complete));
    }
}

void GradientSync::finish() {
    builder_.set_scope("");
    for (const Unit& unit : waiting_) {
        builder_.collective(unit.name, unit.sum);
    }
    builder_.wait(last_);
    waiting_.clear();
    last_ = {};
}

}  // namespace npunet::generators
