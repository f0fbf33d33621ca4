"""Functions that end the object of a worker, or replace the worker, and do not wait for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.early import waits
from deadheat.diagnose.finding import Evidence
from deadheat.diagnose.lifetime import is_background
from deadheat.diagnose.naming import is_test_file, short, words
from deadheat.diagnose.rule import LIKELY, STRONG, Hit
from deadheat.diagnose.side import point
from deadheat.diagnose.vocabulary import ENDING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.source import Around, Call
    from deadheat.model import Frame

# "e", "conn": variables in a call, not functions as in "kv.Client()"
_NAME = re.compile(r"(\.)?\b([A-Za-z_]\w*)(?![\w(])(?=(\.)?)")
# common arguments say nothing about a call: "ctx", "err", a test's `t`
_COMMON = re.compile(r"_|err|t|tb|\w{0,40}[cC]tx")


def ended_between(scene: Scene) -> Hit | None:
    """A function caused the worker's start, ended its owner below, and continued without a wait."""
    for owner, worker in scene.both if scene.source else ():
        if not is_background(worker):
            continue
        for started in worker.actor.created_at:
            now = next((f for f in owner.true if f.function == started.function), None)
            if now is None or started.stale or now.file != started.file:
                continue
            seen = scene.around(now)
            then = started.line or 0
            end = _end(seen, then, then, now.line or 0) if seen else None
            if seen is None or end is None or is_gone(scene, now, seen, end.line):
                break
            named = f"{end.on}.{end.name}" if end.on else end.name
            evidence = (
                worker.told(f"{worker.does} in a worker ({worker.actor.id})"),
                Evidence(f"`{short(scene.parent(now.function))}` caused its start", point(started)),
                Evidence(f"`{named}` ends the object that it uses", point(now)._replace(line=end.line)),
                Evidence("and does not wait for the worker, which keeps running", point(now)),
            )
            change = f"Make `{named}` wait for the worker that it ends (WaitGroup or channel)."
            where = (point(now)._replace(line=end.line), worker.point)
            inner = scene.defined(end.name, now)
            plain = inner is not None and not waits(scene, now, inner)
            # a test may observe the worker on purpose
            sure = STRONG if plain and not is_test_file(now.file) else LIKELY + 0.05
            return Hit(sure, evidence, change, where, from_source=True)
    return None


def is_gone(scene: Scene, now: Frame, seen: Around, line: int) -> bool:
    """`if bad { close(stop); return }`: does the branch with the call return before the line?"""
    there = scene.around(now._replace(line=line))
    if there is None or any(c.line == line for c in there.conditions):
        return (
            False  # `if err := s.Close(); err != nil {`: the call in the head is unconditional
        )
    return there.leaves and not set(there.conditions) <= set(seen.conditions)


def _end(seen: Around, started: int, first: int, last: int) -> Call | None:
    """The call between two lines that ends what another call began."""
    begun = {
        word
        for call in seen.calls
        if call.line == started
        for word in _about(seen, f"{call.on} {call.arguments} {call.result}")
    }
    for call in seen.calls:
        ends = call.name not in ("delete", "free") and ENDING.intersection(words(call.name)[:1])
        beside = call.deferred or call.depth != len(seen.closures) or not _is_in(call, seen)
        if not ends or beside or not first < call.line < last:
            continue
        of_it = begun.intersection(_about(seen, f"{call.on} {call.arguments}"))
        if of_it or (call.name == "cancel" and not call.on):
            return call
    return None


def _about(seen: Around, text: str) -> list[str]:
    """The variables in a call, not functions or packages (`context` of `context.TODO()`)."""
    go = seen.path.endswith(".go")
    return [
        told[2]
        for told in _NAME.finditer(text)
        if not _COMMON.fullmatch(told[2])
        and not (go and told[3] and told[2] not in seen.names and not told[1])
    ]


def _is_in(call: Call, seen: Around) -> bool:
    """`t.Cleanup(func() { s.Close() })`: is it in the same closure as the line?"""
    inner = seen.closures[-1] if seen.closures else None
    return inner is None or inner.first <= call.line <= inner.last


def replaced(scene: Scene) -> Hit | None:
    """Two workers of a kind: the first was signalled to stop, the next started without a wait.

    `cur := c.query(q); …; cur.close()` in a loop: both queries use the state of `c`.
    """
    a, b = scene.sides if len(scene.sides) == 2 else (None, None)
    if a is None or b is None or not scene.sourced or not (a.is_worker and b.is_worker):
        return None
    if a.name != b.name or a.actor.id == b.actor.id or a.held or b.held:
        return None
    for one, other in zip(a.created, b.created, strict=False):
        seen = scene.around(one) if one.function == other.function else None
        if seen is None or not one.line or not other.line:
            continue
        for first, last in _between(seen, one.line, other.line):
            end = _end(seen, min(one.line, other.line), first, last)
            if end and _is_plain(scene, one, seen, end, last):
                return _next(scene, end, one)
    return None


def _between(seen: Around, one: int, other: int) -> list[tuple[int, int]]:
    """The lines between two starts; for one start, those of its loop."""
    if one != other:
        return [(min(one, other), max(one, other))]
    loops = [(first, last) for first, last in seen.loops if first <= one <= last]
    return [part for first, last in loops[-1:] for part in ((one, last + 1), (first - 1, one))]


def _is_plain(scene: Scene, frame: Frame, seen: Around, end: Call, last: int) -> bool:
    """Is the ending call known not to wait, and does nothing wait after it? Not in started code."""
    inner = scene.defined(end.name, frame)
    if inner is None or waits(scene, frame, inner):
        return False
    if any(s.line <= end.line <= s.last for s in seen.starts):
        return False
    return not any(end.line <= line < last for line in waits(scene, frame, seen))


def _next(scene: Scene, end: Call, started: Frame) -> Hit:
    """The match for a worker that still runs when the next one starts."""
    a, b = scene.sides
    named = f"{end.on}.{end.name}" if end.on else end.name
    evidence = (
        a.told(f"{a.does} in {a.actor.id}"),
        b.told(f"{b.does} in {b.actor.id}, a worker of the same kind"),
        Evidence(
            f"`{named}` signals a worker to stop and does not wait for it",
            point(started)._replace(line=end.line),
        ),
        Evidence("and the next worker is started", point(started)),
    )
    change = f"Make `{named}` wait for the worker that it ends (WaitGroup or channel)."
    where = (point(started)._replace(line=end.line), a.point)
    return Hit(STRONG, evidence, change, where, from_source=True)
