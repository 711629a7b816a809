"""Fully sharded data parallelism by fully_shard(), parameter by parameter."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from sharded_blocks import HIDDEN, Block

dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank() % 8)
torch.manual_seed(5)
mesh = init_device_mesh("cuda", (dist.get_world_size(),))
model = nn.Sequential(nn.Embedding(100, HIDDEN), Block(), Block(), nn.Linear(HIDDEN, 100))
for block in model[1:3]:
    fully_shard(block, mesh=mesh)
fully_shard(model, mesh=mesh)
model.cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(2):
    tokens = torch.randint(100, (2, 17), device="cuda")
    loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1),
                                       tokens[:, 1:].reshape(-1))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
