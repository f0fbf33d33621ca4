"""Fingerprints in one document whose callers race for different objects."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from deadheat.identity.callers import Called, differ
from deadheat.identity.components import Components

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from deadheat.identity.evidence import Mark
    from deadheat.identity.races import Found

    Actors = Callable[[], frozenset[str]]
    Seen = tuple[
        Mark, Hashable, int, Actors
    ]  # key, stream, address, actors

# maximum number of calls compared per fingerprint
_MOST: Final = 64


def split(ids: list[str], seen: list[Seen], told: Found) -> set[str]:
    """Fingerprints with two objects in one process that have different callers on both sides."""
    joined = Components()
    for a, b in told.links:
        joined.join(a, b)
    ways: dict[tuple[str, Hashable], dict[str, tuple[Mark, int, Actors]]] = {}
    for name, (m, lane, address, actors) in zip(ids, seen, strict=True):
        known = ways.setdefault((told.nodes[name].base, lane), {})
        if address and 0 < len(m.sides) < 3 and len(known) < _MOST:
            known.setdefault(joined.root(name), (m, address, actors))
    apart = {
        name for (name, _), known in ways.items() if len(known) > 1 and _any_differ(known.values())
    }
    parts = {name for name, (m, *_) in zip(ids, seen, strict=True) if m.is_part}
    return apart | _parts(ids, parts, told, apart, joined) if parts else apart


def _parts(
    ids: list[str], parts: set[str], told: Found, apart: set[str], joined: Components
) -> set[str]:
    """Fingerprints with an omitted function whose reports belong to different races."""
    wholes: dict[str, set[str]] = {}  # by component root
    for name in set(ids) - parts:
        base = told.nodes[name].base
        wholes.setdefault(joined.root(name), set()).add(name if base in apart else base)
    seen: dict[str, list[set[str]]] = {}
    for name in sorted(parts):
        whole = wholes.get(joined.root(name))
        known = seen.setdefault(told.nodes[name].base, [])
        if whole and len(known) < _MOST:
            known.append(whole)
    return {
        base
        for base, known in seen.items()
        if any(a.isdisjoint(b) for a, b in combinations(known, 2))
    }


def _any_differ(known: Iterable[tuple[Mark, int, Actors]]) -> bool:
    # without a known caller there is no evidence
    told = [one for one in known if all(side.callers[0] for side in one[0].sides)]
    if len(told) < 2:
        return False
    called = [Called(m.calls, {address}, {actors()}) for m, address, actors in told]
    return any(differ(a, b) for a, b in combinations(called, 2))
