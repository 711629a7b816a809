// Builds the node list of a role in program order.
//
// The builder keeps a front: the nodes that the next one has to wait for. Blocking steps replace
// the front; asynchronous ones start from it and join it when they are waited for.
//
//     RoleBuilder builder(group_sizes);
//     builder.set_scope("mb0_layer3_");
//     builder.compute("mlp_up_dgrad", work);
//     const Pending sum = builder.start("mlp_up_all_reduce_backward", all_reduce);
//     builder.compute("mlp_up_wgrad", work);      // runs beside the all-reduce
//     builder.wait(sum);                          // what follows needs both
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/workload.h"

namespace npunet::generators {

/// The work of a compute node; both at least 1, or a roofline would have no intensity, unless they
/// vary: an expert may have no tokens.
struct Work {
    std::int64_t flops = 0;     ///< 2 per multiply-add
    std::int64_t bytes = 0;     ///< memory read and written
    std::int32_t varying = -1;  ///< NodeTemplate::varying
    KernelInfo kernel = {};     ///< unused where the work varies: the amounts have it
};

struct Collective {
    std::int32_t slot = 0;  ///< group slot
    chakra::CollectiveType type = chakra::CollectiveType::AllReduce;
    std::int64_t bytes = 0;  ///< all-gather: own part; reduce-scatter: whole input; else the buffer
    DataType element = DataType::None;  ///< of an element; None: not told
    std::int32_t varying = -1;          ///< NodeTemplate::varying
};

struct Message {
    std::int32_t slot = 0;  ///< peer slot
    std::int64_t bytes = 0;
    std::int32_t tag = 0;
};

/// An operation under way; empty when nothing was started.
class Pending {
public:
    Pending() = default;
    explicit Pending(std::uint32_t id) : id_(id) {}

    [[nodiscard]] bool empty() const { return id_ == 0; }
    [[nodiscard]] std::uint32_t id() const { return id_; }

private:
    std::uint32_t id_ = 0;
};

/// Work that was put off, with the scope that it had.
struct DeferredStep {
    std::string scope;
    std::function<void()> run;
};

class RoleBuilder {
public:
    /// Ranks of the group in every slot: a collective over one rank, or of no bytes
    /// that do not vary (but a barrier), is left out.
    explicit RoleBuilder(std::vector<std::int64_t> group_sizes);

    /// What the names of the next nodes begin with.
    void set_scope(std::string scope) { scope_ = std::move(scope); }

    void compute(std::string_view name, const Work& work);
    /// A compute node of that duration in ns, whatever the machine, that reads and writes tensors
    /// made with tensor().
    void recorded_compute(std::string_view name, std::int64_t ns,
                          std::vector<std::uint32_t> reads = {},
                          std::vector<std::uint32_t> writes = {});
    /// A new tensor of the role; its index.
    [[nodiscard]] std::uint32_t tensor(std::string name, std::int64_t bytes);
    /// A collective that the next step waits for.
    void collective(std::string_view name, const Collective& collective);
    /// A collective that starts when the front, and `after`, are done.
    [[nodiscard]] Pending start(std::string_view name, const Collective& collective,
                                Pending after = {});
    /// A send that starts when the front, and `after`, are done.
    [[nodiscard]] Pending send(std::string_view name, const Message& message, Pending after = {});
    [[nodiscard]] Pending receive(std::string_view name, const Message& message);
    /// A tag that no message of the role has had from here before: 0, 1, ... Roles that exchange
    /// messages so ask for the same tags in the same order.
    [[nodiscard]] std::int32_t new_tag() { return next_tag_++; }
    /// Whatever follows needs this too.
    void wait(Pending pending);
    /// Whatever follows needs nothing but these, each of which follows the front.
    void proceed_after(const std::vector<Pending>& all);

    /// Does the step now or, between start_deferring() and stop_deferring(), puts it off. For what
    /// nothing in the pass under way needs: weight gradients, and what waits for those alone.
    void deferrable(std::function<void()> step);
    [[nodiscard]] bool defers() const { return deferring_; }
    void start_deferring() { deferring_ = true; }
    [[nodiscard]] std::vector<DeferredStep> stop_deferring();
    /// Steps that were put off, in the order in which they were given.
    void perform(const std::vector<DeferredStep>& steps);

    [[nodiscard]] std::int64_t group_size(std::int32_t slot) const {
        return group_sizes_[static_cast<std::size_t>(slot)];
    }
    /// The role; the builder is empty afterwards.
    [[nodiscard]] Role take();

private:
    [[nodiscard]] std::uint32_t append(std::string_view name, NodeTemplate node);
    [[nodiscard]] std::int32_t kernel_number(const KernelInfo& kernel);
    [[nodiscard]] Pending message(std::string_view name, const Message& message,
                                  chakra::NodeType type, Pending after);

    std::vector<std::int64_t> group_sizes_;
    std::string scope_;
    std::vector<std::uint32_t> front_;
    std::int32_t next_tag_ = 0;
    bool deferring_ = false;
    std::vector<DeferredStep> deferred_;
    Role role_;
};

}  // namespace npunet::generators
