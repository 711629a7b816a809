#include "recorder/backend/process_group.h"

#include <array>
#include <functional>
#include <utility>

namespace npunet::recorder {

namespace {

namespace py = pybind11;

using Tensors = RecordingGroup::Tensors;
using TensorLists = RecordingGroup::TensorLists;
using WorkPointer = RecordingGroup::WorkPointer;

std::string name_of(const c10d::ReduceOp& reduce_op) {
    constexpr std::array names{"sum",  "avg", "product", "min",       "max",
                               "band", "bor", "bxor",    "premul_sum"};
    const auto number = static_cast<std::size_t>(reduce_op.op_);
    return number < names.size() ? names[number] : "unknown";
}

/// A call that is complete, or that the inner group is at.
class RecordedWork : public c10d::Work {
public:
    RecordedWork(Observer observer, int64_t call, Tensors outputs, WorkPointer inner)
        : observer_(std::move(observer)),
          call_(call),
          outputs_(std::move(outputs)),
          inner_(std::move(inner)) {}

    bool isCompleted() override { return inner_ ? inner_->isCompleted() : true; }
    bool isSuccess() const override { return inner_ ? inner_->isSuccess() : true; }
    std::exception_ptr exception() const override {
        return inner_ ? inner_->exception() : std::exception_ptr();
    }
    Tensors result() override { return outputs_; }
    void synchronize() override { wait(kNoTimeout); }

    bool wait(std::chrono::milliseconds timeout) override {
        {
            py::gil_scoped_acquire lock;
            observer_->attr("wait")(call_);
        }
        return inner_ ? inner_->wait(timeout) : true;
    }

    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
        if (inner_) {
            return inner_->getFuture();
        }
        auto future =
            c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
        future->markCompleted(c10::IValue(outputs_));
        return future;
    }

private:
    Observer observer_;
    int64_t call_;
    Tensors outputs_;
    WorkPointer inner_;
};

/// Several calls of the inner group that carry one, and what is to be done behind them.
class CarriedWork : public c10d::Work {
public:
    CarriedWork(std::vector<WorkPointer> works, std::function<void()> finish)
        : works_(std::move(works)), finish_(std::move(finish)) {}

    bool isCompleted() override { return false; }

