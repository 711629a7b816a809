"""Meshes of GPUs, FullyShardedDataParallel and fully_shard() without GPUs: all tensors are on the
CPU, with the streams of the stand-in for CUDA."""

import sys

import torch


def _install_handles(recording):
    """What sharding asks for streams and events."""
    from torch.distributed import device_mesh
    original = device_mesh._get_device_handle

    def handle(device_type="cuda"):
        if device_type == "cpu" and recording.on_cuda:
            return torch.cuda
        return original(device_type)

    for name, module in list(sys.modules.items()):
        if name.startswith("torch.distributed") \
                and getattr(module, "_get_device_handle", None) is original:
            module._get_device_handle = handle


def _install_meshes(recording):
    from torch.distributed.device_mesh import DeviceMesh
    make = DeviceMesh.__init__

    def on_cpu(self, device_type, *args, **kwargs):
        if device_type == "cuda":
            recording.on_cuda = True
            device_type = "cpu"
        make(self, device_type, *args, **kwargs)

    DeviceMesh.__init__ = on_cpu


def _install_wrapper(recording):
    from torch.distributed.fsdp import _common_utils, _init_utils, fully_sharded_data_parallel
    wrapper = fully_sharded_data_parallel.FullyShardedDataParallel
    make = wrapper.__init__

    def on_cpu(self, module, *args, **kwargs):
        given = kwargs.get("device_id")
        if given is not None and torch.device(given).type != "cpu":
            recording.on_cuda = True
        if recording.on_cuda:
            kwargs["device_id"] = torch.device("cpu")
        make(self, module, *args, **kwargs)

    wrapper.__init__ = on_cpu
    handle = _common_utils._FSDPDeviceHandle
    of_device = handle.from_device.__func__

    def from_device(cls, device):
        return torch.cuda if recording.on_cuda else of_device(cls, device)

    handle.from_device = classmethod(from_device)
    device_of = _init_utils._get_compute_device

    def compute_device(*args, **kwargs):
        return torch.device("cpu") if recording.on_cuda else device_of(*args, **kwargs)

    _init_utils._get_compute_device = compute_device


def install(recording):
    # PyTorch 1.13 has no meshes, and its FullyShardedDataParallel no devices but GPUs.
    if "torch.distributed.device_mesh" in sys.modules:
        _install_handles(recording)
        _install_meshes(recording)
        _install_wrapper(recording)
