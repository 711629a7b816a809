"""The commands of the program as functions."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from npunet.errors import StallError
from npunet.options import arguments, is_content, written
from npunet.program import execute, find_program
from npunet.record import wrapped
from npunet.results import Comparison, Results, Run, Sweep

PathLike = str | os.PathLike[str]


def _results(kind: type[Results], command: str, options: dict[str, Any], spec: Any,
             output_dir: PathLike | None, program: PathLike | None, progress: bool) -> Any:
    """Runs a command that writes results to a folder, and reads them."""
    found = find_program(program)
    temporary = output_dir is None
    folder = Path(tempfile.mkdtemp(prefix="npunet-") if temporary else output_dir)
    kept = False
    try:
        words = [command, *arguments(options, folder)]
        if spec is not None:
            path = written(command, spec, folder) if is_content(spec) else spec
            words.append(os.fspath(path))
        words.append(f"--output-dir={folder}")
        try:
            text, messages = execute([found, *words], progress)
        except StallError as error:
            # Where a limit ended the run, there are results up to then.
            if (folder / "results.json").exists() and kind is Run:
                partial = Run(folder, temporary, messages=error.messages)
                if "partial" in partial:
                    error.partial = partial
                    kept = True
            raise
        results = kind(folder, temporary, text, messages)
        kept = True
        return results
    finally:
        if temporary and not kept:
            shutil.rmtree(folder, ignore_errors=True)


def simulate(*, output_dir: PathLike | None = None, program: PathLike | None = None,
             progress: bool = False, **options: Any) -> Run:
    """Runs `npunet simulate`: one workload at one fidelity.

        run = npunet.simulate(model="llama3-8b", seq=2048, batch=16, dp=4, tp=8,
                              sequence_parallel=True, machine="dgx-h100:4", fidelity="fluid")

    `options` are those of the command, `npunet help simulate`: a number, a text with its unit
    ("5ms"), a path, True for a flag, a list where the command takes commas, a dictionary in place
    of a file (`network`, `system`, `model`). `output_dir` keeps the results; without it they are in
    a temporary folder, which goes with the returned object. `program`: see find_program().
    `progress` shows what the program reports while it runs.

    Raises InputError (exit code 2), StallError (3, `partial` has the results of a run that a limit
    ended), SystemFailure (4), InternalError (1), ProgramNotFound.
    """
    return _results(Run, "simulate", options, None, output_dir, program, progress)


def compare(*, output_dir: PathLike | None = None, program: PathLike | None = None,
            progress: bool = False, **options: Any) -> Comparison:
    """Runs `npunet compare`: the same inputs at several fidelities, and why the times differ.

        both = npunet.compare(fidelities=["analytical", "packet"], model="llama2-4layer", tp=4, ...)
        both.ratio, both.gap_ns.contention, both.by_fidelity["packet"].table("links")

    Arguments and errors are those of simulate().
    """
    return _results(Comparison, "compare", options, None, output_dir, program, progress)


def sweep(spec: PathLike | Mapping[str, Any], *, output_dir: PathLike | None = None,
          program: PathLike | None = None, progress: bool = False, **options: Any) -> Sweep:
    """Runs `npunet sweep`: every point of a design space.

    `spec`: a sweep.yml, or its content as a dictionary; files in the latter are pathlib.Path
    objects, relative to the working directory. With `output_dir` the same call continues a sweep
    that was stopped. Other arguments and errors are those of simulate(); points that fail are rows
    with the status "error".
    """
    return _results(Sweep, "sweep", options, spec, output_dir, program, progress)


def query(*words: PathLike, program: PathLike | None = None, progress: bool = False,
          **options: Any) -> Any:
    """Runs any command with --json and returns the document that it prints, objects as Record.

        npunet.query("collective", type="all_reduce", size="64MiB", machine="dgx-h100:4")
        npunet.query("topology", "gb200-nvl72:144")
        npunet.query("validate", "steps")

    `words`: the command and its arguments without a name; `options` as those of simulate(), without
    dictionaries.
    """
    command = [find_program(program), *map(os.fspath, words), *arguments(options), "--json"]
    printed, _ = execute(command, progress)
    return wrapped(json.loads(printed))


def open_results(folder: PathLike) -> Results:
    """The results that a command left in a folder: a Run, a Comparison or a Sweep."""
    folder = Path(folder)
    if (folder / "compare.json").exists():
        return Comparison(folder)
    if not (folder / "results.json").exists():
        raise FileNotFoundError(
            f"{folder}: found neither results.json nor compare.json; expected the output folder of "
            "npunet simulate, compare or sweep")
    with (folder / "results.json").open(encoding="utf-8") as stream:
        return (Sweep if "points" in json.load(stream) else Run)(folder)
