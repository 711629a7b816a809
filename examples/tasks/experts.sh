#!/bin/sh
# A DeepSeek-like mixture of experts on 64 H100: how far may experts be spread, does it fit, and what
# do popular experts cost?
#
# Experts of 8 ranks stay within a server, those of 64 are spread over all. Then 8 with tokens that
# prefer some experts: Zipf's law with exponent 0.5, beside exponent 0, which draws them without
# preference.
#
# Run it from the root of the repository with npunet on the PATH.
set -e
step="--model examples/tasks/experts/model.yml --batch 512 --micro-batch 2 --dp 64
      --distributed-optimizer --overlap-grad-reduce --machine dgx-h100:8"

npunet simulate $step --ep 8
npunet simulate $step --ep 64
npunet simulate $step --ep 8 --moe-routing zipf:0
npunet simulate $step --ep 8 --moe-routing zipf:0.5
