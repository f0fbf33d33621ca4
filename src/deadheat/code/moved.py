"""Relocates frames that do not fit a commit: finds the line of their function that does what they claim.

A report may come from uncommitted code or from a branch that the clone does not contain. Its line
numbers are wrong then, but most of its functions exist. A frame is relocated only if exactly one line
matches.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import asking, lines, touches
from deadheat.code.sides import WRITING, possible
from deadheat.code.touches import BASE, CALLEE
from deadheat.diagnose.finding import Evidence, Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.code.asking import Asked
    from deadheat.code.pinned import Pinned
    from deadheat.code.touches import Touch
    from deadheat.diagnose.finding import Finding
    from deadheat.model import Access, Frame, Report

Key = tuple[str, int | None, str]
# "h.mu.Lock()", "defer c.mtx.RUnlock()", "std::lock_guard<std::mutex> guard(mu_);"
_LOCKS = re.compile(rb"[Ll]ock(?:_guard)?\b.{0,80}\(")
_LONG = 400  # longer functions are not searched
_NEAR = 3  # lines by which shifts in one file may differ
# causes that depend on the conditions around a line
_BY_CHECKS = ("check-then-act", "lazy-initialisation", "double-checked-locking")
_WORTH = 0.8  # confidence factor of a finding with a relocated racing line


class Moved(NamedTuple):
    """A report with line numbers of a commit, and the racing frames whose lines changed."""

    report: Report
    sites: tuple[tuple[Frame, int], ...]
    chosen: bool = False  # one of several possible lines was taken

    def holds(self, finding: Finding) -> bool:
        """Whether a finding is valid for any line of the function with the same access.

        Locks are mostly held for all of them; the conditions around them differ.
        """
        return not self.chosen or finding.cause not in _BY_CHECKS

    def weaker(self, finding: Finding) -> Finding:
        """A finding that depends on relocated lines: with less confidence and a note."""
        if not self.sites or not finding.from_source:
            return finding
        told = tuple(_told(frame, line) for frame, line in self.sites)
        sure = round(finding.confidence * _WORTH, 2)
        return finding._replace(confidence=sure, evidence=(*finding.evidence, *told))


class _Spot(NamedTuple):
    """A frame's function at the commit."""

    asked: Asked
    path: str
    source: bytes
    span: tuple[int, int]


def moved(at: Pinned, report: Report, misfits: Iterable[Frame]) -> Moved | None:
    """The report with the lines of misfit frames relocated; None if no line is found."""
    wanted = {_key(frame) for frame in misfits}
    spots = [s for a in asking.claims(report) if _key(a.frame) in wanted and (s := _spot(at, a))]
    found: dict[Key, int] = {}
    shifts: dict[str, list[int]] = {}
    for spot in spots:
        rows = _rows(spot)
        if len(rows) == 1:
            found[_key(spot.asked.frame)] = rows[0]
            shifts.setdefault(spot.path, []).append(rows[0] - spot.asked.claim.line)
    for spot in spots:
        if _key(spot.asked.frame) not in found and (row := _shifted(spot, shifts)):
            found[_key(spot.asked.frame)] = row
    racing = _racing(at, report, spots, found, shifts)
    found |= {key: rows[0] for key, rows in racing.items()}
    chosen = any(len(rows) > 1 for rows in racing.values())
    return _replaced(report, found)._replace(chosen=chosen) if found else None


def _key(frame: Frame) -> Key:
    return frame.path or frame.file, frame.line, frame.function


def _spot(at: Pinned, asked: Asked) -> _Spot | None:
    here = at.found(asked.frame) if asked.claim.function else None
    span = lines.extent(asked.claim, here[1]) if here else None
    if here is None or span is None or span[1] - span[0] > _LONG:
        return None
    return _Spot(asked, *here, span)


def _rows(spot: _Spot) -> list[int]:
    """The lines of the function that do what the frame claims, if it names a call."""
    claim = spot.asked.claim
    if not claim.does.startswith(("call ", "go")):
        return []
    return [
        row
        for row in range(spot.span[0] + 1, spot.span[1] + 1)
        if lines.grade(claim._replace(line=row), spot.source, spot.span) == lines.DOES
    ]


def _shifted(spot: _Spot, shifts: dict[str, list[int]]) -> int | None:
    """Of several matching lines, the one with the same shift as others of its file."""
    near = [
        row
        for row in _rows(spot)
        for shift in shifts.get(spot.path, ())
        if abs(row - spot.asked.claim.line - shift) <= _NEAR
    ]
    return near[0] if len({*near}) == 1 else None


# -- racing lines: fields that both functions access ---------------------------------------------------


