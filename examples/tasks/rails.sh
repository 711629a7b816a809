#!/bin/sh
# How long does a step of Llama 3 70B take on 256 H100 with rails, where does the time go, and do the
# fidelities agree?
#
# First the whole step with NCCL's collectives, as an estimate. Then a step of BATCH sequences (32, a
# quarter) at three fidelities, with ring algorithms (rails/system.json): NCCL's channels at the level
# of packets take much longer.
#
# Run it from the root of the repository with npunet on the PATH.
set -e
plan="--dp 8 --tp 8 --pp 4 --vpp 5 --schedule interleaved --sequence-parallel --distributed-optimizer
      --overlap-grad-reduce --overlap-param-gather"

npunet simulate --model llama3-70b --batch 128 $plan --machine dgx-h100:32

for fidelity in analytical fluid packet; do
    npunet simulate --model llama3-70b --batch "${BATCH:-32}" $plan --machine dgx-h100:32 \
        --system examples/tasks/rails/system.json --fidelity $fidelity
done
