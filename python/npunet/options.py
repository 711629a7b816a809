"""Keyword arguments as options of the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def _plain(value: Any) -> Any:
    """For json: paths within a dictionary are absolute, as its file lies elsewhere."""
    if isinstance(value, os.PathLike):
        return str(Path(value).absolute())
    raise TypeError(f"found {value!r} of type {type(value).__name__}; expected what JSON can express")


def is_content(value: Any) -> bool:
    """Whether a value stands for a file: a dictionary, or a list of them (jobs.yml)."""
    return isinstance(value, Mapping) or (
        isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value))


def written(name: str, content: Any, folder: Path) -> Path:
    """Writes content as the file of an option, FOLDER/inputs/NAME.json or .yml."""
    # YAML contains JSON, but network.yml and sweep.yml are recognized by their names.
    ending = "json" if name in ("comm_group", "memory", "system") else "yml"
    path = folder / "inputs" / f"{name}.{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, default=_plain, indent=1) + "\n", encoding="utf-8")
    return path


def arguments(options: Mapping[str, Any], folder: Path | None = None) -> list[str]:
    """The arguments of `npunet COMMAND`, in the order of the keywords.

    `dp=8` becomes `--dp 8`; `sequence_parallel=True` `--sequence-parallel`; False and None nothing;
    a list its entries with commas between them; a dictionary, or a list of them, the path of a file
    with this content, in `folder`.
    """
    given: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            given.append(option)
            continue
        if is_content(value):
            if folder is None:
                raise TypeError(f"{name}: found a dictionary; expected a value or a path here")
            value = written(name, value, folder)
        elif isinstance(value, (list, tuple, range)):
            value = ",".join(str(entry) for entry in value)
        # One argument, so that a value may begin with a hyphen.
        given.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return given
