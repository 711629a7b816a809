"""Data-parallel training of a small CNN, with a sampler, batch norm and a sum of losses."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
torch.manual_seed(7)
images = torch.randn(64, 3, 16, 16)
labels = torch.randint(10, (64,))
data = TensorDataset(images, labels)
loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data), num_workers=0)
net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
                    nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
                    nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(512, 10))
model = DistributedDataParallel(net, gradient_as_bucket_view=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
sizes = [None] * dist.get_world_size()
dist.all_gather_object(sizes, len(loader))
assert sizes == [len(loader)] * dist.get_world_size()
for step, (image, label) in enumerate(loader):
    if step == 2:
        break
    loss = nn.functional.cross_entropy(model(image), label)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    mean = loss.detach().clone()
    dist.all_reduce(mean, op=dist.ReduceOp.SUM)
    if dist.get_rank() == 0:
        print(f"step {step}: loss {mean.item() / dist.get_world_size():.3f}")
dist.barrier()
