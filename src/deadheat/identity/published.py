"""Objects that one line creates and publishes, as `s.conf = &Conf{a, b}` does.

A line has one instruction per variable that it sets. If it creates an object, the instructions that
fill the object write adjacent addresses, and the last one, which publishes it, writes elsewhere.
Then the fields are not separate variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

# fields of an object are within this many bytes, the pointer to it is further away
_NEAR, _FAR = 64, 256
# two fields and the pointer
_LEAST: Final = 3


def made(written: Iterable[tuple[str, int]]) -> frozenset[str]:
    """The instructions that fill an object, given the writes of one line."""
    at: dict[str, set[int]] = {}
    for instruction, address in written:
        at.setdefault(instruction, set()).add(address)
    if len(at) < _LEAST or "" in at:
        return frozenset()
    last = max(at, key=lambda instruction: int(instruction, 16))
    pointers = at.pop(last)
    fields = sorted(set().union(*at.values()))
    low, high = fields[0], fields[-1]
    apart = min(max(low - one, one - high) for one in pointers)
    return frozenset(at) if high - low < _NEAR and apart >= _FAR else frozenset()
