"""Finds the places of nodes whose number among twins is doubtful; knows what all documents tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.identity.evidence import ID, UNSURE
from deadheat.identity.names import BESIDE, BORROWED, MAYBE, NAMED

# how long the part of a node's id is that is its fingerprint's
PRINT: Final = 8
_DOUBTS: Final = (BESIDE, MAYBE, BORROWED)

if TYPE_CHECKING:
    from deadheat.identity.components import Components
    from deadheat.identity.races import Found

    # what is none of a node's twins, and the bases that it may have, by their numbers
    Doubts = dict[str, tuple[set[str], dict[int, str]]]


def place(
    found: Found, doubts: Doubts, lent: set[str], first: dict[str, str], components: Components
) -> frozenset[str]:
    """Joins doubtful nodes with their like, and says which have another number than they thought.

    `lent` have their numbers from others; `first` has one certain node of each base whose nodes are
    one race.
    """
    for name in lent - _contradicted(found, lent, components) if lent else ():
        _join(name, *_base(name, None, found), found, first, components)
    moved = _moved(found, doubts, components)
    for name in doubts:
        _join(name, *_base(name, moved.get(name), found), found, first, components)
    return frozenset(moved)


def unsure(found: Found) -> tuple[Doubts, set[str]]:
    """The nodes whose number is doubtful: what is none of their twins, and the bases of those.

    Then those whose number others tell.
    """
    told: Doubts = {}
    lent: set[str] = set()
    for name, key in found.aliases:
        if key[0] in _DOUBTS:
            if key[0] == BORROWED:
                lent.add(name)
                continue
            others, bases = told.setdefault(name, (set(), {}))
            if key[0] == BESIDE:
                others.add(key[1:])
            else:
                twin = int(key[1], 16)
                bases[twin] = min(key[2:], bases.get(twin, key[2:]))
    return told, lent


def _moved(found: Found, doubts: Doubts, components: Components) -> dict[str, tuple[int, str]]:
    """The nodes that have another number than they thought, with that number and its base.

    A twin that is one with what a document shows beside the node is not this node.
    """
    wanted = {base for _, bases in doubts.values() for base in bases.values()}
    holders: dict[str, set[str]] = {}
    for name, node in found.nodes.items():
        if node.base in wanted and UNSURE not in name:
            holders.setdefault(node.base, set()).add(components.root(name))
    moved: dict[str, tuple[int, str]] = {}
    for name, (others, bases) in doubts.items():
        known = {components.root(other) for other in others} - {components.root(name)}
        base = found.nodes[name].base
        left = [twin for twin in sorted(bases) if known.isdisjoint(holders.get(bases[twin], ()))]
        mine = next((twin for twin in sorted(bases) if bases[twin] == base), 0)
        if mine < len(left) and left[mine] != mine:
            moved[name] = left[mine], bases[left[mine]]
    return moved


def _contradicted(found: Found, lent: set[str], components: Components) -> set[str]:
    """The nodes that are one with others whose numbers say that they are not what they thought.

    So it is if nodes of one base are one with different twins of anything.
    """
    held: dict[str, set[str]] = {found.nodes[name].base: set() for name in lent}
    numbers: dict[str, dict[str, set[str]]] = {}  # the twins in each component, by fingerprint
    for name, node in found.nodes.items():
        root = components.root(name)
        if node.base in held:
            held[node.base].add(root)
        if name not in lent:
            twins = numbers.setdefault(root, {})
            twins.setdefault(name[:PRINT], set()).add(name[ID:].partition(UNSURE)[0])
    bad = {base for base, roots in held.items() if _differ([numbers.get(r, {}) for r in roots])}
    return {name for name in lent if found.nodes[name].base in bad}


def _differ(several: list[dict[str, set[str]]]) -> bool:
    """Do these have different twins of one fingerprint?"""
    first: dict[str, set[str]] = {}
    return any(
        first.setdefault(name, twins) != twins for one in several for name, twins in one.items()
    )


def _base(name: str, moved: tuple[int, str] | None, found: Found) -> tuple[str, str]:
    """The base of a node whose number is known by now, and the id that it would have for certain."""
    if moved is None:
        return found.nodes[name].base, name.partition(UNSURE)[0]
    twin, base = moved
    return base, f"{name[:ID]}{twin:x}" if twin else name[:ID]


def _join(
    name: str,
    base: str,
    plain: str,
    found: Found,
    first: dict[str, str],
    components: Components,
) -> None:
    """Joins a node whose number is known by now with its like."""
    if base not in found.split:
        components.join(first.setdefault(base, name), name)
    else:
        components.join(plain if plain in found.nodes else f"{NAMED}{plain}", name)
