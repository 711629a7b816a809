#include "generators/stage/stage_workload.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "generators/stage/modules.h"
#include "generators/stage/pipeline_split.h"
#include "generators/stage/stage_groups.h"
#include "generators/stage/stage_nodes.h"

namespace npunet::generators {

namespace {

using stage_dialect::PipelineSplit;
using stage_dialect::StageNodes;

/// Tags are numbers of 32 bits, one for each message of the step.
void check_tags(const PipelineSplit& split, const StageArguments& arguments) {
    const std::int64_t replicas = arguments.dp * arguments.tp * arguments.sp;
    const std::int64_t most =
        (std::numeric_limits<std::int32_t>::max() - stage_dialect::first_tag) / replicas;
    const auto links = static_cast<std::int64_t>(split.links.size());
    if (links > most) {
        throw InputError({"--num-stacks", "",
                          fmt::format("{} layers over {} stages: {} messages a replica",
                                      arguments.num_stacks, arguments.pp, links),
                          fmt::format("at most {} with {} replicas", most, replicas), ""});
    }
}

TraceStyle style_of_stage() {
    TraceStyle style;
    using Attribute = NodeAttribute;
    style.compute = {Attribute::Inputs, Attribute::Outputs, Attribute::NumOps,
                     Attribute::TensorSize};
    style.collective = {Attribute::Inputs,   Attribute::Outputs, Attribute::CommSize,
                        Attribute::CommType, Attribute::PgName,  Attribute::IsCpuOp};
    style.send = {Attribute::Inputs,  Attribute::Outputs, Attribute::CommSize,
                  Attribute::CommTag, Attribute::CommDst, Attribute::IsCpuOp};
    style.receive = {Attribute::Inputs,  Attribute::Outputs, Attribute::CommSize,
                     Attribute::CommTag, Attribute::CommSrc, Attribute::IsCpuOp};
    style.cpu_flag = CpuFlag::Int32;
    style.empty_lists = EmptyLists::NoValue;
    style.metadata.version.clear();
    style.metadata.attributes = {{"schema", std::string("symbolic_tensor_network")}};
    style.groups = chakra::GroupFileLayout::OneLine;
    return style;
}

}  // namespace

GeneratedWorkload generate(const StageArguments& arguments) {
    check(arguments);
    const PipelineSplit split =
        split_over_stages(stage_dialect::training_step(arguments), arguments);
    check_tags(split, arguments);
    std::vector<Role> roles;
    std::vector<std::uint64_t> numbers;
    for (std::int32_t stage = 0; stage < static_cast<std::int32_t>(arguments.pp); ++stage) {
        StageNodes nodes = make_nodes(split, stage, arguments);
        roles.push_back(std::move(nodes.role));
        numbers.push_back(nodes.numbers);
    }
    std::vector<RankGroup> groups = stage_dialect::make_groups(arguments, split.position_of_stage);
    std::vector<RankBinding> bindings = stage_dialect::make_bindings(arguments, groups, numbers);
    return {std::move(groups), std::move(roles), std::move(bindings), {}, style_of_stage()};
}

}  // namespace npunet::generators