    bool wait(std::chrono::milliseconds timeout) override {
        // Gloo's handle of a send may be waited for once only.
        for (const WorkPointer& work : std::exchange(works_, {})) {
            work->wait(timeout);
        }
        if (finish_) {
            std::exchange(finish_, nullptr)();
        }
        return true;
    }

private:
    std::vector<WorkPointer> works_;
    std::function<void()> finish_;
};

WorkPointer carried(std::vector<WorkPointer> works, std::function<void()> finish) {
    return c10::make_intrusive<CarriedWork>(std::move(works), std::move(finish));
}

/// Of a tensor along its first dimension: equal parts, or those of the given lengths.
Tensors parts_of(const at::Tensor& tensor, int parts, const std::vector<int64_t>& lengths) {
    Tensors result;
    int64_t begin = 0;
    for (int i = 0; i < parts; ++i) {
        const int64_t length = lengths.empty() ? tensor.size(0) / parts : lengths[i];
        result.push_back(tensor.narrow(0, begin, length));
        begin += length;
    }
    return result;
}

Tensors flat(const TensorLists& lists) {
    Tensors result;
    for (const Tensors& list : lists) {
        result.insert(result.end(), list.begin(), list.end());
    }
    return result;
}

/// An all-to-all as messages. Each is of its own tag, so that no other message meets it.
WorkPointer exchange(GroupBase& inner, const Tensors& outputs, const Tensors& inputs) {
    constexpr int tag = 1 << 20;
    const int rank = inner.getRank();
    std::vector<WorkPointer> works;
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;
    for (int peer = 0; peer < inner.getSize(); ++peer) {
        if (peer == rank) {
            outputs[peer].copy_(inputs[peer]);
            continue;
        }
        Tensors sent{inputs[peer].contiguous()};
        Tensors received{outputs[peer].is_contiguous() ? outputs[peer]
                                                       : at::empty_like(outputs[peer])};
        if (received[0].numel() > 0) {
            works.push_back(inner.recv(received, peer, tag));
            copies.emplace_back(outputs[peer], received[0]);
        }
        if (sent[0].numel() > 0) {
            works.push_back(inner.send(sent, peer, tag));
        }
    }
    return carried(std::move(works), [copies] {
        for (const auto& [target, source] : copies) {
            if (!target.is_same(source)) {
                target.copy_(source);
            }
        }
    });
}

WorkPointer gather_inside(GroupBase& inner, const at::Tensor& output, const at::Tensor& input,
                          const c10d::AllgatherOptions& options) {
    TensorLists outputs{Tensors{}};
    const at::Tensor rows = output.view({inner.getSize(), input.numel()});
    for (int i = 0; i < inner.getSize(); ++i) {
        outputs[0].push_back(at::empty_like(input).view({input.numel()}));
    }
    Tensors inputs{input.contiguous().view({input.numel()})};
    const Tensors gathered = outputs[0];
    return carried({inner.allgather(outputs, inputs, options)},
                   [rows, gathered] { rows.copy_(at::stack(gathered)); });
}

WorkPointer reduce_scatter_inside(GroupBase& inner, const at::Tensor& output, const Tensors& inputs,
                                  const c10d::ReduceOp& reduce_op) {
    std::vector<WorkPointer> works;
    Tensors sums;
    for (const at::Tensor& input : inputs) {
        Tensors one{input.clone(at::MemoryFormat::Contiguous)};
        sums.push_back(one[0]);
        c10d::AllreduceOptions options;
        const bool average = reduce_op.op_ == c10d::ReduceOp::AVG;
        options.reduceOp = average ? c10d::ReduceOp(c10d::ReduceOp::SUM) : reduce_op;
        works.push_back(inner.allreduce(one, options));
    }
    const at::Tensor own = sums[inner.getRank()];
    const bool average = reduce_op.op_ == c10d::ReduceOp::AVG;
    return carried(std::move(works), [output, own, average, size = inner.getSize()] {
        output.copy_((average ? own / size : own).view(output.sizes()));
    });
}

}  // namespace

Observer make_observer(py::object object) {
    return {new py::object(std::move(object)), [](py::object* held) {
                // At the end of the process there is no interpreter to give it back to.
                if (Py_IsInitialized() != 0) {
                    py::gil_scoped_acquire lock;
                    delete held;
                }
            }};
}

RecordingGroup::RecordingGroup(int rank, int size, std::string name, Observer observer,
                               c10::intrusive_ptr<GroupBase> inner)
    : GroupBase(rank, size),
      name_(std::move(name)),
      observer_(std::move(observer)),
      inner_(std::move(inner)) {}

int64_t RecordingGroup::observe(const char* name, const Tensors& inputs, const Tensors& outputs,
                                const Options& options) const {
    py::gil_scoped_acquire lock;
    py::dict told;
    if (!options.reduce_op.empty()) {
        told["reduce_op"] = options.reduce_op;
    }
    if (options.root >= 0) {
        told["root"] = options.root;
    }
    if (options.peer >= 0) {
        told["peer"] = options.peer;
        told["tag"] = options.tag;
    }
    if (!options.in_splits.empty() || !options.out_splits.empty()) {
        told["in_splits"] = options.in_splits;
        told["out_splits"] = options.out_splits;
    }
    return observer_->attr("observe")(name, inputs, outputs, told).cast<int64_t>();
}

WorkPointer RecordingGroup::completed(int64_t call, Tensors outputs, WorkPointer inner) const {
    return c10::make_intrusive<RecordedWork>(observer_, call, std::move(outputs), std::move(inner));
}

WorkPointer RecordingGroup::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
    Options told;
    told.root = options.rootRank;
    const int64_t call = observe("broadcast", tensors, tensors, told);
    return completed(call, tensors, inner_ ? inner_->broadcast(tensors, options) : WorkPointer());
}

