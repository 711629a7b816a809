#!/bin/sh
# Two training jobs on one leaf-spine network, each with two of the four NPUs of every leaf: a dense
# model (tensor 2, data 8) and one with 16 experts (tensor 2, data 8, experts over all 16 NPUs). A
# leaf has as many ports up as down, so that with a perfect choice of routes no flow disturbs
# another.
#
# up-links: the bytes on the wire over the 32 links from leaves to spines, the mean and the busiest.
# bound: what the busiest needs at 50 GB/s; the slower of the two jobs cannot end before.
#
# Run it from the root of the repository with npunet on the PATH; it writes to out/studies.
. examples/studies/common.sh
inputs=$studies/two_jobs
out=out/studies/two_jobs
mkdir -p "$out"

# job NAME OPTIONS...: the traces of a step.
job() {
    name=$1
    shift
    quietly npunet generate transformer --model "./$inputs/model_$name.yml" --dp 8 --tp 2 \
        --sequence-parallel --overlap-grad-reduce --batch 8 "$@" --output-dir "$out/$name"
}
job dense --zero 1
job moe --ep 16 --etp 1
cp "$inputs"/jobs_*.yml "$out"

# run FIDELITY JOBS: on $out/network.yml.
run() {
    npunet simulate --fidelity "$1" --jobs-file "$out/jobs_$2.yml" --network "$out/network.yml" \
        --system "$inputs/system.json" --output-dir "$out/$2" --force --quiet
}

# duration JOBS NAME: of one of the jobs that ran together, in ns.
duration() {
    awk -v name="\"$2\"" '
        /"duration_ns"/ && index($0, name) { sub(/.*"duration_ns": /, ""); print $0 + 0 }' \
        OFMT=%.3f "$out/$1/results.json"
}

uplinks() {
    awk -F , '
        $1 ~ /^leaf/ && $2 ~ /^spine/ { sum += $4; ++count; if ($4 > most) most = $4 }
        END { print sum / count, most }' OFMT=%.0f "$out/both/links.csv"
}

# row NAME FIDELITY LINE...: of the table, with these lines in the section packet.
row() {
    name=$1
    fidelity=$2
    shift 2
    network "$inputs/leaf_spine.yml" "$@" >"$out/network.yml"
    for jobs in dense moe both; do
        run "$fidelity" $jobs
    done
    echo "$name $(duration dense dense) $(duration both dense) $(duration moe moe)" \
        "$(duration both moe) $(uplinks)"
}

{
    row analytical analytical
    row up-down packet '    routing: up-down'
    row ecmp,1 packet '    routing: ecmp' '    seed: 1'
    row ecmp,2 packet '    routing: ecmp' '    seed: 2'
    row spray packet '    routing: spray'
} >"$out/table"

cat <<'END'
                dense  dense with           moe    moe with          up-links         bound
routing    alone (ms)    moe (ms)    alone (ms)  dense (ms)  mean (MB)  busiest (MB)   (ms)
END
awk '{
    sub(",", " ", $1)
    printf "%-10s %10.2f %11.2f %13.2f %11.2f %10.1f %13.1f %6.2f\n", $1, $2 / 1e6, $3 / 1e6,
        $4 / 1e6, $5 / 1e6, $6 / 1e6, $7 / 1e6, $7 / 50e6
}' "$out/table"

echo
awk '
    { alone[$1] = $2; together[$1] = $3; busiest[$1] = $7; mean[$1] = $6 }
    END {
        printf "The hash puts up to %.1f times the mean on one up-link: beside the other job the",
            busiest["ecmp,2"] / mean["ecmp,2"]
        printf " dense one\ntakes %.0f %% longer than with spraying, %.0f %% longer than alone;",
            100 * (together["ecmp,2"] / together["spray"] - 1),
            100 * (together["ecmp,2"] / alone["ecmp,2"] - 1)
        printf " with spraying %.0f %%.\n", 100 * (together["spray"] / alone["spray"] - 1)
    }' "$out/table"
