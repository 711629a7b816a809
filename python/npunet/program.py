"""Finds the program npunet and runs it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
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


@contextlib.contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Ctrl-C within takes effect at the end: a program that has just started is not left alone.

    Other threads than the main one never get the signal, and where it is ignored it stays so.
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    came = []
    signal.signal(signal.SIGINT, lambda *arguments: came.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if came:
        usual(*came[0])


def _stop(process: subprocess.Popen[str]) -> None:
    """Ends the program as Ctrl-C does, and at once if another one comes meanwhile."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise


def execute(command: list[str], progress: bool = False) -> tuple[str, list[str]]:
    """Runs a command to its end. Returns what it printed, and the lines that it wrote to stderr.

    `progress` also shows the latter as they come. Raises the error of its exit code. Ctrl-C stops
    the program, which keeps finished results as on the command line, then raises KeyboardInterrupt.
    """
    messages: list[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        process = None
        try:
            with _interrupts_wait():
                # In a process group of its own it gets no second signal from the terminal.
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE,
                    text=True, encoding="utf-8", errors="replace", process_group=0)
            for line in process.stderr:
                messages.append(line.rstrip("\n"))
                if progress:
                    print(messages[-1], file=sys.stderr, flush=True)
            code = process.wait()
        except BaseException:
            if process is not None:
                _stop(process)
            raise
        finally:
            if process is not None:
                process.stderr.close()
        if code != 0:
            raise error_of(code, messages)
        printed.seek(0)
        return printed.read(), messages
