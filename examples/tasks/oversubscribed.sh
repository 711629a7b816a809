#!/bin/sh
# What does the same training lose on a RoCE network with 4:1 oversubscribed leaves?
#
# First the rails of the machine, for comparison. Then oversubscribed/network.yml with the default
# order of ranks, which puts the replicas of a stage below one leaf, and with one that spreads them
# over all leaves. One sequence a replica (BATCH 8), so that it takes seconds. Links are shared and
# buffers fill as at the fluid fidelity; DCQCN's rates need packets: oversubscribed_packets.sh.
#
# Run it from the root of the repository with npunet on the PATH.
set -e
step="--model llama3-70b --batch ${BATCH:-8} --dp 8 --tp 8 --pp 4 --sequence-parallel
      --distributed-optimizer --overlap-grad-reduce --overlap-param-gather
      --system examples/tasks/rails/system.json --fidelity fluid"

npunet simulate $step --machine dgx-h100:32
npunet simulate $step --network examples/tasks/oversubscribed/network.yml
npunet simulate $step --network examples/tasks/oversubscribed/network.yml --rank-order tp-cp-ep-pp-dp
