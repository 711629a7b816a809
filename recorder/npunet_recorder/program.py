"""What is patched around a program while it is recorded: modules, phases, loaders, processes."""

import torch

from npunet_recorder.errors import RecordingError


def _install_modules(recording):
    """Keeps the path of the module whose forward() runs."""
    parents = {}

    def name_within(parent, module):
        """Also of a module in a list, which is never called itself."""
        known = parents.get(id(parent))
        if known is None or known[0] is not parent:
            known = parents[id(parent)] = (
                parent, {id(child): name for name, child in parent.named_modules()})
        return known[1].get(id(module), type(module).__name__)

    stack = []

    def enter(module, _inputs):
        path = ""
        if stack:
            name = name_within(stack[-1], module)
            path = f"{recording.modules[-1]}.{name}" if recording.modules[-1] else name
        stack.append(module)
        recording.modules.append(path)

    def leave(_module, _inputs, _output):
        if stack:
            stack.pop()
            recording.modules.pop()

    torch.nn.modules.module.register_module_forward_pre_hook(enter)
    torch.nn.modules.module.register_module_forward_hook(leave)


class _Phase:
    def __init__(self, recording, phase):
        self._recording = recording
        self._phase = phase
        self._before = None

    def __enter__(self):
        recording = self._recording
        self._before = (recording.phase, recording.modules)
        recording.phase = self._phase
        recording.modules = []

    def __exit__(self, *_):
        self._recording.phase, self._recording.modules = self._before


def _install_backward(recording):
    engine = torch.autograd.Variable._execution_engine

    class Engine:
        def __getattr__(self, name):
            return getattr(engine, name)

        def run_backward(self, *args, **kwargs):
            with _Phase(recording, "backward"):
                return engine.run_backward(*args, **kwargs)

    torch.autograd.Variable._execution_engine = Engine()


def _install_optimizers(recording):
    marker = torch.autograd.profiler.record_function

    class record_function(marker):
        def __enter__(self):
            self._phase = None
            if self.name.startswith("Optimizer.step"):
                self._phase = _Phase(recording, "optimizer")
                self._phase.__enter__()
            return super().__enter__()

        def __exit__(self, *problem):
            result = super().__exit__(*problem)
            if self._phase is not None:
                self._phase.__exit__(*problem)
            return result

    torch.autograd.profiler.record_function = record_function


def _install_loaders():
    loader = torch.utils.data.DataLoader
    make = loader.__init__

    def without_workers(self, *args, **kwargs):
        kwargs["num_workers"] = 0
        kwargs["persistent_workers"] = False
        kwargs.pop("prefetch_factor", None)
        kwargs["pin_memory"] = False
        make(self, *args, **kwargs)

    loader.__init__ = without_workers


def _refuse_processes(*_args, **_kwargs):
    raise RecordingError(
        "unsupported", "a program that starts its processes by itself",
        "Let it be one rank, which RANK and WORLD_SIZE tell, as under torchrun")


def install(recording):
    _install_modules(recording)
    _install_backward(recording)
    _install_optimizers(recording)
    _install_loaders()
    torch.multiprocessing.spawn = _refuse_processes
    torch.multiprocessing.start_processes = _refuse_processes
