"""The side that Valgrind does not show, inferred from the code between the locations that it names.

Helgrind keeps where a thread last synchronized before and after the other access, DRD where the other
segment starts and ends. An access to the same variable between the two is most likely the other side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.naming import short
from deadheat.diagnose.side import WRITES, point
from deadheat.dialects.valgrind_lines import stack_of
from deadheat.model import Access, Op, Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame, Report

# how the detectors name the two locations
_AFTER = ("other access after", "other segment start")
_BEFORE = ("other access before", "other segment end")
# limits per report: lines read, calls followed, call depth
_LINES, _CALLS, _DEEP = 60, 12, 2


class _Stretch(NamedTuple):
    """Lines of a function that the other side executed, and the callers of that function."""

    frame: Frame
    first: int
    last: int
    outer: tuple[Frame, ...]


class Supposed(NamedTuple):
    """A report completed with the other side, and the reason for choosing it."""

    report: Report
    why: Evidence


def supposed(scene: Scene) -> Supposed | None:
    """The report with both sides, if the code between the two locations uses the same variable."""
    told = [side for side in scene.sides if side.site]
    facts = dict(scene.report.facts)
    after = next((facts[name] for name in _AFTER if name in facts), "")
    before = next((facts[name] for name in _BEFORE if name in facts), "")
    if len(told) != 1 or told[0].here is None or not (after or before):
        return None
    side = told[0]
    names = _names(scene, side)
    other = next((a for a in scene.report.accesses if a.actor != side.actor.id), None)
    actor = other.actor if other else next(_others(scene, side), "")
    if not names or not actor:
        return None
    for frame, op, outer in _touching(scene, side, names, _user(after), _user(before)):
        access = Access(op, actor, (frame, *outer), site=frame)
        pair = (side.access, access)
        where = f"`{short(frame.function)}`, line {frame.line}"
        why = Evidence(
            f"the report does not show the other side: {where}, runs between the two locations"
            " that it names, and accesses the same variable",
            point(frame),
        )
        return Supposed(scene.report._replace(accesses=pair), why)
    return None


def _others(scene: Scene, side: Side) -> Iterator[str]:
    return (actor.id for actor in scene.report.actors if actor.id != side.actor.id)


def _user(fact: str) -> list[Frame]:
    """The user frames of a location; DRD may name several, of which the first is the nearest."""
    return [
        f
        for f in stack_of(fact.partition("; ")[0])
        if f.origin is Origin.USER and f.line is not None
    ]


def _names(scene: Scene, side: Side) -> set[str]:
    """The names that the known line may race on: the detector's, else all that are not local."""
    place, here = scene.report.location, side.here
    if place is not None and place.kind == "global" and place.name:
        name = place.name.partition("[")[0].partition(".")[0]
        if here and any(u.name == name for u in here.uses):
            return {name}
    called = {c.name for c in here.calls} if here else set()
    return {
        u.name
        for u in (here.uses if here else ())
        if (u.writes or not side.writes)
        and u.name not in called
        and not (len(u.path) == 1 and here and u.name in here.names)
    }


def _touching(
    scene: Scene, side: Side, names: set[str], after: list[Frame], before: list[Frame]
) -> Iterator[tuple[Frame, Op, tuple[Frame, ...]]]:
    """The lines between the two locations that use one of the names in a conflicting way."""
    left = _LINES
    stretches = list(_stretches(scene, after, before))
    for _ in range(_DEEP + 1):
        called: list[_Stretch] = []
        for stretch in stretches:
            for line in range(stretch.first, stretch.last + 1):
                frame = stretch.frame._replace(line=line)
                seen = scene.around(frame) if left > 0 else None
                left -= 1
                if seen is None:
                    continue
                uses = [u for u in seen.uses if u.name in names]
                own = {n for n in names if n in seen.names and seen.names[n].how != "receiver"}
                uses = [u for u in uses if len(u.path) > 1 or u.name not in own]
                writes = any(u.writes for u in uses)
                if uses and (writes or side.access.op in WRITES):
                    yield frame, Op.WRITE if writes else Op.READ, stretch.outer
                called += _called(scene, frame, seen, stretch) if len(called) < _CALLS else ()
        stretches = called


def _called(scene: Scene, frame: Frame, seen: Around, stretch: _Stretch) -> Iterator[_Stretch]:
    """The functions that a line calls, from their first to their last line."""
    for call in [c for c in seen.calls if c.line == seen.line][:_CALLS]:
        inner = scene.defined(call.name, frame, seen.receiver)
        if inner is None or (inner.path, inner.first) == (seen.path, seen.first):
            continue
        file = frame.file[: frame.file.rfind("/") + 1] + inner.path.rpartition("/")[2]
        name = f"{inner.receiver}::{inner.function}" if inner.receiver else inner.function
        there = frame._replace(function=name, file=file, path=file)
        yield _Stretch(there, inner.first, inner.last, (frame, *stretch.outer))


def _stretches(scene: Scene, after: list[Frame], before: list[Frame]) -> Iterator[_Stretch]:
    """The lines between two locations of one thread, each given by its stack, innermost first.

    A location in a loop may belong to another iteration.
    """
    depth = 0
    for a, b in zip(reversed(after), reversed(before), strict=False):
        if (a.function, a.file) != (b.function, b.file):
            break
        depth += 1
        if a.line != b.line:
            break
    up, down = len(after) - depth, len(before) - depth
    for at in range(up):
        if seen := scene.around(after[at]):
            first = min((begin for begin, _ in seen.loops), default=seen.line)
            yield _Stretch(after[at], first, seen.last, tuple(after[at + 1 :]))
    for at in range(down):
        if seen := scene.around(before[at]):
            last = max((end for _, end in seen.loops), default=seen.line)
            yield _Stretch(before[at], seen.first, last, tuple(before[at + 1 :]))
    if depth and (seen := scene.around(after[up])):
        first, last = after[up].line or 0, before[down].line or 0
        if first > last:
            first, last = seen.first, seen.last  # another iteration of a loop
        yield _Stretch(after[up], first, last, tuple(after[up + 1 :]))
