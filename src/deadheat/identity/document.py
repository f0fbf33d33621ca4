"""Groups the reports of one document into variants: fingerprint, callers and ordinal."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from deadheat.identity import twins
from deadheat.identity.apart import split
from deadheat.identity.borrowed import lend
from deadheat.identity.earlier import earlier
from deadheat.identity.halves import completed
from deadheat.identity.hidden import numbered
from deadheat.identity.links import Links
from deadheat.identity.races import Node, id_of, nothing
from deadheat.identity.telling import MOST_TWINS, doubt, numbers, tell, tell_later

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from deadheat.identity.evidence import Instructions, Mark, Place
    from deadheat.identity.races import Found
    from deadheat.identity.stacks import Chain
    from deadheat.identity.telling import Shown

    Actors = Callable[[], frozenset[str]]


class Document:
    """The reports of one document, or of one batch of a long document."""

    def __init__(self) -> None:
        self._seen: list[tuple[Mark, Hashable, int, Actors]] = []
        self._instructions: list[Instructions] = []

    def __len__(self) -> int:
        return len(self._seen)

    def add(
        self,
        mark: Mark,
        lane: Hashable,
        address: int,
        actors: Actors = frozenset,
        instructions: Instructions = tuple,
    ) -> None:
        """Add a report. The address is 0 if the detector did not print one.

        `actors` and `instructions` are called only if they are needed.
        """
        self._seen.append((mark, lane, address, actors))
        self._instructions.append(instructions)

    def found(self) -> tuple[list[str], Found]:
        """Return the variant id of each report, and the facts for grouping across documents."""
        self._complete()
        told = nothing()
        ids = []
        several = self._several()
        ranks = self._ranks(several) if several else {}
        shown = numbers(ranks) if ranks else {}
        later = numbered(self._seen, ranks, shown) if shown else {}
        known: dict[tuple[int, int], str] = {}
        for m, lane, _, _ in self._seen:
            rank = ranks.get((m.fingerprint, lane, m.chains), 0) if ranks else 0
            if later and (id(m), lane) in later:
                ids.append(tell_later(told, m, later[id(m), lane]))
                continue
            name = known.get((id(m), rank))
            if name is None:
                node = Node(m.fingerprint, m.called, rank)
                known[id(m), rank] = name = id_of(*node)
                tell(told, m, node, name, shown)
            ids.append(name)
        if len(told.nodes) > 1:
            has_parts = any(s.hidden for m, *_ in self._seen for s in m.sides)
            if len({node.fingerprint for node in told.nodes.values()}) > 1:
                ids = self._doubted(ids, told, shown, has_parts)
            told.links.update(Links(self._at(ids)).pairs())
            told.links.update(self._parts(ids) if has_parts else ())
            if shown:
                ids = lend(told, ids, shown)
        if several:
            told.split.update(split(ids, self._seen, told))
        return ids, told

    def _complete(self) -> None:
        """Complete one-sided reports. The instruction of the added side is unknown."""
        whole = completed(self._seen)
        if whole is not self._seen:
            pairs = zip(self._seen, whole, self._instructions, strict=True)
            self._instructions = [i if was[0] is now[0] else tuple for was, now, i in pairs]
            self._seen = whole

    def _doubted(self, ids: list[str], told: Found, shown: Shown, has_parts: bool) -> list[str]:
        """Give variants an ambiguous id if the document shows other variables on earlier lines."""
        before = earlier(ids, self._seen, has_parts)
        if not before:
            return ids
        sure: set[str] = set()
        final: list[str] = []
        for name, (m, lane, *_) in zip(ids, self._seen, strict=True):
            others = before.get((name, lane))
            node = told.nodes[name]
            if others and node.twin < MOST_TWINS:
                final.append(doubt(told, m, node, sorted(others), shown))
            else:
                sure.add(name)
                final.append(name)
        told.forget({*ids} - sure)
        return final

    def places(self, ids: list[str], most: int) -> list[Place]:
        """The distinct observations, for comparison with other parts of the document."""
        known = {
            (name, id(m), at): (name, m, lane, at, i) for name, m, lane, at, i in self._at(ids)
        }
        # instruction sources cannot be pickled
        return [
            (name, m, lane, at, partial(tuple, i()))
            for name, m, lane, at, i in islice(known.values(), most)
        ]

    def _at(self, ids: list[str]) -> list[Place]:
        seen = zip(ids, self._seen, self._instructions, strict=True)
        return [(name, m, lane, at, i) for name, (m, lane, at, _), i in seen]

    def _several(self) -> set[tuple[str, Hashable]]:
        """The fingerprints that a stream has more than one key for."""
        first: dict[tuple[str, Hashable], Mark] = {}
        return {
            (m.fingerprint, lane)
            for m, lane, _, _ in self._seen
            if first.setdefault((m.fingerprint, lane), m) is not m
        }

    def _ranks(
        self, several: set[tuple[str, Hashable]]
    ) -> dict[tuple[str, Hashable, tuple[Chain, ...]], int]:
        """The ordinals above 0 of the reports with these fingerprints."""
        marks = {(id(m), lane): m for m, lane, _, _ in self._seen}
        ways: dict[tuple[str, Hashable], set[tuple[Chain, ...]]] = {}
        for (_, lane), m in marks.items():
            if (m.fingerprint, lane) in several:
                ways.setdefault((m.fingerprint, lane), set()).add(m.chains)
        # one pair of call chains is one variable
        apart = {name for name, known in ways.items() if len(known) > 1}
        seen: dict[tuple[str, Hashable], list[twins.Seen]] = {}
        every = zip(self._seen, self._instructions, strict=True)
        for (m, lane, address, actors), instructions in every if apart else ():
            if 0 < len(m.sides) < 3 and address and (m.fingerprint, lane) in apart:
                one = (m, address, actors(), instructions)
                seen.setdefault((m.fingerprint, lane), []).append(one)
        return {
            (name, lane, lines): rank
            for (name, lane), places in seen.items()
            for lines, rank in twins.ranks(places).items()
            if rank
        }

    def _parts(self, ids: list[str]) -> Iterator[tuple[str, str]]:
        """Link reports with an omitted function to the only other race of their writer."""
        named = [(name, m, lane) for name, (m, lane, *_) in zip(ids, self._seen, strict=True)]
        whole: dict[tuple[Hashable, Chain], set[str]] = {}
        for name, m, lane in named:
            for written in () if m.is_part else m.writers:
                whole.setdefault((lane, written), set()).add(name)
        for name, m, lane in named:
            for written in m.writers if m.is_part else ():
                if len(others := whole.get((lane, written), set())) == 1:
                    yield name, min(others)
