// The calls and computations of one rank as nodes of an execution trace.
//
//     CallTrace trace({write, 1.0});
//     trace.compute("attention_forward", {flops, bytes, -1});
//     trace.call(call, ranks_of_its_group, "attention projection");
//
// Nodes follow each other as the rank would run them: a computation or a blocking call after
// everything before it, the calls of a batch of sends and receives beside each other, and what goes
// on beside what follows until it is waited for. Calls in one group start in their order, as on one
// communicator. Messages are numbered for each pair of ranks, so that both ends have the same tag.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "chakra/trace/node.h"
#include "generators/megatron/program/call.h"

namespace npunet::generators::megatron {

using NodeVisitor = std::function<void(const chakra::Node&)>;

/// What a computation costs: its time where it is known, otherwise what a roofline needs.
struct ComputeCost {
    std::int64_t flops = 0;
    std::int64_t bytes = 0;
    std::int64_t ns = -1;
};

class CallTrace {
public:
    /// `owner` is the rank. All sizes, FLOPs and times are multiplied by `scale` and rounded up.
    CallTrace(Rank owner, double scale, NodeVisitor visitor);

    void compute(const std::string& name, const ComputeCost& cost);
    /// `group` is the name of the call's group in the file of groups; of a message nothing. Returns
    /// the number to wait for.
    std::uint64_t call(const Call& call, const std::string& group, const std::string& name);
    void wait(std::uint64_t call);

    /// Throws InputError where the product is too large for a trace.
    [[nodiscard]] std::int64_t scaled(std::int64_t amount) const;
    /// comm_size of the call.
    [[nodiscard]] std::int64_t comm_size(const Call& call) const;

private:
    void add_message(chakra::Node& node, const Call& call);
    void add_collective(chakra::Node& node, const Call& call, const std::string& group);
    /// Where the node stands among those before and behind it.
    void place(chakra::Node& node, const Call& call);

    Rank owner_;
    double scale_;
    NodeVisitor visitor_;
    std::uint64_t next_id_ = 1;
    std::vector<std::uint64_t> before_;  ///< what the next node follows
    std::vector<std::uint64_t> batch_;   ///< the calls of the batch that is being made
    std::map<std::string, std::uint64_t> last_of_group_;
    std::map<std::pair<Rank, Rank>, std::int32_t> messages_;  ///< by source and destination
};

}  // namespace npunet::generators::megatron
