#!/bin/sh
# One all-reduce of 16 MiB by a ring of 64 ranks on an 8 x 8 mesh, with six orders of the ranks.
#
# messages a link: of one step of the ring over the busiest link, by the routes of `topology`.
# bound: the ring has 2 (n - 1) = 126 steps, in each of which every rank sends the next one 256 KiB,
# in 64 packets of 4160 bytes on the wire: 5.3248 us at 50 GB/s. In all steps together the busiest
# link carries so many times as much: no run ends before 126 x messages x 5.3248 us + 0.5 us.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/studies.
. examples/studies/common.sh
inputs=$studies/rank_order
out=out/studies/rank_order
mkdir -p "$out"

quietly npunet generate collective --type all_reduce --size 16MiB --npus 64 \
    --output-dir "$out/traces"

# routes FILE: the route of every rank to the next one, by an order of the ranks.
routes() {
    sed '/^#/d' "$1" | tr -s ' ' '\n' | awk '
        NF { npu[n++] = $1 }
        END { for (i = 0; i < n; ++i) print npu[i], npu[(i + 1) % n] }' |
        while read -r from to; do
            npunet topology "$inputs/mesh.yml" --route "$from" "$to"
        done
}

# hops: of routes like "1 -> 2 -> 3" the mean and the largest number of links, and the load.
hops() {
    awk -F ' -> ' '
        {
            sum += NF - 1
            if (NF - 1 > most) most = NF - 1
            for (i = 1; i < NF; ++i) {
                link = $i "-" $(i + 1)
                if (++messages[link] > load) load = messages[link]
            }
        }
        END { printf "%.2f %d %d\n", sum / NR, most, load }'
}

# compare SYSTEM ORDER: to $out/compare.
compare() {
    cp "$inputs/$2.txt" "$out/order.txt"
    network "$inputs/mesh.yml" 'placement: order.txt' >"$out/network.yml"
    npunet compare --fidelities analytical,congestion-aware,packet --network "$out/network.yml" \
        --system "$inputs/$1.json" --workload "$out/traces/workload" \
        --output-dir "$out/compare" --force --quiet
}

finish() {
    number finish_ns "$out/compare/$1/results.json"
}

cat <<'END'
          hops (links)  messages  bound analytical congestion-  packet packet/ contention     flow
order      mean   most    a link   (us)       (us)  aware (us)    (us)   bound       (us)  control
                                                                                              (us)
END
for order in cycle snake rows blocks halves shuffled; do
    compare one_ring "$order"
    echo "$order $(routes "$inputs/$order.txt" | hops) $(finish analytical)" \
        "$(finish congestion-aware) $(finish packet)" \
        "$(part contention "$out/compare/compare.json")" \
        "$(part flow_control "$out/compare/compare.json")"
    cp "$out/compare/compare.txt" "$out/$order.txt"
done >"$out/table"
awk '{
    bound = 126 * $4 * 5.3248 + 0.5
    printf "%-8s %6.2f %6d %9d %6.1f %10.1f %11.1f %7.1f %7.3f %10.1f %8.1f\n", $1, $2, $3, $4,
        bound, $5 / 1e3, $6 / 1e3, $7 / 1e3, $7 / 1e3 / bound, $8 / 1e3, $9 / 1e3
}' "$out/table"

compare by_dimension shuffled
echo
echo 'cycle in closed form, 126 x (5.3248 us + 0.5 us): 733.9 us'
echo "any order, but by dimension (rows, then columns):" \
    "$(finish packet | awk '{ printf "%.1f", $1 / 1e3 }') us"

echo
echo 'shuffled: where messages of the ring met'
awk '/^contention on/ { lines = 5 } lines-- > 0' "$out/shuffled.txt"

echo
awk '
    { load[$1] = $4; packet[$1] = $7 }
    END {
        printf "Orders whose messages share no link cost latency alone: rows %.0f %% more than",
            100 * (packet["rows"] / packet["cycle"] - 1)
        printf " cycle."
        printf "\nWhere %d share one the all-reduce takes %.1f times as long, and the estimate",
            load["shuffled"], packet["shuffled"] / packet["cycle"]
        print " sees none of it."
    }' "$out/table"
