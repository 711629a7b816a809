#!/bin/sh
# The traffic of tensor, data and expert parallelism on a mesh, a torus and a switch of 64 NPUs.
#
# First each kind of traffic alone, by the fastest of three algorithms (at packet level):
#     tensor: an all-reduce of 8 MiB in every row at once
#     data: an all-reduce of 16 MiB in every column at once
#     expert: an all-to-all of 4 MiB among all NPUs, 64 KiB to each
# bound: the bytes that have to cross links, headers included (65/64 of the payload), over what the
# links carry. An all-reduce of S among n = 8 NPUs is 2 (n - 1) S in all, over the 14 links of a row
# of the mesh, 16 of the torus, 8 ports of the switch. Of an all-to-all a quarter of all n S bytes
# crosses the middle from left to right: over 8 links of the mesh, 16 of the torus, 32 ports; and
# every port sends 63/64 S.
#
# Then one step of training with all three: tensor 8, data 8, experts over all 64 NPUs. mesh_pfc is
# the mesh with queue pairs in place of credits.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/studies.
. examples/studies/common.sh
inputs=$studies/topologies
out=out/studies/topologies
mkdir -p "$out"

collective() {
    quietly npunet generate collective --type "$2" --size "$3" --npus "$4" --output-dir "$out/$1"
    cp "$inputs/$1.yml" "$out"
}
collective tensor all_reduce 8MiB 8
collective data all_reduce 16MiB 8
collective expert all_to_all 4MiB 64

# duration FIDELITY TRAFFIC NETWORK: until the last group is done, in ns.
duration() {
    npunet simulate --fidelity "$1" --jobs-file "$out/$2.yml" --network "$inputs/$3.yml" \
        --system "$out/system.json" --json --quiet >"$out/duration.json"
    number finish_ns "$out/duration.json"
}

for traffic in tensor data expert; do
    for network in mesh torus switch; do
        for algorithm in ring bidirectionalRing direct; do
            cat >"$out/system.json" <<END
{
    "preferred-dataset-splits": 4,
    "active-chunks-per-dimension": 1,
    "all-reduce-implementation": ["$algorithm"],
    "all-to-all-implementation": ["$algorithm"]
}
END
            echo "$traffic $network $algorithm" "$(duration analytical $traffic $network)" \
                "$(duration packet $traffic $network)"
        done
    done
done >"$out/traffic"

cat <<'END'
traffic  network  algorithm          bound  analytical   packet  packet/  packet/
                                      (us)        (us)     (us)    bound  analytical
END
awk '
    # us for so many MiB with headers over links of so many GB/s.
    function time(mebibytes, rate) { return mebibytes * 1048576 * 65 / 64 / rate / 1e3 }
    function most(a, b) { return a > b ? a : b }
    BEGIN {
        links["mesh"] = 14 * 50; links["torus"] = 16 * 50; links["switch"] = 8 * 200
        middle["mesh"] = 8 * 50; middle["torus"] = 16 * 50; middle["switch"] = 32 * 200
        port["mesh"] = port["torus"] = port["switch"] = 200
        size["tensor"] = 8; size["data"] = 16; size["expert"] = 4
    }
    function bound(traffic, network) {
        if (traffic != "expert") return time(14 * size[traffic], links[network])
        return most(time(16 * size[traffic], middle[network]),
                    time(63 / 64 * size[traffic], port[network]))
    }
    {
        key = $1 " " $2
        if (!(key in best)) keys[++count] = key
        if (!(key in best) || $5 < packet[key]) {
            best[key] = $3; estimate[key] = $4; packet[key] = $5
        }
    }
    END {
        for (i = 1; i <= count; ++i) {
            key = keys[i]
            split(key, name, " ")
            least = bound(name[1], name[2])
            printf "%-8s %-8s %-17s %6.1f %11.1f %8.1f %8.2f %11.2f\n", name[1], name[2], best[key],
                least, estimate[key] / 1e3, packet[key] / 1e3, packet[key] / 1e3 / least,
                packet[key] / estimate[key]
        }
    }' "$out/traffic" >"$out/table"
cat "$out/table"

quietly npunet generate transformer --model "./$inputs/moe.yml" --dp 8 --tp 8 --etp 1 --ep 64 \
    --batch 8 --overlap-grad-reduce --output-dir "$out/step"

# step FIDELITY NETWORK SYSTEM: figures of a step.
step() {
    npunet simulate --fidelity "$1" --workload "$out/step/workload" \
        --comm-group "$out/step/comm_group.json" --network "$inputs/$2.yml" \
        --system "$inputs/system_$3.json" --output-dir "$out/results" --force --quiet
}

# figures: of npus.csv finish, compute and exposed communication of the NPU that is done last; of
# collectives.csv how long those of rank 0 take in all, from the start of their last rank on, by
# kind. In ms.
figures() {
    awk -F , '
        FNR == 1 { ++file; next }
        file == 1 && $3 > finish { finish = $3; compute = $4; exposed = $6 }
        file == 2 && $4 ~ /^0 / {
            members = split($4, rank, " ")
            kind = members == 64 ? "expert" : rank[2] == 1 ? "tensor" : "data"
            sum[kind] += $9 - $8
        }
        END {
            printf "%10.2f %9.2f %9.2f %8.2f %7.2f %7.2f", finish / 1e6, compute / 1e6,
                exposed / 1e6, sum["tensor"] / 1e6, sum["data"] / 1e6, sum["expert"] / 1e6
        }' "$out/results/npus.csv" "$out/results/collectives.csv"
}

cat <<'END'

one step                step  compute  exposed  tensor    data  expert
network  fidelity       (ms)     (ms)     (ms)    (ms)    (ms)    (ms)
END
# row FIDELITY NETWORK SYSTEM
row() {
    step "$1" "$2" "$3"
    printf '%-8s %-10s %s\n' "$2" "$1" "$(figures)"
}
{
    row analytical mesh grid
    row packet mesh grid
    row packet mesh_pfc grid
    row analytical torus grid
    row packet torus grid
    row analytical switch switch
    row packet switch switch
} >"$out/steps"
cat "$out/steps"

echo
awk '
    { if ($1 == "expert") { if ($8 > late) late = $8 } else if ($8 > line) line = $8 }
    $1 == "expert" && $2 == "mesh" { share = $5 / $4 }
    END {
        printf "In rows and columns packets are at most %.0f %% later than the estimate; an",
            100 * (line - 1)
        printf " all-to-all over the\nwhole grid takes up to %.1f times as long: on the mesh", late
        printf " the estimate is %.2f of what the\nmiddle needs for it.\n", share
    }' "$out/table"
awk '
    $2 == "packet" { step[$1] = $3 }
    END {
        printf "A step with all three takes %.1f times as long on the mesh as at the switch",
            step["mesh"] / step["switch"]
        printf " (%.1f with queue pairs),\non the torus %.1f.\n", step["mesh_pfc"] / step["switch"],
            step["torus"] / step["switch"]
    }' "$out/steps"
