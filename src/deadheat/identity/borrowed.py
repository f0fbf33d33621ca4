"""Ambiguous variants whose ordinal is known from another race at the same address.

A run that shows one of several variables counts it as the first. If another race in the run shows
the same variable together with the others, its ordinal is known from that race, and the variant
gets an id of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.identity.components import Components
from deadheat.identity.fingerprint import digest
from deadheat.identity.names import BORROWED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deadheat.identity.races import Found, Node
    from deadheat.identity.telling import Shown


def _borrowed(
    nodes: Mapping[str, Node], links: Iterable[tuple[str, str]], shown: Shown
) -> dict[str, set[str]]:
    """The variants whose ordinal is known from other variants, with the bases of those.

    It depends on the order which two variants are linked, but not which are connected. So
    components are compared.
    """
    counts = {name: len(twins) for name, twins in shown.items()}
    joined = Components()
    for pair in links:
        joined.join(*pair)
    bases: dict[str, dict[int, set[str]]] = {}  # of each component, by number of ordinals shown
    roots = joined.roots()
    for name, root in roots.items():
        many = counts.get(nodes[name].fingerprint, 1)
        bases.setdefault(root, {}).setdefault(many, set()).add(nodes[name].base)
    found: dict[str, set[str]] = {}
    for name, root in roots.items():
        mine = counts.get(nodes[name].fingerprint, 1)
        more = [told for many, told in bases[root].items() if many > mine]
        if more:
            found[name] = {base for told in more for base in told}
    return found


def lend(told: Found, ids: list[str], shown: Shown) -> list[str]:
    """Give these variants an ambiguous id, and return the new ids of the reports."""
    named = {name: node for name, node in told.nodes.items() if not node.unsure}
    links = [pair for pair in told.links if pair[0] in named and pair[1] in named]
    known: dict[str, str] = {}
    for name, others in _borrowed(named, links, shown).items():
        doubt = digest(" ".join([BORROWED, *sorted(others)]))[:6]
        node = told.nodes[name]._replace(unsure=doubt)
        known[name] = node.id
        told.aliases.update([(node.id, f"{BORROWED}{other}") for other in others])
    return told.rename(known, ids) if known else ids
