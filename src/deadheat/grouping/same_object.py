"""Evidence in one document that reports concern the same object, or different ones.

Within one process an address is a variable. The same address with a common site is the same
variable. Neighbouring addresses that one call writes are one object with several words. A line
that is reached by the same calls accesses the same variable each time. Objects that are reached
by different callers on both sides are different.

A line that creates and publishes an object, as `s.conf = &Conf{a, b}` does, writes its fields at
adjacent addresses and the pointer elsewhere. Then the fields are not separate variables."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.grouping.fingerprint import ATOMIC_SITE
from deadheat.grouping.keys import AMBIGUITY_SEPARATOR, VARIANT_ID_LENGTH, is_one_sided

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from deadheat.grouping.fingerprint import CallChain
    from deadheat.grouping.keys import ActorSource, GroupingKey, Observation, ReportInDocument
    from deadheat.grouping.links import ConnectedComponents
    from deadheat.grouping.races import GroupingFacts

    KeysByVariant = dict[tuple[str, Hashable, int], GroupingKey]  # by variant id, stream and identity of the key


# the callers of a side, nearest first, and the line of the nearest call
CallerLine = tuple[tuple[str, ...], int]


class CallerEvidence(NamedTuple):
    """The callers, addresses and actors of a race."""

    calls: tuple[CallerLine, ...]
    addresses: set[int]
    actors: set[frozenset[str]]


def callers_differ(a: CallerEvidence, b: CallerEvidence) -> bool:
    """Are these two objects with different callers?

    Either they have no caller in common. Or the same two actors raced for both, a common caller
    called on different lines, and the other side has different callers.
    """
    if not a.addresses.isdisjoint(b.addresses):
        return False
    nearest_a, nearest_b = {names[0] for names, _ in a.calls}, {names[0] for names, _ in b.calls}
    if "" in nearest_a or "" in nearest_b or _may_be_wrapper(a, b) or _may_be_wrapper(b, a):
        return False
    if nearest_a.isdisjoint(nearest_b):
        return True
    common_actors = a.actors & b.actors - {frozenset()}
    return bool(common_actors) and nearest_a != nearest_b and _call_lines(a).isdisjoint(_call_lines(b))


def _may_be_wrapper(a: CallerEvidence, b: CallerEvidence) -> bool:
    """May the callers in `a` be wrappers that the callers in `b` call?"""
    nearest_b = sorted(names[0] for names, _ in b.calls)
    return any(sorted(pair) == nearest_b for pair in product(*(names for names, _ in a.calls)))


def _call_lines(evidence: CallerEvidence) -> set[tuple[str, int]]:
    return {(names[0], line) for names, line in evidence.calls}


# fields of an object are within this many bytes, the pointer to it is further away
_MAX_OBJECT_BYTES, _MIN_POINTER_DISTANCE = 64, 256
# two fields and the pointer
_MIN_INSTRUCTIONS: Final = 3


def filling_instructions(writes: Iterable[tuple[str, int]]) -> frozenset[str]:
    """The instructions that fill an object, given the writes of one line."""
    addresses: dict[str, set[int]] = {}
    for instruction, address in writes:
        addresses.setdefault(instruction, set()).add(address)
    if len(addresses) < _MIN_INSTRUCTIONS or "" in addresses:
        return frozenset()
    publishing = max(addresses, key=lambda instruction: int(instruction, 16))
    pointers = addresses.pop(publishing)
    fields = sorted(set().union(*addresses.values()))
    lowest, highest = fields[0], fields[-1]
    distance = min(max(lowest - pointer, pointer - highest) for pointer in pointers)
    fills_object = highest - lowest < _MAX_OBJECT_BYTES and distance >= _MIN_POINTER_DISTANCE
    return frozenset(addresses) if fills_object else frozenset()


# words of one object are within 1 << 6 bytes
_WORD_BUCKET_BITS: Final = 6


def linked_pairs(observations: Sequence[Observation]) -> set[tuple[str, str]]:
    """The pairs of variant ids to join. One-sided reports have no influence on the pairs of the others."""
    two_sided = [one for one in observations if not is_one_sided(one[0])]
    pairs = {*_SameObjectLinks(two_sided).linked_pairs()}
    if len(two_sided) < len(observations):
        found = _SameObjectLinks([*two_sided, *(one for one in observations if is_one_sided(one[0]))]).linked_pairs()
        pairs.update(pair for pair in found if any(map(is_one_sided, pair)))
    return pairs


class _SameObjectLinks:
    """Finds the reports of one document that concern the same object.

    Most reports share neither an address nor a line with another one. They are filtered out first,
    in one pass.
    """

    def __init__(self, observations: Sequence[Observation]) -> None:
        self._observations = observations
        self._first: dict[Hashable, str] = {}

    def linked_pairs(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of variant ids to join."""
        first_keys: dict[tuple[Hashable, int], GroupingKey] = {}
        shared: set[tuple[Hashable, int]] = set()
        keys: dict[tuple[str, Hashable, int], GroupingKey] = {}
        for name, key, stream, address, _ in self._observations:
            keys[name, stream, id(key)] = key
            if address and first_keys.setdefault((stream, address), key) is not key:
                shared.add((stream, address))
        keys = _variants_sharing_line(keys)
        yield from self._link_by_call_chain(keys)
        writers = _shared_writer_chains(keys)
        filled = self._filling_instructions(writers) if writers else set()
        for name, key, stream, address, instructions in self._observations if shared or writers else ():
            if (stream, address) in shared:
                for side in key.side_keys:
                    if side.chain or side.name == ATOMIC_SITE:
                        yield from self._link_to_first(name, (stream, address, side.name))
            # near addresses are in the same bucket or in adjacent ones
            bucket = address >> _WORD_BUCKET_BITS
            if not address or not any((stream, chain) in writers for chain in key.writer_chains):
                continue
            for chain, instruction in key.write_instructions(instructions()):
                if (stream, chain) in writers:
                    written_by = "" if (stream, chain, instruction) in filled else instruction
                    yield from self._link_to_first(name, (stream, bucket, chain, written_by))
                    yield from self._link_to_first(name, (stream, bucket + 1, chain, written_by))

    def _filling_instructions(self, writers: set[tuple[Hashable, CallChain]]) -> set[tuple[Hashable, CallChain, str]]:
        """The instructions of these writers that fill a new object."""
        writes: dict[tuple[Hashable, CallChain], list[tuple[str, int]]] = {}
        for _, grouping_key, stream, address, instructions in self._observations:
            if address and any((stream, chain) in writers for chain in grouping_key.writer_chains):
                for chain, instruction in grouping_key.write_instructions(instructions()):
                    writes.setdefault((stream, chain), []).append((instruction, address))
        return {
            (*writer, instruction)
            for writer, writer_writes in writes.items()
            for instruction in filling_instructions(writer_writes)
        }

    def _link_by_call_chain(self, keys: KeysByVariant) -> Iterator[tuple[str, str]]:
        for (name, stream, _), key in keys.items():
            if len(key.side_keys) > 1:
                # an id ends with its ordinal, if there is one
                ordinal = name[VARIANT_ID_LENGTH:].partition(AMBIGUITY_SEPARATOR)[0]
                for name_and_chain in key.names_and_chains:
                    yield from self._link_to_first(name, (stream, name_and_chain, ordinal))

    def _link_to_first(self, name: str, key: Hashable) -> Iterator[tuple[str, str]]:
        first = self._first.setdefault(key, name)
        if first != name:
            yield min(name, first), max(name, first)


