"""What lines and names tell of a check and what depends on it, from a report alone; knows no rule."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from deadheat.diagnose import address, depth
from deadheat.diagnose.checking import Check
from deadheat.diagnose.naming import last, words
from deadheat.diagnose.vocabulary import CHANGING, GROWING, KEYED, LAZY, POOLING, TURNING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side

_GOING_ON: frozenset[str] = GROWING | KEYED | TURNING
_FIRST: frozenset[str] = LAZY | CHANGING
_LEAVES = 3
SPAN = 6  # lines between a check and what depends on it
_LOCKED = 3  # no more lines lie between a check and what is made in its own block
# "db.(*connPool)"
_POOL = re.compile(r"(?<![Ss])[Pp]ool")


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


def looked_first(scene: Scene) -> tuple[Side, Side, int] | None:
    """From a Go report alone: a function looks first of all, and sets it so far below that much is done.

    Who reads, who writes, and how many lines below. Something is made between the two; whether it is
    made under a lock, after a second look, does not show. Who only changes what is there has no more
    than the change between them.
    """
    if not scene.go or scene.source is not None or not scene.same_function:
        return None
    if address.is_packages(scene):
        return None  # what a package keeps is reached by so little code that this does not tell
    for reader, maker in scene.both:
        if reader.writes or not maker.writes or maker.closure or maker.inner or reader.inner:
            continue
        first, then = depth.of(reader), depth.of(maker)
        down = (maker.point.line or 0) - (reader.point.line or 0)
        if first is None or then is None or not _LOCKED < down <= 2 * SPAN or _lends(maker):
            continue
        if first < depth.FIRST and then - first >= depth.AGAIN and not is_changing(maker.name):
            return reader, maker, down
    return None


def _lends(side: Side) -> bool:
    """Is it what a pool does with its objects? Then it counts them."""
    return bool(_POOL.search(side.owner) and verb(side.name) in POOLING)


def is_changing(name: str) -> bool:
    """Is a function called as if it changed something that is already there?"""
    return verb(name) in CHANGING


@lru_cache(maxsize=1 << 12)
def is_lazy(name: str) -> bool:
    """Is a function called as if it made something at first use?"""
    told = words(name)
    return bool(told) and (verb(name) in LAZY or "lazy" in told or "once" in told)


def verb(name: str) -> str:
    """What a function is called to do: its first word, in C often the last (`ring_put`)."""
    bare = last(name)
    told = words(bare)
    if not told:
        return ""
    return told[-1] if "_" in bare and told[0] not in _FIRST else told[0]
