"""What one line makes and publishes, as `s.conf = &Conf{a, b}` does; knows instructions and addresses.

A line has an instruction for each variable that it sets. If it makes an object, those that fill it write
side by side, and the last one, which publishes it, elsewhere: then the fields are no variables of their
own, but the object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

# fields of an object lie within so many bytes, and what points to it does not
_NEAR, _FAR = 64, 256
# two fields, and what points to them
_LEAST: Final = 3


def made(written: Iterable[tuple[str, int]]) -> frozenset[str]:
    """The instructions that fill an object, of those of one line and the addresses that they wrote."""
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
