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
    parts = {"compute_ns": "compute", "exposed_tp_ns": "exposed TP", "exposed_dp_ns": "exposed DP",
             "idle_ns": "idle"}
    npus = run.table("npus")
    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    below = [0.0] * len(npus)
    for column, label in parts.items():
        heights = [value / 1e6 for value in npus.column(column)]
        axes.bar(npus.column("rank"), heights, bottom=below, width=1, label=label)
        below = [a + b for a, b in zip(below, heights)]
    axes.set(xlabel="rank", ylabel="time (ms)", ylim=(0, None))
    figure.legend(loc="outside right upper")
    figure.savefig(out / "time.png", dpi=150)

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for row in rows:
        x, y = row["max_peak_memory_bytes"] / 2**30, row["max_finish_ns"] / 1e9
        axes.plot(x, y, "o", color="tab:blue")
        axes.annotate(f"dp{row['dp']} tp{row['tp']} pp{row['pp']}", (x, y), fontsize=8,
                      textcoords="offset points", xytext=(4, 4))
    axes.axvline(80e9 / 2**30, color="gray", linestyle="--", label="80 GB")
    axes.set(xlabel="peak memory of an NPU (GiB)", ylabel="step time (s)", ylim=(0, None))
    axes.legend()
    figure.savefig(out / "plans.png", dpi=150)

print("\n".join(["Wrote", *sorted(str(path) for path in [*out.glob("*.png"), *out.glob("*/*.svg")])]))
