#!/bin/sh
# Step 2 of the exercise, its sanity check: traces by STAGE's options, a run by ASTRA-sim's, the
# metrics of NPU 0 from the log. They are the published ones.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/exercise.
set -e
exercise=examples/exercise
out=out/exercise/sanity

npunet generate transformer --output_dir "$out" --output_name workload.%d.et \
    --comm_group_file workload.json --dp 2 --tp 2 --pp 2 --sp 2 --weight_sharded 0 \
    --activation_recompute 1 --din 32000 --dout 32000 --dmodel 8192 --dff 28672 --head 64 \
    --seq 1024 --batch 512 --num_stacks 8 >/dev/null

npunet simulate --workload-configuration="$out/workload" \
    --comm-group-configuration="$out/workload.json" \
    --system-configuration="$exercise/sanity_system.json" \
    --network-configuration="$exercise/sanity_network.yml" \
    --remote-memory-configuration="$exercise/no_remote_memory.json" >"$out/log" 2>&1

awk -f "$exercise/metrics.awk" "$out/log"
