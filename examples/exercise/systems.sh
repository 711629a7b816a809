#!/bin/sh
# Step 2 of the exercise, its five machines: each runs a step of a model like Llama 70B with fewer
# layers (on the two large ones a smaller model), by STAGE's and ASTRA-sim's options. Prints when
# NPU 0 has finished, its exposed communication and its peak of memory.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/exercise.
set -e
exercise=examples/exercise

# run MACHINE OPTIONS...: traces, a run, the metrics.
run() {
    machine=$1
    out=out/exercise/$machine
    shift
    npunet generate transformer --output_dir "$out" --output_name workload.%d.et \
        --comm_group_file workload.json --weight_sharded 0 --seq 1024 "$@" >/dev/null
    npunet simulate --workload-configuration="$out/workload" \
        --comm-group-configuration="$out/workload.json" \
        --system-configuration="configs/systems/$machine.json" \
        --network-configuration="configs/networks/$machine.yml" \
        --remote-memory-configuration="$exercise/no_remote_memory.json" >"$out/log" 2>&1
    echo "$machine"
    awk -f "$exercise/metrics.awk" "$out/log" | grep -E '^(finished|exposed|peak)' | sed 's/^/    /'
}

llama() {
    run "$@" --din 32000 --dout 32000 --dmodel 8192 --dff 28672 --head 64 --batch 512
}

small() {
    run "$@" --din 1024 --dout 1024 --dmodel 1024 --dff 4096 --head 16 --batch 256 --num_stacks 2 \
        --activation_recompute 0
}

llama dgx_16 --dp 4 --tp 4 --pp 1 --sp 1 --num_stacks 16 --activation_recompute 1
llama system_1 --dp 8 --tp 4 --pp 1 --sp 2 --num_stacks 4 --activation_recompute 0
llama system_2 --dp 8 --tp 4 --pp 1 --sp 2 --num_stacks 4 --activation_recompute 0
small tpu_512 --dp 32 --tp 4 --pp 4 --sp 1
small dgx_2k --dp 64 --tp 8 --pp 4 --sp 1
