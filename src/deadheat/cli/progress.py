"""A progress line on stderr, on a terminal only."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE, _EVERY = 1.0, 0.1
_UNITS = ("B", "kB", "MB", "GB", "TB")


def size(count: float) -> str:
    """`1536000` as `1.5 MB`."""
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


def commits(count: float) -> str:
    """`30669.0` as `30,669 commits`."""
    return f"{count:,.0f} commits"


class Progress:
    """Amount done, rate, time left and number of reports; not shown in the first second.

    `format_amount` formats an amount; the default is bytes.
    """

    def __init__(
        self,
        total: int | None,
        wanted: bool | None = None,
        told: Callable[[float], str] = size,
    ) -> None:
        self._total, self._told = total, told
        self._on = sys.stderr.isatty() if wanted is None else wanted
        self._began = self._shown = time.monotonic()
        self._done = 0
        self._drawn = False
        self.found = 0

    def tick(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if self._on and now - self._began > _PATIENCE and now - self._shown > _EVERY:
            self._shown = now
            self._draw(now)

    def clear(self) -> None:
        """Erases the line."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False

    def _draw(self, now: float) -> None:
        rate = self._done / (now - self._began)
        text = self._told(self._done)
        if self._total:
            share = min(1.0, self._done / self._total)
            bar = "#" * round(20 * share)
            left = max(0.0, self._total - self._done) / rate
            text = (
                f"[{bar:20}] {share:4.0%}  {text} of {self._told(self._total)}, {left:.0f} s left"
            )
        text += f"  {self._told(rate)}/s"
        if self._told is size:
            text += f"  {self.found} reports"
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
        self._drawn = True


class Awaited:
    """A progress line for work whose total is not known at first."""

    def __init__(self, quiet: bool, told: Callable[[float], str] = size) -> None:
        self._wanted = False if quiet else None
        self._told = told
        self._progress: Progress | None = None

    def planned(self, total: int) -> None:
        self._progress = Progress(total, self._wanted, self._told)

    def tick(self, count: int) -> None:
        if self._progress:
            self._progress.tick(count)

    def clear(self) -> None:
        if self._progress:
            self._progress.clear()
