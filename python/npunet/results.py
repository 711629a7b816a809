"""What a command left in its output folder, as objects."""

from __future__ import annotations

import functools
import json
import os
import shutil
import weakref
from pathlib import Path

from npunet.record import Record
from npunet.table import Table


class Results(Record):
    """The main JSON document of an output folder, with the folder and what was printed.

    `folder`: the path; a temporary folder exists as long as this object, or until close().
    `text`: what the command printed, empty if the folder was opened later; print(results) shows it.
    `messages`: what it wrote to stderr. The object works in a `with` statement.
    """

    _document = "results.json"

    def __init__(self, folder: str | os.PathLike[str], temporary: bool = False, text: str = "",
                 messages: list[str] | None = None):
        self.folder = Path(folder)
        self.text = text
        self.messages = messages or []
        self._cleanup = None
        if temporary:
            self._cleanup = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        with (self.folder / self._document).open(encoding="utf-8") as stream:
            super().__init__(json.load(stream))

    def __str__(self) -> str:
        return self.text or repr(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({os.fspath(self.folder)!r})"

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes the folder if it is temporary; what was read before stays."""
        if self._cleanup is not None:
            self._cleanup()

    def path(self, name: str) -> Path:
        """Of a file in the folder: "report.html", "timeline.perfetto-trace"."""
        path = self.folder / name
        if not path.exists():
            there = ", ".join(sorted(entry.name for entry in self.folder.iterdir()))
            raise FileNotFoundError(f"{path}: found no such file; expected one of {there}")
        return path

    def table(self, name: str) -> Table:
        """A CSV file of the folder, without its ending: "npus", "collectives", "links", "flows"."""
        return Table.read(self.path(f"{name}.csv"))


class Run(Results):
    """Results of one simulation: the keys of results.json (docs/results.md)."""


class Comparison(Results):
    """Results of a comparison: the keys of compare.json (docs/results.md)."""

    _document = "compare.json"

    @functools.cached_property
    def by_fidelity(self) -> dict[str, Run]:
        """The run of each fidelity by its name, with its tables; `runs` has the JSON alone."""
        return {name: Run(self.folder / name) for name in self.to_dict()["runs"]}


class Sweep(Results):
    """Results of a sweep: the keys of results.json of a sweep (docs/results.md)."""

    def table(self, name: str = "results") -> Table:
        """results.csv: a row for each point."""
        return super().table(name)
