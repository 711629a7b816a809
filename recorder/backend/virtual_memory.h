// Tensors on the CPU whose memory is an address and nothing else: no kernel runs on them, so that a
// layer of any size costs microseconds. Reading gives zeros.
//
//     at::Tensor weights = empty_virtual({12288, 49152}, {49152, 1}, at::kBFloat16);
//     is_virtual(weights);          // true, and so for all of its views
//     make_virtual(flag);           // its values are no longer known: others have written to it
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace npunet::recorder {

/// A tensor of these sizes and strides; each has addresses of its own.
at::Tensor empty_virtual(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type);

bool is_virtual(const at::Tensor& tensor);

/// Gives the storage of the tensor, and so its views, memory that is only an address.
void make_virtual(const at::Tensor& tensor);

}  // namespace npunet::recorder
