#include "generators/megatron/program/gradient_buckets.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace npunet::generators::megatron {

namespace {

constexpr std::int64_t parameter_alignment = 64;  ///< elements
constexpr std::int64_t bucket_alignment = 128;
constexpr std::int64_t smallest_full_bucket = 40'000'000;
constexpr std::int64_t full_bucket_of_replica = 1'000'000;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/// The parameters of one unit after the other.
class Definition {
public:
    explicit Definition(const TrainingRun& run) : run_(run), model_(run.model) {}

    void begin_unit() { ++unit_; }

    void embedding() {
        add(run_.local_vocab() * model_.hidden).shared_table = shared_table();
        if (model_.positions == Positions::Learned) {
            add(position_parameters(model_));
        }
    }

    void layer(std::int64_t number) {
        attention();
        if (model_.is_moe_layer(number)) {
            experts();
        } else {
            norm();
            linear(model_.up_width() / run_.parallelism.tp, model_.hidden, model_.biases.mlp);
            row_linear(model_.ffn / run_.parallelism.tp, model_.biases.mlp);
        }
    }

    void head(bool has_table) {
        norm();
        if (has_table) {
            add(run_.local_vocab() * model_.hidden).shared_table = shared_table();
        }
    }

    std::vector<Parameter> take() { return std::move(parameters_); }

private:
    [[nodiscard]] bool shared_table() const {
        return model_.tied_embeddings && run_.parallelism.pp > 1;
    }

    Parameter& add(std::int64_t elements) {
        Parameter parameter;
        parameter.elements = elements;
        parameter.unit = unit_;
        parameters_.push_back(parameter);
        return parameters_.back();
    }

    void add_sequence_parallel(std::int64_t elements) { add(elements).sequence_parallel = true; }

    void norm() {
        add_sequence_parallel(model_.hidden);
        if (model_.norm == Norm::Layer) {
            add_sequence_parallel(model_.hidden);
        }
    }
    /// Column-parallel: the bias is divided like the weight.
    void linear(std::int64_t out, std::int64_t in, bool bias) {
        add(out * in);
        if (bias) {
            add(out);
        }
    }
    /// Row-parallel, to the hidden size: the bias is whole.
    void row_linear(std::int64_t in, bool bias) {
        add(model_.hidden * in);
        if (bias) {
            add_sequence_parallel(model_.hidden);
        }
    }

    /// The projection is defined before queries, keys and values, whose module holds the norm.
    void attention() {
        row_linear(model_.value_width() / run_.parallelism.tp, model_.biases.projection);
        norm();
        linear(model_.qkv_width() / run_.parallelism.tp, model_.hidden, model_.biases.qkv);
    }

    void experts() {
        const MixtureOfExperts& moe = model_.moe;
        norm();
        add_sequence_parallel(model_.hidden * moe.experts);  // the router
        const std::int64_t width = moe.ffn / run_.parallelism.expert_tensor();
        const std::int64_t up = (model_.gated ? 2 : 1) * width;
        const std::int64_t local = moe.experts / run_.parallelism.ep;
        for (const std::int64_t elements : {up * model_.hidden, model_.hidden * width}) {
            for (std::int64_t expert = 0; expert < local; ++expert) {
                add(elements).expert = true;
            }
        }
        if (moe.shared_experts > 0) {
            add(model_.shared_width() * (model_.gated ? 2 : 1) / run_.parallelism.tp *
                model_.hidden);
            add(model_.hidden * (model_.shared_width() / run_.parallelism.tp));
        }
    }

    const TrainingRun& run_;
    const ModelSpec& model_;
    std::int32_t unit_ = -1;
    std::vector<Parameter> parameters_;
};

/// Fills buckets with parameters, the last defined first.
class Buffer {
public:
    Buffer(const TrainingRun& run, GroupRole replicas, bool bucketed)
        : padded_(run.distributed_optimizer), replicas_(replicas) {
        full_ = bucketed
                    ? std::max(smallest_full_bucket, full_bucket_of_replica * run.parallelism.dp)
                    : std::numeric_limits<std::int64_t>::max();
        end_alignment_ = std::lcm(group_size(run.parallelism, replicas), bucket_alignment);
    }

    void add(const Parameter& parameter) {
        const bool own = padded_ && parameter.shared_table;
        if (own) {
            close();
        }
        if (used_ == 0) {
            bucket_ = {replicas_, 0, parameter.unit};
        }
        used_ = padded_ ? round_up(used_, parameter_alignment) : used_;
        used_ += parameter.elements;
        bucket_.first_unit = parameter.unit;
        if (own || used_ >= full_) {
            close();
        }
    }

    void close() {
        if (used_ == 0) {
            return;
        }
        bucket_.elements = padded_ ? round_up(used_, end_alignment_) : used_;
        buckets_.push_back(bucket_);
        used_ = 0;
    }

    [[nodiscard]] const std::vector<GradientBucket>& buckets() const { return buckets_; }

private:
    bool padded_;
    GroupRole replicas_;
    std::int64_t full_ = 0;
    std::int64_t end_alignment_ = 1;
    std::int64_t used_ = 0;
    GradientBucket bucket_;
    std::vector<GradientBucket> buckets_;
};

}  // namespace

bool has_embedding(const TrainingRun& /*run*/, std::int64_t stage, std::int64_t chunk) {
    return stage == 0 && chunk == 0;
}

bool has_head(const TrainingRun& run, std::int64_t stage, std::int64_t chunk) {
    return stage == run.parallelism.pp - 1 && chunk == run.vpp - 1;
}

std::vector<std::int64_t> layers_of_chunk(const TrainingRun& run, std::int64_t stage,
                                          std::int64_t chunk) {
    const std::int64_t count = run.model.layers / (run.parallelism.pp * run.vpp);
    std::vector<std::int64_t> layers(static_cast<std::size_t>(count));
    std::iota(layers.begin(), layers.end(), (chunk * run.parallelism.pp + stage) * count);
    return layers;
}

std::vector<Parameter> chunk_parameters(const TrainingRun& run, std::int64_t stage,
                                        std::int64_t chunk) {
    Definition definition(run);
    if (has_embedding(run, stage, chunk)) {
        definition.begin_unit();
        definition.embedding();
    }
    for (const std::int64_t layer : layers_of_chunk(run, stage, chunk)) {
        definition.begin_unit();
        definition.layer(layer);
    }
    if (has_head(run, stage, chunk)) {
        definition.begin_unit();
        definition.head(run.parallelism.pp > 1 || !run.model.tied_embeddings);
    }
    return definition.take();
}

std::vector<GradientBucket> gradient_buckets(const TrainingRun& run, std::int64_t stage,
                                             std::int64_t chunk) {
    const bool bucketed = run.overlap_grad_reduce && stage == 0 && chunk == 0;
    Buffer dense(run, GroupRole::DataContext, bucketed);
    Buffer experts(run, GroupRole::ExpertData, bucketed);
    const std::vector<Parameter> parameters = chunk_parameters(run, stage, chunk);
    for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
        (parameter->expert ? experts : dense).add(*parameter);
    }
    dense.close();
    experts.close();
    std::vector<GradientBucket> buckets = dense.buckets();
    buckets.insert(buckets.end(), experts.buckets().begin(), experts.buckets().end());
    return buckets;
}

}  // namespace npunet::generators::megatron
