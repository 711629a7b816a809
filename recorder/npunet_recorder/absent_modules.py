"""Stand-ins for extensions that programs import and often do not use: Apex, Transformer Engine."""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
import types

import torch

# Programs choose by it what they call: of these they need least.
_VERSIONS = {"transformer_engine": "2.2.0"}
_OTHER_VERSION = "0.0.0"

_ABSENT = ("apex", "transformer_engine", "transformer_engine_torch", "amp_C",
           "fused_layer_norm_cuda", "flash_attn", "fused_weight_gradient_mlp_cuda",
           "scaled_upper_triang_masked_softmax_cuda", "scaled_masked_softmax_cuda",
           "scaled_softmax_cuda", "apex_C")


class _FusedLayerNorm(torch.nn.LayerNorm):
    """Apex's layer norm by torch's."""


class _EngineLayerNorm(torch.nn.LayerNorm):
    """Transformer Engine's layer norm by torch's."""

    def __init__(self, hidden_size, eps=1e-5, sequence_parallel=False, params_dtype=None,
                 zero_centered_gamma=False, device=None, **_):
        super().__init__(hidden_size, eps=eps, dtype=params_dtype)
        for parameter in self.parameters():
            parameter.sequence_parallel = sequence_parallel


class _EngineRmsNorm(torch.nn.Module):
    """Transformer Engine's RMS norm by torch's operations."""

    def __init__(self, hidden_size, eps=1e-5, sequence_parallel=False, params_dtype=None,
                 zero_centered_gamma=False, device=None, **_):
        super().__init__()
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(hidden_size, dtype=params_dtype))
        self.weight.sequence_parallel = sequence_parallel

    def forward(self, x):
        return x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + self.eps).to(x.dtype) \
            * self.weight


class _LayerNormFunction:
    """What programs look at: a function of autograd with a forward()."""

    @staticmethod
    def forward(ctx, input, weight, bias, normalized_shape, eps, memory_efficient=False):
        raise NotImplementedError

    @staticmethod
    def apply(input, weight, bias, normalized_shape, eps, memory_efficient=False):
        return torch.nn.functional.layer_norm(input, tuple(normalized_shape), weight, bias, eps)


class _FusedAdam(torch.optim.AdamW):
    """The fused Adam of Apex and Transformer Engine by torch's."""

    def __init__(self, params, lr=1e-3, bias_correction=True, betas=(0.9, 0.999), eps=1e-8,
                 adam_w_mode=True, weight_decay=0.0, amsgrad=False, **_):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay,
                         amsgrad=amsgrad)


def _multi_tensor_applier(operation, overflow, lists, *arguments):
    return operation(0, overflow, lists, *arguments)


def _multi_tensor_scale(_chunk, _overflow, lists, scale):
    with torch.no_grad():
        for source, target in zip(*lists):
            target.copy_(source * scale)


def _multi_tensor_l2norm(_chunk, _overflow, lists, per_tensor=False):
    norms = [torch.norm(tensor.float()) for tensor in lists[0]]
    stacked = torch.stack(norms)
    return torch.norm(stacked), stacked if per_tensor else None


def _no_offloading(*_args, **_kwargs):
    """A context in which nothing is moved to the CPU, and what commits a layer's move."""
    return contextlib.nullcontext(), lambda tensor: tensor


_KNOWN = {
    "transformer_engine.pytorch": {"LayerNorm": _EngineLayerNorm, "RMSNorm": _EngineRmsNorm},
    "transformer_engine.pytorch.cpu_offload": {"get_cpu_offload_context": _no_offloading},
    "transformer_engine.pytorch.optimizers": {
        "FusedAdam": _FusedAdam, "FusedSGD": torch.optim.SGD,
        "multi_tensor_applier": _multi_tensor_applier, "multi_tensor_scale": _multi_tensor_scale,
        "multi_tensor_l2norm": _multi_tensor_l2norm},
    "apex.optimizers": {"FusedAdam": _FusedAdam, "FusedSGD": torch.optim.SGD},
    "apex.normalization": {"FusedLayerNorm": _FusedLayerNorm},
    "apex.normalization.fused_layer_norm": {
        "FusedLayerNorm": _FusedLayerNorm,
        "FusedLayerNormAffineFunction": _LayerNormFunction,
        "FusedLayerNormFunction": _LayerNormFunction,
    },
    "apex.multi_tensor_apply": {"multi_tensor_applier": _multi_tensor_applier},
    "amp_C": {"multi_tensor_scale": _multi_tensor_scale,
              "multi_tensor_l2norm": _multi_tensor_l2norm},
}


def _version_of(name):
    return _VERSIONS.get(name, _OTHER_VERSION)


class _AbsentClass:
    """Anything of an absent extension: it can be named and derived from, and not be made."""

    def __init__(self, *_args, **_kwargs):
        raise ImportError(f"{type(self).__module__}.{type(self).__qualname__} is a stand-in of the "
                          "recorder for an extension that is not installed")


class _AbsentModule(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("_"):  # programs know that private names may be absent
            raise AttributeError(name)
        known = _KNOWN.get(self.__name__, {}).get(name)
        if known is None and name[0].isupper():
            known = type(name, (_AbsentClass,), {"__module__": self.__name__})
        if known is None:  # a module within, or a function
            known = importlib.import_module(f"{self.__name__}.{name}")
        setattr(self, name, known)
        return known

    def __call__(self, *_args, **_kwargs):
        raise ImportError(f"{self.__name__}() is a stand-in of the recorder for an extension that "
                          "is not installed")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last: modules that are installed are found before."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in _ABSENT and "._" not in name:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _AbsentModule(spec.name)

    def exec_module(self, module):
        if module.__name__ in ("transformer_engine", "apex", "flash_attn"):
            module.__version__ = _version_of(module.__name__)


def install():
    sys.meta_path.append(_Finder())
    version_of = importlib.metadata.version

    def version(name):
        try:
            return version_of(name)
        except importlib.metadata.PackageNotFoundError:
            if name.replace("-", "_") in _ABSENT:
                return _version_of(name.replace("-", "_"))
            raise

    importlib.metadata.version = version
