"""Ranks in a row tell each other the shapes of what they send, there and back."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
if rank == 0:
    given = torch.randn(4, 8)
else:
    shape = torch.empty(2, dtype=torch.int64)
    dist.recv(shape, rank - 1)
    given = torch.empty(shape.tolist())
    dist.recv(given, rank - 1)
made = torch.cat([given, given[:1]])
if rank + 1 < world:
    dist.send(torch.tensor(made.shape), rank + 1)
    dist.send(made, rank + 1)
# And back: no rank can go on before the last one has spoken.
rows = torch.zeros(1, dtype=torch.int64)
if rank + 1 < world:
    dist.irecv(rows, rank + 1).wait()
own = rows + 2
if rank > 0:
    dist.isend(own, rank - 1).wait()
assert own.item() == 2 * (world - rank)
dist.all_reduce(torch.zeros(3))
