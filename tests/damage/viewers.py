"""Copies from log viewers and document editors: numbers, times, dashes."""

from __future__ import annotations

import html
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tests.damage.lines import join_lines, map_lines, split_lines, with_timestamps
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator


def _around_noon(rng: random.Random) -> Iterator[datetime]:
    now = datetime(2024, 5, 1, 11, 59, 58)
    while True:
        now += timedelta(milliseconds=rng.randrange(400))
        yield now


@damage("numbers-without-a-gap", headless=False)
def _numbers_without_a_gap(text: str, rng: random.Random) -> str:
    """Copied from GitLab's page: `118WARNING: DATA RACE`."""
    return join_lines([f"{i}{line}" for i, line in enumerate(split_lines(text), rng.randrange(9, 900))])


@damage("numbers-on-lines-of-their-own", headless=False)
def _numbers_on_lines_of_their_own(text: str, rng: random.Random) -> str:
    """Copied from GitHub's page in some browsers."""
    return join_lines([f"{i}\n{line}" for i, line in enumerate(split_lines(text), rng.randrange(9, 900))])


@damage("numbers-and-times-in-spans")
def _numbers_and_times_in_spans(text: str, rng: random.Random) -> str:
    """A saved page of a viewer: all lines in one."""
    return "".join(
        f'<div class="line"><a href="#L{i}">{i}</a><span class="ts">12:00:{i % 60:02d}</span>'
        f"<span>{html.escape(line)}</span></div>"
        for i, line in enumerate(split_lines(text), 1)
    )


@damage("month-and-time")
def _month_and_time(text: str, rng: random.Random) -> str:
    """Timestamps of `ts` of moreutils."""
    return with_timestamps(text, rng, lambda now: f"{now:%b %d %H:%M:%S} ")


@damage("noon-in-the-times")
def _noon_in_the_times(text: str, rng: random.Random) -> str:
    times = _around_noon(rng)
    return map_lines(text, lambda line: f"{next(times):%m/%d/%Y %I:%M:%S %p} {line}")


@damage("minutes-of-a-clock", headless=False)
def _minutes_of_a_clock(text: str, rng: random.Random) -> str:
    """zerolog's console, whose times have no seconds and change within a report."""
    times = _around_noon(rng)
    return map_lines(text, lambda line: f"{next(times):%I:%M%p} ERR {line}")


@damage("dashes-for-hyphens")
def _dashes_for_hyphens(text: str, rng: random.Random) -> str:
    """Non-breaking hyphens, and hyphens that Word replaces by dashes."""
    return "The build-server says:\n" + text.replace("-", rng.choice("\u2010\u2011\u2013\u2212"))
