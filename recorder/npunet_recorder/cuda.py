"""A CUDA that is not there: programs written for GPUs run, with all tensors on the CPU."""

import contextlib
import types

import torch
from torch.overrides import TorchFunctionMode

from npunet_recorder.errors import RecordingError

_DEVICES = 8
_MEMORY_BYTES = 80 << 30


class _Stream:
    """A stream: operations within follow each other, and those of other streams by events only."""

    def __init__(self, number):
        self.number = number
        self.cuda_stream = number

    def __eq__(self, other):
        return isinstance(other, _Stream) and self.number == other.number

    def __hash__(self):
        return self.number

    def query(self):
        return True


def _stream_class(recording):
    class Stream(_Stream):
        def __init__(self, device=None, priority=0, number=None, **_):
            if number is None:
                number = recording.streams
                recording.streams += 1
            super().__init__(number)
            self.device = torch.device("cuda", 0)

        def record_event(self, event=None):
            event = event or torch.cuda.Event()
            event.record(self)
            return event

        def wait_event(self, event):
            event.wait(self)

        def wait_stream(self, stream):
            if stream.number != self.number:
                self.wait_event(stream.record_event())

        def synchronize(self):
            for number in range(recording.streams):
                if number != self.number:
                    Stream(number=number).wait_stream(self)
            if recording.log.clock:
                recording.log.clock.host_waits_for_stream(self.number)

    return Stream


def _event_class(recording):
    class Event:
        def __init__(self, enable_timing=False, blocking=False, interprocess=False):
            self._number = None

        def record(self, stream=None):
            self._number = recording.events
            recording.events += 1
            number = recording.stream if stream is None else stream.number
            recording.log.add_event("record_event", self._number, number)

        def wait(self, stream=None):
            if self._number is not None:
                number = recording.stream if stream is None else stream.number
                recording.log.add_event("wait_event", self._number, number)

        def query(self):
            return True

        def synchronize(self):
            for number in range(recording.streams):
                self.wait(torch.cuda.Stream(number=number))
            if recording.log.clock and self._number is not None:
                recording.log.clock.host_waits(recording.log.clock.event(self._number))

        def elapsed_time(self, end):
            """In milliseconds; without a clock nothing takes time."""
            clock = recording.log.clock
            return (clock.event(end._number) - clock.event(self._number)) / 1e9 if clock else 0.0

    return Event


def _properties(_device=None):
    return types.SimpleNamespace(name="recorded", major=8, minor=0, total_memory=_MEMORY_BYTES,
                                 multi_processor_count=108)


def _nothing(*_args, **_kwargs):
    return None


def _number(value):
    return lambda *_args, **_kwargs: value


def _install_streams(recording):
    cuda = torch.cuda
    cuda.Stream = _stream_class(recording)
    cuda.Event = _event_class(recording)

    @contextlib.contextmanager
    def stream(chosen):
        before = recording.stream
        if chosen is not None:
            recording.stream = chosen.number
        try:
            yield
        finally:
            recording.stream = before

    def set_stream(chosen):
        recording.stream = chosen.number

    cuda.stream = stream
    cuda.StreamContext = stream
    cuda.set_stream = set_stream
    cuda.current_stream = lambda _device=None: cuda.Stream(number=recording.stream)
    cuda.default_stream = lambda _device=None: cuda.Stream(number=0)

    def synchronize(_device=None):
        main = cuda.Stream(number=0)
        for number in range(1, recording.streams):
            main.wait_stream(cuda.Stream(number=number))
        main.synchronize()
        if recording.log.clock:
            recording.log.clock.host_waits_for_all()

    cuda.synchronize = synchronize


def _install_tensor_methods(recording):
    def to_gpu(self, *_args, **_kwargs):
        recording.on_cuda = True
        return self

    torch.Tensor.cuda = to_gpu
    torch.nn.Module.cuda = to_gpu
    torch.Tensor.record_stream = _nothing
    torch.Tensor.pin_memory = lambda self, *_args, **_kwargs: self
    type_of = torch.Tensor.type

    def type_or_cast(self, dtype=None, *args, **kwargs):
        if dtype is None:
            name = type_of(self).replace("torch.cuda.", "torch.")
            return name.replace("torch.", "torch.cuda.") if recording.on_cuda else name
        if isinstance(dtype, str):
            dtype = dtype.replace("torch.cuda.", "torch.")
        return type_of(self, dtype, *args, **kwargs)

    torch.Tensor.type = type_or_cast
    torch.Tensor.is_cuda = property(lambda _self: recording.on_cuda)
    for name in ("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "LongTensor",
                 "IntTensor", "ShortTensor", "CharTensor", "ByteTensor", "BoolTensor"):
        setattr(torch.cuda, name, getattr(torch, name))


def _install_data_parallel():
    wrapper = torch.nn.parallel.DistributedDataParallel
    make = wrapper.__init__

    def without_devices(self, module, device_ids=None, output_device=None, *args, **kwargs):
        make(self, module, None, None, *args, **kwargs)

    wrapper.__init__ = without_devices


_device_type = torch.device


class _DeviceMeta(type):
    def __instancecheck__(cls, value):
        return isinstance(value, _device_type)

    def __call__(cls, *args, **kwargs):
        return _device_type(*_of_cuda(args), **kwargs)


class _Device(metaclass=_DeviceMeta):
    """torch.device, where numbers alone are GPUs."""


