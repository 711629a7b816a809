// What the tracer's ranks do: Megatron-LM of 2025 (core 0.13) without Transformer Engine, in fp32
// over gloo, with plain data parallelism. Where that differs from what Megatron-LM does today is
// told in docs/megatron.md; the differences are meant, down to the barriers that only the first
// rank of each tensor-parallel group meets.
#include "generators/megatron/program/pipeline_calls.h"
#include "generators/megatron/program/program.h"
#include "generators/megatron/program/program_builder.h"
#include "generators/megatron/program/segment_costs.h"

namespace npunet::generators::megatron {

namespace {

class GenstackProgram {
public:
    GenstackProgram(const TrainingRun& run, std::int64_t stage, std::int64_t tensor_place)
        : run_(run),
          builder_(run, LoneCalls::Made),
          costs_(run),
          stage_(stage),
          first_in_tensor_(tensor_place == 0),
          first_(stage == 0),
          last_(stage == run.parallelism.pp - 1),
          activations_{run.model.seq, run.micro_batch, run.model.hidden} {}

    Program make() {
        set_up();
        ChunkWork work;
        work.forward = [this](std::int64_t micro_batch, std::int64_t) { forward(micro_batch); };
        work.backward = [this](std::int64_t micro_batch, std::int64_t) { backward(micro_batch); };
        PipelineCalls(run_, stage_, builder_, activations_, std::move(work)).run();
        update();
        return builder_.take();
    }

private:
    Requests sum(GroupRole group, const Shape& shape, const char* what,
                 ReduceOp reduce_op = ReduceOp::Sum) {
        return builder_.all_reduce(group, shape, DataType::Float32, what, reduce_op);
    }
    void barriers(int count, const char* what) {
        for (int i = 0; i < count; ++i) {
            builder_.barrier(what);
        }
    }

    [[nodiscard]] bool splits_tensors() const { return run_.parallelism.tp > 1; }
    [[nodiscard]] bool shares_embedding() const {
        return run_.parallelism.pp > 1 && (first_ || last_);
    }
    [[nodiscard]] Shape embedding_rows() const { return {run_.local_vocab(), run_.model.hidden}; }
    [[nodiscard]] std::int64_t layers() const { return run_.model.layers / run_.parallelism.pp; }

    void set_up() {
        builder_.begin(Phase::SetUp);
        barriers(1, "compiled dependencies");
        builder_.all_reduce(GroupRole::World, {1}, DataType::Float64, "start time", ReduceOp::Min);
        barriers(2, "model set-up");
        if (shares_embedding()) {
            sum(GroupRole::Embedding, embedding_rows(), "tied embeddings");
        }
        barriers(2, "data iterators");
        for (int set = 0; first_in_tensor_ && set < 3; ++set) {
            builder_.barrier("data sets")->first_of_tensor_only = splits_tensors();
        }
        builder_.broadcast(GroupRole::World, PeerRole::FirstOfWorld, {3}, DataType::Int64,
                           "flags of training, validation, test");
        barriers(3, "timers");
    }

    void pass(const Shape& shape, DataType dtype, const char* what) {
        builder_.broadcast(GroupRole::Tensor, PeerRole::FirstOfTensor, shape, dtype, what);
    }

    void batch() {
        const Shape tokens{run_.micro_batch, run_.model.seq};
        if (first_) {
            pass(tokens, DataType::Int64, "tokens");
        }
        if (last_) {
            pass(tokens, DataType::Int64, "labels");
            pass(tokens, DataType::Float32, "loss mask");
        }
        if (run_.attention_mask && (first_ || last_)) {
            pass({run_.micro_batch, 1, run_.model.seq, run_.model.seq}, DataType::Bool,
                 "attention mask");
        }
        if (first_) {
            pass(tokens, DataType::Int64, "positions");
        }
    }

    void layer_sum(const char* what) {
        if (splits_tensors()) {
            sum(GroupRole::Tensor, activations_, what);
        }
    }

