// A process group that tells an observer of each call, and of each wait for one.
//
// Alone it completes every call at once, so that one process is a rank of a world of any size. With
// another group inside it passes the calls on: to log what a real run does. Collectives that the
// inner group lacks (Gloo's of PyTorch 1.13) are then made of those that it has.
//
//     auto group = c10::make_intrusive<RecordingGroup>(rank, size, "nccl", observer, nullptr);
//
// The observer is a Python object:
//     observe(name, inputs, outputs, options) -> number of the call
//     wait(number)
// options: reduce_op, root, peer (both ranks of the group), tag, in_splits, out_splits.
#pragma once

#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#if TORCH_VERSION_MAJOR >= 2
#include <torch/csrc/distributed/c10d/Backend.hpp>
#endif

namespace npunet::recorder {

/// The class that backends derive from: ProcessGroup up to PyTorch 1.13, Backend from 2.0 on.
#if TORCH_VERSION_MAJOR >= 2
using GroupBase = c10d::Backend;
#else
using GroupBase = c10d::ProcessGroup;
#endif

/// A Python object that threads without the interpreter's lock may hold.
using Observer = std::shared_ptr<pybind11::object>;
[[nodiscard]] Observer make_observer(pybind11::object object);

class RecordingGroup : public GroupBase {
public:
    using Tensors = std::vector<at::Tensor>;
    using TensorLists = std::vector<Tensors>;
    using WorkPointer = c10::intrusive_ptr<c10d::Work>;

    /// `inner` may be null.
    RecordingGroup(int rank, int size, std::string name, Observer observer,
                   c10::intrusive_ptr<GroupBase> inner);

    const std::string getBackendName() const override { return name_; }
    void setSequenceNumberForGroup() override {}
    uint64_t getSequenceNumberForGroup() override { return 0; }

    WorkPointer broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
    WorkPointer allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
    WorkPointer allreduce_coalesced(Tensors& tensors,
                                    const c10d::AllreduceCoalescedOptions& options) override;
    WorkPointer reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
    WorkPointer allgather(TensorLists& outputs, Tensors& inputs,
                          const c10d::AllgatherOptions& options) override;
    WorkPointer _allgather_base(at::Tensor& output, at::Tensor& input,
                                const c10d::AllgatherOptions& options) override;
    WorkPointer allgather_coalesced(TensorLists& outputs, Tensors& inputs,
                                    const c10d::AllgatherOptions& options) override;
    WorkPointer gather(TensorLists& outputs, Tensors& inputs,
                       const c10d::GatherOptions& options) override;
    WorkPointer scatter(Tensors& outputs, TensorLists& inputs,
                        const c10d::ScatterOptions& options) override;
    WorkPointer reduce_scatter(Tensors& outputs, TensorLists& inputs,
                               const c10d::ReduceScatterOptions& options) override;
    WorkPointer _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                     const c10d::ReduceScatterOptions& options) override;
#if TORCH_VERSION_MAJOR >= 2
    WorkPointer allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                const c10d::AllgatherOptions& options) override;
    WorkPointer reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                const c10d::ReduceScatterOptions& options) override;
#endif
    WorkPointer alltoall_base(at::Tensor& output, at::Tensor& input,
                              std::vector<int64_t>& output_splits,
                              std::vector<int64_t>& input_splits,
                              const c10d::AllToAllOptions& options) override;
    WorkPointer alltoall(Tensors& outputs, Tensors& inputs,
                         const c10d::AllToAllOptions& options) override;
    WorkPointer send(Tensors& tensors, int destination, int tag) override;
    WorkPointer recv(Tensors& tensors, int source, int tag) override;
    WorkPointer recvAnysource(Tensors& tensors, int tag) override;
    WorkPointer barrier(const c10d::BarrierOptions& options) override;
    void monitoredBarrier(const c10d::BarrierOptions& options, bool wait_all) override;

    /// Waits for all sends of the inner group. Programs for NCCL may not: Gloo drops what is sent
    /// when its handle goes, so the handles are kept here.
    void finish_sends();

private:
    struct Options {
        std::string reduce_op;
        int64_t root = -1;
        int64_t peer = -1;
        int64_t tag = 0;
        std::vector<int64_t> in_splits;
        std::vector<int64_t> out_splits;
    };

    /// Tells the observer and returns the number that it gives the call.
    int64_t observe(const char* name, const Tensors& inputs, const Tensors& outputs,
                    const Options& options) const;
    WorkPointer completed(int64_t call, Tensors outputs, WorkPointer inner) const;

    std::string name_;
    Observer observer_;
    c10::intrusive_ptr<GroupBase> inner_;
    std::vector<WorkPointer> sends_;
};

}  // namespace npunet::recorder
