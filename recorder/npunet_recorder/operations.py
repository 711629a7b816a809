"""Every tensor operation of the program: its record, and a result without the work.

Tensors are virtual (npunet_backend): they have sizes, strides and addresses, and no values. Small
ones whose values follow from the program alone are computed, so that masks, sizes and flags are
what they are in a real run.
"""

import contextlib
import json
import math
import os

import npunet_backend
import torch
from torch.utils import _python_dispatch as python_dispatch
from torch.utils._python_dispatch import TorchDispatchMode

from npunet_recorder import kernels
from npunet_recorder.calls import SMALL
from npunet_recorder.errors import RecordingError, program_line
from npunet_recorder.shapes import Shapes, TensorForm, map_tensors
from npunet_recorder.values import scalar_answer

# Functions of tensors that only make another view, though their schemas do not say so.
_VIEWS = {"detach", "lift_fresh", "lift", "alias", "_unsafe_view", "_reshape_alias", "set_",
          "resize_", "as_strided_", "t_", "transpose_", "squeeze_", "unsqueeze_", "swapdims_",
          "_conj", "_neg_view", "record_stream", "detach_", "is_pinned", "rename_"}
_RANDOM = {"rand", "randn", "randint", "normal", "bernoulli", "multinomial", "uniform_", "normal_",
           "bernoulli_", "random_", "exponential_", "log_normal_", "cauchy_", "geometric_",
           "rand_like", "randn_like", "randint_like", "native_dropout", "trunc_normal_"}
# Index lists of samplers, which programs turn into Python numbers.
_ALWAYS_COMPUTED = {"randperm"}
_BY_VALUE = {"nonzero", "masked_select", "unique_dim", "_unique", "_unique2", "unique_consecutive",
             "nonzero_static", "repeat_interleave"}
_CPU = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
_WITHOUT_KERNEL = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"}


def _tensors_of(value, found):
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _tensors_of(one, found)
    return found


def _make_virtual(form):
    if isinstance(form, TensorForm):
        return npunet_backend.empty_virtual(form.size, form.stride, form.dtype)
    if isinstance(form, (list, tuple)):
        return type(form)(_make_virtual(one) for one in form)
    return form


def _elements(form):
    if isinstance(form, TensorForm):
        return form.numel()
    if isinstance(form, (list, tuple)):
        return sum(_elements(one) for one in form)
    return 0


class _Plan:
    """What follows from an operation's name and schema alone."""

    def __init__(self, func):
        schema = func._schema
        namespace, _, self.name = schema.name.partition("::")
        self.foreign = namespace not in ("aten", "prims")
        # An extension's operation, made of others that are recorded.
        self.composed = self.foreign and "c10d" not in namespace and hasattr(func, "redispatch")
        self.value = self.name in ("_local_scalar_dense", "item", "is_nonzero")
        self.comparison = self.name == "equal"
        self.random = self.name in _RANDOM
        self.makes_device = any(argument.name == "device" for argument in schema.arguments)
        returns = schema.returns
        aliases = [one.alias_info for one in returns]
        self.view = self.name in _VIEWS or (
            bool(returns) and all(info is not None and not info.is_write for info in aliases))
        self.written = [place for place, argument in enumerate(schema.arguments)
                        if argument.alias_info is not None and argument.alias_info.is_write]
        self.written_names = [schema.arguments[place].name for place in self.written]
        self.inplace = bool(self.written)
        self.returns_written = self.inplace and bool(returns)
        self.functional = not self.inplace


@contextlib.contextmanager
def without_modes():
    """Operations within do not pass the recorder, nor any other mode."""
    depth = python_dispatch._len_torch_dispatch_stack()
    modes = [python_dispatch._pop_mode() for _ in range(depth)]
    try:
        yield
    finally:
        for mode in reversed(modes):
            python_dispatch._push_mode(mode)


def install_constructor():
    """torch.Tensor(3, 4), which no mode can answer: PyTorch wants a tensor without Python object."""
    make = torch._C._TensorBase.__new__

    def new(cls, *args, **kwargs):
        with without_modes():
            tensor = make(cls, *args, **kwargs)
            if tensor.numel() > SMALL:
                npunet_backend.make_virtual(tensor)
        return tensor

    torch.Tensor.__new__ = staticmethod(new)


