"""Adds variants to the grouping facts of a document: descriptions, required and provided keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.identity.fingerprint import digest
from deadheat.identity.names import ANSWERS, ASKS, BESIDE, MAYBE, NAMED, WRITTEN
from deadheat.identity.races import Node, base_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from deadheat.identity.evidence import Mark
    from deadheat.identity.hidden import Told as MapTold
    from deadheat.identity.races import Found
    from deadheat.identity.stacks import Chain

    Shown = dict[str, list[int]]  # the ordinals that a document shows, by fingerprint

# variants with a higher ordinal are not marked as ambiguous
MOST_TWINS: Final = 8


def numbers(ranks: dict[tuple[str, Hashable, tuple[Chain, ...]], int]) -> Shown:
    """The sorted ordinals of each fingerprint that has several."""
    shown: dict[str, set[int]] = {}
    for (name, _, _), rank in ranks.items():
        shown.setdefault(name, {0}).add(rank)
    return {name: sorted(twins) for name, twins in shown.items()}


def tell(told: Found, mark: Mark, node: Node, name: str, shown: Shown) -> None:
    """Add the facts of a variant."""
    told.nodes[name] = node
    told.sides.add((name, mark.told))
    if mark.same:
        told.links.add((name, f"{NAMED}{mark.same}"))
    if mark.asks or mark.answers:
        twins = shown.get(node.fingerprint)
        number = twins.index(node.twin) if twins else 0
        # if several maps have an omitted reader, each requires the one at its position
        each = twins is not None and mark.is_part
        asks = [_numbered(key, number) if each else _of(key, node) for key in mark.asks]
        told.aliases.update([(name, f"{ASKS}{key}") for key in asks])
        told.aliases.update([(name, f"{ANSWERS}{_of(key, node)}") for key in mark.answers])
        if any(s.keyed for s in mark.sides):
            known = [(name, f"{ANSWERS}{_numbered(key, number)}") for key in mark.answers]
            told.aliases.update(known)


def tell_later(told: Found, mark: Mark, map_: MapTold) -> str:
    """Add a variant of a later map whose ordinal is unknown, and return its id.

    It requires the keys of the map.
    """
    node = Node(digest(f"{mark.fingerprint} beside {map_.number}"), mark.called)
    asks = [_numbered(key, map_.number) for key in map_.asks]
    told.nodes[node.id] = node
    told.sides.add((node.id, mark.told))
    told.aliases.update([(node.id, f"{ASKS}{key}") for key in asks])
    return node.id


def _of(key: str, node: Node) -> str:
    return f"{key}.{node.twin}" if node.twin and key[0] == WRITTEN else key


def _numbered(key: str, number: int) -> str:
    return f"{key}#{number}"


def doubt(told: Found, mark: Mark, node: Node, before: list[str], shown: Shown) -> str:
    """Add an ambiguous variant and return its id."""
    node = node._replace(unsure=digest(" ".join(before))[:6])
    name = node.id
    if name not in told.nodes:
        twins = range(min(node.twin + len(before) + 1, MOST_TWINS))
        told.aliases.update([(name, f"{BESIDE}{other}") for other in before])
        told.aliases.update([(name, f"{MAYBE}{t:x}{base_of(node.fingerprint, t)}") for t in twins])
    tell(told, mark, node, name, shown)
    return name