WorkPointer RecordingGroup::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
    Options told;
    told.reduce_op = name_of(options.reduceOp);
    const int64_t call = observe("allreduce", tensors, tensors, told);
    return completed(call, tensors, inner_ ? inner_->allreduce(tensors, options) : WorkPointer());
}

WorkPointer RecordingGroup::allreduce_coalesced(Tensors& tensors,
                                                const c10d::AllreduceCoalescedOptions& options) {
    Options told;
    told.reduce_op = name_of(options.reduceOp);
    const int64_t call = observe("allreduce_coalesced", tensors, tensors, told);
    return completed(call, tensors,
                     inner_ ? inner_->allreduce_coalesced(tensors, options) : WorkPointer());
}

WorkPointer RecordingGroup::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
    Options told;
    told.reduce_op = name_of(options.reduceOp);
    told.root = options.rootRank;
    const int64_t call = observe("reduce", tensors, tensors, told);
    return completed(call, tensors, inner_ ? inner_->reduce(tensors, options) : WorkPointer());
}

WorkPointer RecordingGroup::allgather(TensorLists& outputs, Tensors& inputs,
                                      const c10d::AllgatherOptions& options) {
    const Tensors all = flat(outputs);
    const int64_t call = observe("allgather", inputs, all, {});
    return completed(call, all,
                     inner_ ? inner_->allgather(outputs, inputs, options) : WorkPointer());
}

WorkPointer RecordingGroup::_allgather_base(at::Tensor& output, at::Tensor& input,
                                            const c10d::AllgatherOptions& options) {
    const int64_t call = observe("_allgather_base", {input}, {output}, {});
    WorkPointer inside;
    if (inner_) {
        inside = gather_inside(*inner_, output, input, options);
    }
    return completed(call, {output}, inside);
}

WorkPointer RecordingGroup::allgather_coalesced(TensorLists& outputs, Tensors& inputs,
                                                const c10d::AllgatherOptions& options) {
    const Tensors all = flat(outputs);
    const int64_t call = observe("allgather_coalesced", inputs, all, {});
    return completed(
        call, all, inner_ ? inner_->allgather_coalesced(outputs, inputs, options) : WorkPointer());
}

WorkPointer RecordingGroup::gather(TensorLists& outputs, Tensors& inputs,
                                   const c10d::GatherOptions& options) {
    Options told;
    told.root = options.rootRank;
    const Tensors all = flat(outputs);
    const int64_t call = observe("gather", inputs, all, told);
    return completed(call, all, inner_ ? inner_->gather(outputs, inputs, options) : WorkPointer());
}

WorkPointer RecordingGroup::scatter(Tensors& outputs, TensorLists& inputs,
                                    const c10d::ScatterOptions& options) {
    Options told;
    told.root = options.rootRank;
    const int64_t call = observe("scatter", flat(inputs), outputs, told);
    return completed(call, outputs,
                     inner_ ? inner_->scatter(outputs, inputs, options) : WorkPointer());
}

WorkPointer RecordingGroup::reduce_scatter(Tensors& outputs, TensorLists& inputs,
                                           const c10d::ReduceScatterOptions& options) {
    Options told;
    told.reduce_op = name_of(options.reduceOp);
    const int64_t call = observe("reduce_scatter", flat(inputs), outputs, told);
    WorkPointer inside;
    if (inner_) {
        inside = reduce_scatter_inside(*inner_, outputs[0], inputs[0], options.reduceOp);
    }
    return completed(call, outputs, inside);
}

WorkPointer RecordingGroup::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                 const c10d::ReduceScatterOptions& options) {
    Options told;
    told.reduce_op = name_of(options.reduceOp);
    const int64_t call = observe("_reduce_scatter_base", {input}, {output}, told);
    WorkPointer inside;
    if (inner_) {
        const Tensors rows = parts_of(input.view({getSize(), output.numel()}), getSize(), {});
        inside = reduce_scatter_inside(*inner_, output, rows, options.reduceOp);
    }
    return completed(call, {output}, inside);
}

#if TORCH_VERSION_MAJOR >= 2

