"""Which plan trains Llama 3 8B fastest on four DGX H100, and what does the network cost?

A script in cells, as editors and Jupyter run them one by one; as a whole, from the root of the
repository:

    PYTHONPATH=python python3 examples/python/plans.py

It needs npunet (docs/python.md says where it is looked for) and writes to out/python. Figures of
its own are drawn where matplotlib is installed (scripts/setup python); those of the program always.
"""

# %% One step: the arguments are the options of `npunet simulate`
from pathlib import Path

import npunet

out = Path("out/python")
out.mkdir(parents=True, exist_ok=True)
workload = {"model": "llama3-8b", "seq": 4096, "batch": 32}
plan = {"dp": 4, "tp": 8, "sequence_parallel": True, "micro_batch": 1, "zero": 1}

run = npunet.simulate(**workload, **plan, machine="dgx-h100:4")
print(run)  # what the command prints

# %% The same as numbers: the keys of results.json, with their units in the names
print(f"{run.finish_ns / 1e6:.1f} ms, {run.tokens_per_s:.0f} tokens/s, MFU {run.mfu_percent:.1f} %")
print(run.summary.bottleneck.sentence)
for dimension, time in run.summary.by_dimension.items():
    print(f"{dimension.upper()}: {time.exposed_comm_ns / 1e6:.1f} ms exposed")

# %% All plans: a dictionary in place of sweep.yml
plans = npunet.sweep(
    {
        "workload": workload,
        "plan": {"dp": [1, 2, 4, 8, 16, 32], "tp": [1, 2, 4, 8], "pp": [1, 2, 4],
                 "sequence_parallel": True, "zero": 1, "micro_batch": 1},
        "where": "dp * tp * pp == npus and batch % dp == 0",
        "machines": "dgx-h100:4",
    },
    output_dir=out / "sweep", force=True,
)
rows = [row for row in plans.table() if row["status"] == "ok"]
best = plans.best_within_limits[0]
print(f"{len(rows)} plans; the best that fits: {dict(best.parameters)}, "
      f"{best.max_finish_ns / 1e6:.1f} ms, MFU {best.mfu_percent:.1f} %")

# %% The estimate beside the fluid fidelity, in which messages share links
both = npunet.compare(
    model="llama2-4layer", seq=256, batch=4, dp=2, tp=4, pp=2, fidelities=["analytical", "fluid"],
    network={"topology": ["Mesh2D"], "npus_count": [[4, 4]], "bandwidth": [50], "latency": [500]},
    system={"roofline-enabled": 1, "peak-perf": 312, "local-mem-bw": 2039},
)
print(f"fluid takes {both.ratio:.3f} times as long as the estimate:")
for part, time_ns in both.gap_ns.items():
    print(f"  {part}: {time_ns / 1e3:.1f} us")
links = both.by_fidelity["fluid"].table("links")
busiest = max(links, key=lambda link: link["busy_ns"])
print(f"busiest link: {busiest['from']} -> {busiest['to']}, {busiest['utilization_percent']:.1f} %")

# %% Figures
try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    plt = None
    print("no figures: matplotlib is not installed (scripts/setup python)")

if plt:
    # Where the time goes, of the rank that finishes last, fastest plan on top.
    names = {"compute": "compute", "tp": "exposed TP", "dp": "exposed DP", "pp": "exposed PP",
             "idle": "idle"}
    points = sorted((point for point in plans.points if point.status == "ok"),
                    key=lambda point: -point.max_finish_ns)
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    left = [0.0] * len(points)
    for part, label in names.items():
        times = [{"compute": point.slowest_rank.compute_ns, "idle": point.slowest_rank.idle_ns,
                  **point.slowest_rank.exposed_by_dimension_ns}.get(part, 0) / 1e6
                 for point in points]
        axes.barh(range(len(points)), times, left=left, label=label)
        left = [a + b for a, b in zip(left, times)]
    axes.set_yticks(range(len(points)), [" ".join(f"{name}{value}" for name, value in
                                                  point.parameters.items()) for point in points])
    axes.set_xlabel("time of a step (ms)")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(out / "time.png", dpi=150)

    # Time against memory; names at the plans that no other one beats in both.
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    memory = [row["max_peak_memory_bytes"] / 1e9 for row in rows]
    axes.plot(memory, [row["max_finish_ns"] / 1e6 for row in rows], "o")
    for point in plans.pareto:
        label = "dp{dp} tp{tp} pp{pp}".format(**point.parameters)
        axes.annotate(label, (point.max_peak_memory_bytes / 1e9, point.max_finish_ns / 1e6),
                      fontsize=8, textcoords="offset points", xytext=(5, -9))
    axes.axvline(80, color="gray", linestyle="--", label="capacity")
    axes.set(xlabel="peak memory of an NPU (GB)", ylabel="time of a step (ms)")
    axes.legend()
    figure.savefig(out / "plans.png", dpi=150)

print("\n".join(["Wrote", *sorted(str(path) for path in [*out.glob("*.png"), *out.glob("*/*.svg")])]))
