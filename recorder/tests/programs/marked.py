"""Records a part of itself."""

import torch
import torch.distributed as dist

try:
    import npunet_recorder
except ImportError:
    npunet_recorder = None

dist.init_process_group("gloo")
a = torch.randn(300, 300)
dist.broadcast(a, 0)
if npunet_recorder:
    npunet_recorder.start()
b = a @ a
dist.all_reduce(b)
if npunet_recorder:
    npunet_recorder.stop()
dist.all_reduce(b)
b @ b