def _variants_sharing_line(keys: KeysByVariant) -> KeysByVariant:
    """The variants that share a line with another variant."""
    first: dict[Hashable, str] = {}
    shared_lines: set[Hashable] = set()
    for (name, stream, _), key in keys.items():
        for side in key.side_keys:
            if side.chain and first.setdefault((stream, side.chain[0]), name) != name:
                shared_lines.add((stream, side.chain[0]))
    return {
        variant: key
        for variant, key in (keys.items() if shared_lines else ())
        if any((variant[1], side.chain[0]) in shared_lines for side in key.side_keys if side.chain)
    }


def _shared_writer_chains(keys: KeysByVariant) -> set[tuple[Hashable, CallChain]]:
    """The call chains by which several variants write, except those that write several ordinals."""
    first: dict[tuple[Hashable, CallChain], str] = {}
    shared_chains: set[tuple[Hashable, CallChain]] = set()
    ambiguous_chains: set[tuple[Hashable, CallChain]] = set()
    first_ordinal: dict[tuple[Hashable, CallChain, str], str] = {}
    for (name, stream, _), key in keys.items():
        for chain in key.writer_chains:
            if first.setdefault((stream, chain), name) != name:
                shared_chains.add((stream, chain))
            if first_ordinal.setdefault((stream, chain, name[:VARIANT_ID_LENGTH]), name) != name:
                ambiguous_chains.add((stream, chain))
    return shared_chains - ambiguous_chains


# maximum number of calls compared per fingerprint
_MAX_CALLS: Final = 64


def fingerprints_split_by_caller(ids: list[str], reports: list[ReportInDocument], facts: GroupingFacts) -> set[str]:
    """Fingerprints with two objects in one process that have different callers on both sides."""
    components = facts.linked_components()
    calls_by_base: dict[tuple[str, Hashable], dict[str, tuple[GroupingKey, int, ActorSource]]] = {}
    for name, (key, stream, address, actors) in zip(ids, reports, strict=True):
        known = calls_by_base.setdefault((facts.variants[name].base, stream), {})
        if address and 0 < len(key.side_keys) < 3 and len(known) < _MAX_CALLS:
            known.setdefault(components.root(name), (key, address, actors))
    split_bases = {
        name for (name, _), known in calls_by_base.items() if len(known) > 1 and _any_callers_differ(known.values())
    }
    incomplete = {name for name, (key, *_) in zip(ids, reports, strict=True) if key.has_omitted_function}
    return split_bases | _split_incomplete(ids, incomplete, facts, split_bases, components)


def _split_incomplete(
    ids: list[str], incomplete: set[str], facts: GroupingFacts, split_bases: set[str], components: ConnectedComponents
) -> set[str]:
    """Fingerprints with an omitted function whose reports belong to different races."""
    if not incomplete:
        return set()
    complete_by_root: dict[str, set[str]] = {}  # by component root
    for name in set(ids) - incomplete:
        base = facts.variants[name].base
        complete_by_root.setdefault(components.root(name), set()).add(name if base in split_bases else base)
    complete_by_base: dict[str, list[set[str]]] = {}
    for name in sorted(incomplete):
        complete = complete_by_root.get(components.root(name))
        candidates = complete_by_base.setdefault(facts.variants[name].base, [])
        if complete and len(candidates) < _MAX_CALLS:
            candidates.append(complete)
    return {
        base
        for base, candidates in complete_by_base.items()
        if any(a.isdisjoint(b) for a, b in combinations(candidates, 2))
    }


def _any_callers_differ(known: Iterable[tuple[GroupingKey, int, ActorSource]]) -> bool:
    # without a known caller there is no evidence
    with_callers = [report for report in known if all(side.callers[0] for side in report[0].side_keys)]
    if len(with_callers) < 2:
        return False
    evidence = [CallerEvidence(key.nearest_calls, {address}, {actors()}) for key, address, actors in with_callers]
    return any(callers_differ(a, b) for a, b in combinations(evidence, 2))