    void forward(std::int64_t micro_batch) {
        builder_.begin(Phase::Forward, micro_batch);
        batch();
        if (first_) {
            builder_.compute("embedding_forward", costs_.embedding_forward());
            if (splits_tensors()) {
                sum(GroupRole::Tensor, {run_.micro_batch, run_.model.seq, run_.model.hidden},
                    "embedding");
            }
        }
        for (std::int64_t i = 0; i < layers(); ++i) {
            builder_.at_layer(stage_ * layers() + i);
            builder_.compute("attention_forward", costs_.attention_forward());
            layer_sum("attention projection");
            builder_.compute("mlp_forward", costs_.mlp_forward());
            layer_sum("mlp output");
        }
        builder_.at_layer(-1);
        if (last_) {
            loss();
        }
    }

    void loss() {
        const Shape tokens{run_.model.seq, run_.micro_batch};
        builder_.compute("head_forward", costs_.head_forward());
        sum(GroupRole::Tensor, tokens, "largest logit", ReduceOp::Max);
        builder_.compute("loss_forward", costs_.loss_forward());
        sum(GroupRole::Tensor, tokens, "target logit");
        sum(GroupRole::Tensor, tokens, "exponentials");
        sum(GroupRole::Data, {2}, "reported loss");
    }

    /// The gradient of a column-parallel layer's input is summed while that of its weights is
    /// computed.
    void input_gradient(const char* what, const char* beside, const SegmentCost& cost) {
        Requests sum;
        if (splits_tensors()) {
            sum = builder_.all_reduce(GroupRole::Tensor, activations_, DataType::Float32, what,
                                      ReduceOp::Sum, Blocking::GoesOn);
        }
        builder_.compute(beside, cost);
        builder_.wait(sum);
    }

    void backward(std::int64_t micro_batch) {
        builder_.begin(Phase::Backward, micro_batch);
        if (last_) {
            builder_.compute("loss_backward", costs_.loss_backward());
            builder_.compute("head_dgrad", costs_.head_dgrad());
            input_gradient("head input gradient", "head_wgrad", costs_.head_wgrad());
        }
        for (std::int64_t i = layers(); i-- > 0;) {
            builder_.at_layer(stage_ * layers() + i);
            builder_.compute("mlp_dgrad", costs_.mlp_dgrad());
            input_gradient("mlp input gradient", "mlp_wgrad", costs_.mlp_wgrad());
            builder_.compute("attention_dgrad", costs_.attention_dgrad());
            input_gradient("attention input gradient", "attention_wgrad", costs_.attention_wgrad());
        }
        builder_.at_layer(-1);
        if (first_) {
            builder_.compute("embedding_backward", costs_.embedding_backward());
        }
    }

    /// Parameters with a gradient on the rank. The final norm has none: the tracer puts an empty
    /// class in its place.
    [[nodiscard]] std::int64_t parameters() const {
        const std::int64_t h = run_.model.hidden;
        const std::int64_t tp = run_.parallelism.tp;
        std::int64_t count = layers() * (12 * h * h / tp + 7 * h / tp + 6 * h);
        if (first_) {
            count += (run_.local_vocab() + run_.model.seq) * h;
        } else if (last_) {
            count += run_.local_vocab() * h;
        }
        return count;
    }

    void update() {
        builder_.begin(Phase::Update);
        sum(GroupRole::Data, {parameters()}, "gradients");
        if (shares_embedding()) {
            sum(GroupRole::Embedding, embedding_rows(), "gradients of tied embeddings");
        }
        sum(GroupRole::Model, {}, "gradient norm");
        builder_.compute("optimizer", costs_.optimizer(parameters()));
        barriers(1, "timers");
    }

    const TrainingRun& run_;
    ProgramBuilder builder_;
    SegmentCosts costs_;
    std::int64_t stage_;
    bool first_in_tensor_;
    bool first_;
    bool last_;
    Shape activations_;
};

}  // namespace

Program genstack_program(const TrainingRun& run, std::int64_t stage, std::int64_t tensor_place) {
    return GenstackProgram(run, stage, tensor_place).make();
}

}  // namespace npunet::generators::megatron
