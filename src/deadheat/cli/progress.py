"""A progress line on stderr, on a terminal only."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS_BEFORE_FIRST, _SECONDS_BETWEEN = 1.0, 0.1
_BYTE_UNITS = ("B", "kB", "MB", "GB", "TB")


def format_bytes(count: float) -> str:
    """`1536000` as `1.5 MB`."""
    for unit in _BYTE_UNITS:
        if count < 1000 or unit == _BYTE_UNITS[-1]:
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


def format_commits(count: float) -> str:
    """`30669.0` as `30,669 commits`."""
    return f"{count:,.0f} commits"


class ProgressLine:
    """Amount done, rate, time left and number of reports; not shown in the first second.

    `format_amount` formats an amount; the default is bytes.
    """

    def __init__(
        self, total: int | None, enabled: bool | None = None, format_amount: Callable[[float], str] = format_bytes
    ) -> None:
        self._total, self._format_amount = total, format_amount
        self._enabled = sys.stderr.isatty() if enabled is None else enabled
        self._started_at = self._drawn_at = time.monotonic()
        self._done = 0
        self._drawn = False
        self.report_count = 0

    def tick(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if self._enabled and now - self._started_at > _SECONDS_BEFORE_FIRST and now - self._drawn_at > _SECONDS_BETWEEN:
            self._drawn_at = now
            self._draw_line(now)

    def clear(self) -> None:
        """Erases the line."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False

    def _draw_line(self, now: float) -> None:
        rate = self._done / (now - self._started_at)
        text = self._format_amount(self._done)
        if self._total:
            share = min(1.0, self._done / self._total)
            bar = "#" * round(20 * share)
            left = max(0.0, self._total - self._done) / rate
            text = f"[{bar:20}] {share:4.0%}  {text} of {self._format_amount(self._total)}, {left:.0f} s left"
        text += f"  {self._format_amount(rate)}/s"
        if self._format_amount is format_bytes:
            text += f"  {self.report_count} reports"
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
        self._drawn = True


class DeferredProgress:
    """A progress line for work whose total is not known at first."""

    def __init__(self, quiet: bool, format_amount: Callable[[float], str] = format_bytes) -> None:
        self._enabled = False if quiet else None
        self._format_amount = format_amount
        self._line: ProgressLine | None = None

    def set_total(self, total: int) -> None:
        self._line = ProgressLine(total, self._enabled, self._format_amount)

    def tick(self, count: int) -> None:
        if self._line:
            self._line.tick(count)

    def set_report_count(self, count: int) -> None:
        if self._line:
            self._line.report_count = count

    def clear(self) -> None:
        if self._line:
            self._line.clear()
