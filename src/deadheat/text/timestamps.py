"""Timestamps in a record's fields, used to detect whether its newest line comes first."""

from __future__ import annotations

from enum import IntEnum
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, TypeVar

from deadheat.text.lazy_regex import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_T = TypeVar("_T")
# time fields: `"2024-05-01T12:00:00.123Z"`; `"1714557600123456789"`, `[1714557600123]`
_DATE_FIELD = lazy_compile(r"\"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?\"")
_EPOCH_FIELD = lazy_compile(r"[\":\[,] ?(\d{13}|\d{16}|\d{19})[\"\],}]")
# fewer times are not enough for a decision
_MIN_TIMES = 3
# at least this many descending steps per ascending one
_MIN_DESCENDING_RATIO = 10


class RecordOrder(IntEnum):
    """How the lines of a record are put in order."""

    AUTO = 0  # reversed if its times descend
    AS_WRITTEN = 1
    REVERSED = 2
    STABLE_BY_TIME = 3  # sorted by time, stable for equal times, as log stores do


def order_oldest_first(items: list[_T], text: str, order: RecordOrder) -> list[_T]:
    """Returns the items of a record, oldest first."""
    if order is RecordOrder.AUTO:
        order = RecordOrder.REVERSED if len(items) > _MIN_TIMES and is_newest_first(text) else RecordOrder.AS_WRITTEN
    if order is RecordOrder.STABLE_BY_TIME:
        return _reverse_by_time(items, _find_times(text))
    return items[::-1] if order is RecordOrder.REVERSED else items


def _reverse_by_time(items: Sequence[_T], times: Sequence[object]) -> list[_T]:
    """Reverses the order of times; items with equal times keep their order."""
    times_per_item = len(times) // max(len(items), 1)
    if not times_per_item or len(times) % len(items):
        return list(items[::-1])
    return [item for group in reversed(group_by_time(items, times[::times_per_item])) for item in group]


def group_by_time(items: Iterable[_T], times: Iterable[object]) -> list[list[_T]]:
    """Groups consecutive items with equal times."""
    timed_items = zip(items, times, strict=True)
    return [[item for item, _ in group] for _, group in groupby(timed_items, lambda pair: pair[1])]


def may_be_newest_first(text: str) -> bool:
    """Whether a record may be sorted newest first with lines of equal times in their original order."""
    times = _find_times(text)
    if len(times) <= _MIN_TIMES:
        return False
    keys = [_time_sort_key(time) for time in times]
    ties = sum(earlier == later for earlier, later in pairwise(keys))
    ascending = sum(earlier < later for earlier, later in pairwise(keys))
    return ties > 0 and ascending * _MIN_DESCENDING_RATIO <= len(times) - 1 - ascending


def is_newest_first(text: str) -> bool:
    """Whether the times of a record descend, except where another writer's lines begin.

    Each time format is compared with itself, because log stores add their own.
    """
    return _are_descending(_find_times(text))


def _find_times(text: str) -> list[str]:
    dates = _DATE_FIELD.findall(text)
    if _has_enough_times(dates):
        return dates
    epochs = _EPOCH_FIELD.findall(text)
    return epochs if _has_enough_times(epochs) else dates or epochs


def _has_enough_times(times: Iterable[str]) -> bool:
    return len({*times}) >= _MIN_TIMES


def _are_descending(times: list[str]) -> bool:
    if not _has_enough_times(times):
        return False
    keys = [_time_sort_key(time) for time in times]
    ascending = sum(earlier < later for earlier, later in pairwise(keys))
    return ascending * _MIN_DESCENDING_RATIO <= sum(earlier > later for earlier, later in pairwise(keys))


def _time_sort_key(time: str) -> tuple[str, int, str]:
    """`12:00:00` sorts before `12:00:00.1`; epoch numbers sort by length first."""
    return (time[:19], 0, time[19:]) if "-" in time else ("", len(time), time)
