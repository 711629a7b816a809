#!/bin/sh
# A sweep whose best plan is another one at every fidelity: a small model with experts on 16 NPUs at
# a leaf-spine network. The packet level runs it twice: links with credits, and RoCE.
#
# Then why: of the three winners the difference to the estimate along the critical path, by
# `compare`, with the congestion-aware run and with packets and credits.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/studies.
. examples/studies/common.sh
inputs=$studies/plan_order
out=out/studies/plan_order
mkdir -p "$out"

npunet sweep "$inputs/sweep.yml" --output-dir "$out/sweep" --restart --quiet

# The table: plans by their estimate. The columns of results.csv are looked up by name.
awk -F , '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    {
        plan = $column["dp"] " " $column["tp"] " " $column["pp"] " " $column["ep"]
        fidelity = $column["fidelity"]
        if (fidelity == "packet") fidelity = $column["network"]
        if (!(plan in known)) { known[plan] = 1; plans[++count] = plan }
        finish[plan, fidelity] = $column["max_finish_ns"] / 1e6
    }
    END {
        for (i = 1; i <= count; ++i) {
            print plans[i], finish[plans[i], "analytical"], finish[plans[i], "congestion-aware"],
                finish[plans[i], "credits.yml"], finish[plans[i], "roce.yml"]
        }
    }' "$out/sweep/results.csv" | sort -n -k 5 >"$out/table"

cat <<'END'
plan         analytical  congestion-  packet (ms)
dp tp pp ep        (ms)  aware (ms)   credits   RoCE     * the fastest of its column
END
awk '
    {
        for (i = 5; i <= 8; ++i) {
            if (NR == 1 || $i < least[i]) least[i] = $i
            ms[NR, i] = $i
        }
    }
    { plan[NR] = sprintf("%2d %2d %2d %2d", $1, $2, $3, $4) }
    function cell(row, i) {
        return sprintf("%.2f%s", ms[row, i], ms[row, i] == least[i] ? "*" : " ")
    }
    END {
        for (row = 1; row <= NR; ++row) {
            line = sprintf("%s %12s %12s %9s %7s", plan[row], cell(row, 5), cell(row, 6),
                cell(row, 7), cell(row, 8))
            sub(/ +$/, "", line)
            print line
        }
    }' "$out/table"

# path FIDELITY DP TP PP EP: why that fidelity differs from the estimate, with credits.
path() {
    npunet compare --fidelities "analytical,$1" --model "./$inputs/model.yml" --batch 8 --dp "$2" \
        --tp "$3" --pp "$4" --ep "$5" --sequence-parallel --overlap-grad-reduce \
        --network "$inputs/credits.yml" --system "$inputs/system.json" \
        --output-dir "$out/compare" --force --quiet
    awk -v plan="$2 $3 $4 $5" -v fidelity="$1" '
        function part(name) {
            return substr($0, index($0, "\"" name "\": ") + length(name) + 4) + 0
        }
        function ms(ns) { ns = sprintf("%.2f", ns / 1e6); return ns == "-0.00" ? "0.00" : ns }
        /^ *"path_gap_ns"/ {
            sum = part("header") + part("latency") + part("contention") + part("flow_control")
            sum += part("slack")
            split(plan, degree, " ")
            printf "%2d %2d %2d %2d  %-16s %10s %7s %7s %10s %12s %6s\n", degree[1], degree[2],
                degree[3], degree[4], fidelity, ms(sum), ms(part("header")), ms(part("latency")),
                ms(part("contention")), ms(part("flow_control")), ms(part("slack"))
            exit
        }' "$out/compare/compare.json"
}

cat <<'END'

why, with credits              difference   header  latency  contention  flow control  slack
dp tp pp ep  fidelity                (ms)     (ms)     (ms)        (ms)          (ms)   (ms)
END
for fidelity in congestion-aware packet; do
    path $fidelity 4 4 1 4
    path $fidelity 1 4 4 1
    path $fidelity 2 2 4 2
done

echo
awk '
    NR == 1 { estimated = $0; aware = $0; credits = $7; roce = $8; least = $6 }
    $6 < least { aware = $0; least = $6 }
    $7 < credits { credits = $7 }
    $8 < roce { roce = $8 }
    END {
        split(estimated, e); split(aware, c)
        print "Longer than the best plan, with credits and with RoCE:"
        printf "the plan of the estimate %.0f %% and %.0f %%, that of the congestion-aware run",
            100 * (e[7] / credits - 1), 100 * (e[8] / roce - 1)
        printf " %.0f %% and %.0f %%.\n",
            100 * (c[7] / credits - 1), 100 * (c[8] / roce - 1)
    }' "$out/table"
