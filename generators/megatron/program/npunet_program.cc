// The npunet dialect: a training step as current Megatron-LM (core 0.20) communicates.
#include <numeric>
#include <utility>

#include "generators/megatron/program/gradient_buckets.h"
#include "generators/megatron/program/layer_calls.h"
#include "generators/megatron/program/pipeline_calls.h"
#include "generators/megatron/program/program.h"
#include "generators/megatron/program/program_builder.h"

namespace npunet::generators::megatron {

namespace {

/// Buckets of weights in the order in which the forward pass needs them: the first is asked for at
/// once, each other when the one before it has come.
struct GatherChain {
    std::vector<GradientBucket> buckets;
    std::size_t asked = 0;
    std::size_t arrived = 0;
    Requests in_progress;
};

/// A stage's layers that are next to each other, and what is under way for their parameters.
struct Chunk {
    bool embedding = false;
    bool head = false;
    std::vector<std::int64_t> layers;
    std::vector<Parameter> parameters;
    std::vector<GradientBucket> buckets;
    std::vector<GatherChain> gathers{2};  ///< dense, experts

    [[nodiscard]] std::int32_t units() const {
        return static_cast<std::int32_t>(layers.size()) + (embedding ? 1 : 0) + (head ? 1 : 0);
    }
};

class StageProgram {
public:
    StageProgram(const TrainingRun& run, std::int64_t stage)
        : run_(run), stage_(stage), builder_(run), layers_(run, builder_) {
        for (std::int64_t c = 0; c < run.vpp; ++c) {
            Chunk chunk;
            chunk.embedding = has_embedding(run, stage, c);
            chunk.head = has_head(run, stage, c);
            chunk.layers = layers_of_chunk(run, stage, c);
            chunk.parameters = chunk_parameters(run, stage, c);
            chunk.buckets = gradient_buckets(run, stage, c);
            for (auto bucket = chunk.buckets.rbegin(); bucket != chunk.buckets.rend(); ++bucket) {
                const bool experts = bucket->replicas == GroupRole::ExpertData;
                chunk.gathers[experts ? 1 : 0].buckets.push_back(*bucket);
            }
            chunks_.push_back(std::move(chunk));
        }
    }

    Program build() {
        set_up();
        ChunkWork work;
        work.forward = [this](std::int64_t micro_batch, std::int64_t chunk) {
            forward(micro_batch, chunk);
        };
        work.backward = [this](std::int64_t micro_batch, std::int64_t chunk) {
            backward(micro_batch, chunk);
        };
        PipelineCalls(run_, stage_, builder_, layers_.passed_on(), std::move(work)).run();
        builder_.begin(Phase::Update);
        sum_gradients();
        step();
        return builder_.take();
    }

private:
    [[nodiscard]] bool shares_table() const {
        return run_.model.tied_embeddings && (stage_ == 0 || stage_ == run_.parallelism.pp - 1);
    }

    void set_up() {
        builder_.begin(Phase::SetUp);
        builder_.barrier("dependencies");
        builder_.all_reduce(GroupRole::World, {1}, DataType::Float64, "start time", ReduceOp::Min);
        builder_.barrier("time of start");
        builder_.barrier("model set-up");
        if (shares_table()) {
            builder_.all_reduce(GroupRole::Embedding, {run_.local_vocab(), run_.model.hidden},
                                run_.dtype, "first weights of the embedding");
        }
        builder_.barrier("time of model set-up");
        builder_.barrier("data iterators");
        builder_.barrier("data set for training");
        builder_.barrier("data set for validation");
        builder_.barrier("data set for testing");
        builder_.broadcast(GroupRole::World, PeerRole::FirstOfWorld, {3}, DataType::Int64,
                           "what to do");
        builder_.barrier("time of data iterators");
        builder_.all_gather(GroupRole::World, {2}, DataType::Float32, "timers of set-up");
        builder_.barrier("time of set-up");
        builder_.barrier("start of training");
    }

