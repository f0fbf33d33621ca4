"""The steps of each actor from the common ancestor down to the racing line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deadheat.model import Origin, State

if TYPE_CHECKING:
    from deadheat.model import Access, Actor, Frame, Report

_NOISE = (Origin.RUNTIME, Origin.TEST, Origin.GENERATED, Origin.STDLIB)


@dataclass(frozen=True, slots=True)
class Step:
    """One frame. `kind` is `call`, `start` (of the actor), `access` or `inner` (below the access)."""

    kind: str
    frame: Frame
    quiet: bool = False  # in a library or the runtime


@dataclass(frozen=True, slots=True)
class Lane:
    """One actor: its access, its steps from the outermost frame, and its stale frames."""

    access: Access
    actor: Actor | None
    steps: tuple[Step, ...]
    stale: tuple[Frame, ...]

    @property
    def is_finished(self) -> bool:
        return self.actor is not None and self.actor.state is State.FINISHED


@dataclass(frozen=True, slots=True)
class Picture:
    """The columns of a report and their common ancestor, if known."""

    ancestor: Frame | None
    lanes: tuple[Lane, ...]


def picture(report: Report) -> Picture:
    """Builds the columns of the first two accesses."""
    actors = {actor.id: actor for actor in report.actors}
    sides = [_Side(access, actors.get(access.actor)) for access in report.accesses[:2]]
    above = _part(sides[0], sides[1]) if len(sides) == 2 else None
    return Picture(above, tuple(side.lane() for side in sides))


class _Side:
    """The creation stack and the access stack of an access, outermost frame first."""

    def __init__(self, access: Access, actor: Actor | None) -> None:
        self.access, self.actor = access, actor
        self.started = _live(actor.created_at)[::-1] if actor else []
        self.ran = _live(access.stack)[::-1]

    def lane(self) -> Lane:
        way = self.started
        steps = [*(_call(f) for f in way[:-1]), *(Step("start", f) for f in way[-1:])]
        stale = [f for f in self.access.stack if f.stale]
        stale += [f for f in self.actor.created_at if f.stale] if self.actor else []
        steps += [_step(self.access, frame) for frame in self.ran]
        return Lane(self.access, self.actor, tuple(steps), tuple(stale))


def _part(one: _Side, two: _Side) -> Frame | None:
    """Finds the common ancestor and removes the common frames from both paths."""
    for mine, theirs in (
        (one.started, two.ran),
        (one.ran, two.started),
        (one.started, two.started),
    ):
        at = _parting(mine, theirs)
        if at is None or mine[at[0]].origin in _NOISE:
            continue
        above = mine[at[0]]
        for side, way, end in ((one, mine, at[0]), (two, theirs, at[1])):
            if way is side.ran:
                side.started = []  # the creation stack is above the ancestor
            del way[: end + 1]
        return above
    return None


def _parting(mine: list[Frame], theirs: list[Frame]) -> tuple[int, int] | None:
    """The indexes of the last common call; after it the lines or functions differ."""
    functions = {frame.function: at for at, frame in reversed([*enumerate(theirs)])}
    begin = next((at for at, frame in enumerate(mine) if frame.function in functions), None)
    if begin is None:
        return None
    found, at, other = None, begin, functions[mine[begin].function]
    while at < len(mine) and other < len(theirs) and mine[at].function == theirs[other].function:
        found = at, other
        if mine[at].line != theirs[other].line:
            break
        at, other = at + 1, other + 1
    return found


def _step(access: Access, frame: Frame) -> Step:
    if frame == access.site:
        return Step("access", frame)
    stack = access.stack
    inner = access.site in stack and stack.index(frame) < stack.index(access.site)
    return Step("inner", frame, True) if inner else _call(frame)


def _call(frame: Frame) -> Step:
    return Step("call", frame, frame.origin in _NOISE)


def _live(stack: tuple[Frame, ...]) -> list[Frame]:
    return [frame for frame in stack if not frame.stale]
