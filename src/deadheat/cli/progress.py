"""One line of progress on stderr, on a terminal only.

    reading the history  ━━━━━━━━──────────  41%  12,345 of 30,669 commits  8,200/s  3 s left

It appears after a second, is never wider than the terminal, and is erased before anything else is printed on stderr.
"""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple

from deadheat import cli

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS_BEFORE_FIRST, SECONDS_BETWEEN = 1.0, 0.1
_BYTE_UNITS = ("B", "kB", "MB", "GB", "TB")
_BAR_WIDTH, _MIN_WIDTH, _DEFAULT_WIDTH = 20, 8, 80
# an estimate from less than this share, or a rate of less than this time, is a guess
_MIN_SHARE_TO_ESTIMATE, _MIN_SECONDS_TO_RATE = 0.02, 0.5
_ERASE_LINE = "\r\x1b[K"
_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def format_bytes(count: float) -> str:
    """`1536000` as `1.5 MB`."""
    for unit in _BYTE_UNITS:
        if count < 1000 or unit == _BYTE_UNITS[-1]:
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


class CountOf:
    """Formats a number of things: `30669.0` as `30,669 commits`, or as `30,669`."""

    def __init__(self, noun: str) -> None:
        self.noun = noun

    def __call__(self, count: float) -> str:
        return f"{count:,.0f} {self.noun}{'s' * (round(count) != 1)}"

    def without_noun(self, count: float) -> str:
        return f"{count:,.0f}" if count >= 10 else f"{count:.2g}"


format_commits, format_races, format_files = CountOf("commit"), CountOf("race"), CountOf("file version")


