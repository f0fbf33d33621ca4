"""Tells apart the races of one document that a fingerprint cannot: two fields, one pair of functions.

A fingerprint has no line numbers in it, so that it outlives edits. Where two functions race for two
fields of one object, it is the same for both. Within one process the fields lie side by side, at
different addresses, and are reached by different lines: so much shows that there are two.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from deadheat.identity.components import Components

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.identity.stacks import Chain

    Lines = tuple[Chain, ...]  # how both sides were reached

# fields of one object lie within so many bytes
_NEAR = 256
# below this address lie the variables of packages, each at its own place for good
_STATIC = 1 << 32
# a string, slice or interface is so long at most
_WORDS = 24
# more ways than this in one pair of functions are not looked at
_MOST = 32


def ranks(seen: Iterable[tuple[Lines, int]]) -> dict[Lines, int]:
    """Which of several races each pair of ways belongs to, counted in the order of the lines.

    `seen` has how both sides were reached, the sides in a fixed order, and the address, of every
    report of one process that has one fingerprint.
    """
    addresses: dict[Lines, set[int]] = {}
    for lines, address in seen:
        addresses.setdefault(lines, set()).add(address)
    if not 1 < len(addresses) <= _MOST:
        return dict.fromkeys(addresses, 0)
    groups = _groups(addresses)
    order = {group: rank for rank, group in enumerate(sorted(set(groups.values())))}
    return {lines: order[group] for lines, group in groups.items()}


def _groups(addresses: dict[Lines, set[int]]) -> dict[Lines, str]:
    """The ways that are about one variable, each with the name of the first one in its group."""
    names = {lines: f"{rank:08}" for rank, lines in enumerate(sorted(addresses))}
    groups = Components()
    for a, b in combinations(addresses, 2):
        # a side of which nothing is known is no reason to join
        if any(x and x == y for x, y in zip(a, b, strict=False)) or addresses[a] & addresses[b]:
            groups.join(names[a], names[b])
    memory: dict[str, set[int]] = {}
    for lines, name in names.items():
        memory.setdefault(groups.root(name), set()).update(addresses[lines])
    for low, high in combinations(sorted(memory), 2):
        if not _are_apart(memory[low], memory[high]):
            groups.join(low, high)  # two objects, as far as anyone can tell the same field of each
    return {lines: groups.root(name) for lines, name in names.items()}


def _are_apart(a: set[int], b: set[int]) -> bool:
    """Two variables for certain: of packages, or fields, each beside one of the others."""
    if max(a | b) < _STATIC:
        return min(abs(x - y) for x in a for y in b) >= _WORDS
    few, many = sorted((a, b), key=len)
    return all(any(abs(x - y) < _NEAR for y in many) for x in few)
