"""What the address of a Go variable says: where it lies and what it cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.diagnose.scene import Scene
    from deadheat.model import Access, Report

# Go's heap begins at 0xc000000000, on 64-bit Arm at 0x4000000000; programs are loaded below
_HEAPS = (0xC0, 0x40)
# on 64-bit Arm: 0x4000000000, on a Mac 0x14000000000
_ARMS = (0x40, 0x140)
_LOADED = 0x4000000000
# a separate allocation is aligned to its size class; an interface has two words
_WORD, _TWO_WORDS = 8, 16


def of(scene: Scene) -> int | None:
    """The address that a Go report gives for its first access that has one."""
    return _told(side.access for side in scene.sides) if scene.go else None


def _told(accesses: Iterable[Access]) -> int | None:
    told = next((access.address for access in accesses if access.address), "")
    try:
        return int(told, 16) if told else None
    except ValueError:
        return None


def is_arms(scene: Scene) -> bool:
    """Is it in the heap of a 64-bit Arm program?"""
    return (of(scene) or 0) >> 32 in _ARMS


def is_part(scene: Scene) -> bool:
    """Is it smaller than a word by its address: a flag or a small number, not a pointer?"""
    return bool((of(scene) or 0) % _WORD)


def is_half(scene: Scene) -> bool:
    """Is it the second half of a word by its address? A lock's state is the first half."""
    return (of(scene) or 0) % _WORD == _WORD // 2


def is_packages(scene: Scene) -> bool | None:
    """Is it a package variable, which lies in the program image? None if unknown."""
    at = of(scene)
    if not at:
        return None
    if at < _LOADED:
        return True
    return False if at >> 32 in _HEAPS else None


def is_in_program(report: Report) -> bool:
    """Does the raced variable certainly lie in the program image? For a report without context."""
    at = _told(report.accesses[:2]) if report.detector == "go" else None
    return at is not None and 0 < at < _LOADED


def may_be_interface(scene: Scene) -> bool:
    """May a variable with its own allocation be an interface, such as an error?

    Two words are allocated in the 16-byte size class. A number or a flag is put at the end of such a
    block while the race detector is on (up to Go 1.24; later also at its beginning).
    """
    at = of(scene)
    return at is not None and at >> 32 in _HEAPS and at % _TWO_WORDS == 0
