"""A training step of Megatron-core's GPT by its own schedule: needs a checkout of Megatron-LM 0.5.

    megatron_core.py --megatron FOLDER --tp 4 --pp 2 --sequence-parallel
"""

import argparse
import os
import sys
import types

import torch

arguments = argparse.ArgumentParser()
arguments.add_argument("--megatron", required=True, help="folder of the checkout")
for name, default in (("tp", 1), ("pp", 1), ("vpp", 1), ("ep", 1), ("experts", 0), ("layers", 4),
                      ("hidden", 256), ("heads", 8), ("vocabulary", 1024), ("seq", 128),
                      ("batch", 2), ("micro-batches", 4)):
    arguments.add_argument(f"--{name}", type=int, default=default)
arguments.add_argument("--sequence-parallel", action="store_true")
options = arguments.parse_args()

# megatron/__init__.py of 0.5 imports what training scripts need, and more extensions.
package = types.ModuleType("megatron")
package.__path__ = [os.path.join(options.megatron, "megatron")]
sys.modules["megatron"] = package

from megatron.core import parallel_state, tensor_parallel  # noqa: E402
from megatron.core.distributed import DistributedDataParallel, finalize_model_grads  # noqa: E402
from megatron.core.models.gpt import GPTModel  # noqa: E402
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec  # noqa: E402
from megatron.core.pipeline_parallel import get_forward_backward_func  # noqa: E402
from megatron.core.transformer.transformer_config import TransformerConfig  # noqa: E402

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
torch.distributed.init_process_group("nccl")
chunks = options.vpp if options.vpp > 1 else None
parallel_state.initialize_model_parallel(options.tp, options.pp, chunks,
                                         expert_model_parallel_size=options.ep)
tensor_parallel.model_parallel_cuda_manual_seed(1)
config = TransformerConfig(
    num_layers=options.layers, hidden_size=options.hidden, num_attention_heads=options.heads,
    tensor_model_parallel_size=options.tp, pipeline_model_parallel_size=options.pp,
    virtual_pipeline_model_parallel_size=chunks, sequence_parallel=options.sequence_parallel,
    num_moe_experts=options.experts or None, expert_model_parallel_size=options.ep,
    pipeline_dtype=torch.float32, masked_softmax_fusion=False, gradient_accumulation_fusion=False,
    bias_activation_fusion=False, bias_dropout_fusion=False)
config.finalize_model_grads_func = finalize_model_grads


def build():
    experts = (options.experts, False) if options.experts else ()
    model = GPTModel(config, get_gpt_layer_local_spec(*experts), options.vocabulary, options.seq,
                     pre_process=parallel_state.is_pipeline_first_stage(),
                     post_process=parallel_state.is_pipeline_last_stage())
    return DistributedDataParallel(
        config, model.cuda(), parallel_state.get_data_parallel_group(with_context_parallel=True),
        accumulate_allreduce_grads_in_fp32=True, overlap_grad_reduce=False,
        use_distributed_optimizer=False)


models = []
for chunk in range(options.vpp):
    if chunks:
        parallel_state.set_virtual_pipeline_model_parallel_rank(chunk)
    models.append(build())


def forward_step(_data, model):
    tokens = torch.randint(options.vocabulary, (options.batch, options.seq), device="cuda")
    places = torch.arange(options.seq, device="cuda").expand(options.batch, -1)
    mask = torch.ones(1, 1, options.seq, options.seq, dtype=torch.bool, device="cuda").triu(1)
    losses = model(tokens, places, mask, labels=tokens)
    return losses, lambda output: (output.float().mean(), {"loss": output.detach()})


for model in models:
    model.zero_grad_buffer(True)
get_forward_backward_func()(
    forward_step_func=forward_step, data_iterator=[None] * options.vpp if chunks else None,
    model=models if chunks else models[0], num_microbatches=options.micro_batches,
    seq_length=options.seq, micro_batch_size=options.batch, forward_only=False)
