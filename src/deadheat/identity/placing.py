"""Resolves ambiguous ordinals with the facts of all documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.identity.evidence import ID, UNSURE
from deadheat.identity.names import BESIDE, BORROWED, MAYBE, NAMED

# length of the fingerprint part of a variant id
PRINT: Final = 8
_DOUBTS: Final = (BESIDE, MAYBE, BORROWED)

if TYPE_CHECKING:
    from deadheat.identity.components import Components
    from deadheat.identity.races import Found

    # by variant id: ids of other variables, and the possible bases by ordinal
    Doubts = dict[str, tuple[set[str], dict[int, str]]]


def place(
    found: Found, doubts: Doubts, lent: set[str], first: dict[str, str], components: Components
) -> frozenset[str]:
    """Join ambiguous variants with their race, and return those with a corrected ordinal.

    `with_known_ordinal` have their ordinal from other variants. `first` is one certain variant of
    each base that is one race.
    """
    for name in lent - _contradicted(found, lent, components) if lent else ():
        _join(name, *_base(name, None, found), found, first, components)
    moved = _moved(found, doubts, components)
    for name in doubts:
        _join(name, *_base(name, moved.get(name), found), found, first, components)
    return frozenset(moved)


def unsure(found: Found) -> tuple[Doubts, set[str]]:
    """The ambiguous variants with their possible bases, and those whose ordinal is known from others."""
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
    """The variants with a corrected ordinal, with that ordinal and its base.

    An ordinal that belongs to another variable of the document cannot be that of the variant.
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
    """The variants whose ordinal is contradicted by variants that they are joined with.

    This is the case if variants of one base are joined with different ordinals of one fingerprint.
    """
    held: dict[str, set[str]] = {found.nodes[name].base: set() for name in lent}
    numbers: dict[str, dict[str, set[str]]] = {}  # ordinals in each component, by fingerprint
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
    """Do these have different ordinals of one fingerprint?"""
    first: dict[str, set[str]] = {}
    return any(
        first.setdefault(name, twins) != twins for one in several for name, twins in one.items()
    )


def _base(name: str, moved: tuple[int, str] | None, found: Found) -> tuple[str, str]:
    """The base of a resolved variant, and the id that it has if it is not ambiguous."""
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
    """Join a resolved variant with its race."""
    if base not in found.split:
        components.join(first.setdefault(base, name), name)
    else:
        components.join(plain if plain in found.nodes else f"{NAMED}{plain}", name)
