"""Imports extensions for GPUs as Megatron-LM does."""

import inspect

import torch
from apex.normalization.fused_layer_norm import FusedLayerNormAffineFunction
from apex.optimizers import FusedAdam
from transformer_engine.pytorch.distributed import CudaRNGStatesTracker

import amp_C
import transformer_engine as te


class Tracker(CudaRNGStatesTracker):
    pass


class Linear(te.pytorch.Linear):
    pass


assert "memory_efficient" in inspect.signature(FusedLayerNormAffineFunction.forward).parameters
weight = torch.nn.Parameter(torch.ones(64).cuda())
bias = torch.nn.Parameter(torch.zeros(64).cuda())
x = torch.randn(1000, 64, device="cuda")
FusedLayerNormAffineFunction.apply(x, weight, bias, torch.Size([64]), 1e-5)
FusedAdam([weight, bias], lr=1e-3)
assert amp_C.multi_tensor_scale
