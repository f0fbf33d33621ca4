"""Checks and dependent writes, guessed from lines and names of a report alone."""

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
SPAN = 6  # lines between a check and the dependent write
_LOCKED = 3  # at most so many lines between a check and a creation in its block
# "db.(*connPool)"
_POOL = re.compile(r"(?<![Ss])[Pp]ool")


def is_close(found: Check) -> bool:
    """Is the write in the block that the check opens? A guard clause needs three lines."""
    return (found.sets.point.line or 0) - (found.other.point.line or 0) < _LEAVES


def likely(scene: Scene) -> Check | None:
    """One function in two actors: one reads, the other writes a few lines below."""
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
            continue  # it reads a position and continues from there
        down = (sets.site.line or 0) - (other.site.line or 0)
        # the return is two lines below the write: `}` is between them
        near = 0 < down <= SPAN or down == -2 or (-SPAN <= down < 0 and is_lazy(sets.name))
        if sets.site.file == other.site.file and near and not other.writes:
            return Check(sets, other)
    return None


def looked_first(scene: Scene) -> tuple[Side, Side, int] | None:
    """From a Go report alone: a read at function entry and a write far below, with code in between.

    Returns reader, writer and the lines between. Something is created between the two; whether under a
    lock, after a second check, is not visible. A mere change of an existing value needs less code.
    """
    if not scene.go or scene.source is not None or not scene.same_function:
        return None
    if address.is_packages(scene):
        return None  # package variables need too little code for this test
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
    """Is it a method of a pool? Then it counts its objects."""
    return bool(_POOL.search(side.owner) and verb(side.name) in POOLING)


def is_changing(name: str) -> bool:
    """Is a function named as if it changed something that exists?"""
    return verb(name) in CHANGING


@lru_cache(maxsize=1 << 12)
def is_lazy(name: str) -> bool:
    """Is a function named as if it created something at first use?"""
    told = words(name)
    return bool(told) and (verb(name) in LAZY or "lazy" in told or "once" in told)


def verb(name: str) -> str:
    """The verb in a function's name: its first word, in C often the last (`ring_put`)."""
    bare = last(name)
    told = words(bare)
    if not told:
        return ""
    return told[-1] if "_" in bare and told[0] not in _FIRST else told[0]
