"""An object of a JSON document of the program, whose keys are attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def wrapped(value: Any) -> Any:
    """A value of a JSON document, with its objects as records."""
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [wrapped(entry) for entry in value]
    return value


class Record(Mapping):
    """A JSON object, read only: `record.finish_ns` is `record["finish_ns"]`.

    Objects within it are records, too. Names have the units, as docs/results.md explains them:
    `_ns` nanoseconds, `_bytes` bytes, `_percent` of 100, `GBps` 10^9 bytes per second. Times are
    floats, which give the exact picosecond up to 2.4 hours. An absent key is an AttributeError (as
    an attribute) or a KeyError; `record.get("mfu_percent")` is None then.
    """

    def __init__(self, data: dict[str, Any]):
        self._data = data

    def __getitem__(self, key: str) -> Any:
        return wrapped(self._data[key])

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError:
            raise AttributeError(
                f"found no key {key!r}; expected one of {', '.join(self._data)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    def __repr__(self) -> str:
        return f"Record({self._data!r})"

    def to_dict(self) -> dict[str, Any]:
        """The plain dictionary, as `json` reads it."""
        return self._data
