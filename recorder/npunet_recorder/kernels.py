"""What an operation is on a GPU: kind of kernel, type, shape, FLOPs and bytes.

Kinds and shapes are those of the attributes of compute nodes (docs/devices.md).
"""

import math

import torch

_TYPE_NAMES = {
    torch.bfloat16: "bf16",
    torch.float16: "fp16",
    torch.float32: "fp32",
    torch.float64: "fp64",
}

_PRODUCTS = {"mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "addmm_", "addbmm", "vdot",
             "baddbmm_", "addmv_"}

_KINDS = {
    "softmax": ("_softmax", "_log_softmax", "_softmax_backward_data",
                "_log_softmax_backward_data"),
    "norm": ("native_layer_norm", "native_layer_norm_backward", "native_batch_norm",
             "native_batch_norm_backward", "native_group_norm", "native_group_norm_backward"),
    "embedding": ("embedding", "embedding_dense_backward", "index_select", "gather", "index",
                  "index_put_", "index_add_", "index_add", "scatter_add_", "scatter_add",
                  "_embedding_bag", "_index_put_impl_"),
    "optimizer": ("_fused_adam_", "_fused_adam"),
    "copy": ("copy_", "clone", "_to_copy", "cat", "stack", "zero_", "fill_", "zeros", "ones",
             "full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full",
             "roll", "flip", "constant_pad_nd", "slice_backward", "select_backward",
             "_foreach_copy_", "contiguous", "arange", "repeat"),
}

_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}


def _sizes_text(tensor):
    return f"[{','.join(str(size) for size in tensor.shape)}]"


def inputs_text(func, args, kwargs):
    """Types and sizes of the tensors that an operation gets, by which profiles know it, too.

    "float32[8,4] float32[4,2]"; of a list of tensors the sizes, "([8,4],[])". Tensors without
    dimensions that are no part of a list, and empty lists, do not count: profiles do not tell them
    from arguments that are no tensors.
    """
    texts = []
    for place, argument in enumerate(func._schema.arguments):
        value = args[place] if place < len(args) else kwargs.get(argument.name)
        if isinstance(value, torch.Tensor):
            if value.dim() > 0:
                texts.append(str(value.dtype)[len("torch."):] + _sizes_text(value))
        elif isinstance(value, (list, tuple)) and value \
                and all(isinstance(one, torch.Tensor) for one in value):
            texts.append(f"({','.join(_sizes_text(one) for one in value)})")
    return " ".join(texts)


def _product(values):
    return math.prod(values)


def _matrix_product(name, tensors):
    """(batch, m, n, k) of a product: the last two tensors are its factors."""
    left, right = tensors[-2], tensors[-1]
    if name in ("dot", "vdot"):
        return 1, 1, 1, left.numel()
    if name in ("mv", "addmv", "addmv_"):
        return 1, left.shape[0], 1, left.shape[1]
    if left.dim() == 2:
        return 1, left.shape[0], right.shape[1], left.shape[1]
    return left.shape[0], left.shape[1], right.shape[2], left.shape[2]


# Attention as one operation, from PyTorch 2.1 on: places of the query and of is_causal, products.
ATTENTION = {"_scaled_dot_product_flash_attention_for_cpu": (0, 4, 2),
             "_scaled_dot_product_flash_attention_for_cpu_backward": (1, 7, 5)}


def _attention_flops(name, args):
    """Of the products of a fused kernel, whose backward pass has five; with a causal mask of the
    lower triangle. Query and key are [sequences, heads, tokens, channels]."""
    query, causal, products = ATTENTION[name]
    sequences, heads, queries, channels = args[query].shape
    whole = 2 * products * sequences * heads * queries * args[query + 1].shape[2] * channels
    return whole // 2 if len(args) > causal and args[causal] else whole


def _convolution_flops(name, args, outputs):
    """FLOPs of a convolution or of the gradients that are asked for."""
    if name == "convolution":
        weight = args[1]
        result = outputs[0]
        passes = 1
        transposed = args[6]
        image = args[0] if transposed else result
    else:
        gradient, image_in, weight = args[0], args[1], args[2]
        passes = sum(1 for wanted in args[10][:2] if wanted)
        image = image_in if args[7] else gradient
    return 2 * passes * image.shape[0] * _product(image.shape[2:]) * weight.numel()


class Cost:
    __slots__ = ("kernel", "dtype", "shape", "flops", "bytes")

    def __init__(self, kernel, dtype, shape, flops, moved):
        self.kernel = kernel
        self.dtype = dtype
        self.shape = shape
        self.flops = flops
        self.bytes = moved


def cost_of(name, args, tensors, outputs, inplace):
    """name: without namespace and overload; tensors: of the arguments; outputs: results."""
    kind = _KIND_OF.get(name, "elementwise")
    if inplace and kind == "copy":  # what is there is not read
        tensors = [tensor for tensor in tensors if not any(tensor is one for one in outputs)]
    moved = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
    moved += sum(tensor.numel() * tensor.element_size() for tensor in outputs)
    floating = [tensor for tensor in list(tensors) + list(outputs) if tensor.is_floating_point()]
    dtype = _TYPE_NAMES.get(floating[0].dtype, "") if floating else ""
    if name in _PRODUCTS:
        batch, m, n, k = _matrix_product(name, tensors)
        return Cost("matmul" if dtype else "", dtype, [batch, m, n, k], 2 * batch * m * n * k,
                    moved)
    if name in ("convolution", "convolution_backward"):
        return Cost("", dtype, [], _convolution_flops(name, args, outputs), moved)
    if name in ATTENTION:
        return Cost("", dtype, [], _attention_flops(name, args), moved)
    elements = max([tensor.numel() for tensor in list(tensors) + list(outputs)], default=0)
    flops = 0 if kind in ("copy", "embedding") else elements
    return Cost(kind, dtype, [elements], flops, moved)
