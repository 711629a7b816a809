"""The program npunet from Python: runs it and reads what it wrote.

    import npunet

    run = npunet.simulate(model="llama3-8b", seq=2048, batch=16, dp=4, tp=8,
                          sequence_parallel=True, machine="dgx-h100:4")
    print(run)                            # what the command prints
    run.finish_ns                         # results.json, under its names, which have the units
    run.summary.bottleneck.sentence
    run.table("links").rows               # links.csv, a dictionary a row
    run.table("npus").to_pandas()         # npus.csv, where pandas is installed

Nothing is calculated here: every number is one that the program wrote. Keyword arguments are the
options of the command, `npunet help simulate` lists them. The page docs/python.md explains the rest.
"""

from npunet.errors import (
    InputError,
    InternalError,
    NpunetError,
    ProgramNotFound,
    StallError,
    SystemFailure,
)
from npunet.program import find_program
from npunet.record import Record
from npunet.results import Comparison, Results, Run, Sweep
from npunet.runs import compare, open_results, query, simulate, sweep
from npunet.table import Table

__all__ = [
    "Comparison",
    "InputError",
    "InternalError",
    "NpunetError",
    "ProgramNotFound",
    "Record",
    "Results",
    "Run",
    "StallError",
    "Sweep",
    "SystemFailure",
    "Table",
    "compare",
    "find_program",
    "open_results",
    "query",
    "simulate",
    "sweep",
]