class OperationRecorder(TorchDispatchMode):
    def __init__(self, recording):
        super().__init__()
        self._recording = recording
        self._process = os.getpid()
        self._plans = {}
        self._shapes = Shapes()
        self._texts = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        plan = self._plans.get(func)
        if plan is None:
            plan = self._plans[func] = _Plan(func)
        if self._recording.paused or os.getpid() != self._process:
            return func(*args, **kwargs)
        if plan.composed:
            with self:
                return func.redispatch(_CPU, *args, **kwargs)
        if plan.foreign:
            return func(*args, **kwargs)
        device = kwargs.get("device") if plan.makes_device else None
        if plan.makes_device:
            kwargs = self._on_cpu(kwargs)
        if plan.view:
            if args and isinstance(args[0], (int, float)):  # a number that autograd has saved
                args = (torch.scalar_tensor(args[0], dtype=torch.float64), *args[1:])
            return func(*args, **kwargs)
        tensors = _tensors_of(args, [])
        if kwargs:
            _tensors_of(tuple(kwargs.values()), tensors)
        # What the program itself keeps on the meta device costs nothing in a real run.
        if any(tensor.is_meta for tensor in tensors) if device is None else device.type == "meta":
            return func(*args, **kwargs)
        unknown = any(npunet_backend.is_virtual(tensor) for tensor in tensors)
        if plan.value or plan.comparison:
            return self._value(plan, func, args, kwargs, tensors, unknown)
        if plan.inplace:
            return self._write(plan, func, args, kwargs, tensors, unknown)
        return self._compute(plan, func, args, kwargs, tensors, unknown)

    def _on_cpu(self, kwargs):
        device = kwargs.get("device")
        if device is not None and device.type not in ("cpu", "meta"):
            self._recording.on_cuda = True
            kwargs = dict(kwargs, device=torch.device("cpu"))
        if kwargs.get("pin_memory"):
            kwargs = dict(kwargs, pin_memory=False)
        return kwargs

    def _value(self, plan, func, args, kwargs, tensors, unknown):
        if not unknown:
            return func(*args, **kwargs)
        self._wait_for_values(tensors)
        return scalar_answer(self._recording, tensors[0], plan.comparison)

    def _wait_for_values(self, tensors):
        """The host reads results of calls in progress: it goes on when they are complete."""
        recording = self._recording
        for call in recording.calls_touching(tensors, []):
            recording.log.add_wait(call, recording.stream, implied=True)
        if recording.log.clock:
            recording.log.clock.host_waits_for_stream(recording.stream)

    def _write(self, plan, func, args, kwargs, tensors, unknown):
        """In place or into a given tensor."""
        targets = []
        for place, name in zip(plan.written, plan.written_names):
            _tensors_of(args[place] if place < len(args) else kwargs.get(name), targets)
        elements = sum(target.numel() for target in targets)
        random = plan.random and elements > 1 and any(t.is_floating_point() for t in targets)
        if not unknown and not random and elements <= SMALL:
            return func(*args, **kwargs)
        if plan.written_names[0] in ("out", "values") and plan.written_names[0] in kwargs:
            return self._write_out(plan, func, args, kwargs, tensors)
        inputs_known = not any(npunet_backend.is_virtual(t) for t in tensors if
                               not any(t is target for target in targets))
        if inputs_known and not random and plan.name == "copy_" and elements <= SMALL \
                and targets and targets[0].numel() == _storage_elements(targets[0]) \
                and len(tensors) > 1:
            # All of the tensor gets known values.
            self._record(plan, func, args, kwargs, tensors, targets)
            return args[0]
        for target in targets:
            npunet_backend.make_virtual(target)
        self._record(plan, func, args, kwargs, tensors, targets)
        if self._recording.shares is not None:
            self._recording.shares.follow(plan.name, args, tensors, targets)
        if not plan.returns_written:
            return None
        if len(func._schema.returns) == 1:
            return args[plan.written[0]] if plan.written[0] < len(args) else targets[0]
        return tuple(targets)

    def _write_out(self, plan, func, args, kwargs, tensors):
        targets = _tensors_of([kwargs[name] for name in plan.written_names if name in kwargs], [])
        # What fills a list returns nothing, and has its sizes from there.
        if func._schema.returns:
            forms = self._shapes.of(func, args, kwargs)
            for form, target in zip(forms if isinstance(forms, tuple) else (forms,), targets):
                if tuple(target.shape) != form.size:
                    target.resize_(form.size)
        for target in targets:
            npunet_backend.make_virtual(target)
        self._record(plan, func, args, kwargs, tensors, targets)
        if not func._schema.returns:
            return None
        return targets[0] if len(targets) == 1 else tuple(targets)

    def _compute(self, plan, func, args, kwargs, tensors, unknown):
        name = plan.name
        by_value = name in _BY_VALUE or (name == "index" and _has_mask(args))
        if by_value and unknown and not (name == "repeat_interleave" and _sized(args, kwargs)):
            return self._select(plan, func, args, tensors)
        if name in _ALWAYS_COMPUTED:
            return func(*args, **kwargs)
        if name in ("bincount", "histc") and unknown:
            return self._counts(name, args, kwargs)
        small = sum(tensor.numel() for tensor in tensors) <= SMALL
        if not unknown and not plan.random and small and not plan.makes_device:
            return func(*args, **kwargs)
        if not unknown and by_value:
            return func(*args, **kwargs)
        forms = self._shapes.of(func, args, kwargs)
        elements = _elements(forms)
        if not unknown and elements <= SMALL and small:
            floating = isinstance(forms, TensorForm) and forms.dtype.is_floating_point
            if not plan.random or not floating or elements <= 1:
                return func(*args, **kwargs)
        shares = self._recording.shares
        results = None
        if shares is not None and name == "sum" and isinstance(forms, TensorForm) \
                and elements <= SMALL:
            results = shares.sums(tensors[0], forms)
        if results is None:
            results = _make_virtual(forms)
        made = _tensors_of(results, [])
        if name not in _WITHOUT_KERNEL:
            self._record(plan, func, args, kwargs, tensors, made)
        if shares is not None:
            shares.follow(name, args, tensors, made)
        return results

    def _select(self, plan, func, args, tensors):
        """What a mask selects: the share that the user gives for the line, or that is known."""
        line = program_line()
        share = self._recording.policy.at_lines.get(line)
        mask = {"masked_select": lambda: args[1], "nonzero": lambda: args[0],
                "index": lambda: args[1][0]}.get(plan.name, lambda: None)()
        if share is None and mask is not None and self._recording.shares is not None:
            share = self._recording.shares.of(mask)
        if share is None or mask is None:
            raise RecordingError(
                "unsupported", f"{plan.name}, whose shape depends on values that do not exist here",
                f"If a mask selects, give the share: --value {line}=0.25; or use an operation "
                "whose result has a fixed shape, such as topk or where")
        count = round(mask.numel() * share)
        if plan.name == "nonzero":
            sizes, dtype = (count, mask.dim()), torch.int64
        elif plan.name == "masked_select":
            elements = math.prod(torch.broadcast_shapes(args[0].shape, mask.shape))
            sizes, dtype = (round(elements * share),), args[0].dtype
        else:
            sizes, dtype = (count, *args[0].shape[mask.dim():]), args[0].dtype
        strides = [1]
        for size in reversed(sizes[1:]):
            strides.insert(0, strides[0] * size)
        result = npunet_backend.empty_virtual(sizes, strides, dtype)
        self._record(plan, func, args, {}, tensors, [result])
        return result

    def _counts(self, name, args, kwargs):
        """How often each value occurs: of tokens an expert, equally often by the policy."""
        values = args[0]
        if name == "histc":
            bins = kwargs.get("bins", args[1] if len(args) > 1 else 100)
        else:
            bins = kwargs.get("minlength", args[2] if len(args) > 2 else 0)
        if not self._recording.policy.balanced or bins == 0:
            raise RecordingError(
                "unsupported", f"{name} of values that do not exist here",
                "With --assume balanced all counts are equal; give minlength")
        each, rest = divmod(values.numel(), bins)
        dtype = values.dtype if name == "histc" else torch.int64
        return torch.tensor([each + (1 if i < rest else 0) for i in range(bins)], dtype=dtype)

    def _record(self, plan, func, args, kwargs, tensors, outputs):
        recording = self._recording
        after = recording.calls_touching(tensors, outputs)
        key = (func, recording.phase, tuple(recording.modules),
               tuple((tuple(t.shape), t.dtype) for t in tensors))
        if plan.name in ("convolution_backward", "cat", "index") or plan.name in _BY_VALUE \
                or plan.name in kernels.ATTENTION:
            key = None
        text = self._texts.get(key) if key else None
        if text is None:
            text = self._text(plan, func, args, kwargs, tensors, outputs)
            if key:
                self._texts[key] = text
        if after:
            calls = [call for call in after if recording.log.has(call)]
            text += f', "after": {calls}'
        if recording.stream:
            text += f', "stream": {recording.stream}'
        recording.log.add_operation(text + "}", recording.stream)

    def _text(self, plan, func, args, kwargs, tensors, outputs):
        """The record up to what differs between equal operations, without its closing brace."""
        recording = self._recording
        cost = kernels.cost_of(plan.name, args, tensors, outputs, plan.inplace)
        record = {"op": plan.name, "phase": recording.phase}
        if recording.modules and recording.modules[-1]:
            record["module"] = recording.modules[-1]
        if cost.kernel:
            record["kernel"] = cost.kernel
            if cost.dtype:
                record["dtype"] = cost.dtype
            record["shape"] = cost.shape
        record["flops"] = cost.flops
        record["bytes"] = cost.bytes
        if recording.inputs:
            record["inputs"] = kernels.inputs_text(func, args, kwargs)
        return json.dumps(record)[:-1]


def _storage_elements(tensor):
    return npunet_backend.storage_of(tensor)[1] // tensor.element_size()


def _has_mask(args):
    return any(isinstance(one, torch.Tensor) and one.dtype in (torch.bool, torch.uint8)
               for one in args[1])


def _sized(args, kwargs):
    return kwargs.get("output_size") is not None or not isinstance(args[-1], torch.Tensor)
