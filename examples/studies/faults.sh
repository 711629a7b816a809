#!/bin/sh
# What one slow NPU and one slow link cost a step of tensor parallelism 4 (inside a leaf) and data
# parallelism 4 (between leaves) on a leaf-spine network of 16 NPUs.
#
# by hand: where all wait for a straggler that takes 1.3 times as long to compute, the healthy step
# and 0.3 of the compute time. Of a link at a quarter of its rate a bound: its bytes, headers
# included, over 12.5 GB/s. Of a dead link likewise: the bytes of the one that takes over, over 50.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/studies.
. examples/studies/common.sh
inputs=$studies/faults
out=out/studies/faults
mkdir -p "$out"

quietly npunet generate transformer --model "./$inputs/model.yml" --dp 4 --tp 4 --batch 8 \
    --overlap-grad-reduce --output-dir "$out/traces"

# run FIDELITY: on $out/network.yml.
run() {
    npunet simulate --fidelity "$1" --workload "$out/traces/workload" \
        --comm-group "$out/traces/comm_group.json" --network "$out/network.yml" \
        --system "$inputs/system.json" --output-dir "$out/$1" --quiet 2>"$out/$1.log"
}

# estimate: of the step in ms, or that there is none.
estimate() {
    if run analytical; then
        number finish_ns "$out/analytical/results.json" | awk '{ printf "%.2f\n", $1 / 1e6 }'
    else
        grep -q 'simulation stalled' "$out/analytical.log"
        echo stalls
    fi
}

# exposed: communication of NPU 5 (the faulty one or the one at the faulty link), of 4 (in its
# leaf), 1 (which shares its gradients) and 0 (neither), in ms.
exposed() {
    awk -F , '
        NR > 1 { exposed[$1] = $6 / 1e6; compute[$1] = $4 / 1e6 }
        END { print compute[5], exposed[5], exposed[4], exposed[1], exposed[0] }' \
        "$out/packet/npus.csv"
}

# link FROM TO GBPS: how long its bytes take at that rate, in ms.
link() {
    awk -F , -v from="$1" -v to="$2" -v rate="$3" '
        $1 == from && $2 == to { print $4 / rate / 1e6 }' "$out/packet/links.csv"
}

# row NETWORK NAME FAULT: prints the table's figures; NAME is one word.
row() {
    network "$inputs/$1.yml" "faults: [$3]" >"$out/network.yml"
    estimate=$(estimate)
    run packet
    case $2 in
        NIC*) by_hand=$(link npu5 leaf1 12.5) ;;
        up-link,1/4) by_hand=$(link leaf1 spine1 12.5) ;;
        up-link,down) by_hand=$(link leaf1 spine0 50) ;;
        *) by_hand=- ;;
    esac
    echo "$2 $by_hand $estimate $(number finish_ns "$out/packet/results.json") $(exposed)"
}

{
    row leaf_spine healthy ''
    row leaf_spine straggler '{npu: 5, slowdown: 1.3}'
    row leaf_spine NIC,1/4 '{link: [npu5, leaf1], bandwidth_factor: 0.25}'
    row leaf_spine up-link,1/4 '{link: [leaf1, spine1], bandwidth_factor: 0.25}'
    row leaf_spine up-link,down '{link: [leaf1, spine1], bandwidth_factor: 0}'
    row credits healthy,credits ''
    row credits straggler,credits '{npu: 5, slowdown: 1.3}'
} >"$out/table"

cat <<'END'
                        step (ms)          compute of   exposed communication (ms)
fault            by hand analytical packet NPU 5 (ms)  NPU 5   NPU 4   NPU 1   NPU 0
END
awk '
    { name = $1; sub(",", " ", name) }
    $1 ~ /^healthy/ { healthy = $4 / 1e6; compute = $5 }
    $1 ~ /^straggler/ { $2 = healthy + 0.3 * compute }
    {
        by_hand = $2 == "-" ? "-" : sprintf("%.2f", $2)
        printf "%-17s %6s %10s %6.2f %10.2f %7.2f %7.2f %7.2f %7.2f\n", name, by_hand, $3, $4 / 1e6,
            $5, $6, $7, $8, $9
    }' "$out/table"

echo
awk '
    { step[$1] = $4; estimate[$1] = $3 }
    END {
        printf "The straggler costs %.2f ms, which all others spend waiting in collectives;",
            (step["straggler"] - step["healthy"]) / 1e6
        printf " with credits\n%.2f ms, since the messages that it is late with take turns.\n",
            (step["straggler,credits"] - step["healthy,credits"]) / 1e6
        printf "The slow up-link makes the step %.1f times as long, the dead one, which packets go",
            step["up-link,1/4"] / step["healthy"]
        printf " round, %.1f.\n", step["up-link,down"] / step["healthy"]
    }' "$out/table"
