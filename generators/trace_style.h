// How a generated workload is written: which attributes its nodes have and in which order, the
// metadata of its traces, the layout of its group file. The default is npunet's own; a dialect that
// imitates another generator fills in that generator's.
//
//     TraceStyle style;
//     style.receive = {NodeAttribute::CommSize, NodeAttribute::CommTag, NodeAttribute::CommSrc};
//     style.cpu_flag = CpuFlag::Int32;
#pragma once

#include <cstdint>
#include <vector>

#include "chakra/files/trace_reader.h"
#include "chakra/trace/comm_groups.h"

namespace npunet::generators {

enum class NodeAttribute : std::uint8_t {
    Inputs,      ///< list of tensor name, size, ...; absent where the node names no tensors
    Outputs,     ///< likewise
    NumOps,      ///< int64; duration_ns in its place where the duration is recorded
    TensorSize,  ///< uint64; absent where the duration is recorded
    /// kernel, dtype, shape, causal (of attention) and launches (other than 1); absent where the
    /// kernel is not told.
    Kernel,
    CommType,   ///< int64
    CommSize,   ///< int64
    CommSizes,  ///< int64 list; absent where all parts are equal
    Dtype,      ///< string: type of a collective's elements; absent where it is not told
    PgName,     ///< string
    CommTag,    ///< int32
    CommSrc,    ///< int32, global rank
    CommDst,    ///< int32, global rank
    IsCpuOp     ///< false
};

enum class CpuFlag : std::uint8_t { Bool, Int32 };
/// Of a node that names tensors, but none on this side.
enum class EmptyLists : std::uint8_t { EmptyList, NoValue };

struct TraceStyle {
    using Attributes = std::vector<NodeAttribute>;
    Attributes compute{NodeAttribute::Inputs,     NodeAttribute::Outputs, NodeAttribute::NumOps,
                       NodeAttribute::TensorSize, NodeAttribute::IsCpuOp, NodeAttribute::Kernel};
    Attributes collective{NodeAttribute::Inputs,    NodeAttribute::Outputs,
                          NodeAttribute::CommType,  NodeAttribute::CommSize,
                          NodeAttribute::CommSizes, NodeAttribute::PgName,
                          NodeAttribute::IsCpuOp,   NodeAttribute::Dtype};
    Attributes send{NodeAttribute::Inputs,  NodeAttribute::Outputs, NodeAttribute::CommSize,
                    NodeAttribute::CommTag, NodeAttribute::CommSrc, NodeAttribute::CommDst,
                    NodeAttribute::IsCpuOp};
    Attributes receive = send;
    CpuFlag cpu_flag = CpuFlag::Bool;
    EmptyLists empty_lists = EmptyLists::EmptyList;
    chakra::TraceMetadata metadata;
    chakra::GroupFileLayout groups = chakra::GroupFileLayout::Lines;
};

}  // namespace npunet::generators
