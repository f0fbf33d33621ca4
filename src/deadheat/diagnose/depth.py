"""How far into its function an access of Go lies, and what fits in front of it; knows no rule.

The detector prints it behind each line: `cache.go:39 +0x15a`. Measured with Go 1.19 to 1.27: what comes
first in a function lies at 0x28 to 0x4c, what stands behind `Lock` and a deferred `Unlock` at 0x97 or
more. A function that the compiler has put into its caller counts from the caller's beginning, and the
caller's own offset is then that of the place where it was put: a little less. Who takes a lock and
defers its release is not put anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import address

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame

# a lock and its deferred release fit in front of what lies as deep
LOCKED = 0x95
# so near to the beginning nothing has been waited for
FIRST = 0x70
# a lock and a second look fit between two accesses that are as far apart
AGAIN = 0x80
# a check whether something is there, and the store of what was made then, are as far apart or farther
_MADE = 0x22
# what lies no farther behind its caller's offset was put into the caller, four times in five; farther,
# up to the length of what is put anywhere, it may be either (Go 1.26, 310 accesses of the corpus)
_INLINED, _LONGEST = 0x40, 0xB0
# one line that reads, calls something and writes: `append` takes 117 to 210 bytes, `n++` 18 to 64
_CALLED = 110
# "if err = f(); err != nil {": its question lies 48 to 88 bytes behind its assignment
_ASKED = range(0x20, 0x80)
# no deeper are functions put into one another, nearly always
_COPIED = 4
# how long an instruction is on arm64, and how many offsets may be multiples of that by chance
_WORD, _CHANCE = 4, 3


def of(side: Side) -> int | None:
    """How many bytes of code lie in front of the access; None if that is not told."""
    return None if _is_foreign(side.scene) else _number(side.access.instruction)


def _is_foreign(scene: Scene) -> bool:
    """Is this not amd64, which alone was measured? Elsewhere instructions are of one length."""
    known: bool | None = scene.memo.get(_is_foreign)
    if known is None:
        told = {at for a in scene.report.accesses for at in (a.instruction, a.called_from) if at}
        known = len(told) > _CHANCE and not any((_number(at) or 0) % _WORD for at in told)
        known = known or address.is_arms(scene)
        scene.memo[_is_foreign] = known
    return known


def whose(side: Side) -> Frame | None:
    """Whose code that is: the site's own function, or the caller that it seems to have been put into."""
    at, called = of(side), _number(side.access.called_from)
    if at is None or not side.frames:
        return None
    if called is None or not 0 <= at - called < _INLINED:
        return side.frames[0]
    return side.frames[1] if len(side.frames) > 1 else None


def may_be_locked(side: Side) -> bool:
    """Does it lie so deep that the code in front may have taken a lock, and mean to let go of it?"""
    at = of(side)
    return at is not None and at >= LOCKED


def calls_between(reads: Side, writes: Side) -> bool:
    """Is something called between the read and the write of one line?"""
    between = _between(reads, writes)
    return between is not None and abs(between) >= _CALLED


def is_asked(reads: Side, writes: Side) -> bool:
    """Does one line assign, and then ask what was assigned?"""
    between = _between(reads, writes)
    return between is not None and -between in _ASKED


def _between(reads: Side, writes: Side) -> int | None:
    """How many bytes of code lie from the read to the write of one line, in one copy of it.

    What is put into its callers has a copy in each. Two of one copy have the same callers, or come by
    one call of the same code; and who is put nowhere has one copy only.
    """
    if reads.site != writes.site or reads.site is None:
        return None
    at, then = of(reads), of(writes)
    if at is None or then is None:
        return None
    a, b = reads.true, writes.true
    alike = a[:_COPIED] == b[:_COPIED]
    if not alike and a[:2] == b[:2]:
        alike = reads.access.called_from == writes.access.called_from
    return then - at if alike or (is_own(reads) and is_own(writes)) else None


def is_own(side: Side) -> bool:
    """Is it surely code of the site's own function, which was put nowhere?"""
    at, called = of(side), _number(side.access.called_from)
    return at is not None and (called is None or not 0 <= at - called < _LONGEST)


def only_stores(scene: Scene, checks: Side, stores: Side) -> bool:
    """Is there no room between a check and a store for a call that would make what is stored?

    A variable of a package is reached by so little code that this does not tell.
    """
    if address.is_packages(scene) is not False:
        return False
    first, then = of(checks), of(stores)
    return first is not None and then is not None and 0 < then - first < _MADE


def _number(told: str | None) -> int | None:
    try:
        return int(told, 16) if told else None
    except ValueError:
        return None