WorkPointer RecordingGroup::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                            const c10d::AllgatherOptions& options) {
    const int64_t call = observe("allgather_into_tensor_coalesced", inputs, outputs, {});
    WorkPointer inside;
    if (inner_) {
        std::vector<WorkPointer> works;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            works.push_back(gather_inside(*inner_, outputs[i], inputs[i], options));
        }
        inside = carried(std::move(works), nullptr);
    }
    return completed(call, outputs, inside);
}

WorkPointer RecordingGroup::reduce_scatter_tensor_coalesced(
    Tensors& outputs, Tensors& inputs, const c10d::ReduceScatterOptions& options) {
    Options told;
    told.reduce_op = name_of(options.reduceOp);
    const int64_t call = observe("reduce_scatter_tensor_coalesced", inputs, outputs, told);
    WorkPointer inside;
    if (inner_) {
        std::vector<WorkPointer> works;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const Tensors rows =
                parts_of(inputs[i].view({getSize(), outputs[i].numel()}), getSize(), {});
            works.push_back(reduce_scatter_inside(*inner_, outputs[i], rows, options.reduceOp));
        }
        inside = carried(std::move(works), nullptr);
    }
    return completed(call, outputs, inside);
}

#endif

WorkPointer RecordingGroup::alltoall_base(at::Tensor& output, at::Tensor& input,
                                          std::vector<int64_t>& output_splits,
                                          std::vector<int64_t>& input_splits,
                                          const c10d::AllToAllOptions& /*options*/) {
    Options told;
    told.in_splits = input_splits;
    told.out_splits = output_splits;
    const int64_t call = observe("alltoall_base", {input}, {output}, told);
    WorkPointer inside;
    if (inner_) {
        inside = exchange(*inner_, parts_of(output, getSize(), output_splits),
                          parts_of(input, getSize(), input_splits));
    }
    return completed(call, {output}, inside);
}

WorkPointer RecordingGroup::alltoall(Tensors& outputs, Tensors& inputs,
                                     const c10d::AllToAllOptions& /*options*/) {
    const int64_t call = observe("alltoall", inputs, outputs, {});
    return completed(call, outputs, inner_ ? exchange(*inner_, outputs, inputs) : WorkPointer());
}

WorkPointer RecordingGroup::send(Tensors& tensors, int destination, int tag) {
    Options told;
    told.peer = destination;
    told.tag = tag;
    const int64_t call = observe("send", tensors, {}, told);
    WorkPointer inside;
    if (inner_) {
        inside = carried({inner_->send(tensors, destination, tag)}, nullptr);
        sends_.push_back(inside);
    }
    return completed(call, tensors, inside);
}

void RecordingGroup::finish_sends() {
    for (const WorkPointer& send : std::exchange(sends_, {})) {
        send->wait(kNoTimeout);
    }
}

WorkPointer RecordingGroup::recv(Tensors& tensors, int source, int tag) {
    Options told;
    told.peer = source;
    told.tag = tag;
    const int64_t call = observe("recv", {}, tensors, told);
    return completed(call, tensors, inner_ ? inner_->recv(tensors, source, tag) : WorkPointer());
}

WorkPointer RecordingGroup::recvAnysource(Tensors& tensors, int tag) {
    const int64_t call = observe("recv_anysource", {}, tensors, {});
    return completed(call, tensors, inner_ ? inner_->recvAnysource(tensors, tag) : WorkPointer());
}

WorkPointer RecordingGroup::barrier(const c10d::BarrierOptions& options) {
    const int64_t call = observe("barrier", {}, {}, {});
    return completed(call, {}, inner_ ? inner_->barrier(options) : WorkPointer());
}

void RecordingGroup::monitoredBarrier(const c10d::BarrierOptions& options, bool wait_all) {
    const int64_t call = observe("barrier", {}, {}, {});
    if (inner_) {
        inner_->monitoredBarrier(options, wait_all);
    }
    completed(call, {}, WorkPointer())->wait(kNoTimeout);
}

}  // namespace npunet::recorder
