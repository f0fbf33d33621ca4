"""Whether callers tell two objects apart that one pair of functions races for; knows one document."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

# who called a side, the nearest first, and on which line the nearest did
Call = tuple[tuple[str, ...], int]


class Called(NamedTuple):
    """How a race was reached, where it was seen, and by whom."""

    calls: tuple[Call, ...]
    addresses: set[int]
    actors: set[frozenset[str]]


def differ(a: Called, b: Called) -> bool:
    """Are these two objects, each with callers of its own?

    Nobody called both; or one function did, on different lines, so that the same two met at both, and
    the other side has another caller here than there.
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
    """May who called here be a mere wrapper, called by who called there?"""
    theirs = sorted(names[0] for names, _ in b.calls)
    return any(sorted(pair) == theirs for pair in product(*(names for names, _ in a.calls)))


def _lines(called: Called) -> set[tuple[str, int]]:
    return {(names[0], line) for names, line in called.calls}
