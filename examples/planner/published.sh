#!/bin/sh
# The table that was published for the improved search of Metis: steps of both strategies, and the
# least cost for both orders of the device types, of which the original takes one by chance.
#
#     sh examples/planner/published.sh SAMPLES
#
# SAMPLES is a folder with Metis's nine sample profiles (DeviceType.A100_tp1_bs1.json to
# DeviceType.A100_tp4_bs4.json), which come with Metis. Run it from the root of the repository with
# npunet on the PATH; it writes to out/planner.
set -e
samples=${1:?the folder with the sample profiles is missing}
out=out/planner

# value NAME: the first number of that name in a JSON document.
value() {
    awk -F '[:,]' -v name="\"$1\"" '$1 ~ name { print $2 + 0; exit }' OFMT=%.4f
}

# row LAYERS DEVICES: a cluster with so many devices of each type.
row() {
    npunet plan profiles --from "$samples" --total-layers "$1" --max-micro-batch 128 --scale V100=3.5 \
        --output-dir "$out/$1-layers" >/dev/null
    npunet plan hostfile "$2" --output "$out/hostfile" --clusterfile "$out/clusterfile.json" \
        >/dev/null
    for strategy in metis headroom; do
        for order in A100,V100 V100,A100; do
            npunet plan --dialect metis --strategy "$strategy" --device-order "$order" \
                --first-profile DeviceType.A100_tp128_bs128.json --hostfile "$out/hostfile" \
                --clusterfile "$out/clusterfile.json" --profiles "$out/$1-layers" \
                --total-layers "$1" --batch 128 --max-permute-len 128 --top 1 --json --quiet \
                >"$out/plan.json"
            printf '%6d  %3d+%-3d  %-8s  %-9s  %7d  %10.4f\n' "$1" "$2" "$2" "$strategy" "$order" \
                "$(value steps <"$out/plan.json")" "$(value cost_ms <"$out/plan.json")"
        done
    done
}

echo 'layers  devices  strategy  order        steps   cost (ms)'
row 10 16
row 20 32
row 20 64
row 40 128
