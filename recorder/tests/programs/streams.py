"""A program for GPUs: a product and a sum on a stream of their own."""

import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
device = torch.device("cuda", torch.cuda.current_device())
a = torch.randn(512, 512, device=device)
b = torch.randn(512, 512).cuda()
side = torch.cuda.Stream()
c = a @ b
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    d = a @ c
    dist.all_reduce(d)
e = b @ b
torch.cuda.current_stream().wait_stream(side)
(d + e).sum()
