"""Timestamps in a record's fields, used to detect whether its newest line comes first."""

from __future__ import annotations

from enum import IntEnum
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, TypeVar

from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_T = TypeVar("_T")
# time fields: `"2024-05-01T12:00:00.123Z"`; `"1714557600123456789"`, `[1714557600123]`
_DATE = regex(r"\"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?\"")
_COUNT = regex(r"[\":\[,] ?(\d{13}|\d{16}|\d{19})[\"\],}]")
# fewer times are not enough for a decision
_FEW = 3
# at least this many descending steps per ascending one
_MANY = 10


class Turn(IntEnum):
    """How the lines of a record are put in order."""

    TOLD = 0  # reversed if its times descend
    NONE = 1
    ALL = 2
    TIES = 3  # sorted by time, stable for equal times, as log stores do


def ordered(items: list[_T], text: str, turn: Turn) -> list[_T]:
    """Returns the items of a record, oldest first."""
    if turn is Turn.TOLD:
        turn = Turn.ALL if len(items) > _FEW and newest_first(text) else Turn.NONE
    if turn is Turn.TIES:
        return _turned(items, _times(text))
    return items[::-1] if turn is Turn.ALL else items


def _turned(items: Sequence[_T], times: Sequence[object]) -> list[_T]:
    """Reverses the order of times; items with equal times keep their order."""
    each = len(times) // max(len(items), 1)
    if not each or len(times) % len(items):
        return list(items[::-1])
    return [item for group in reversed(groups(items, times[::each])) for item in group]


def groups(items: Iterable[_T], times: Iterable[object]) -> list[list[_T]]:
    """Groups consecutive items with equal times."""
    told = zip(items, times, strict=True)
    return [[item for item, _ in group] for _, group in groupby(told, lambda pair: pair[1])]


def may_turn(text: str) -> bool:
    """Whether a record may be sorted newest first with lines of equal times in their original order."""
    times = _times(text)
    if len(times) <= _FEW:
        return False
    keys = [_key(time) for time in times]
    same = sum(a == b for a, b in pairwise(keys))
    forth = sum(a < b for a, b in pairwise(keys))
    return same > 0 and forth * _MANY <= len(times) - 1 - forth


def newest_first(text: str) -> bool:
    """Whether the times of a record descend, except where another writer's lines begin.

    Each time format is compared with itself, because log stores add their own.
    """
    return _descend(_times(text))


def _times(text: str) -> list[str]:
    dates = _DATE.findall(text)
    if _is_many(dates):
        return dates
    counts = _COUNT.findall(text)
    return counts if _is_many(counts) else dates or counts


def _is_many(times: Iterable[str]) -> bool:
    return len({*times}) >= _FEW


def _descend(times: list[str]) -> bool:
    if not _is_many(times):
        return False
    keys = [_key(time) for time in times]
    forth = sum(a < b for a, b in pairwise(keys))
    return forth * _MANY <= sum(a > b for a, b in pairwise(keys))


def _key(time: str) -> tuple[str, int, str]:
    """`12:00:00` sorts before `12:00:00.1`; epoch numbers sort by length first."""
    return (time[:19], 0, time[19:]) if "-" in time else ("", len(time), time)
