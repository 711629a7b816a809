// What operators of PyTorch took on a GPU, by a profile of it that has the shapes of their inputs
// (record_shapes).
//
//     const OperatorNest nest(read_profile("kineto.json"));
//     const OperatorTimes times = nest.times({"aten::mm", "aten::copy_"});
//     times.at("aten::mm").at("float32[8,4] float32[4,2]");     // ns of each call, in their order
//
// The time of a call is that of the kernels, copies and sets that it and the operators within it
// launched, but for communication and copies from or to the host. Calls without any are left out.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/event_table.h"

namespace npunet::generators::profiler {

/// By the name of the operator and the inputs of its calls.
using OperatorTimes = std::map<std::string, std::map<std::string, std::vector<std::int64_t>>>;

/// The inputs of a call as one text: type and sizes of each tensor, "float32[8,4] float32[4,2]". Of
/// a list of tensors, whose types profiles do not have, the sizes: "([8,4],[2])". Tensors without
/// dimensions do not count, as profiles have numbers of the program as such, too. Empty for texts
/// of another form, and for a tensor of unknown type.
///
/// @param dims "[[8, 4], [4, 2], []]"
/// @param types "[\"float\", \"c10::BFloat16\", \"Scalar\"]"
[[nodiscard]] std::string inputs_text(std::string_view dims, std::string_view types);

class OperatorNest {
public:
    /// Throws InputError for a profile without shapes, or without work of a GPU that operators
    /// launched.
    explicit OperatorNest(const profiles::EventTable& table);

    /// Of calls of these operators that are not within another of these.
    [[nodiscard]] OperatorTimes times(const std::set<std::string>& names) const;

private:
    struct Call {
        std::string name;
        std::string inputs;
        std::int64_t own_ns = 0;   ///< of what it launched itself
        std::int32_t within = -1;  ///< number of the call around it; -1: none
    };

    std::vector<Call> calls_;  ///< by start; a call comes before those within it
};

}  // namespace npunet::generators::profiler