    /// The first rank of the tensor-parallel group reads, the others get what their stage needs.
    void load(const Chunk& chunk) {
        const std::int64_t b = run_.micro_batch;
        const std::int64_t s = run_.model.seq;
        const auto pass = [&](bool needed, const Shape& shape, DataType dtype, const char* what) {
            if (needed) {
                builder_.broadcast(GroupRole::Tensor, PeerRole::FirstOfTensor, shape, dtype, what);
            }
        };
        pass(chunk.embedding, {b, s}, DataType::Int64, "tokens");
        pass(chunk.head, {b, s}, DataType::Int64, "labels");
        pass(chunk.head, {b, s}, DataType::Float32, "loss mask");
        pass(run_.attention_mask && (chunk.embedding || chunk.head), {b, 1, s, s}, DataType::Bool,
             "attention mask");
        pass(chunk.embedding, {b, s}, DataType::Int64, "positions");
    }

    void forward(std::int64_t micro_batch, std::int64_t number) {
        builder_.begin(Phase::Forward, micro_batch, number);
        Chunk& chunk = chunks_[static_cast<std::size_t>(number)];
        load(chunk);
        std::int32_t unit = 0;
        if (chunk.embedding) {
            gather_weights(chunk, unit++);
            layers_.embedding_forward();
        }
        for (const std::int64_t layer : chunk.layers) {
            gather_weights(chunk, unit++);
            layers_.layer_forward(layer);
        }
        if (chunk.head) {
            gather_weights(chunk, unit++);
            layers_.head_forward();
        }
    }

    void backward(std::int64_t micro_batch, std::int64_t number) {
        builder_.begin(Phase::Backward, micro_batch, number);
        Chunk& chunk = chunks_[static_cast<std::size_t>(number)];
        const bool complete = micro_batch == run_.steps - 1;
        std::int32_t unit = chunk.units();
        if (chunk.head) {
            layers_.head_backward();
            begin_sums(chunk, --unit, complete);
        }
        for (auto layer = chunk.layers.rbegin(); layer != chunk.layers.rend(); ++layer) {
            layers_.layer_backward(*layer);
            begin_sums(chunk, --unit, complete);
        }
        if (chunk.embedding) {
            layers_.embedding_backward();
            begin_sums(chunk, --unit, complete);
        }
    }

    Requests gather(const GradientBucket& bucket, Blocking blocking) {
        const std::int64_t members = group_size(run_.parallelism, bucket.replicas);
        return builder_.all_gather(bucket.replicas, {bucket.elements / members}, run_.dtype,
                                   "weights", blocking);
    }

    void ask(GatherChain& chain) {
        if (chain.asked < chain.buckets.size()) {
            chain.in_progress = gather(chain.buckets[chain.asked++], Blocking::GoesOn);
        }
    }

    /// What `unit` needs has come. After the first forward pass of a chunk all is there.
    void gather_weights(Chunk& chunk, std::int32_t unit) {
        if (!run_.overlap_param_gather) {
            return;
        }
        for (GatherChain& chain : chunk.gathers) {
            if (chain.asked == 0) {
                ask(chain);
            }
            while (chain.arrived < chain.buckets.size() &&
                   chain.buckets[chain.arrived].first_unit <= unit) {
                builder_.wait(chain.in_progress);
                ++chain.arrived;
                ask(chain);
            }
        }
    }

    Requests sum(const GradientBucket& bucket, Blocking blocking) {
        if (!run_.distributed_optimizer) {
            return builder_.all_reduce(bucket.replicas, {bucket.elements}, DataType::Float32,
                                       "gradients", ReduceOp::Sum, blocking);
        }
        const std::int64_t members = group_size(run_.parallelism, bucket.replicas);
        return builder_.reduce_scatter(bucket.replicas, {bucket.elements / members},
                                       DataType::Float32, "gradients", blocking);
    }

    /// Sums of the buckets whose earliest unit has its gradients now.
    void begin_sums(const Chunk& chunk, std::int32_t unit, bool complete) {
        if (!complete || !run_.overlap_grad_reduce) {
            return;
        }
        for (const GradientBucket& bucket : chunk.buckets) {
            if (bucket.first_unit == unit) {
                const Requests begun = sum(bucket, Blocking::GoesOn);
                sums_.insert(sums_.end(), begun.begin(), begun.end());
            }
        }
    }

