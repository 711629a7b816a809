"""Expert parallelism: tokens go to the ranks of their experts and back by all-to-all."""

import torch
import torch.distributed as dist
from torch import nn

HIDDEN, TOKENS = 32, 64

dist.init_process_group("gloo")
world = dist.get_world_size()
torch.manual_seed(dist.get_rank())


class AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.empty_like(x)
        dist.all_to_all_single(result, x.contiguous())
        return result

    @staticmethod
    def backward(ctx, gradient):
        return AllToAll.forward(ctx, gradient)


class Experts(nn.Module):
    """One expert a rank, with a fixed capacity."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(HIDDEN, world)
        self.expert = nn.Sequential(nn.Linear(HIDDEN, 4 * HIDDEN), nn.GELU(),
                                    nn.Linear(4 * HIDDEN, HIDDEN))

    def forward(self, x):
        capacity = TOKENS // world
        scores = self.router(x).softmax(-1)
        top = scores.topk(capacity, dim=0)
        chosen = top.indices.t().reshape(-1)
        sent = x[chosen]
        worked = self.expert(AllToAll.apply(sent))
        back = AllToAll.apply(worked) * top.values.t().reshape(-1, 1)
        return torch.zeros_like(x).index_add(0, chosen, back)


model = Experts()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.randn(TOKENS, HIDDEN)).square().sum().backward()
    dist.all_reduce(model.router.weight.grad)
    optimizer.step()
