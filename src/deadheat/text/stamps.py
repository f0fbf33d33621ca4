"""The times among a record's fields: whether it holds its newest line first. Knows nothing of lines."""

from __future__ import annotations

from enum import IntEnum
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, TypeVar

from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_T = TypeVar("_T")
# a field that is a time: `"2024-05-01T12:00:00.123Z"`; `"1714557600123456789"`, `[1714557600123]`
_DATE = regex(r"\"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?\"")
_COUNT = regex(r"[\":\[,] ?(\d{13}|\d{16}|\d{19})[\"\],}]")
# that one line is older than the line before it tells nothing
_FEW = 3
# a stream has more lines
_MANY = 10


class Turn(IntEnum):
    """How what a record holds is put in order."""

    TOLD = 0  # turned round if its times tell so
    NONE = 1
    ALL = 2
    TIES = 3  # by its times, and what is of one time stays as it is: stores sort so


def ordered(items: list[_T], text: str, turn: Turn) -> list[_T]:
    """What a record holds, oldest first."""
    if turn is Turn.TOLD:
        turn = Turn.ALL if len(items) > _FEW and newest_first(text) else Turn.NONE
    if turn is Turn.TIES:
        return _turned(items, _times(text))
    return items[::-1] if turn is Turn.ALL else items


def _turned(items: Sequence[_T], times: Sequence[object]) -> list[_T]:
    """The newest last; those of one time stay as they are. Each has as many times as the others."""
    each = len(times) // max(len(items), 1)
    if not each or len(times) % len(items):
        return list(items[::-1])
    return [item for group in reversed(groups(items, times[::each])) for item in group]


def groups(items: Iterable[_T], times: Iterable[object]) -> list[list[_T]]:
    """Those of one time together."""
    told = zip(items, times, strict=True)
    return [[item for item, _ in group] for _, group in groupby(told, lambda pair: pair[1])]


def may_turn(text: str) -> bool:
    """May lines of one time stand in their order in a record that holds its newest line first?"""
    times = _times(text)
    if len(times) <= _FEW:
        return False
    keys = [_key(time) for time in times]
    same = sum(a == b for a, b in pairwise(keys))
    forth = sum(a < b for a, b in pairwise(keys))
    return same > 0 and forth * _MANY <= len(times) - 1 - forth


def newest_first(text: str) -> bool:
    """Do the times of a record with many lines go back, and forth only where another writer's begin?

    Each way to write a time is compared with itself: stores add one of their own to sort by.
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
    """`12:00:00` is older than `12:00:00.1`, and a count of milliseconds has its own order."""
    return (time[:19], 0, time[19:]) if "-" in time else ("", len(time), time)