    void sum_gradients() {
        std::int64_t sequence_parallel = 0;
        for (const Chunk& chunk : chunks_) {
            if (!run_.overlap_grad_reduce) {
                for (const GradientBucket& bucket : chunk.buckets) {
                    sum(bucket, Blocking::Waits);
                }
            }
            for (const Parameter& parameter : chunk.parameters) {
                sequence_parallel += parameter.sequence_parallel ? parameter.elements : 0;
            }
        }
        builder_.wait(sums_);
        if (run_.sequence_parallel && sequence_parallel > 0) {
            builder_.all_reduce(GroupRole::Tensor, {sequence_parallel}, DataType::Float32,
                                "gradients of norms and row-parallel biases");
        }
        if (shares_table()) {
            builder_.all_reduce(GroupRole::Embedding, {run_.local_vocab(), run_.model.hidden},
                                DataType::Float32, "gradients of the embedding");
        }
        balance_experts();
    }

    /// Biases of the router follow the load of the experts.
    void balance_experts() {
        if (!run_.model.moe.router_bias) {
            return;
        }
        std::int64_t layers = 0;
        for (const Chunk& chunk : chunks_) {
            for (const std::int64_t layer : chunk.layers) {
                layers += run_.model.is_moe_layer(layer) ? 1 : 0;
            }
        }
        if (layers > 0) {
            builder_.all_reduce(GroupRole::TensorDataContext, {layers, run_.model.moe.experts},
                                DataType::Float32, "tokens of each expert, for its bias");
        }
    }

    /// Parameters whose optimizer states the rank keeps.
    [[nodiscard]] std::int64_t optimizer_parameters() const {
        std::int64_t kept = 0;
        for (const Chunk& chunk : chunks_) {
            for (const GradientBucket& bucket : chunk.buckets) {
                kept += bucket.elements / (run_.distributed_optimizer
                                               ? group_size(run_.parallelism, bucket.replicas)
                                               : 1);
            }
        }
        return kept;
    }

    void sum_norms() {
        const auto over = [&](GroupRole group) {
            return run_.distributed_optimizer ? GroupRole::World : group;
        };
        if (run_.dtype == DataType::Float16) {
            builder_.all_reduce(over(GroupRole::Model), {1}, DataType::Float32,
                                "overflow of gradients", ReduceOp::Max);
        }
        builder_.all_reduce(over(GroupRole::Model), {1}, DataType::Float32, "norm of gradients");
        if (run_.model.moe.experts > 0) {
            builder_.all_reduce(over(GroupRole::TensorExpertPipeline), {1}, DataType::Float32,
                                "norm of experts' gradients");
        }
    }

    void step() {
        sum_norms();
        builder_.compute("optimizer", SegmentCosts(run_).optimizer(optimizer_parameters()));
        if (run_.distributed_optimizer && !run_.overlap_param_gather) {
            for (const Chunk& chunk : chunks_) {
                for (const GradientBucket& bucket : chunk.buckets) {
                    gather(bucket, Blocking::Waits);
                }
            }
        }
        builder_.all_reduce(GroupRole::Model, {1}, DataType::Int32, "success of the step",
                            ReduceOp::Min);
        builder_.all_reduce(GroupRole::Model, {1}, DataType::Float32, "learning rate",
                            ReduceOp::Max);
        if (chunks_.back().head) {
            builder_.all_reduce(GroupRole::DataContext, {2}, DataType::Float32, "loss");
        }
        builder_.barrier("end of the iteration");
    }

    const TrainingRun& run_;
    std::int64_t stage_;
    ProgramBuilder builder_;
    LayerCalls layers_;
    std::vector<Chunk> chunks_;
    Requests sums_;
};

}  // namespace

Program npunet_program(const TrainingRun& run, std::int64_t stage) {
    return StageProgram(run, stage).build();
}

}  // namespace npunet::generators::megatron
