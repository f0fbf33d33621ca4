"""SVG diagram of a race: one column per access, from the start of its actor down to the access.

It has no scripts, links or fonts, and uses the colours of the page: `currentColor`, `--muted`, `--race`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.model import Origin, State
from deadheat.render import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access, Actor, Frame, Report

LANE = 350
_GAP, _TOP, _ROW = 20, 18, 34
# characters that fit into a column
_LETTERS = 50
# calls shown per column
_CALLS = 4
_NOISE = (Origin.RUNTIME, Origin.TEST, Origin.GENERATED)
_STYLE = "font:11px/1.3 ui-monospace,Menlo,Consolas,monospace"


class _Stop(NamedTuple):
    """One point of a column: its label and the line below it."""

    kind: str  # "start", "call" or "access"
    text: str
    place: str


def svg(report: Report) -> str:
    """Renders the diagram of a report; empty if it has no access."""
    actors = {actor.id: actor for actor in report.actors}
    lanes = [[*_stops(access, actors.get(access.actor))] for access in report.accesses[:3]]
    if not lanes:
        return ""
    rows = max(len(lane) for lane in lanes)
    width = len(lanes) * (LANE + _GAP) - _GAP
    height = _TOP + rows * _ROW
    drawn = "".join(_lane(lane, rows, at * (LANE + _GAP)) for at, lane in enumerate(lanes))
    meeting = _meeting(width, height) if len(lanes) > 1 else ""
    sides = escape.html(" and ".join(_said(access) for access in report.accesses[:3]))
    return (
        f'<svg class="lanes" viewBox="0 0 {width} {height + 8}" role="img" aria-label="{sides}"'
        f' style="{_STYLE};max-width:{width}px;width:100%;height:auto">{meeting}{drawn}</svg>'
    )


def _said(access: Access) -> str:
    where = access.site.function if access.site else "an unknown location"
    return f"{access.op} in {where}"


def _stops(access: Access, actor: Actor | None) -> Iterator[_Stop]:
    """Yields the points of a column from top to bottom: start, calls, access."""
    finished = " (finished)" if actor and actor.state is State.FINISHED else ""
    created = [f for f in actor.created_at if not f.stale] if actor else []
    born = next((f for f in created if f.origin is Origin.USER), created[0] if created else None)
    began = f"started in {born.function}" if born else ""
    yield _Stop("start", f"{access.actor or 'unknown actor'}{finished}", began)
    calls = telling(access)
    for frame in reversed(calls[1 : 1 + _CALLS]):
        yield _Stop("call", frame.function, place(frame))
    blamed = calls[0] if calls else None
    where = blamed.function if blamed else "an unknown location"
    yield _Stop("access", f"{access.op.upper()}  {where}", place(blamed) if blamed else "")


def telling(access: Access) -> list[Frame]:
    """The frames to show, the site first."""
    live = [frame for frame in access.stack if not frame.stale]
    below = live[live.index(access.site) :] if access.site in live else live
    return [frame for frame in below if frame.origin not in _NOISE] or below


def place(frame: Frame) -> str:
    return f"{frame.file}:{frame.line}" if frame.line is not None else frame.file


def _lane(stops: list[_Stop], rows: int, left: int) -> str:
    """Draws a column with its start at the top and its access at the bottom."""
    ends = _TOP + (rows - 1) * _ROW
    line = (
        f'<path d="M{left + 8} {_TOP}V{ends}" stroke="currentColor" stroke-opacity=".4"'
        ' fill="none"/>'
    )
    gap = rows - len(stops)
    return line + "".join(
        _stop(stop, left, _TOP + (number + (gap if number else 0)) * _ROW)
        for number, stop in enumerate(stops)
    )


def _stop(stop: _Stop, left: int, top: int) -> str:
    radius, colour = {
        "start": (5, "currentColor"),
        "call": (3, "var(--muted,#888)"),
        "access": (7, "var(--race,#d33)"),
    }[stop.kind]
    weight = ' font-weight="bold"' if stop.kind != "call" else ""
    return (
        f"<g><title>{escape.html(f'{stop.text} {stop.place}'.strip())}</title>"
        f'<circle cx="{left + 8}" cy="{top}" r="{radius}" fill="{colour}"/>'
        f'<text x="{left + 22}" y="{top + 4}" fill="currentColor"{weight}>{_cut(stop.text)}</text>'
        f'<text x="{left + 22}" y="{top + 17}" fill="var(--muted,#888)">{_cut(stop.place)}</text></g>'
    )


def _meeting(width: int, height: int) -> str:
    """Draws the dashed line between the unordered accesses."""
    top, below = height - _ROW, height - 8
    return (
        f'<path d="M8 {top}V{below}H{width - LANE + 8}V{top}" stroke="var(--race,#d33)"'
        ' stroke-width="2" stroke-dasharray="2 5" fill="none"/>'
    )


def _cut(text: str) -> str:
    """Shortens a label at its beginning: the end of a symbol or path says more."""
    return escape.html(text if len(text) <= _LETTERS else f"…{text[1 - _LETTERS :]}")