def format_duration(seconds: float) -> str:
    """`7 s`, `3 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


class ProgressState(NamedTuple):
    """What a line says."""

    phase: str
    done: float
    total: float | None
    seconds: float  # since the phase began
    note: str = ""  # such as the number of reports
    format_amount: Callable[[float], str] = format_bytes


class LineStyle(NamedTuple):
    """How a line looks."""

    colour: bool = False
    unicode: bool = False


def format_line(state: ProgressState, width: int, style: LineStyle | None = None) -> str:
    """The line, at most `width` characters; on a narrow terminal the less important parts are left out."""
    style = style or LineStyle()
    parts = _line_parts(state, style)
    parts["phase"] = parts.get("phase", "")[:width]
    chosen = {"phase"}
    used = len(parts["phase"])
    # in the order of importance
    for name in ("share", "amount", "left", "note", "bar", "rate"):
        text = parts.get(name, "")
        if text and used + len(text) + 2 <= width:
            chosen.add(name)
            used += len(text) + 2
    return "  ".join(_coloured(name, parts[name], style) for name in parts if name in chosen)


def _line_parts(state: ProgressState, style: LineStyle) -> dict[str, str]:
    """The parts of the line in their order, without colours."""
    format_amount, total = state.format_amount, state.total
    rate = state.done / state.seconds if state.seconds >= _MIN_SECONDS_TO_RATE else 0.0
    parts = {"phase": state.phase}
    if total:
        share = min(1.0, state.done / total)
        filled = round(_BAR_WIDTH * share)
        full, empty = ("━", "─") if style.unicode else ("#", "-")
        parts["bar"] = full * filled + empty * (_BAR_WIDTH - filled)
        parts["share"] = f"{int(100 * share):3}%"
        done = format_amount.without_noun(state.done) if isinstance(format_amount, CountOf) else ""
        parts["amount"] = f"{done or format_amount(state.done)} of {format_amount(total)}"
        if rate and share >= _MIN_SHARE_TO_ESTIMATE and share < 1:
            parts["left"] = f"{format_duration((total - state.done) / rate)} left"
    elif state.done:
        parts["amount"] = format_amount(state.done)
    else:
        parts["amount"] = format_duration(state.seconds)
    if rate and state.done:
        speed = format_amount.without_noun(rate) if isinstance(format_amount, CountOf) else format_amount(rate)
        parts["rate"] = f"{speed}/s"
    return {name: text for name, text in (parts | {"note": state.note}).items() if text}


def _coloured(name: str, text: str, style: LineStyle) -> str:
    code = {"phase": _BOLD, "rate": _DIM, "left": _DIM}.get(name, "") if style.colour else ""
    return f"{code}{text}{_RESET}" if code else text


# receives what a line would show, for a program that shows it in another way; then no terminal is needed
state_listener: Callable[[ProgressState], None] | None = None


class ProgressLine:
    """Amount done, rate, time left and number of reports; not shown in the first second.

    `format_amount` formats an amount; the default is bytes.
    """

    def __init__(
        self,
        total: float | None = None,
        enabled: bool | None = None,
        format_amount: Callable[[float], str] = format_bytes,
        phase: str = "",
        out: IO[str] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._out = out or sys.stderr
        is_shown = state_listener is not None or is_terminal(self._out)
        self.is_enabled = is_shown if enabled is None else enabled
        is_drawn = self.is_enabled and state_listener is None
        self._duplicate = _duplicate(self._out) if is_drawn and out is None else None
        self._out = self._duplicate or self._out
        self._clock = clock or time.monotonic
        self._started_at = self._phase_started_at = self._drawn_at = self._clock()
        self._phase, self._total, self._format_amount = phase, total, format_amount
        self._base_phase = self._phase, self._total, self._format_amount
        self._base_started_at = self._started_at
        self._done = 0.0
        self._is_drawn = False
        self._lock = threading.RLock()
        self.prefix = ""
        self.report_count: int | None = None

    def start_phase(
        self, phase: str, total: float | None = None, format_amount: Callable[[float], str] = format_bytes
    ) -> None:
        """Begins another part of the work; the line stays until it is drawn anew."""
        with self._lock:
            self._base_phase, self._base_started_at = (phase, total, format_amount), self._clock()
            self._enter_phase(phase, total, format_amount, self._base_started_at)

    def _enter_phase(
        self, phase: str, total: float | None, format_amount: Callable[[float], str], started_at: float
    ) -> None:
        with self._lock:
            self._phase, self._total, self._format_amount = phase, total, format_amount
            self._done, self._phase_started_at = 0.0, started_at

    def continue_with(self, phase: str) -> None:
        """Begins another phase, unless it has begun already or has no name."""
        if phase and phase != self._base_phase[0]:
            self.start_phase(phase)

    @contextmanager
    def run_phase(self, phase: str) -> Iterator[None]:
        """A part of the work within another one."""
        outer = self._base_phase
        self.start_phase(phase)
        try:
            yield
        finally:
            self.start_phase(*outer)

    def tick(self, count: float) -> None:
        """Adds to the amount that is done."""
        self._done += count
        self.refresh()

    def show_done(self, amount: float) -> None:
        """Sets the amount that is done."""
        self._done = amount
        self.refresh()

    def show_count(self, phase: str, done: float, total: float | None, noun: str) -> None:
        """Shows how many things of a part of the phase are done; returns to the phase when all are."""
        if total is not None and done >= total:
            self._enter_phase(*self._base_phase, self._base_started_at)
            return
        if phase != self._phase or total != self._total:
            self._enter_phase(phase, total, CountOf(noun), self._clock())
        self._done = done
        self.refresh()

    def set_report_count(self, count: int) -> None:
        self.report_count = count

    def refresh(self) -> None:
        """Draws the line if it is time to."""
        if not self.is_enabled:
            return
        now = self._clock()
        if now - self._started_at > SECONDS_BEFORE_FIRST and now - self._drawn_at > SECONDS_BETWEEN:
            self._drawn_at = now
            self._draw_line(now)

    def clear(self) -> None:
        """Erases the line."""
        with self._lock:
            if self._is_drawn:
                self._is_drawn = False
                self._write(_ERASE_LINE)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Erases the line, and draws it again only after something else was printed."""
        with self._lock:
            self.clear()
            yield

    def stop(self) -> None:
        """Erases the line for good."""
        with self._lock:
            self.clear()
            self.is_enabled = False
            if self._duplicate is not None:
                self._duplicate.close()
                self._duplicate = None

    def _draw_line(self, now: float) -> None:
        note = "" if self.report_count is None else f"{cli.format_count(self.report_count, 'report')} found"
        phase = f"{self.prefix}{self._phase}"
        with self._lock:
            if not self.is_enabled:
                return
            seconds = now - self._phase_started_at
            state = ProgressState(phase, self._done, self._total, seconds, note, self._format_amount)
            if state_listener is not None:
                self._report(state_listener, state)
                return
            # the last column stays empty: some terminals begin a new line behind it
            width = max(_MIN_WIDTH, _terminal_columns(self._out)) - 1
            self._is_drawn = True
            cli.pause_progress = self.paused
            self._write(f"\r{format_line(state, width, self._style)}\x1b[K")

    def _report(self, listener: Callable[[ProgressState], None], state: ProgressState) -> None:
        try:
            listener(state)
        except OSError:  # nobody listens
            self.is_enabled = False

    @property
    def _style(self) -> LineStyle:
        encoding = (getattr(self._out, "encoding", "") or "").lower()
        return LineStyle(not os.environ.get("NO_COLOR"), encoding.startswith("utf"))

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except (OSError, ValueError):  # nobody sees it
            self.is_enabled = False


def _duplicate(out: IO[str]) -> IO[str] | None:
    """The same terminal under another descriptor: while Spark starts, its standard error goes elsewhere."""
    try:
        return os.fdopen(os.dup(out.fileno()), "w", encoding=getattr(out, "encoding", None), errors="replace")
    except OSError:
        return None


def is_terminal(out: IO[str]) -> bool:
    """Whether a line can be drawn and erased there."""
    return out.isatty() and os.environ.get("TERM") != "dumb"


def _terminal_columns(out: IO[str]) -> int:
    try:
        return os.get_terminal_size(out.fileno()).columns or _DEFAULT_WIDTH
    except (OSError, ValueError, io.UnsupportedOperation):
        return _DEFAULT_WIDTH


@contextmanager
def show_progress(is_quiet: bool, phase: str, line: ProgressLine | None = None) -> Iterator[ProgressLine]:
    """A line that is redrawn while the work goes on, and erased at its end."""
    line = line or ProgressLine(enabled=False if is_quiet else None)
    line.start_phase(phase)
    finished = threading.Event()

    def redraw() -> None:
        while not finished.wait(SECONDS_BETWEEN * 2):
            line.refresh()

    thread = threading.Thread(target=redraw, daemon=True) if line.is_enabled else None
    if thread is not None:
        thread.start()
    try:
        yield line
    finally:
        finished.set()
        if thread is not None:
            thread.join()
        line.stop()
