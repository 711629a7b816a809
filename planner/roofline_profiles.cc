#include "planner/roofline_profiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "generators/role_builder.h"
#include "generators/transformer/decoder_layer.h"
#include "generators/transformer/embedding_and_head.h"
#include "generators/transformer/local_sizes.h"
#include "generators/transformer/memory_estimate.h"
#include "generators/transformer/operation_costs.h"
#include "generators/transformer/rank_grid.h"
#include "generators/transformer/saved_activations.h"

namespace npunet::planner {

namespace {

using generators::LocalSizes;
using generators::ModelSpec;
using generators::NodeTemplate;
using generators::OwnParameters;
using generators::Role;
using generators::RoleBuilder;
using generators::Work;

constexpr double mib = 1024.0 * 1024.0;
constexpr double ms_per_s = 1e3;
constexpr double us_per_ms = 1e3;

/// How long nodes take on a device, in ms.
class Clock {
public:
    Clock(const RooflineDevice& device, std::int64_t tp)
        : device_(device), tp_(static_cast<double>(tp)) {}

    [[nodiscard]] double work(const Work& work) const {
        return device_.kernel_us && work.kernel.kind != generators::Kernel::None
                   ? device_.kernel_us(work.kernel, work.bytes) / us_per_ms
                   : compute(work.flops, work.bytes);
    }

    [[nodiscard]] double node(const Role& role, const NodeTemplate& node) const {
        if (node.type == chakra::NodeType::Compute) {
            Work own{node.flops, node.bytes};
            if (node.kernel >= 0) {
                own.kernel = role.kernels[static_cast<std::size_t>(node.kernel)];
            }
            return work(own);
        }
        return ms_per_s * ring_bytes(node) / (device_.intra_bandwidth * 1e9);
    }

private:
    [[nodiscard]] double compute(std::int64_t flops, std::int64_t bytes) const {
        return ms_per_s * std::max(static_cast<double>(flops) / (device_.peak_tflops * 1e12),
                                   static_cast<double>(bytes) / (device_.memory_bandwidth * 1e9));
    }

    /// What a member of a ring sends; of an all-gather `bytes` is one member's part.
    [[nodiscard]] double ring_bytes(const NodeTemplate& node) const {
        const auto bytes = static_cast<double>(node.bytes);
        switch (node.collective) {
            case chakra::CollectiveType::AllReduce:
                return 2 * (tp_ - 1) / tp_ * bytes;
            case chakra::CollectiveType::AllGather:
                return (tp_ - 1) * bytes;
            default:
                return (tp_ - 1) / tp_ * bytes;
        }
    }

