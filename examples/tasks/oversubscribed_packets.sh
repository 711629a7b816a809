#!/bin/sh
# What do RoCE's pauses, marks and DCQCN add on the oversubscribed network, packet by packet?
#
# A cut that takes seconds: one rail of 32 GPUs, each of a server of its own, and four layers of Llama
# 2 7B, one a stage. The gradients of a GPU and the flows on its links are like those of 70B.
#
# Run it from the root of the repository with npunet on the PATH.
set -e
step="--model llama2-4layer --seq 512 --batch 8 --dp 8 --pp 4 --distributed-optimizer
      --network examples/tasks/oversubscribed/rail.yml --system examples/tasks/rails/system.json"

npunet simulate $step --fidelity packet
npunet simulate $step --fidelity fluid --rank-order tp-cp-ep-pp-dp
npunet simulate $step --fidelity packet --rank-order tp-cp-ep-pp-dp
