"""Finds the program npunet and runs it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from npunet.errors import ProgramNotFound, error_of


def find_program(program: str | os.PathLike[str] | None = None) -> str:
    """The path of the program.

    The first of: `program`; the environment variable NPUNET; npunet on the PATH; bin/npunet of the
    installation that this package belongs to; build/release/npunet of its source tree. Raises
    ProgramNotFound where one of the first two names no program, or none of the others is there.
    """
    for what, given in (("program", program), ("NPUNET", os.environ.get("NPUNET"))):
        if given:
            found = shutil.which(os.fspath(given))
            if found is None:
                raise ProgramNotFound(
                    f"{what}: found {os.fspath(given)!r}; expected the path of the program npunet")
            return found
    package = Path(__file__).resolve().parent
    beside = [folder / "bin/npunet" for folder in package.parents[:4]]
    beside.append(package.parents[1] / "build/release/npunet")
    for candidate in ("npunet", *beside):
        found = shutil.which(os.fspath(candidate))
        if found is not None:
            return found
    raise ProgramNotFound(
        "found no program npunet on the PATH or beside this package; expected it there, or its path "
        "in the environment variable NPUNET or the argument program")


def execute(command: list[str], progress: bool = False) -> tuple[str, list[str]]:
    """Runs a command to its end. Returns what it printed, and the lines that it wrote to stderr.

    `progress` also shows the latter as they come. Raises the error of its exit code. Ctrl-C stops
    the program, which keeps finished results as on the command line, then raises KeyboardInterrupt.
    """
    messages: list[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        # In a process group of its own the program gets no second signal from the terminal.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE, text=True,
            encoding="utf-8", errors="replace", process_group=0)
        try:
            for line in process.stderr:
                messages.append(line.rstrip("\n"))
                if progress:
                    print(messages[-1], file=sys.stderr, flush=True)
            code = process.wait()
        except BaseException:
            process.send_signal(signal.SIGINT)
            try:
                process.wait()
            except BaseException:  # a second Ctrl-C
                process.kill()
                process.wait()
                raise
            raise
        finally:
            process.stderr.close()
        if code != 0:
            raise error_of(code, messages)
        printed.seek(0)
        return printed.read(), messages
