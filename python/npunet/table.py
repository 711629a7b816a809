"""A CSV file of the program."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

# Columns that are text, even where all of their fields look like numbers: the group of one rank.
_TEXT = {"algorithm", "class", "from", "group", "link_class", "name", "note", "status", "to", "type"}


def _as(convert: type, fields: list[str]) -> list[Any] | None:
    try:
        return [convert(field) if field else None for field in fields]
    except ValueError:
        return None


def _column(name: str, fields: list[str]) -> list[Any]:
    """The fields as whole numbers if all of them are, else as numbers, else as text."""
    if name in _TEXT:
        return list(fields)
    for convert in (int, float):
        values = _as(convert, fields)
        if values is not None:
            return values
    return list(fields)


class Table(Sequence):
    """The rows of a CSV file: dictionaries by column name, with numbers as numbers.

    Units are in the column names (`finish_ns`, `wire_bytes`, `utilization_percent`). An empty field
    of a column of numbers is None. `columns`: the names, in the order of the file.
    """

    def __init__(self, columns: list[str], rows: list[dict[str, Any]]):
        self.columns = columns
        self.rows = rows

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Table:
        """Reads a file with a line of column names, as all CSV files of the program have one."""
        with Path(path).open(newline="", encoding="utf-8") as stream:
            lines = list(csv.reader(stream))
        columns, rows = lines[0], lines[1:]
        values = [_column(name, [row[i] for row in rows]) for i, name in enumerate(columns)]
        return cls(columns, [dict(zip(columns, row)) for row in zip(*values)])

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"Table({len(self.rows)} rows: {', '.join(self.columns)})"

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        return [row[name] for row in self.rows]

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame. Needs pandas (on Debian python3-pandas), else ImportError."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "to_pandas() needs pandas, which is not installed (on Debian: apt-get install "
                "python3-pandas); without it, .rows has the same as dictionaries") from error
        return pandas.DataFrame(self.rows, columns=self.columns)
