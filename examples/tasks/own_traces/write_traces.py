"""Writes a trace for each rank, as a tool of your own would: one step on 8 GPUs, in milliseconds.

    python3 write_traces.py FOLDER

Two servers with 4 GPUs each: tensor parallel within a server, data parallel between them. The times
of compute are measured ones. The gradients of a layer are reduced while earlier layers are at work.
The format is the JSON form of Chakra traces, which docs/traces.md describes.
"""

import json
import pathlib
import sys

LAYERS, MIB = 8, 2**20
COMPUTE, COLLECTIVE, ALL_REDUCE = 4, 7, 0  # numbers of types in Chakra's schema 0.0.4
groups = {"tp0": [0, 1, 2, 3], "tp1": [4, 5, 6, 7], **{f"dp{i}": [i, i + 4] for i in range(4)}}


def trace_of(rank):
    nodes = []

    def add(name, after, **what):
        nodes.append({"Id": len(nodes), "Name": name, "data_deps": after, "is_cpu_op": False, **what})
        return len(nodes) - 1

    def compute(name, milliseconds, after):
        return add(name, after, NodeType=COMPUTE, runtime=round(1000 * milliseconds))

    def all_reduce(name, group, size, after):
        return add(name, after, NodeType=COLLECTIVE, attributes=[
            {"name": "comm_type", "type": "int64_val", "value": ALL_REDUCE},
            {"name": "comm_size", "type": "int64_val", "value": size},
            {"name": "pg_name", "type": "string_val", "value": group},
            {"name": "is_cpu_op", "type": "bool_val", "value": False}])

    last, gradients = [], []
    for layer in range(LAYERS):
        last = [compute(f"forward{layer}", 2.1, last)]
        last = [all_reduce(f"activations{layer}", f"tp{rank // 4}", 64 * MIB, last)]
    for layer in reversed(range(LAYERS)):
        last = [compute(f"backward{layer}", 4.3, last)]
        gradients.append(all_reduce(f"gradients{layer}", f"dp{rank % 4}", 96 * MIB, last))
        last = [all_reduce(f"errors{layer}", f"tp{rank // 4}", 64 * MIB, last)]
    compute("optimizer", 1.6, last + gradients)
    return {"metadata": {"version": "0.0.4"}, "workload_graph": nodes}


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for rank in range(8):
    (folder / f"step.{rank}.et").write_text(json.dumps(trace_of(rank)))
(folder / "groups.json").write_text(json.dumps(groups))
