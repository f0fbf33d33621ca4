"""Tells apart the races of one document that a fingerprint cannot: two fields, one pair of functions.

A fingerprint has no line numbers in it, so that it outlives edits. Where two functions race for two
fields of one object, it is the same for both. Within one process the fields lie side by side, at
different addresses, and are accessed on different lines: so much shows that there are two.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from deadheat.identity.components import Components

if TYPE_CHECKING:
    from collections.abc import Iterable

# fields of one object lie within so many bytes
_NEAR = 256
# more lines than this in one pair of functions are not looked at
_MOST = 32

Lines = tuple[int, ...]


def ranks(seen: Iterable[tuple[Lines, int]]) -> dict[Lines, int]:
    """Which of several races each pair of lines belongs to, counted in the order of the lines.

    `seen` has the lines of both sites, the sides in a fixed order, and the address, of every
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


def _groups(addresses: dict[Lines, set[int]]) -> dict[Lines, Lines]:
    """Lines that are about one variable, each with the first of its group."""
    names = {lines: "".join(f"{line:12}" for line in lines) for lines in addresses}
    groups = Components()
    for a, b in combinations(addresses, 2):
        if any(map(int.__eq__, a, b)) or addresses[a] & addresses[b]:
            groups.join(names[a], names[b])
    memory: dict[str, set[int]] = {}
    for lines, name in names.items():
        memory.setdefault(groups.root(name), set()).update(addresses[lines])
    for low, high in combinations(sorted(memory), 2):
        if not _are_neighbours(memory[low], memory[high]):
            groups.join(low, high)  # two objects, as far as anyone can tell the same field of each
    first = {names[lines]: lines for lines in addresses}
    return {lines: first[groups.root(name)] for lines, name in names.items()}


def _are_neighbours(a: set[int], b: set[int]) -> bool:
    """Does every address of the fewer ones have one of the others beside it?"""
    few, many = sorted((a, b), key=len)
    return all(any(abs(x - y) < _NEAR for y in many) for x in few)
