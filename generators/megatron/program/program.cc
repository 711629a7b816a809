#include "generators/megatron/program/program.h"

#include <array>

namespace npunet::generators::megatron {

std::string_view name_of(Phase phase) {
    constexpr std::array<std::string_view, 4> names{"set-up", "forward", "backward", "update"};
    return names[static_cast<std::size_t>(phase)];
}

Program make_program(const TrainingRun& run, std::int64_t stage, std::int64_t tensor_place) {
    return run.dialect == Dialect::Genstack ? genstack_program(run, stage, tensor_place)
                                            : npunet_program(run, stage);
}

}  // namespace npunet::generators::megatron
