#!/bin/sh
# Which plan trains Llama 2 13B fastest on 64 H100 of 80 GB, and why do the others lose?
#
# All degrees of data, tensor and pipeline parallelism, ZeRO 0 and 1 (3 without a pipeline), with and
# without recomputation: 72 plans.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/tasks.
set -e
npunet sweep examples/tasks/plans/sweep.yml --output-dir out/tasks/plans
