"""Experts without capacity: the sizes of the all-to-alls follow from where the tokens go."""

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
world = dist.get_world_size()
experts, tokens, hidden = 2 * world, 64, 32
router = nn.Linear(hidden, experts)
x = torch.randn(tokens, hidden)
chosen = router(x).argmax(-1)
counts = torch.bincount(chosen, minlength=experts)
sent = counts.view(world, -1).sum(1)
received = torch.empty_like(sent)
dist.all_to_all_single(received, sent)
order = chosen.argsort()
rows = torch.empty(int(received.sum()), hidden)
dist.all_to_all_single(rows, x[order], received.tolist(), sent.tolist())
