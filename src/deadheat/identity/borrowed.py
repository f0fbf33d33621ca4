"""Nodes that are at the address of a twin of which a document shows more than of their own kind.

A run that shows one of several twins takes it for the first. But it may show the same variable in a race
of other functions, too, and there together with the others, so that its number is known: then the node
is told apart by that one, in case it is not the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sized


def borrowed(
    fingerprints: Mapping[str, str],
    links: Iterable[tuple[str, str]],
    shown: Mapping[str, Sized],
) -> dict[str, set[str]]:
    """The nodes whose number others tell, each with the ids of those.

    `fingerprints` has those of the nodes, by the nodes' ids; `shown` the twins of those that have any.
    """
    found: dict[str, set[str]] = {}
    counts = {name: len(twins) for name, twins in shown.items()}
    for pair in links:
        for name, other in (pair, pair[::-1]):
            mine, theirs = fingerprints[name], fingerprints[other]
            if counts.get(theirs, 1) > counts.get(mine, 1):
                found.setdefault(name, set()).add(other)
    return found
