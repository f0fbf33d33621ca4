"""The times among a record's fields: whether it holds its newest line first. Knows nothing of lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

# a field that is a time: `"2024-05-01T12:00:00.123Z"`; `"1714557600123456789"`, `[1714557600123]`
_DATE = regex(r"\"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?\"")
_COUNT = regex(r"[\":\[,] ?(\d{13}|\d{16}|\d{19})[\"\],}]")
# that one line is older than the line before it tells nothing
_FEW = 3
# a stream has more lines
_MANY = 10


def newest_first(text: str) -> bool:
    """Do the times of a record with many lines go back, and forth only where another writer's begin?

    Each way to write a time is compared with itself: stores add one of their own to sort by.
    """
    dates = _DATE.findall(text)
    return _descend(dates) if _is_many(dates) else _descend(_COUNT.findall(text))


def _is_many(times: Iterable[str]) -> bool:
    return len({*times}) >= _FEW


def _descend(times: list[str]) -> bool:
    if not _is_many(times):
        return False
    keys = [_key(time) for time in times]
    forth = sum(a < b for a, b in pairwise(keys))
    return forth * _MANY <= sum(a > b for a, b in pairwise(keys))


def _key(time: str) -> tuple[str, int, str]:
    """`12:00:00` is older than `12:00:00.1`, and a count of milliseconds has its own order."""
    return (time[:19], 0, time[19:]) if "-" in time else ("", len(time), time)
