"""Decides whether two objects that one pair of functions races for are distinguished by callers."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

# the callers of a side, nearest first, and the line of the nearest call
Call = tuple[tuple[str, ...], int]


class Called(NamedTuple):
    """The callers, addresses and actors of a race."""

    calls: tuple[Call, ...]
    addresses: set[int]
    actors: set[frozenset[str]]


def differ(a: Called, b: Called) -> bool:
    """Are these two objects with different callers?

    Either they have no caller in common. Or the same two actors raced for both, a common caller
    called on different lines, and the other side has different callers.
    """
    if not a.addresses.isdisjoint(b.addresses):
        return False
    ours, theirs = {names[0] for names, _ in a.calls}, {names[0] for names, _ in b.calls}
    if "" in ours or "" in theirs or _may_wrap(a, b) or _may_wrap(b, a):
        return False
    if ours.isdisjoint(theirs):
        return True
    met = a.actors & b.actors - {frozenset()}
    return bool(met) and ours != theirs and _lines(a).isdisjoint(_lines(b))


def _may_wrap(a: Called, b: Called) -> bool:
    """May the callers in `a` be wrappers that the callers in `b` call?"""
    theirs = sorted(names[0] for names, _ in b.calls)
    return any(sorted(pair) == theirs for pair in product(*(names for names, _ in a.calls)))


def _lines(called: Called) -> set[tuple[str, int]]:
    return {(names[0], line) for names, line in called.calls}
