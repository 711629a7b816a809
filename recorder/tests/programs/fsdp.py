"""Fully sharded data parallelism: parameters are gathered for each block, gradients scattered."""

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

from sharded_blocks import HIDDEN, Block

arguments = argparse.ArgumentParser()
arguments.add_argument("--strategy", default="FULL_SHARD")
arguments.add_argument("--bf16", action="store_true")
arguments.add_argument("--cuda", action="store_true")
options = arguments.parse_args()

dist.init_process_group("nccl" if options.cuda else "gloo")
kind = "cuda" if options.cuda else "cpu"
device = torch.device(kind, dist.get_rank() % 8) if options.cuda else torch.device(kind)
if options.cuda:
    torch.cuda.set_device(device)
torch.manual_seed(5)
net = nn.Sequential(nn.Embedding(100, HIDDEN), Block(), Block(), Block(), nn.Linear(HIDDEN, 100))
kept = {}
if options.bf16:
    kept["mixed_precision"] = MixedPrecision(torch.bfloat16, torch.bfloat16)
if options.strategy.startswith("HYBRID"):
    kept["device_mesh"] = dist.init_device_mesh(kind, (2, dist.get_world_size() // 2),
                                                mesh_dim_names=("replicas", "shards"))
model = FullyShardedDataParallel(
    net, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=device,
    sharding_strategy=ShardingStrategy[options.strategy], **kept)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(2):
    tokens = torch.randint(100, (4, 17), device=device)
    for part in range(2):
        # Gradients of the first part are not summed yet.
        with model.no_sync() if part == 0 and step == 0 else torch.enable_grad():
            logits = model(tokens[2 * part:2 * part + 2, :-1])
            nn.functional.cross_entropy(
                logits.float().flatten(0, 1),
                tokens[2 * part:2 * part + 2, 1:].reshape(-1)).backward()
    model.clip_grad_norm_(1.0)
    optimizer.step()
    optimizer.zero_grad()
dist.barrier()
