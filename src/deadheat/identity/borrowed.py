"""Nodes that are at the address of a twin, and are the only ones of their fingerprint in a document.

A run that shows one of several twins takes it for the first. But it may show the same variable in a race
of other functions, too, and there together with the others, so that its number is known: then the node
is told apart by that one, in case it is not the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.identity.names import NAMED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


def borrowed(
    fingerprints: Mapping[str, str], links: Iterable[tuple[str, str]], shown: Collection[str]
) -> dict[str, set[str]]:
    """The nodes whose number others tell, each with the ids of those.

    `fingerprints` has those of all nodes, by the nodes' ids; `shown` are those that have twins here.
    """
    found: dict[str, set[str]] = {}
    for pair in links:
        if pair[1][0] == NAMED:
            continue
        for name, other in (pair, pair[::-1]):
            mine, theirs = fingerprints[name], fingerprints[other]
            if mine != theirs and mine not in shown and theirs in shown:
                found.setdefault(name, set()).add(other)
    return found
