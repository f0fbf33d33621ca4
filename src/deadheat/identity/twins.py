"""Distinguishes races for different variables in one pair of functions, within one document.

A fingerprint contains no line numbers, so that it survives edits. So two functions that race for
two variables have one fingerprint. Within one process the variables have different addresses and
are reached by different lines. Each variable gets an ordinal.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Final

from deadheat.identity.callers import differ
from deadheat.identity.components import Components
from deadheat.identity.variables import Way, are_alike, are_apart, are_read_apart, is_another

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.identity.evidence import Instructions, Mark
    from deadheat.identity.stacks import Chain
    from deadheat.identity.variables import Actors, Lines

    # key, address, actors, instructions
    Seen = tuple[Mark, int, Actors, Instructions]

# maximum number of line pairs compared
_MOST: Final = 32
# added to the ordinal of a variable for an element that is reached through it
_BESIDE: Final = 64


def ranks(seen: Iterable[Seen]) -> dict[Lines, int]:
    """The ordinal of each pair of call chains, in line order.

    `reports` are all reports of one process with one fingerprint.
    """
    ways: dict[Lines, Way] = {}
    for mark, address, actors, instructions in seen:
        ways.setdefault(mark.chains, Way()).add(mark, address, actors, instructions)
    if not 1 < len(ways) <= _MOST:
        return dict.fromkeys(ways, 0)
    return {lines: rank for part in _classes(ways) for lines, rank in _ranks(part).items()}


def _classes(ways: dict[Lines, Way]) -> list[dict[Lines, Way]]:
    """Split the line pairs that are distinguished by their callers; these need no ordinals."""
    known = sum([all(s.callers[0] for s in way.sides) for way in ways.values()])
    if known < 2:
        return [ways]
    names = {lines: f"{number:02}" for number, lines in enumerate(sorted(ways))}
    classes = Components()
    called = [(name, ways[lines].called) for lines, name in names.items()]
    for (one, a), (other, b) in combinations(called, 2):
        if not differ(a, b):
            classes.join(one, other)
    parts: dict[str, dict[Lines, Way]] = {}
    for lines, name in names.items():
        parts.setdefault(classes.root(name), {})[lines] = ways[lines]
    return [*parts.values()]


def _ranks(ways: dict[Lines, Way]) -> dict[Lines, int]:
    names = {lines: f"{number:02}" for number, lines in enumerate(sorted(ways))}
    groups = Components()
    beside: list[tuple[Lines, Lines]] = []
    apart: list[tuple[Lines, Lines]] = []
    for a, b in combinations(names, 2):
        left = _left(a, b)
        if ways[a].addresses & ways[b].addresses:
            groups.join(names[a], names[b])
        elif left is None:
            continue
        elif are_read_apart(left, ways[a], ways[b]):
            apart.append((a, b))
        elif is_another(left, ways[a], ways[b], ways):
            beside.append((a, b))
        else:
            groups.join(names[a], names[b])
    _join_fields(names, groups, ways, [*beside, *apart])
    return _numbered(names, groups, beside)


def _join_fields(
    names: dict[Lines, str],
    groups: Components,
    ways: dict[Lines, Way],
    apart: list[tuple[Lines, Lines]],
) -> None:
    """Join line pairs that access the same field of two objects.

    Pairs on the same lines are joined first, because more is known about them together.
    """
    for alike in (True, False):
        members: dict[str, list[Lines]] = {}
        for lines, name in names.items():
            members.setdefault(groups.root(name), []).append(lines)
        judged = {(groups.root(names[a]), groups.root(names[b])) for a, b in apart}
        for low, high in combinations(sorted(members), 2):
            if (low, high) in judged or (high, low) in judged:
                continue
            if alike and not are_alike(members[low], members[high]):
                continue
            if not are_apart(members[low], members[high], ways):
                groups.join(low, high)


def _numbered(
    names: dict[Lines, str], groups: Components, beside: list[tuple[Lines, Lines]]
) -> dict[Lines, int]:
    """Number the groups in line order. Elements are numbered separately.

    A run that also shows an element must not change the ordinals of the fields.
    """
    elders: dict[str, str] = {}
    for a, b in beside:
        low, high = sorted((groups.root(names[a]), groups.root(names[b])))
        if low != high:
            elders[high] = min(elders.get(high, low), low)
    numbers: dict[str, int] = {}
    fields = 0
    for root in sorted({groups.root(name) for name in names.values()}):
        if root in elders:
            number = numbers[elders[root]] + _BESIDE
            while number in numbers.values():
                number += _BESIDE
        else:
            number = fields
            fields += 1
        numbers[root] = number
    return {lines: numbers[groups.root(name)] for lines, name in names.items()}


def _left(a: Lines, b: Lines) -> tuple[Chain, Chain, Chain] | None:
    """The common side of two pairs, and the other side of each."""
    # an unknown side is no reason to join
    for (i, x), (j, y) in product(enumerate(a), enumerate(b)):
        if x and x == y:
            return x, a[1 - i], b[1 - j]
    return None
