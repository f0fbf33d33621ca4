"""Evidence that two reports of one document concern the same object.

Within one process an address is a variable. The same address with a common site is the same
variable. Neighbouring addresses that one call writes are one object with several words. A line that
is reached by the same calls accesses the same variable each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.identity.evidence import ID, UNSURE
from deadheat.identity.fingerprint import ATOMIC
from deadheat.identity.published import made

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from deadheat.identity.evidence import Mark, Place
    from deadheat.identity.stacks import Chain

    Nodes = dict[tuple[str, Hashable, int], Mark]  # by variant id, stream and identity of the key

# words of one object are within 1 << 6 bytes
_NEAR: Final = 6


class Links:
    """Finds the reports of one document that concern the same object.

    Most reports share neither an address nor a line with another one. They are filtered out first,
    in one pass.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places
        self._first: dict[Hashable, str] = {}

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of variant ids to join."""
        alone: dict[tuple[Hashable, int], Mark] = {}
        shared: set[tuple[Hashable, int]] = set()
        nodes: dict[tuple[str, Hashable, int], Mark] = {}
        for name, m, lane, address, _ in self._places:
            nodes[name, lane, id(m)] = m
            if address and alone.setdefault((lane, address), m) is not m:
                shared.add((lane, address))
        nodes = _met(nodes)
        yield from self._by_ways(nodes)
        writers = _common(nodes)
        filled = self._filled(writers) if writers else set()
        for name, m, lane, address, instructions in self._places if shared or writers else ():
            if (lane, address) in shared:
                for s in m.sides:
                    if s.chain or s.name == ATOMIC:
                        yield from self._joined(name, (lane, address, s.name))
            # near addresses are in the same bucket or in adjacent ones
            bucket = address >> _NEAR
            if not address or not any((lane, calls) in writers for calls in m.writers):
                continue
            for calls, at in m.wrote(instructions()):
                if (lane, calls) in writers:
                    by = "" if (lane, calls, at) in filled else at
                    yield from self._joined(name, (lane, bucket, calls, by))
                    yield from self._joined(name, (lane, bucket + 1, calls, by))

    def _filled(self, writers: set[tuple[Hashable, Chain]]) -> set[tuple[Hashable, Chain, str]]:
        """The instructions of these writers that fill a new object."""
        written: dict[tuple[Hashable, Chain], list[tuple[str, int]]] = {}
        for _, m, lane, address, instructions in self._places:
            if address and any((lane, calls) in writers for calls in m.writers):
                for calls, at in m.wrote(instructions()):
                    written.setdefault((lane, calls), []).append((at, address))
        return {(*key, at) for key, each in written.items() for at in made(each)}

    def _by_ways(self, nodes: Nodes) -> Iterator[tuple[str, str]]:
        for (name, lane, _), m in nodes.items():
            if len(m.sides) > 1:
                # an id ends with its ordinal, if there is one
                twin = name[ID:].partition(UNSURE)[0]
                for way in m.ways:
                    yield from self._joined(name, (lane, way, twin))

    def _joined(self, name: str, key: Hashable) -> Iterator[tuple[str, str]]:
        first = self._first.setdefault(key, name)
        if first != name:
            yield min(name, first), max(name, first)


def _met(nodes: Nodes) -> Nodes:
    """The variants that share a line with another variant."""
    first: dict[Hashable, str] = {}
    met: set[Hashable] = set()
    for (name, lane, _), m in nodes.items():
        for s in m.sides:
            if s.chain and first.setdefault((lane, s.chain[0]), name) != name:
                met.add((lane, s.chain[0]))
    return {
        node: m
        for node, m in (nodes.items() if met else ())
        if any((node[1], s.chain[0]) in met for s in m.sides if s.chain)
    }


def _common(nodes: Nodes) -> set[tuple[Hashable, Chain]]:
    """The call chains by which several variants write, except those that write several ordinals."""
    first: dict[tuple[Hashable, Chain], str] = {}
    common: set[tuple[Hashable, Chain]] = set()
    several: set[tuple[Hashable, Chain]] = set()
    twin: dict[tuple[Hashable, Chain, str], str] = {}
    for (name, lane, _), m in nodes.items():
        for calls in m.writers:
            if first.setdefault((lane, calls), name) != name:
                common.add((lane, calls))
            if twin.setdefault((lane, calls, name[:ID]), name) != name:
                several.add((lane, calls))
    return common - several
