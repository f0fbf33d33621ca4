"""What viewers of logs and editors of documents make of a copy: numbers, times, dashes."""

from __future__ import annotations

import html
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tests.damage.lines import each_line, joined, lines_of, stamped
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
    """A copy of GitLab's page: `118WARNING: DATA RACE`."""
    return joined([f"{i}{line}" for i, line in enumerate(lines_of(text), rng.randrange(9, 900))])


@damage("numbers-on-lines-of-their-own", headless=False)
def _numbers_on_lines_of_their_own(text: str, rng: random.Random) -> str:
    """A copy of GitHub's page in some browsers."""
    return joined([f"{i}\n{line}" for i, line in enumerate(lines_of(text), rng.randrange(9, 900))])


@damage("numbers-and-times-in-spans")
def _numbers_and_times_in_spans(text: str, rng: random.Random) -> str:
    """A viewer's page that was saved: all lines in one."""
    return "".join(
        f'<div class="line"><a href="#L{i}">{i}</a><span class="ts">12:00:{i % 60:02d}</span>'
        f"<span>{html.escape(line)}</span></div>"
        for i, line in enumerate(lines_of(text), 1)
    )


@damage("month-and-time")
def _month_and_time(text: str, rng: random.Random) -> str:
    """What `ts` of moreutils puts before each line."""
    return stamped(text, rng, lambda now: f"{now:%b %d %H:%M:%S} ")


@damage("noon-in-the-times")
def _noon_in_the_times(text: str, rng: random.Random) -> str:
    times = _around_noon(rng)
    return each_line(text, lambda line: f"{next(times):%m/%d/%Y %I:%M:%S %p} {line}")


@damage("minutes-of-a-clock", headless=False)
def _minutes_of_a_clock(text: str, rng: random.Random) -> str:
    """zerolog's console, whose times have no seconds and go on within a report."""
    times = _around_noon(rng)
    return each_line(text, lambda line: f"{next(times):%I:%M%p} ERR {line}")


@damage("dashes-for-hyphens")
def _dashes_for_hyphens(text: str, rng: random.Random) -> str:
    """Hyphens that do not break, and those that Word takes for dashes."""
    return "The build-server says:\n" + text.replace("-", rng.choice("\u2010\u2011\u2013\u2212"))
