"""Assigns races to sightings, first within a batch, then across all batches of a run.

A log may repeat a race ten thousand times at different addresses. The first report represents all
of them, unless other races are near or other reports may be confused with it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.grouping import races
from deadheat.grouping.document import DocumentGrouping
from deadheat.grouping.keys import actor_numbers, grouping_key_of, racing_instructions
from deadheat.grouping.same_object import linked_pairs
from deadheat.model import Verdict, new_sighting

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from deadheat.grouping.keys import GroupingKey, Observation
    from deadheat.model import ReportSource, Sighting

    KeyedReport = tuple[GroupingKey, Hashable, int]  # key, stream, address


# addresses more than 1 << 8 apart are never compared
_ADDRESS_BUCKET_BITS: Final = 8


def representative_indexes(reports: Sequence[KeyedReport]) -> list[int]:
    """For each report, the index of its representative: usually the first report with its key."""
    firsts: dict[tuple[int, Hashable], int] = {}
    first_by_bucket: dict[int, int] = {}
    ambiguous: set[int] = set()
    representatives = []
    for index, (key, stream, address) in enumerate(reports):
        first = firsts.setdefault((id(key), stream), index)
        representatives.append(first)
        if address and (other := first_by_bucket.setdefault(address >> _ADDRESS_BUCKET_BITS, first)) != first:
            ambiguous.update((first, other))
    if len(firsts) == len(reports):
        return representatives
    for bucket, first in first_by_bucket.items():
        if (other := first_by_bucket.get(bucket + 1, first)) != first:
            ambiguous.update((first, other))
    first_equal = _first_equal_keys(reports, firsts.values(), ambiguous)
    return [index if first in ambiguous else first_equal[first] for index, first in enumerate(representatives)]


def _first_equal_keys(reports: Sequence[KeyedReport], firsts: Iterable[int], ambiguous: set[int]) -> dict[int, int]:
    """The first report with an equal key. A fingerprint with several keys is ambiguous."""
    by_fingerprint: dict[tuple[str, Hashable], list[int]] = {}
    for first in firsts:
        key, stream, _ = reports[first]
        by_fingerprint.setdefault((key.fingerprint, stream), []).append(first)
    first_equal: dict[int, int] = {}
    for same_fingerprint in by_fingerprint.values():
        key = reports[same_fingerprint[0]][0]
        if key.one_sided or any(reports[other][0] != key for other in same_fingerprint[1:]):
            ambiguous.update(same_fingerprint)
        first_equal.update(dict.fromkeys(same_fingerprint, same_fingerprint[0]))
    return first_equal


# limits on the number of variants: up to the first, aliases are kept; above the second, variants
# are packed into integers, a quarter of the size; above the third, no more are grouped
_MAX_ALIASED_VARIANTS: Final = 20_000
_MAX_UNPACKED_VARIANTS: Final = 1 << 16
_MAX_VARIANTS: Final = 150_000
# length of a fingerprint and of a caller digest, in hex digits
_DIGEST_LENGTH: Final = 16
# maximum number of observations compared across the parts of a document
MAX_OBSERVATIONS: Final = 2_000


class GroupedSightings(NamedTuple):
    """Sightings whose race is their variant id, and the facts to group these variants."""

    sightings: list[Sighting]
    facts: races.GroupingFacts
    observations: list[Observation]  # for a part of a document: compared with the other parts


def group_sightings(sightings: Sequence[Sighting], is_part: bool = False) -> GroupedSightings:
    """Group the sightings of one batch.

    Pass all sightings of a document in one batch, because evidence for the same object is found
    only within a batch. If `is_part`, the observations are returned for comparison with the other
    parts.
    """
    reports = [_keyed_report(sighting) for sighting in sightings]
    representatives = representative_indexes(reports)
    document = DocumentGrouping()
    for index, first in enumerate(representatives):
        if first == index:
            source = sightings[index].source
            document.add_report(*reports[index], partial(_actors_of, source), partial(_instructions_of, source))
    variant_ids, facts = document.group_reports()
    positions = {index: position for position, index in enumerate(dict.fromkeys(representatives))}
    names = [variant_ids[positions[first]] for first in representatives]
    grouped = [with_race(sighting, name) for sighting, name in zip(sightings, names, strict=True)]
    others = document.observations(variant_ids, MAX_OBSERVATIONS) if is_part else []
    return GroupedSightings(
        grouped, facts, _more_observations(others, grouped, reports, representatives) if is_part else []
    )


def _more_observations(
    observations: list[Observation], sightings: list[Sighting], reports: list[KeyedReport], representatives: list[int]
) -> list[Observation]:
    """Add observations of duplicates up to `MAX_OBSERVATIONS`."""
    known_places: set[tuple[int, int]] = set()
    for index, first in enumerate(representatives):
        if len(observations) >= MAX_OBSERVATIONS:
            break
        key, stream, address = reports[index]
        if first != index and (first, address) not in known_places:
            known_places.add((first, address))
            instructions = partial(tuple, _instructions_of(sightings[index].source))
            observations.append((sightings[index].verdict.race, key, stream, address, instructions))
    return observations


def assign_races(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Return the sightings with their races, assuming that there are no others."""
    if not sightings:
        return []
    grouped, facts, _ = group_sightings(sightings)
    race_by_variant = races.race_ids(facts)
    return [with_race(sighting, race_by_variant[sighting.verdict.race]) for sighting in grouped]