def _racing(
    at: Pinned,
    report: Report,
    spots: Sequence[_Spot],
    found: dict[Key, int],
    shifts: dict[str, list[int]],
) -> dict[Key, list[int]]:
    ways = [w for a in report.accesses[:2] if (w := _way(at, report, a, spots, found))]
    if len(ways) < 2 or ways[0].spot[1:] == ways[1].spot[1:]:
        return {}  # one function: most fields are accessed on several lines
    if not any(way.off for way in ways):
        return _alike(ways, spots, found)
    name = _common(ways)
    if not name:
        # a line that is only possible may have moved, too
        ways = [way if way.off else way.widened() for way in ways]
        name = _common(ways)
    return {_key(w.spot.asked.frame): _nearest(w, name, shifts) for w in ways if w.off and name}


def _alike(
    ways: Sequence[_Way], spots: Sequence[_Spot], found: dict[Key, int]
) -> dict[Key, list[int]]:
    """A line that fits by accident and shares no field with the other: shifted like its function."""
    if set(ways[0].touched) & set(ways[1].touched):
        return {}
    for way, other in (ways, ways[::-1]):
        near = [s for s in spots if s[1:] == way.spot[1:] and _key(s.asked.frame) in found]
        by = {found[_key(s.asked.frame)] - s.asked.claim.line for s in near}
        if len(by) != 1:
            continue
        line = way.spot.asked.claim.line + by.pop()
        here = _touched(way.spot, way.access, (line, line))
        if len(set(here) & set(other.touched)) == 1:
            return {_key(way.spot.asked.frame): [line]}
    return {}


class _Way(NamedTuple):
    """The function of a racing line, and the fields that it touches: anywhere in it if misplaced."""

    spot: _Spot
    access: Access
    off: bool
    touched: dict[str, list[int]]

    def by(self, name: str) -> list[int]:
        """The shifts of the line to those that touch a field."""
        return [row - self.spot.asked.claim.line for row in self.touched[name]]

    def widened(self) -> _Way:
        return self._replace(off=True, touched=_touched(self.spot, self.access, self.spot.span))


def _way(
    at: Pinned, report: Report, access: Access, spots: Sequence[_Spot], found: dict[Key, int]
) -> _Way | None:
    """None if the function does not exist, or if its line was relocated already by its call."""
    alone = report._replace(accesses=(access,), actors=())
    asked = next((a for a in asking.claims(alone) if a.racing), None)
    if asked is None or _key(asked.frame) in found or asked.claim.does not in ("read", "write"):
        return None
    off = next((s for s in spots if _key(s.asked.frame) == _key(asked.frame)), None)
    spot = off or _spot(at, asked)
    if spot is None:
        return None
    span = spot.span if off else (asked.claim.line, asked.claim.line)
    return _Way(spot, access, off is not None, _touched(spot, access, span))


def _common(ways: Sequence[_Way]) -> str:
    """The only field that both functions touch; of several, the one with equal shifts."""
    a, b = ways
    names = set(a.touched) & set(b.touched)
    if len(names) > 1 and a.spot.path == b.spot.path:
        names = {n for n in names if any(abs(x - y) <= 1 for x in a.by(n) for y in b.by(n))}
    return names.pop() if len(names) == 1 else ""


def _nearest(way: _Way, name: str, shifts: dict[str, list[int]]) -> list[int]:
    """The lines that touch the field, nearest first; only one if its shift occurs in the file."""
    rows, line = way.touched[name], way.spot.asked.claim.line
    moved = [row for row in rows if row - line in shifts.get(way.spot.path, ())]
    return moved if len(moved) == 1 else sorted(rows, key=lambda row: abs(row - line))


def _touched(spot: _Spot, access: Access, span: tuple[int, int]) -> dict[str, list[int]]:
    """The fields that the lines access with the reported operation, with their lines."""
    tongue = spot.asked.claim.language
    found: dict[str, list[int]] = {}
    for row in range(span[0], span[1] + 1):
        if _LOCKS.search(lines.text(spot.source, row) or b""):
            continue
        here = possible(touches.touches(tongue, spot.source, row), access.op, spot.source)
        for touch in here:
            if _is_field(touch) and (touch.writes or access.op not in WRITING):
                found.setdefault(touch.name, []).append(row)
    return found


def _is_field(touch: Touch) -> bool:
    return len(touch.path) > 1 and touch.rank not in (BASE, CALLEE)


# -- the report with relocated lines --------------------------------------------------------------------


def _replaced(report: Report, found: dict[Key, int]) -> Moved:
    def placed(frame: Frame) -> Frame:
        line = found.get(_key(frame))
        return frame if line is None else frame._replace(line=line)

    accesses = tuple(
        a._replace(
            stack=tuple(map(placed, a.stack)),
            site=placed(a.site) if a.site else None,
        )
        for a in report.accesses
    )
    actors = tuple(a._replace(created_at=tuple(map(placed, a.created_at))) for a in report.actors)
    sites = [a.site for a in report.accesses if a.site and _key(a.site) in found]
    told = tuple((site, found[_key(site)]) for site in sites)
    return Moved(report._replace(accesses=accesses, actors=actors), told)


def _told(frame: Frame, line: int) -> Evidence:
    text = (
        f"no commit has this access on line {frame.line}, as in the report; by its content it is"
        f" line {line}"
    )
    return Evidence(text, Point(frame.file, line, frame.function))
