"""Finds the places of nodes whose number among twins is doubtful; knows what all documents tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.identity.evidence import ID, UNSURE
from deadheat.identity.names import BESIDE, MAYBE, NAMED

if TYPE_CHECKING:
    from deadheat.identity.components import Components
    from deadheat.identity.races import Found

    # what is none of a node's twins, and the bases that it may have, by their numbers
    Doubts = dict[str, tuple[set[str], dict[int, str]]]


def place(
    found: Found, doubts: Doubts, first: dict[str, str], components: Components
) -> frozenset[str]:
    """Joins doubtful nodes with their like, and says which have another number than they thought.

    `first` has one certain node of each base whose nodes are one race.
    """
    moved = _moved(found, doubts, components)
    for name in doubts:
        _placed(name, moved.get(name), found, first, components)
    return frozenset(moved)


def unsure(found: Found) -> Doubts:
    """The nodes whose number is doubtful: what is none of their twins, and the bases of those."""
    told: dict[str, tuple[set[str], dict[int, str]]] = {}
    for name, key in found.aliases:
        if key[0] in (BESIDE, MAYBE):
            others, bases = told.setdefault(name, (set(), {}))
            if key[0] == BESIDE:
                others.add(key[1:])
            else:
                twin = int(key[1], 16)
                bases[twin] = min(key[2:], bases.get(twin, key[2:]))
    return told


def _moved(found: Found, doubts: Doubts, components: Components) -> dict[str, tuple[int, str]]:
    """The nodes that have another number than they thought, with that number and its base.

    A twin that is one with what a document shows beside the node is not this node.
    """
    wanted = {base for _, bases in doubts.values() for base in bases.values()}
    holders: dict[str, set[str]] = {}
    for name, node in found.nodes.items():
        if node.base in wanted and name not in doubts:
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


def _placed(
    name: str,
    moved: tuple[int, str] | None,
    found: Found,
    first: dict[str, str],
    components: Components,
) -> None:
    """Joins a node whose number is known by now with its like."""
    plain = name.partition(UNSURE)[0]
    base = found.nodes[name].base
    if moved is not None:
        twin, base = moved
        plain = f"{name[:ID]}{twin:x}" if twin else name[:ID]
    if base not in found.split:
        components.join(first.setdefault(base, name), name)
    else:
        components.join(plain if plain in found.nodes else f"{NAMED}{plain}", name)