    const RooflineDevice& device_;
    double tp_;
};

/// The nodes of one layer's forward and backward pass.
template <class Passes>
Role role_of(const ModelSpec& model, const generators::Plan& plan, const Passes& passes) {
    RoleBuilder builder(generators::RankGrid(model, plan).group_sizes());
    passes(builder, generators::local_sizes(model, plan));
    return builder.take();
}

void embedding(RoleBuilder& builder, const LocalSizes& local) {
    generators::embedding_forward_pass(builder, local);
    generators::embedding_backward_pass(builder, local);
}

void block(RoleBuilder& builder, const LocalSizes& local) {
    generators::attention_forward(builder, local);
    generators::mlp_forward(builder, local);
    generators::mlp_backward(builder, local);
    generators::attention_backward(builder, local);
}

void output_layer(RoleBuilder& builder, const LocalSizes& local) {
    generators::head_forward(builder, local);
    generators::head_backward(builder, local);
}

/// Of the loss, or of everything else.
double time_of(const Role& role, const Clock& clock, bool loss) {
    double time = 0;
    for (const NodeTemplate& node : role.nodes) {
        if ((node.name.rfind("loss", 0) == 0) == loss) {
            time += clock.node(role, node);
        }
    }
    return time;
}

/// first, second, ..., second, last of `blocks` + 2 layers.
std::vector<double> list_of(double first, double second, double last, std::int64_t blocks) {
    std::vector<double> list(static_cast<std::size_t>(blocks) + 2, second);
    list.front() = first;
    list.back() = last;
    return list;
}

void add_times(ProfileFile& file, const ModelSpec& model, const generators::Plan& plan,
               const Clock& clock) {
    const Role head = role_of(model, plan, output_layer);
    file.layer_ms = list_of(time_of(role_of(model, plan, embedding), clock, false),
                            time_of(role_of(model, plan, block), clock, false),
                            time_of(head, clock, false), model.layers);
    file.between_ms = time_of(head, clock, true);
    file.forward_backward_ms = file.between_ms;
    for (const double time : file.layer_ms) {
        file.forward_backward_ms += time;
    }
    const OwnParameters own = generators::own_parameters(model, plan);
    const std::int64_t parameters =
        own.token_embedding + own.positions + model.layers * own.layer + own.head + own.final_norm;
    file.optimizer_ms = clock.work(generators::optimizer_step(parameters, model.dtypes));
    if (plan.step_ops == generators::StepOps::Full) {
        for (const Work& pass : {generators::gradient_zeroing(parameters, model.dtypes),
                                 generators::gradient_norm(parameters, model.dtypes),
                                 generators::gradient_clipping(parameters, model.dtypes)}) {
            file.optimizer_ms += clock.work(pass);
        }
    }
    file.total_ms = sum_of_times(file);
}

void add_memory(ProfileFile& file, const ModelSpec& model, const generators::Plan& plan) {
    const LocalSizes local = generators::local_sizes(model, plan);
    const OwnParameters own = generators::own_parameters(model, plan);
    const generators::DataTypes& types = model.dtypes;
    const auto bytes = static_cast<double>(types.weights + types.gradients + types.optimizer);
    const auto fixed = [bytes](std::int64_t parameters) {
        return static_cast<double>(parameters) * bytes / mib;
    };
    const auto kept = [](std::int64_t activations) {
        return static_cast<double>(activations) / mib;
    };
    file.layer_activation_mib =
        list_of(kept(generators::bytes_of(generators::saved_by_embedding(local))),
                kept(generators::layer_memory(model, plan, 0).kept()),
                kept(generators::bytes_of(generators::saved_by_head(local)) +
                     generators::bytes_of(generators::saved_logits(local))),
                model.layers);
    file.layer_memory_mib = list_of(fixed(own.token_embedding + own.positions), fixed(own.layer),
                                    fixed(own.head + own.final_norm), model.layers);
    for (std::size_t i = 0; i < file.layer_memory_mib.size(); ++i) {
        file.layer_memory_mib[i] += file.layer_activation_mib[i];
    }
}

void add_parameters(ProfileFile& file, const ModelSpec& model, std::int64_t tp) {
    const std::int64_t table = generators::padded_vocab(model, tp) * model.hidden;
    const auto bytes = [&](std::int64_t parameters) {
        return static_cast<double>(parameters * model.dtypes.weights);
    };
    file.parameter_bytes = list_of(bytes(table + generators::position_parameters(model)),
                                   bytes(generators::layer_parameters(model).total()),
                                   bytes(table + generators::norm_parameters(model)), model.layers);
}

/// The plan of one replica without a pipeline. Throws InputError.
generators::Plan plan_of(const ModelSpec& model, std::int64_t sequence, std::int64_t tp,
                         std::int64_t batch, generators::StepOps step_ops) {
    generators::Plan plan;
    plan.step_ops = step_ops;
    plan.tp = tp;
    plan.micro_batch = batch;
    plan.batch = batch;
    plan.sequence = sequence;
    return generators::resolve_plan(model, plan);
}

/// Layers are profiled one by one, so none may share the table of another.
ModelSpec with_own_tables(ModelSpec model) {
    if (model.moe.experts > 0) {
        throw InputError({"--model", "", fmt::format("{}, a model with experts", model.name),
                          "a dense model: all its blocks take the same time",
                          "Measure the layers of models with experts"});
    }
    model.tied_embeddings = false;
    return model;
}

/// The degrees of tensor parallelism.
std::vector<std::int64_t> degrees_of(const ModelSpec& model, const RooflineGrid& grid) {
    std::vector<std::int64_t> degrees;
    const std::int64_t most = grid.max_tp > 0 ? grid.max_tp : grid.max_batch;
    for (std::int64_t tp = 1; tp <= most; tp *= 2) {
        if (grid.max_tp == 0 && tp > 1) {
            try {
                static_cast<void>(plan_of(model, grid.sequence, tp, 1, generators::StepOps::Core));
            } catch (const InputError&) {
                break;
            }
        }
        degrees.push_back(tp);
    }
    return degrees;
}

}  // namespace

ProfileFile roofline_profile(const ModelSpec& given, const RooflineDevice& device,
                             std::int64_t sequence, std::int64_t tp, std::int64_t batch) {
    const ModelSpec model = with_own_tables(given);
    const generators::Plan plan =
        plan_of(model, sequence, tp, batch,
                device.kernel_us ? generators::StepOps::Full : generators::StepOps::Core);
    ProfileFile file;
    file.type = device.type;
    file.tp = tp;
    file.batch = batch;
    file.file_name = name_of(file);
    file.model_name = model.name;
    add_times(file, model, plan, Clock(device, tp));
    add_memory(file, model, plan);
    add_parameters(file, model, tp);
    return file;
}

std::vector<ProfileFile> roofline_profiles(const ModelSpec& model, const RooflineDevice& device,
                                           const RooflineGrid& grid) {
    std::vector<ProfileFile> files;
    for (const std::int64_t tp : degrees_of(with_own_tables(model), grid)) {
        for (std::int64_t batch = 1; batch <= grid.max_batch; batch *= 2) {
            files.push_back(roofline_profile(model, device, grid.sequence, tp, batch));
        }
    }
    return files;
}

}  // namespace npunet::planner
