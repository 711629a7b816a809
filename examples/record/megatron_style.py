"""Tensor x pipeline x data parallel training of a GPT on torch.distributed alone.

Tensor parallelism with sequence parallelism (all-gather before the columns, reduce-scatter behind
the rows), pipeline stages in the order 1F1B, gradients of replicas summed in one flat buffer.
Activations are [sequence, batch, hidden].
"""

import argparse
import math

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

arguments = argparse.ArgumentParser()
for name, default in (("tp", 2), ("pp", 2), ("layers", 4), ("hidden", 64), ("heads", 4),
                      ("vocabulary", 128), ("seq", 32), ("batch", 2), ("micro-batches", 4),
                      ("steps", 1)):
    arguments.add_argument(f"--{name}", type=int, default=default)
arguments.add_argument("--backend", default="gloo")
arguments.add_argument("--bf16", action="store_true")
options = arguments.parse_args()
if options.heads % options.tp:
    arguments.error(f"--heads {options.heads} is not a multiple of --tp {options.tp}")

dist.init_process_group(options.backend)
rank, world = dist.get_rank(), dist.get_world_size()
tp, pp = options.tp, options.pp
dp = world // (tp * pp)
dtype = torch.bfloat16 if options.bf16 else torch.float32


def own_group(lists):
    mine = None
    for ranks in lists:
        group = dist.new_group(ranks)
        if rank in ranks:
            mine = group
    return mine


# The order of ranks: tensor, then data, then pipeline.
tensor_group = own_group([[first + i for i in range(tp)] for first in range(0, world, tp)])
data_group = own_group([[stage * tp * dp + place + i * tp for i in range(dp)]
                        for stage in range(pp) for place in range(tp)])
pipeline_group = own_group([[place + i * tp * dp for i in range(pp)] for place in range(tp * dp)])
embedding_group = own_group([sorted({place, place + (pp - 1) * tp * dp})
                             for place in range(tp * dp)]) if pp > 1 else None
stage = rank // (tp * dp)
first, last = stage == 0, stage == pp - 1


