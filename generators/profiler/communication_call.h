// What one communication of a profile is, as far as the profile tells: put together from the
// arguments of its kernel, the CPU operations around its launch, and an execution trace.
//
//     CommunicationCall call;
//     name_call("_allgather_base", call);      // Kind::Collective, AllGather
//     call.in_bytes = 4096;
//     comm_size(call, 8);                      // 4096: one rank's shard
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "chakra/trace/kernel.h"
#include "chakra/trace/node.h"

namespace npunet::generators::profiler {

/// A size or number that nothing tells.
inline constexpr std::int64_t unknown = -1;

/// Ranks of a run are below this.
inline constexpr std::int32_t most_ranks = 1 << 20;

/// The ranks of a group, which its calls share; null: not told.
using RankList = std::shared_ptr<const std::vector<Rank>>;

struct CommunicationCall {
    enum class Kind : std::uint8_t {
        Unknown,  ///< a kernel of the communication library, and nothing says which
        Collective,
        Send,
        Receive
    };
    Kind kind = Kind::Unknown;
    chakra::CollectiveType collective = chakra::CollectiveType::AllReduce;
    std::int64_t in_bytes = unknown;                    ///< of this rank's input tensors
    std::int64_t out_bytes = unknown;                   ///< of its output tensors
    std::int64_t element_bytes = unknown;               ///< of the splits
    chakra::DataType element = chakra::DataType::None;  ///< None: not told, or another type
    std::vector<std::int64_t> in_split;   ///< elements to each member; empty: equal parts
    std::vector<std::int64_t> out_split;  ///< elements from each member
    std::string group_name;               ///< a name of this process alone
    std::string group_description;        ///< of the framework: "default_pg", ...
    RankList ranks;                       ///< of the group
    std::int64_t group_size = unknown;
    std::int64_t sequence = unknown;  ///< number within the group
    std::int64_t peer = unknown;      ///< source, destination or root, as the profile numbers it
};

using CallKind = CommunicationCall::Kind;

/// Sets kind and type from a name: "allreduce", "_reduce_scatter_base", "nccl:all_to_all",
/// "nccl:send 0->1" (and its peer), "c10d::broadcast_", "ncclDevKernel_AllGather_RING_LL(...)".
/// False, and nothing set, for a name that does not tell ("wait", "coalesced", a kernel SendRecv).
bool name_call(std::string_view name, CommunicationCall& call);

/// Bytes of an element by the names of profilers and execution traces ("BFloat16", "c10::BFloat16",
/// "long int", "Tensor(float)"); unknown for others.
[[nodiscard]] std::int64_t bytes_of_type(std::string_view type);

/// Whether a kernel of this name belongs to NCCL, RCCL or a relative.
[[nodiscard]] bool is_communication_kernel(std::string_view name);

/// The attribute comm_size (docs/traces.md) of a call in a group of so many members; unknown when
/// the call does not tell.
[[nodiscard]] std::int64_t comm_size(const CommunicationCall& call, std::int64_t members);

/// The numbers of a list "[5, 3]"; empty when it is none, or was cut off.
[[nodiscard]] std::vector<std::int64_t> numbers_of(std::string_view list);
/// Elements of each operand of "[[6144], [2, 3], []]"; an operand that is a list of tensors counts
/// all of them, one without dimensions 1.
[[nodiscard]] std::vector<std::int64_t> elements_of(std::string_view dims);
/// The texts of a list "["float", "Scalar"]".
[[nodiscard]] std::vector<std::string_view> texts_of(std::string_view list);

}  // namespace npunet::generators::profiler
