"""The offset of an access in its Go function, and what code fits before it.

The detector prints the offset after each line: `cache.go:39 +0x15a`. Measured with Go 1.19 to 1.27: the
first access in a function is at 0x28 to 0x4c, an access after `Lock` and a deferred `Unlock` at 0x97 or
more. Offsets in an inlined function count from the start of its caller, and the caller's own offset is
then that of the inlined call: slightly less. A function that locks and defers the unlock is not inlined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnose import address

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame

# a lock and its deferred unlock fit before this offset
LOCKED = 0x95
# too close to the function entry for a wait before
FIRST = 0x70
# a lock and a second check fit into this distance
AGAIN = 0x80
# minimum distance between an existence check and the store of a created object
_MADE = 0x22
# Within the first distance after its caller's offset, code is inlined four times in five; up to the
# second, the maximum length of inlined code, it may be (Go 1.26, 310 accesses of the corpus)
_INLINED, _LONGEST = 0x40, 0xB0
# one line that reads, calls something and writes: `append` takes 117 to 210 bytes, `n++` 18 to 64
_CALLED = 110
# "if err = f(); err != nil {": the test is 48 to 88 bytes after the assignment
_ASKED = range(0x20, 0x80)
# inlining is hardly ever deeper
_COPIED = 4
# instruction length on arm64, and how many offsets may be multiples of it by chance
_WORD, _CHANCE = 4, 3


def of(side: Side) -> int | None:
    """The number of code bytes before the access; None if not reported."""
    return None if _is_foreign(side.scene) else _number(side.access.instruction)


def _is_foreign(scene: Scene) -> bool:
    """Is this not amd64, the only architecture measured? Others have instructions of one length."""
    known: bool | None = scene.memo.get(_is_foreign)
    if known is None:
        told = {at for a in scene.report.accesses for at in (a.instruction, a.called_from) if at}
        known = len(told) > _CHANCE and not any((_number(at) or 0) % _WORD for at in told)
        known = known or address.is_arms(scene)
        scene.memo[_is_foreign] = known
    return known


def whose(side: Side) -> Frame | None:
    """The frame whose code the offset counts: the site, or the caller it seems to be inlined into."""
    at, called = of(side), _number(side.access.called_from)
    if at is None or not side.frames:
        return None
    if called is None or not 0 <= at - called < _INLINED:
        return side.frames[0]
    return side.frames[1] if len(side.frames) > 1 else None


def may_be_locked(side: Side) -> bool:
    """Is the offset large enough for a lock and a deferred unlock before the access?"""
    at = of(side)
    return at is not None and at >= LOCKED


def calls_between(reads: Side, writes: Side) -> bool:
    """Is there a call between the read and the write of one line?"""
    between = _between(reads, writes)
    return between is not None and abs(between) >= _CALLED


def is_asked(reads: Side, writes: Side) -> bool:
    """Does one line assign a value and then test it?"""
    between = _between(reads, writes)
    return between is not None and -between in _ASKED


def _between(reads: Side, writes: Side) -> int | None:
    """The code bytes from the read to the write of one line, within one copy of the code.

    An inlined function has a copy in each caller. Two accesses are in one copy if they have the same
    callers or the same call offset; a function that is not inlined has only one copy.
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
    """Is it certainly code of the site's own function, not inlined?"""
    at, called = of(side), _number(side.access.called_from)
    return at is not None and (called is None or not 0 <= at - called < _LONGEST)


def only_stores(scene: Scene, checks: Side, stores: Side) -> bool:
    """Is there too little code between a check and a store for a call that creates the value?

    Unknown for package variables, which need very little code to access.
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
