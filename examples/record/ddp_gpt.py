"""Data-parallel training of a GPT: DistributedDataParallel, gradients clipped."""

import argparse
import contextlib
import time

import torch
import torch.distributed as dist
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from gpt import Gpt

arguments = argparse.ArgumentParser()
for name, default in (("layers", 2), ("hidden", 64), ("heads", 4), ("vocabulary", 128),
                      ("seq", 32), ("batch", 2), ("steps", 2), ("bucket-mb", 1)):
    arguments.add_argument(f"--{name}", type=int, default=default)
arguments.add_argument("--recompute", action="store_true", help="activations in the backward pass")
arguments.add_argument("--time", action="store_true", help="print the seconds of each step")
arguments.add_argument("--autocast", action="store_true", help="products in bf16, on GPUs")
options = arguments.parse_args()

dist.init_process_group("gloo")
torch.manual_seed(1234 + dist.get_rank())
model = DistributedDataParallel(
    Gpt(options.layers, options.hidden, options.heads, options.vocabulary, options.seq,
        options.recompute),
    bucket_cap_mb=options.bucket_mb)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(options.steps):
    begin = time.perf_counter()
    tokens = torch.randint(options.vocabulary, (options.batch, options.seq + 1))
    with torch.autocast("cuda", torch.bfloat16) if options.autocast else contextlib.nullcontext():
        logits = model(tokens[:, :-1])
    loss = functional.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if options.time:
        print(f"step {step}: {time.perf_counter() - begin:.9f} s")
dist.destroy_process_group()