def _of_cuda(args):
    """The first argument, if it is the number of a GPU, as that GPU."""
    if args and type(args[0]) is int:
        return (_device_type("cuda", args[0]), *args[1:])
    return args


def _on_cpu(recording, value):
    """A GPU, by number, name or as a device, as the CPU; anything else as it is."""
    if type(value) is int:
        value = _device_type("cuda", value)
    if isinstance(value, (str, _device_type)) and _device_type(value).type not in ("cpu", "meta"):
        recording.on_cuda = True
        return _device_type("cpu")
    return value


def _with_cpu(recording, args, kwargs):
    """The arguments of Tensor.to() and of what has the keyword device, with the CPU for a GPU."""
    if args:
        args = (_on_cpu(recording, args[0]), *args[1:])
    if kwargs.get("device") is not None:
        kwargs = dict(kwargs, device=_on_cpu(recording, kwargs["device"]))
    return args, kwargs


def _install_conversions(recording):
    """Of PyTorch 1.13, which looks for GPUs before any dispatch in these alone."""
    to = torch.Tensor.to

    def to_cpu(self, *args, **kwargs):
        args, kwargs = _with_cpu(recording, args, kwargs)
        return to(self, *args, **kwargs)

    def making(function):
        def make(*args, **kwargs):
            return function(*args, **_with_cpu(recording, (), kwargs)[1])

        return make

    torch.Tensor.to = to_cpu
    torch.Tensor.new_tensor = making(torch.Tensor.new_tensor)
    torch.tensor = making(torch.tensor)
    torch.as_tensor = making(torch.as_tensor)


class Devices(TorchFunctionMode):
    """torch.empty(3, device=0), torch.tensor([1.0], device="cuda"): where there is no GPU, later
    versions than PyTorch 1.13 refuse these before any dispatch."""

    def __init__(self, recording):
        super().__init__()
        self._recording = recording

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.Tensor.to:
            places, kwargs = _with_cpu(self._recording, args[1:], kwargs)
            args = (args[0], *places)
        elif "device" in kwargs:
            kwargs = _with_cpu(self._recording, (), kwargs)[1]
        return func(*args, **kwargs)


def devices(recording):
    """A context for the program: GPUs are devices."""
    try:
        _device_type(0)
        _install_conversions(recording)
        return contextlib.nullcontext()
    except RuntimeError:
        pass
    torch.device = _Device
    parse = torch._C._nn._parse_to

    def parse_to(*args, **kwargs):
        if type(kwargs.get("device")) is int:
            kwargs["device"] = _device_type("cuda", kwargs["device"])
        return parse(*_of_cuda(args), **kwargs)

    torch._C._nn._parse_to = parse_to
    return Devices(recording)


def _install_autocast(recording):
    """Autocast of GPUs is that of the CPU, which in PyTorch 1.13 has bf16 only."""
    autocast = torch.amp.autocast_mode.autocast
    make = autocast.__init__
    has_half = not torch.__version__.startswith("1.")

    def on_cpu(self, device_type, dtype=None, *args, **kwargs):
        if device_type == "cuda":
            recording.on_cuda = True
            device_type = "cpu"
            dtype = dtype or torch.float16
            if dtype == torch.float16 and not has_half:
                dtype = torch.bfloat16
        make(self, device_type, dtype, *args, **kwargs)

    autocast.__init__ = on_cpu


def _replace(name, function):
    """In torch.cuda and where else it can be called."""
    setattr(torch.cuda, name, function)
    for module in (torch.cuda.random, torch.cuda.memory):
        if hasattr(module, name):
            setattr(module, name, function)


def _refuse_graphs(*_args, **_kwargs):
    raise RecordingError("unsupported", "CUDA graphs", "Run the program without them")


def install(recording):
    cuda = torch.cuda
    local = recording.rank % min(_DEVICES, recording.ranks)
    def set_device(_device):
        recording.on_cuda = True

    cuda.set_device = set_device
    for name in ("_lazy_init", "init", "empty_cache", "manual_seed",
                 "manual_seed_all", "set_rng_state", "seed", "reset_peak_memory_stats",
                 "reset_max_memory_allocated", "set_per_process_memory_fraction", "ipc_collect",
                 "set_rng_state_all", "_lazy_call"):
        _replace(name, _nothing)
    values = {"is_available": True, "is_initialized": True, "device_count": _DEVICES,
              "current_device": local, "memory_allocated": 0, "max_memory_allocated": 0,
              "memory_reserved": 0, "max_memory_reserved": 0, "get_device_name": "recorded",
              "get_device_capability": (8, 0), "initial_seed": 0, "is_bf16_supported": True,
              "mem_get_info": (_MEMORY_BYTES, _MEMORY_BYTES),
              "is_current_stream_capturing": False, "_exchange_device": -1,
              "_maybe_exchange_device": -1}
    for name, value in values.items():
        _replace(name, _number(value))
    _replace("get_rng_state", lambda device=None: torch.zeros(16, dtype=torch.uint8))
    _replace("memory_stats", lambda device=None: {})
    cuda.get_device_properties = _properties
    cuda.default_generators = tuple(torch.Generator() for _ in range(_DEVICES))
    cuda.graph = _refuse_graphs
    cuda.make_graphed_callables = _refuse_graphs
    for name in ("range_push", "range_pop", "mark"):
        setattr(cuda.nvtx, name, _nothing)
    _install_streams(recording)
    _install_tensor_methods(recording)
    _install_data_parallel()
    _install_autocast(recording)
