"""A GPU is named by number, by name, as a device, and by keyword."""

import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
local = int(os.environ["LOCAL_RANK"])
device = torch.device("cuda", local)
x = torch.randn(4, 4)
for where in (local, f"cuda:{local}", "cuda", device):
    x = x.to(where)
    x = x.to(where, torch.float32, non_blocking=True)
    x = x.to(device=where)
scale = torch.tensor([2.0], device=device) + torch.as_tensor([1.0], device="cuda")
model = torch.nn.Linear(4, 4, bias=False, device="meta").to_empty(device="cpu").to(device)
y = x @ x
print(scale.item() == 3.0, y.is_cuda)