def _keyed_report(sighting: Sighting) -> KeyedReport:
    source, derived = sighting.source, sighting.source.derived
    key = derived.grouping_key
    if key is None:
        derived.grouping_key = key = grouping_key_of(source.original, sighting.verdict.fingerprint)
    address = source.original.address
    memory_address = int(source.rename(address), 16) if address else 0
    return key, (sighting.uri, sighting.span.stream), memory_address


def _actors_of(source: ReportSource) -> frozenset[str]:
    return actor_numbers(source.rename(access.actor) for access in source.original.accesses)


def _instructions_of(source: ReportSource) -> tuple[str, ...]:
    derived = source.derived
    if derived.instructions is None:  # duplicates have the same instructions
        derived.instructions = racing_instructions(source.original)
    return derived.instructions


def with_race(sighting: Sighting, race: str) -> Sighting:
    """Return the sighting with this race."""
    verdict = sighting.verdict
    if verdict.race == race:
        return sighting
    verdict_by_race = sighting.source.derived.verdict_by_race  # duplicates share one verdict
    changed = verdict_by_race.get(race)
    if changed is None:
        verdict_by_race[race] = changed = Verdict(verdict.title, verdict.fingerprint, race)
    if sighting.causes:
        return sighting._replace(verdict=changed)
    return new_sighting(sighting.source, changed, sighting.uri, sighting.span, sighting.document)


class RaceAssigner:
    """Collects the grouping facts of all documents of a run."""

    def __init__(self) -> None:
        self._facts = races.empty_facts()
        self._packed_variants: set[int] = set()
        self._observations: list[Observation] = []  # of the parts of one document
        self._current_document: Hashable = None

    def add_batch(self, facts: races.GroupingFacts, observations: Sequence[Observation] = ()) -> None:
        """Add the facts of a batch. The parts of a document must be added consecutively."""
        if len(self._facts.variants) + len(self._packed_variants) > _MAX_VARIANTS:
            return
        self._facts.add(facts)
        variant_count = len(self._facts.variants) + len(self._packed_variants)
        if variant_count > _MAX_ALIASED_VARIANTS:
            self._facts.aliases.clear()
            self._facts.descriptions.clear()
        if variant_count > _MAX_UNPACKED_VARIANTS:
            self._pack_variants([*(facts if self._packed_variants else self._facts).variants])
        for observation in observations:
            if (document := _document_of(observation)) != self._current_document:
                self._link_observations()
                self._current_document = document
            if len(self._observations) < MAX_OBSERVATIONS:
                self._observations.append(observation)

    def _link_observations(self) -> None:
        """Link variants of the current document that concern the same object."""
        self._facts.links.update(linked_pairs(self._observations))
        self._observations = []

    def close(self) -> None:
        """Finish after the last batch."""
        self._link_observations()

    def _pack_variants(self, names: list[str]) -> None:
        variants = self._facts.variants
        for name in names:
            variant = variants[name]
            if not variant.ordinal and not variant.ambiguity:
                self._packed_variants.add(int(f"{variant.fingerprint}{variant.caller_digest}", 16))
                del variants[name]

    def _unpack_variants(self) -> None:
        for number in self._packed_variants:
            digits = f"{number:032x}"
            variant = races.Variant(digits[:_DIGEST_LENGTH], digits[_DIGEST_LENGTH:])
            self._facts.variants[variant.id] = variant
        self._packed_variants.clear()

    @property
    def facts(self) -> races.GroupingFacts:
        """All facts so far."""
        self._unpack_variants()
        return self._facts

    def race_ids(self) -> Mapping[str, str]:
        """The race of each variant."""
        return races.race_ids(self.facts)


def _document_of(observation: Observation) -> Hashable:
    stream = observation[2]
    return stream[0] if isinstance(stream, tuple) else stream
