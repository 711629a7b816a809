"""Pipeline stages of torch.distributed.pipelining, whose shapes the stages tell each other."""

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import pipelining

arguments = argparse.ArgumentParser()
arguments.add_argument("--schedule", default="ScheduleGPipe")
arguments.add_argument("--micro-batches", type=int, default=8)
arguments.add_argument("--steps", type=int, default=2)
options = arguments.parse_args()
HIDDEN, BATCH = 32, 16

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)


def stage_of(number, stages):
    layers = [nn.Linear(HIDDEN * (1 + number), HIDDEN * (2 + number)), nn.GELU()]
    if number == stages - 1:
        layers.append(nn.Linear(HIDDEN * (2 + number), 10))
    return pipelining.PipelineStage(nn.Sequential(*layers), number, stages, torch.device("cpu"))


schedule_class = getattr(pipelining, options.schedule)
several = issubclass(schedule_class, pipelining.schedules.PipelineScheduleMulti)
stages = [stage_of(number, 2 * world) for number in (rank, rank + world)] if several \
    else [stage_of(rank, world)]
schedule = schedule_class(stages if several else stages[0], options.micro_batches,
                          loss_fn=nn.functional.cross_entropy)
optimizer = torch.optim.SGD([p for stage in stages for p in stage.submod.parameters()], lr=0.1)
for _ in range(options.steps):
    optimizer.zero_grad()
    if rank == 0:
        schedule.step(torch.randn(BATCH, HIDDEN))
    elif rank == world - 1:
        losses = []
        schedule.step(target=torch.randint(10, (BATCH,)), losses=losses)
    else:
        schedule.step()
    optimizer.step()