class GatherSequence(torch.autograd.Function):
    """All parts of the sequence before the columns; the gradients are summed and split."""

    @staticmethod
    def forward(ctx, x):
        whole = x.new_empty((x.shape[0] * tp,) + x.shape[1:])
        dist._all_gather_base(whole, x.contiguous(), group=tensor_group)
        return whole

    @staticmethod
    def backward(ctx, gradient):
        part = gradient.new_empty((gradient.shape[0] // tp,) + gradient.shape[1:])
        dist._reduce_scatter_base(part, gradient.contiguous(), group=tensor_group)
        return part


class ScatterSequence(torch.autograd.Function):
    """Sums behind the rows, of which each rank keeps its part of the sequence."""

    @staticmethod
    def forward(ctx, x):
        return GatherSequence.backward(ctx, x)

    @staticmethod
    def backward(ctx, gradient):
        return GatherSequence.forward(ctx, gradient)


class Columns(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs // tp, inputs, dtype=dtype) * 0.02)
        self.bias = nn.Parameter(torch.zeros(outputs // tp, dtype=dtype))

    def forward(self, x):
        return functional.linear(GatherSequence.apply(x), self.weight, self.bias)


class Rows(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs // tp, dtype=dtype) * 0.02)
        self.bias = nn.Parameter(torch.zeros(outputs, dtype=dtype))

    def forward(self, x):
        return ScatterSequence.apply(functional.linear(x, self.weight)) + self.bias


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm_1 = nn.LayerNorm(options.hidden, dtype=dtype)
        self.qkv = Columns(options.hidden, 3 * options.hidden)
        self.projection = Rows(options.hidden, options.hidden)
        self.norm_2 = nn.LayerNorm(options.hidden, dtype=dtype)
        self.up = Columns(options.hidden, 4 * options.hidden)
        self.down = Rows(4 * options.hidden, options.hidden)

    def attention(self, x):
        qkv = self.qkv(x)
        seq, batch, width = qkv.shape
        heads = options.heads // tp
        size = width // (3 * heads)
        q, k, v = qkv.view(seq, batch * heads, 3, size).transpose(0, 1).unbind(2)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(size)
        mask = torch.ones(seq, seq, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
        return self.projection(
            torch.bmm(weights, v).transpose(0, 1).reshape(seq, batch, heads * size))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.down(functional.gelu(self.up(self.norm_2(x))))


class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(options.layers // pp))
        if first:
            self.embedding = nn.Embedding(options.vocabulary, options.hidden, dtype=dtype)
        if last:
            self.norm = nn.LayerNorm(options.hidden, dtype=dtype)
            self.head = nn.Parameter(
                torch.randn(options.vocabulary // tp, options.hidden, dtype=dtype) * 0.02)

    def forward(self, x, tokens):
        if first:
            own = tokens[:-1].chunk(tp)[dist.get_rank(tensor_group)]
            x = self.embedding(own)
        for layer in self.layers:
            x = layer(x)
        if last:
            logits = functional.linear(GatherSequence.apply(self.norm(x)), self.head)
            targets = tokens[1:].reshape(-1) % (options.vocabulary // tp)
            return functional.cross_entropy(logits.flatten(0, 1).float(), targets)
        return x


model = Stage()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
shape = (options.seq // tp, options.batch, options.hidden)
before, after = rank - tp * dp, rank + tp * dp


def receive(source):
    tensor = torch.empty(shape, dtype=dtype)
    dist.irecv(tensor, source, group=pipeline_group).wait()
    return tensor.requires_grad_()


def forward(tokens):
    given = None if first else receive(before)
    made = model(given, tokens)
    return given, made


def send(tensor, target):
    if tensor is not None:
        dist.isend(tensor.detach().contiguous(), target, group=pipeline_group).wait()


def exchange(tensor, peer):
    """Sends and receives at once, as the steady part of 1F1B does."""
    received = torch.empty(shape, dtype=dtype)
    works = dist.batch_isend_irecv([
        dist.P2POp(dist.isend, tensor.detach().contiguous(), peer, pipeline_group),
        dist.P2POp(dist.irecv, received, peer, pipeline_group)])
    for work in works:
        work.wait()
    return received.requires_grad_()


def backward(given, made, gradient):
    if last:
        (made / options.micro_batches).backward()
    else:
        made.backward(gradient.detach())
    return None if first else given.grad


def one_step():
    batches = [torch.randint(options.vocabulary, (options.seq + 1, options.batch))
               for _ in range(options.micro_batches)]
    warm_up = min(pp - stage - 1, options.micro_batches)
    steady = options.micro_batches - warm_up
    waiting = []
    for index in range(warm_up):
        pair = forward(batches[index])
        send(pair[1], after)
        waiting.append(pair)
    given = receive(before) if steady and not first else None
    for index in range(steady):
        made = model(given, batches[warm_up + index])
        waiting.append((given, made))
        gradient = None if last else exchange(made, after)
        old = waiting.pop(0)
        back = backward(*old, gradient)
        more = index + 1 < steady
        if not first:
            if more:
                given = exchange(back, before)
            else:
                send(back, before)
    while waiting:
        back = backward(*waiting.pop(0), receive(after))
        if not first:
            send(back, before)


def sum_gradients():
    gradients = [p.grad for p in model.parameters()]
    flat = torch.cat([g.reshape(-1) for g in gradients])
    work = dist.all_reduce(flat, group=data_group, async_op=True)
    # Norm weights see a part of the sequence each.
    norms = [p.grad for name, p in model.named_parameters() if "norm" in name]
    together = torch.cat([g.reshape(-1) for g in norms])
    dist.all_reduce(together, group=tensor_group)
    work.wait()
    flat.div_(dp)
    begin = 0
    for gradient in gradients:
        gradient.copy_(flat[begin:begin + gradient.numel()].view_as(gradient))
        begin += gradient.numel()
    if embedding_group is not None and (first or last):
        weights = model.embedding.weight.grad[:options.vocabulary // tp] if first \
            else model.head.grad
        dist.all_reduce(weights, group=embedding_group)


for _ in range(options.steps):
    optimizer.zero_grad()
    one_step()
    sum_gradients()
    optimizer.step()
dist.barrier()
