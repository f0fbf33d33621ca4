"""The accesses of a race as lines for a terminal, each with its stack, side by side or below each other."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from deadheat.grouping.fingerprint import accesses_in_title_order
from deadheat.model import ActorState, Op
from deadheat.output.findings import frame_location
from deadheat.output.layout import ELLIPSIS, TextPainter, cut_end, pad_end, wrap_text
from deadheat.printable import visible_text
from deadheat.symbols.display import LIBRARY_ORIGINS, FoldedStack, display_function, shorten_function, shorten_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access, Actor, Frame, Location, Report
    from deadheat.output import OutputStyle

INDENT = "   "
_COLUMN_GAP = "   "
# below this width, the accesses are shown below each other
_MIN_WIDTH_FOR_COLUMNS = 110
_MAX_CREATION_FRAMES = 3


class AccessText:
    """Formats accesses as lines that are not longer than the width."""

    def __init__(self, style: OutputStyle) -> None:
        self._style = style
        self._paint = TextPainter(style.colour)

    def access_lines(self, report: Report) -> list[str]:
        """Both accesses with their stacks, side by side if there are two and the width allows it."""
        actors = {actor.id: actor for actor in report.actors}
        width = self._style.width - len(INDENT)
        accesses = accesses_in_title_order(report)
        is_split = len(accesses) == 2 and self._style.width >= _MIN_WIDTH_FOR_COLUMNS
        column_width = (width - len(_COLUMN_GAP)) // 2 if is_split else width
        columns = [_AccessColumn(access, actors.get(access.actor), self._style, column_width) for access in accesses]
        if is_split:
            return self._join_columns(columns[0], columns[1], column_width)
        blocks = [[INDENT + self._paint(*line) for line in column.lines] for column in columns]
        return [line for block in blocks for line in ["", *block]][1:]

    def _join_columns(self, left: _AccessColumn, right: _AccessColumn, width: int) -> list[str]:
        rows = []
        for (text, colour), (right_text, right_colour) in zip_longest(left.lines, right.lines, fillvalue=("", "")):
            padded = pad_end(text, width) if right_text else text
            rows.append(f"{INDENT}{self._paint(padded, colour)}{_COLUMN_GAP}{self._paint(right_text, right_colour)}")
        return [row.rstrip() for row in rows]

    def location_lines(self, location: Location | None) -> list[str]:
        """The memory location, if the detector prints it."""
        if location is None:
            return []
        name = f" {location.name}" if location.name else ""
        size = f" of {location.size} bytes" if location.size else ""
        owner = f" of {location.actor}" if location.actor and location.kind != "heap" else ""
        declared = f" declared at {location.file}:{location.line}" if location.file else ""
        lines = self._wrapped(f"memory: {location.kind}{name}{size}{owner}{declared}")
        if location.stack:
            lines += self._wrapped(f"allocated by {location.actor or 'an unknown actor'}")
            width = self._style.width - len(INDENT)
            lines += [INDENT + self._paint(*line) for line in _creation_lines(location.stack, width, self._style.root)]
        return ["", *lines]

    def _wrapped(self, text: str) -> list[str]:
        lines = wrap_text(visible_text(text), self._style.width, INDENT, INDENT)
        return [self._paint(line, "cyan") for line in lines]


class _AccessColumn:
    """The lines of one access with their colours, each within a width."""

    def __init__(self, access: Access, actor: Actor | None, style: OutputStyle, width: int) -> None:
        self.lines: list[tuple[str, str]] = [(cut_end(describe_operation(access, actor), width), "red")]
        if access.stack:
            self.lines += _stack_lines(access.stack, style.frames, width, style.root)
        else:
            self.lines.append((cut_end("  (the detector could not restore this stack)", width), "dim"))
        if actor and actor.created_at:
            self.lines.append(("created at", "cyan"))
            self.lines += _creation_lines(actor.created_at, width, style.root)


def describe_operation(access: Access, actor: Actor | None) -> str:
    """`WRITE by goroutine 7 (finished) at 0x00c000108ba0`."""
    where = f" at {access.address}" if access.address else ""
    actor_name = f" by {access.actor}" if access.actor else ""
    finished = " (finished)" if actor and actor.state is ActorState.FINISHED else ""
    # the stack of an error does not say which operation it was
    operation = "OBSERVED" if access.op is Op.UNKNOWN else access.op.upper()
    return visible_text(f"{operation}{actor_name}{finished}{where}")


def _stack_lines(stack: tuple[Frame, ...], limit: int, width: int, root: str) -> Iterator[tuple[str, str]]:
    """The frames of the program, innermost first, below the library function that the first one calls."""
    folded = FoldedStack(stack)
    if folded.operation:
        name = shorten_function(visible_text(folded.operation), width - 16)
        yield cut_end(f"  in {name}, called by", width), "dim"
    yield from _frame_lines(folded, limit, width, root)


def _creation_lines(stack: tuple[Frame, ...], width: int, root: str) -> Iterator[tuple[str, str]]:
    folded = FoldedStack(stack)
    is_own = folded.frames[0].origin not in LIBRARY_ORIGINS
    yield from _frame_lines(folded, _MAX_CREATION_FRAMES if is_own else 1, width, root)


def _frame_lines(folded: FoldedStack, limit: int, width: int, root: str) -> Iterator[tuple[str, str]]:
    for frame in folded.frames[:limit]:
        yield f"  {cut_end(shorten_function(visible_text(frame.function), width - 2), width - 2)}", ""
        if frame.file:
            yield f"      {shorten_path(visible_text(frame_location(frame, root)), width - 6)}", "dim"
    omitted, stale = len(folded.frames) - limit, folded.stale_count
    notes = [f"{omitted} more"] * (omitted > 0) + [f"{stale} stale"] * (stale > 0)
    if notes:
        yield f"  {ELLIPSIS} {', '.join(notes)}", "dim"


def site_locations(report: Report, root: str) -> list[str]:
    """`orders/journal.go:15`, `orders/journal.go:20`; names of functions where there is no file."""
    texts = [_site_location(access.site, root) for access in accesses_in_title_order(report) if access.site]
    return list(dict.fromkeys(texts))


def _site_location(site: Frame, root: str) -> str:
    return visible_text(frame_location(site, root) if site.file else display_function(site.function))
