"""Works on what a mask selects."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
x = torch.randn(64, 32)
mask = x[:, 0] > 0
a = x[mask]
b = torch.masked_select(x, mask.unsqueeze(1)).view(-1, 32)
dist.all_reduce(a)
dist.all_reduce(b)
