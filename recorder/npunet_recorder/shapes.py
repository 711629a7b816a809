"""Shapes of results without computing them: on the meta device, once for equal arguments."""

import torch

from npunet_recorder.errors import RecordingError

# An operation without shape function runs once on zeros, if those are not more than this.
MOST_BYTES = 1 << 28


class TensorForm:
    """Sizes, strides and type of a result."""

    __slots__ = ("size", "stride", "dtype")

    def __init__(self, tensor):
        self.size = tuple(tensor.shape)
        self.stride = tensor.stride()
        self.dtype = tensor.dtype

    def numel(self):
        count = 1
        for size in self.size:
            count *= size
        return count


def key_of(value):
    """Equal for arguments that give results of equal shapes."""
    if isinstance(value, torch.Tensor):
        return (tuple(value.shape), value.stride(), value.dtype)
    if isinstance(value, (list, tuple)):
        return tuple(key_of(one) for one in value)
    if isinstance(value, torch.Generator):
        return None
    return (type(value), value)


def map_tensors(value, function):
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map_tensors(one, function) for one in value)
    return value


def _to_meta(tensor):
    return torch.empty_strided(tuple(tensor.shape), tensor.stride(), dtype=tensor.dtype,
                               device="meta")


def _to_zeros(tensor):
    zeros = torch.empty_strided(tuple(tensor.shape), tensor.stride(), dtype=tensor.dtype)
    return zeros.zero_()


def _forms(result):
    return map_tensors(result, TensorForm)


def _without_generator(kwargs):
    return {name: (None if isinstance(value, torch.Generator) else value)
            for name, value in kwargs.items()}


def _bytes(args, kwargs):
    total = [0]

    def count(tensor):
        total[0] += tensor.numel() * tensor.element_size()
        return tensor

    map_tensors(args, count)
    map_tensors(tuple(kwargs.values()), count)
    return total[0]


class Shapes:
    """Remembers the results of operations by their arguments."""

    def __init__(self):
        self._known = {}

    def of(self, func, args, kwargs):
        """The results with TensorForm in place of tensors."""
        try:
            key = (func, key_of(args), key_of(tuple(kwargs.items())))
            known = self._known.get(key)
        except TypeError:  # an argument without a hash
            return self._infer(func, args, kwargs)
        if known is None:
            known = self._known[key] = self._infer(func, args, kwargs)
        return known

    def _infer(self, func, args, kwargs):
        from torch._decomp import decomposition_table
        meta_args = map_tensors(args, _to_meta)
        meta_kwargs = _without_generator(
            {name: map_tensors(value, _to_meta) for name, value in kwargs.items()})
        if "device" in meta_kwargs or _has_device(func):
            meta_kwargs["device"] = torch.device("meta")
        try:
            return _forms(func(*meta_args, **meta_kwargs))
        except (NotImplementedError, RuntimeError, TypeError) as error:
            failure = error
        decomposition = decomposition_table.get(func)
        if decomposition is not None:
            try:
                return _forms(decomposition(*meta_args, **meta_kwargs))
            except (NotImplementedError, RuntimeError, TypeError, AttributeError) as error:
                failure = error
        if _bytes(args, kwargs) <= MOST_BYTES:
            zero_args = map_tensors(args, _to_zeros)
            zero_kwargs = {name: map_tensors(value, _to_zeros) for name, value in kwargs.items()}
            return _forms(func(*zero_args, **zero_kwargs))
        raise RecordingError(
            "unsupported", f"the operation {func}, whose results have unknown shapes ({failure})",
            "Register a meta kernel for it (torch.library), or write it with other operations")


_devices = {}


def _has_device(func):
    known = _devices.get(func)
    if known is None:
        known = _devices[func] = any(argument.name == "device"
                                     for argument in func._schema.arguments)
    return known
