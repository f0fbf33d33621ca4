"""What lines and names tell of a check and what depends on it, from a report alone; knows no rule."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from deadheat.diagnose.checking import Check
from deadheat.diagnose.naming import last, words
from deadheat.diagnose.vocabulary import CHANGING, GROWING, KEYED, LAZY, TURNING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene

_GOING_ON: frozenset[str] = GROWING | KEYED | TURNING
_LEAVES = 3
SPAN = 6  # lines between a check and what depends on it


def is_close(found: Check) -> bool:
    """Is the write in the block that the check opens? One that leaves the function needs three lines."""
    return (found.sets.point.line or 0) - (found.other.point.line or 0) < _LEAVES


def likely(scene: Scene) -> Check | None:
    """One function in two actors: one reads, and the other writes a line or two further down."""
    if Check not in scene.memo:
        scene.memo[Check] = _likely(scene)
    found: Check | None = scene.memo[Check]
    return found


def _likely(scene: Scene) -> Check | None:
    if not scene.same_function or scene.sourced:
        return None
    for sets, other in scene.both:
        if not sets.writes or not sets.site or not other.site or sets.closure:
            continue
        if verb(sets.name) in _GOING_ON:
            continue  # reads how far it is, in a container or a turn, and goes on from there
        down = (sets.site.line or 0) - (other.site.line or 0)
        # two lines further down stands what gives it back: `}` is between them
        near = 0 < down <= SPAN or down == -2 or (-SPAN <= down < 0 and is_lazy(sets.name))
        if sets.site.file == other.site.file and near and not other.writes:
            return Check(sets, other)
    return None


def is_changing(name: str) -> bool:
    """Is a function called as if it changed something that is already there?"""
    return verb(name) in CHANGING


@lru_cache(maxsize=1 << 12)
def is_lazy(name: str) -> bool:
    """Is a function called as if it made something at first use?"""
    told = words(name)
    return bool(told) and (verb(name) in LAZY or "lazy" in told or "once" in told)


@lru_cache(maxsize=1 << 12)
def verb(name: str) -> str:
    """What a function is called to do: its first word, in C often the last (`ring_put`)."""
    told = words(name)
    if not told:
        return ""
    return told[-1] if "_" in last(name) and told[0] not in LAZY | CHANGING else told[0]
