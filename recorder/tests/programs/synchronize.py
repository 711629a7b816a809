"""A product on a stream beside the usual one, and one behind synchronize()."""

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
x = torch.randn(64, 64, device="cuda")
with torch.cuda.stream(torch.cuda.Stream()):
    y = x @ x
torch.cuda.synchronize()
z = x @ x
