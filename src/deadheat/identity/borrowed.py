"""Nodes that are at the address of a twin of which a document shows more than of their own kind.

A run that shows one of several twins takes it for the first. But it may show the same variable in a race
of other functions, too, and there together with the others, so that its number is known: then the node
is told apart by that one, in case it is not the first.
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
    """The ids of the nodes whose number others tell, each with the bases of those.

    Which two of several are linked depends on who came first; which are linked at all does not.
    """
    counts = {name: len(twins) for name, twins in shown.items()}
    joined = Components()
    for pair in links:
        joined.join(*pair)
    bases: dict[str, dict[int, set[str]]] = {}  # of each component, by how many twins are shown
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
    """The ids, those of nodes whose number is known from others told apart by them."""
    named = {name: node for name, node in told.nodes.items() if not node.unsure}
    links = [pair for pair in told.links if pair[0] in named and pair[1] in named]
    known: dict[str, str] = {}
    for name, others in _borrowed(named, links, shown).items():
        doubt = digest(" ".join([BORROWED, *sorted(others)]))[:6]
        node = told.nodes[name]._replace(unsure=doubt)
        known[name] = node.id
        told.aliases.update([(node.id, f"{BORROWED}{other}") for other in others])
    return told.rename(known, ids) if known else ids
