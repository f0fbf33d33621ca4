"""Whether two stacks pass through one call of a function or through two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose.naming import is_closure, is_same
from deadheat.model import Origin

if TYPE_CHECKING:
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame


def path(side: Side) -> tuple[Frame, ...]:
    """The stack of a side, followed by the stack that started it."""
    return (*side.true, *side.actor.created_at)


def are_two(a: Side, b: Side, name: str) -> bool:
    """Are the sides in different calls of that function, so that they share none of its locals?

    They are if each called it itself, or if it was called from different lines.
    """
    if a.actor.id != b.actor.id and _has_called(a, name) and _has_called(b, name):
        return True
    one, other = _caller(a, name), _caller(b, name)
    if one is None or other is None:
        return False
    return (one.function, one.line) != (other.function, other.line)


def _has_called(side: Side, name: str) -> bool:
    """Is the function itself, not a closure or wrapper of it, on a side's own stack?"""
    return any(is_same(f.function, name) for f in side.true[1:])


def _caller(side: Side, name: str) -> Frame | None:
    """The caller of the function itself, not of a closure of it; None if not on the path."""
    way = path(side)
    for frame, caller in zip(reversed(way[:-1]), reversed(way), strict=False):
        if is_same(side.written(frame), name):
            told = caller.origin is Origin.USER and not caller.stale
            return caller if told and not is_closure(frame.function) else None
    return None
