"""DistributedDataParallel with ZeroRedundancyOptimizer: optimizer states are sharded."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(3)
model = DistributedDataParallel(
    nn.Sequential(*[layer for i in range(6) for layer in (nn.Linear(96, 96 + 0 * i), nn.GELU())]))
optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=1e-3)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(8, 96)).square().mean().backward()
    optimizer.step()
