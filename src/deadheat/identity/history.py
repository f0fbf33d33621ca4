"""The status of a race over time, computed from the days of its sightings."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

NEW, RECURRING, QUIET, RETURNED = "new", "recurring", "quiet", "returned"
# a race is new or returned for this long
_FRESH: Final = timedelta(days=7)
# a race is quiet if it was not seen for longer than this
_SILENCE: Final = timedelta(days=14)


def history(days: Sequence[date], newest: date) -> list[tuple[date, str]]:
    """The statuses of a race with their start days. The last one is current.

    `days` are the days of its sightings in order. `newest` is the last day with any data.
    """
    states: list[tuple[date, str]] = []
    for index, day in enumerate(days):
        before = days[index - 1] if index else None
        if before is None:
            states.append((day, NEW))
        elif day - before > _SILENCE:
            states += [(before + _SILENCE + timedelta(days=1), QUIET), (day, RETURNED)]
        elif states[-1][1] in (NEW, RETURNED) and day - states[-1][0] > _FRESH:
            states.append((day, RECURRING))
    if days and newest - days[-1] > _SILENCE:
        states.append((days[-1] + _SILENCE + timedelta(days=1), QUIET))
    elif states and states[-1][1] != RECURRING and days[-1] > states[-1][0] < newest - _FRESH:
        states.append((states[-1][0] + _FRESH + timedelta(days=1), RECURRING))
    return states
