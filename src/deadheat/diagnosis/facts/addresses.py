"""What the address of a Go variable and the offset of an instruction say about an access.

The detector prints the offset after each line: `cache.go:39 +0x15a`. Measured with Go 1.19 to 1.27: the first access
in a function is at 0x28 to 0x4c, an access after `Lock` and a deferred `Unlock` at 0x97 or more. Offsets in an inlined
function count from the start of its caller, and the caller's own offset is then that of the inlined call: slightly
less. A function that locks and defers the unlock is not inlined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.context import once_per_report

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Access, Report

# Go's heap begins at 0xc000000000, on 64-bit Arm at 0x4000000000; programs are loaded below
_HEAP_PREFIXES = (0xC0, 0x40)
# on 64-bit Arm: 0x4000000000, on a Mac 0x14000000000
_ARM64_HEAP_PREFIXES = (0x40, 0x140)
_PROGRAM_END = 0x4000000000
# a separate allocation is aligned to its size class; an interface has two words
_WORD_BYTES, _INTERFACE_BYTES = 8, 16


@once_per_report
def raced_address(context: RaceContext) -> int | None:
    """The address that a Go report gives for its first access that has one."""
    return _first_address(side.access for side in context.race_sides) if context.is_go else None


def _first_address(accesses: Iterable[Access]) -> int | None:
    return _parse_hex(next((access.address for access in accesses if access.address), None))


def _parse_hex(text: str | None) -> int | None:
    try:
        return int(text, 16) if text else None
    except ValueError:
        return None


def is_upper_half_word(context: RaceContext) -> bool:
    """Is it the second half of a word by its address? A lock's state is the first half."""
    return (raced_address(context) or 0) % _WORD_BYTES == _WORD_BYTES // 2


def is_package_variable(context: RaceContext) -> bool | None:
    """Is it a package variable, which lies in the program image? None if unknown."""
    address = raced_address(context)
    if not address:
        return None
    if address < _PROGRAM_END:
        return True
    return False if address >> 32 in _HEAP_PREFIXES else None


def lies_in_program(report: Report) -> bool:
    """Does the raced variable certainly lie in the program image? For a report without context."""
    address = _first_address(report.accesses[:2]) if report.detector == "go" else None
    return address is not None and 0 < address < _PROGRAM_END


_MIN_LOCKED_OFFSET = 0x95  # a lock and its deferred unlock fit before it
# Within the first distance after its caller's offset, code is inlined four times in five; up to the second, the
# maximum length of inlined code, it may be (Go 1.26, 310 accesses of the corpus)
_LIKELY_INLINED_DISTANCE, _MAX_INLINED_DISTANCE = 0x40, 0xB0
# one line that reads, calls something and writes: `append` takes 117 to 210 bytes, `n++` 18 to 64
_MIN_CALL_DISTANCE = 110
_MAX_INLINE_DEPTH = 4  # inlining is hardly ever deeper
# instruction length on arm64, and how many offsets may be multiples of it by chance
_ARM64_INSTRUCTION_BYTES, _MAX_ALIGNED_BY_CHANCE = 4, 3


def code_offset(side: RaceSide) -> int | None:
    """The number of code bytes before the access; None if not reported."""
    return None if _is_not_amd64(side.context) else _parse_hex(side.access.instruction)


@once_per_report
def _is_not_amd64(context: RaceContext) -> bool:
    """Is this not amd64, the only architecture measured? Others have instructions of one length."""
    if (raced_address(context) or 0) >> 32 in _ARM64_HEAP_PREFIXES:
        return True
    offsets = {offset for a in context.report.accesses for offset in (a.instruction, a.called_from) if offset}
    is_aligned = all((_parse_hex(offset) or 0) % _ARM64_INSTRUCTION_BYTES == 0 for offset in offsets)
    return is_aligned and len(offsets) > _MAX_ALIGNED_BY_CHANCE


def may_follow_lock(side: RaceSide) -> bool:
    """Is the offset large enough for a lock and a deferred unlock before the access?"""
    offset = code_offset(side)
    return offset is not None and offset >= _MIN_LOCKED_OFFSET


def has_call_between(reads: RaceSide, writes: RaceSide) -> bool:
    """Is there a call between the read and the write of one line?"""
    distance = _code_distance(reads, writes)
    return distance is not None and abs(distance) >= _MIN_CALL_DISTANCE


def _code_distance(reads: RaceSide, writes: RaceSide) -> int | None:
    """The code bytes from the read to the write of one line, within one copy of the code.

    An inlined function has a copy in each caller. Two accesses are in one copy if they have the same callers or the
    same call offset; a function that is not inlined has only one copy.
    """
    if reads.site != writes.site or reads.site is None:
        return None
    offset, write_offset = code_offset(reads), code_offset(writes)
    if offset is None or write_offset is None:
        return None
    a, b = reads.live_frames, writes.live_frames
    is_same_copy = a[:_MAX_INLINE_DEPTH] == b[:_MAX_INLINE_DEPTH]
    if not is_same_copy and a[:2] == b[:2]:
        is_same_copy = reads.access.called_from == writes.access.called_from
    return write_offset - offset if is_same_copy or (is_not_inlined(reads) and is_not_inlined(writes)) else None


def is_not_inlined(side: RaceSide) -> bool:
    """Is it certainly code of the site's own function, not inlined?"""
    offset, caller_offset = code_offset(side), _parse_hex(side.access.called_from)
    return offset is not None and (caller_offset is None or not 0 <= offset - caller_offset < _MAX_INLINED_DISTANCE)
