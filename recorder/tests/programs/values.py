"""Asks for values that do not exist while it is recorded."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
loss = torch.randn(100).sum()
print(loss.item())
steps = 3 if loss > 0.5 else 1
for _ in range(steps):
    dist.all_reduce(loss)
names = [None] * dist.get_world_size()
dist.all_gather_object(names, f"rank {dist.get_rank()}")
print(names)
settings = [{"width": 7} if dist.get_rank() == 0 else None]
dist.broadcast_object_list(settings, 0)
torch.zeros(settings[0]["width"])
