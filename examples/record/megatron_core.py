"""Training steps of Megatron-core's GPT by its own schedule: needs a checkout of Megatron-LM, 0.5
with PyTorch 1.13, 0.12 with PyTorch 2.6.

    megatron_core.py --megatron FOLDER --tp 4 --pp 2 --sequence-parallel
"""

import argparse
import inspect
import os
import sys
import types

import torch

arguments = argparse.ArgumentParser()
arguments.add_argument("--megatron", required=True, help="folder of the checkout")
for name, default in (("tp", 1), ("pp", 1), ("vpp", 1), ("ep", 1), ("experts", 0), ("layers", 4),
                      ("hidden", 256), ("heads", 8), ("vocabulary", 1024), ("seq", 128),
                      ("batch", 2), ("micro-batches", 4), ("steps", 1)):
    arguments.add_argument(f"--{name}", type=int, default=default)
for name in ("sequence-parallel", "bf16", "recompute"):
    arguments.add_argument(f"--{name}", action="store_true")
# What Megatron-core has from 0.6 on.
arguments.add_argument("--optimizer", choices=("none", "adam", "distributed"), default="none")
arguments.add_argument("--overlap", action="store_true",
                       help="sums of gradients beside the backward pass")
arguments.add_argument("--dispatcher", choices=("allgather", "alltoall"))
options = arguments.parse_args()

dtype = torch.bfloat16 if options.bf16 else torch.float32

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
parallel_state.initialize_model_parallel(
    options.tp, options.pp, chunks, expert_model_parallel_size=options.ep)
tensor_parallel.model_parallel_cuda_manual_seed(1)
dispatching = {"moe_token_dispatcher_type": options.dispatcher,
               "add_bias_linear": options.dispatcher != "alltoall"} if options.dispatcher else {}
recomputing = {"recompute_granularity": "full", "recompute_method": "uniform",
               "recompute_num_layers": 1} if options.recompute else {}
config = TransformerConfig(
    num_layers=options.layers, hidden_size=options.hidden, num_attention_heads=options.heads,
    tensor_model_parallel_size=options.tp, pipeline_model_parallel_size=options.pp,
    virtual_pipeline_model_parallel_size=chunks, sequence_parallel=options.sequence_parallel,
    num_moe_experts=options.experts or None, expert_model_parallel_size=options.ep,
    bf16=options.bf16, params_dtype=dtype, pipeline_dtype=dtype, masked_softmax_fusion=False,
    gradient_accumulation_fusion=False, bias_activation_fusion=False, bias_dropout_fusion=False,
    **dispatching, **recomputing)
config.finalize_model_grads_func = finalize_model_grads


def wrap(model):
    sharded = options.optimizer == "distributed"
    if "ddp_config" in inspect.signature(DistributedDataParallel.__init__).parameters:
        from megatron.core.distributed import DistributedDataParallelConfig
        return DistributedDataParallel(config, DistributedDataParallelConfig(
            grad_reduce_in_fp32=True, overlap_grad_reduce=options.overlap,
            use_distributed_optimizer=sharded), model)
    return DistributedDataParallel(
        config, model, parallel_state.get_data_parallel_group(with_context_parallel=True),
        accumulate_allreduce_grads_in_fp32=True, overlap_grad_reduce=options.overlap,
        use_distributed_optimizer=sharded)


def build():
    experts = (options.experts, False) if options.experts else ()
    model = GPTModel(config, get_gpt_layer_local_spec(*experts), options.vocabulary, options.seq,
                     pre_process=parallel_state.is_pipeline_first_stage(),
                     post_process=parallel_state.is_pipeline_last_stage())
    return wrap(model.cuda().to(dtype))


models = []
for chunk in range(options.vpp):
    if chunks:
        parallel_state.set_virtual_pipeline_model_parallel_rank(chunk)
    models.append(build())
if options.overlap:  # beside the backward pass of the last micro-batch
    config.no_sync_func = [model.no_sync for model in models] if chunks else models[0].no_sync
optimizer = None
if options.optimizer != "none":
    from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
    optimizer = get_megatron_optimizer(
        OptimizerConfig(optimizer="adam", lr=1e-4, bf16=options.bf16, params_dtype=dtype,
                        use_distributed_optimizer=options.optimizer == "distributed"), models)


def forward_step(_data, model):
    tokens = torch.randint(options.vocabulary, (options.batch, options.seq), device="cuda")
    places = torch.arange(options.seq, device="cuda").expand(options.batch, -1)
    mask = torch.ones(1, 1, options.seq, options.seq, dtype=torch.bool, device="cuda").triu(1)
    losses = model(tokens, places, mask, labels=tokens)
    return losses, lambda output: (output.float().mean(), {"loss": output.detach()})


for _ in range(options.steps):
    for model in models:
        flag = [True] if len(inspect.signature(model.zero_grad_buffer).parameters) else []
        model.zero_grad_buffer(*flag)
    get_forward_backward_func()(
        forward_step_func=forward_step, data_iterator=[None] * options.vpp if chunks else None,
        model=models if chunks else models[0], num_microbatches=options.micro_batches,
        seq_length=options.seq, micro_batch_size=options.batch, forward_only=False)
    if optimizer is not None:
        optimizer.step()
