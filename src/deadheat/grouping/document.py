"""Groups the reports of one document into variants: fingerprint, callers and ordinal."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from deadheat.grouping import same_function_variables
from deadheat.grouping.ambiguity import add_known_ordinals, variants_on_earlier_lines
from deadheat.grouping.fingerprint import hex_digest
from deadheat.grouping.incomplete_reports import complete_one_sided_reports, elements_of_later_maps
from deadheat.grouping.keys import is_one_sided
from deadheat.grouping.links import AlternateKey, KeyKind, Link, LinkKind
from deadheat.grouping.races import Variant, base_id, empty_facts, variant_id
from deadheat.grouping.same_object import fingerprints_split_by_caller, linked_pairs

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from deadheat.grouping.fingerprint import CallChain
    from deadheat.grouping.incomplete_reports import MapReport
    from deadheat.grouping.keys import (
        ActorSource,
        GroupingKey,
        InstructionSource,
        Observation,
        OrdinalsByFingerprint,
        ReportInDocument,
    )
    from deadheat.grouping.races import GroupingFacts


# variants with a higher ordinal are not marked as ambiguous
MAX_ORDINALS: Final = 8


def ordinals_by_fingerprint(
    ordinals_by_chains: dict[tuple[str, Hashable, tuple[CallChain, ...]], int],
) -> OrdinalsByFingerprint:
    """The sorted ordinals of each fingerprint that has several."""
    ordinals_shown: dict[str, set[int]] = {}
    for (name, _, _), ordinal in ordinals_by_chains.items():
        ordinals_shown.setdefault(name, {0}).add(ordinal)
    return {name: sorted(ordinals) for name, ordinals in ordinals_shown.items()}


def add_variant(
    facts: GroupingFacts, grouping_key: GroupingKey, variant: Variant, name: str, ordinals_shown: OrdinalsByFingerprint
) -> None:
    facts.variants[name] = variant
    facts.descriptions.add((name, grouping_key.description))
    if grouping_key.lines_key:
        facts.shared_names.add((name, grouping_key.lines_key))
    if grouping_key.requires or grouping_key.provides:
        ordinals = ordinals_shown.get(variant.fingerprint)
        position = ordinals.index(variant.ordinal) if ordinals else 0
        # if several maps have an omitted reader, each requires the one at its position
        own_positions = ordinals is not None and grouping_key.has_omitted_function
        required = [
            _key_with_position(key, position) if own_positions else _key_with_ordinal(key, variant)
            for key in grouping_key.requires
        ]
        provided = [_key_with_ordinal(key, variant) for key in grouping_key.provides]
        if any(side.is_map for side in grouping_key.side_keys):
            provided += [_key_with_position(key, position) for key in grouping_key.provides]
        _add_keys(facts, name, LinkKind.REQUIRES, required)
        _add_keys(facts, name, LinkKind.PROVIDES, provided)


def _add_keys(facts: GroupingFacts, name: str, kind: LinkKind, keys: list[AlternateKey]) -> None:
    facts.aliases.update([(name, Link(kind, key.encode())) for key in keys])


def add_map_variant(facts: GroupingFacts, grouping_key: GroupingKey, map_report: MapReport) -> str:
    """Add a variant of a later map whose ordinal is unknown, and return its id.

    It requires the keys of the map.
    """
    variant = Variant(
        hex_digest(f"{grouping_key.fingerprint} beside {map_report.position}"), grouping_key.caller_digest
    )
    required = [_key_with_position(key, map_report.position) for key in map_report.requires]
    facts.variants[variant.id] = variant
    facts.descriptions.add((variant.id, grouping_key.description))
    _add_keys(facts, variant.id, LinkKind.REQUIRES, required)
    return variant.id


def _key_with_ordinal(key: AlternateKey, variant: Variant) -> AlternateKey:
    # compared by value, because `replace_surrogates` makes plain strings
    is_distinct = variant.ordinal and key.kind == KeyKind.CLOSURE
    return key._replace(value=f"{key.value}.{variant.ordinal}") if is_distinct else key


def _key_with_position(key: AlternateKey, position: int) -> AlternateKey:
    return key._replace(value=f"{key.value}#{position}")


def add_ambiguous_variant(
    facts: GroupingFacts,
    grouping_key: GroupingKey,
    variant: Variant,
    earlier_ids: list[str],
    ordinals_shown: OrdinalsByFingerprint,
) -> str:
    variant = variant._replace(ambiguity=hex_digest(" ".join(earlier_ids))[:6])
    name = variant.id
    if name not in facts.variants:
        ordinals = range(min(variant.ordinal + len(earlier_ids) + 1, MAX_ORDINALS))
        links = [Link(LinkKind.OTHER_VARIABLE, other) for other in earlier_ids]
        links += [Link(LinkKind.POSSIBLE_BASE, base_id(variant.fingerprint, ordinal), ordinal) for ordinal in ordinals]
        facts.aliases.update([(name, link) for link in links])
    add_variant(facts, grouping_key, variant, name, ordinals_shown)
    return name


class DocumentGrouping:
    """The reports of one document, or of one batch of a long document."""

    def __init__(self) -> None:
        self._reports: list[ReportInDocument] = []
        self._instructions: list[InstructionSource] = []

    def __len__(self) -> int:
        return len(self._reports)

    def add_report(
        self,
        key: GroupingKey,
        stream: Hashable,
        address: int,
        actors: ActorSource = frozenset,
        instructions: InstructionSource = tuple,
    ) -> None:
        """Add a report. The address is 0 if the detector did not print one.

        `actors` and `instructions` are called only if they are needed.
        """
        self._reports.append((key, stream, address, actors))
        self._instructions.append(instructions)

    def group_reports(self) -> tuple[list[str], GroupingFacts]:
        """Return the variant id of each report, and the facts for grouping across documents.

        One-sided reports have no influence on the ids of the others.
        """
        is_single = [key.one_sided for key, *_ in self._reports]
        if True not in is_single:
            return self._group_all()
        two_sided = DocumentGrouping()
        for report, instructions in zip(self._reports, self._instructions, strict=True):
            if not report[0].one_sided:
                two_sided.add_report(*report, instructions)
        names, facts = two_sided._group_all() if len(two_sided) else ([], empty_facts())
        self._complete_reports()
        all_names, all_facts = self._group_all()
        remaining = iter(names)
        ids = [
            all_facts.variants[name].as_one_sided().id if single else next(remaining)
            for single, name in zip(is_single, all_names, strict=True)
        ]
        facts.add_one_sided(all_facts, zip(all_names, ids, strict=True))
        return ids, facts

    def _group_all(self) -> tuple[list[str], GroupingFacts]:
        facts = empty_facts()
        ids = []
        repeated = self._repeated_fingerprints()
        ordinals = self._ordinals(repeated) if repeated else {}
        ordinals_shown = ordinals_by_fingerprint(ordinals) if ordinals else {}
        later_maps = elements_of_later_maps(self._reports, ordinals, ordinals_shown) if ordinals_shown else {}
        known_ids: dict[tuple[int, int], str] = {}
        for key, stream, _, _ in self._reports:
            ordinal = ordinals.get((key.fingerprint, stream, key.call_chains), 0) if ordinals else 0
            if later_maps and (id(key), stream) in later_maps:
                ids.append(add_map_variant(facts, key, later_maps[id(key), stream]))
                continue
            name = known_ids.get((id(key), ordinal))
            if name is None:
                variant = Variant(key.fingerprint, key.caller_digest, ordinal)
                known_ids[id(key), ordinal] = name = variant_id(*variant)
                add_variant(facts, key, variant, name, ordinals_shown)
            ids.append(name)
        if len(facts.variants) > 1:
            has_incomplete = any(side.function_omitted for key, *_ in self._reports for side in key.side_keys)
            if len({variant.fingerprint for variant in facts.variants.values()}) > 1:
                ids = self._mark_ambiguous(ids, facts, ordinals_shown, has_incomplete)
            facts.links.update(linked_pairs(self._observations_of(ids)))
            facts.links.update(self._link_incomplete(ids) if has_incomplete else ())
            if ordinals_shown:
                ids = add_known_ordinals(facts, ids, ordinals_shown)
        if repeated:
            facts.split_by_caller.update(fingerprints_split_by_caller(ids, self._reports, facts))
        return ids, facts

    def _complete_reports(self) -> None:
        """Complete one-sided reports. The instruction of the added side is unknown."""
        completed = complete_one_sided_reports(self._reports)
        if completed is not self._reports:
            pairs = zip(self._reports, completed, self._instructions, strict=True)
            self._instructions = [source if old[0] is new[0] else tuple for old, new, source in pairs]
            self._reports = completed

    def _mark_ambiguous(
        self, ids: list[str], facts: GroupingFacts, ordinals_shown: OrdinalsByFingerprint, has_incomplete: bool
    ) -> list[str]:
        """Give variants an ambiguous id if the document shows other variables on earlier lines."""
        earlier = variants_on_earlier_lines(ids, self._reports, has_incomplete)
        if not earlier:
            return ids
        certain: set[str] = set()
        new_ids: list[str] = []
        for name, (key, stream, *_) in zip(ids, self._reports, strict=True):
            others = earlier.get((name, stream))
            variant = facts.variants[name]
            if others and variant.ordinal < MAX_ORDINALS:
                new_ids.append(add_ambiguous_variant(facts, key, variant, sorted(others), ordinals_shown))
            else:
                certain.add(name)
                new_ids.append(name)
        facts.remove_variants({*ids} - certain)
        return new_ids

    def observations(self, ids: list[str], limit: int) -> list[Observation]:
        """The distinct observations, for comparison with other parts of the document."""
        observations = sorted(self._observations_of(ids), key=lambda one: is_one_sided(one[0]))
        distinct = {(one[0], id(one[1]), one[3]): one for one in observations}
        # instruction sources cannot be pickled
        return [
            (name, key, stream, address, partial(tuple, source()))
            for name, key, stream, address, source in islice(distinct.values(), limit)
        ]

    def _observations_of(self, ids: list[str]) -> list[Observation]:
        reports = zip(ids, self._reports, self._instructions, strict=True)
        return [
            (name, key, stream, address, instruction_source)
            for name, (key, stream, address, _), instruction_source in reports
        ]

    def _repeated_fingerprints(self) -> set[tuple[str, Hashable]]:
        """The fingerprints that a stream has more than one key for."""
        first: dict[tuple[str, Hashable], GroupingKey] = {}
        return {
            (key.fingerprint, stream)
            for key, stream, _, _ in self._reports
            if first.setdefault((key.fingerprint, stream), key) is not key
        }

    def _ordinals(self, repeated: set[tuple[str, Hashable]]) -> dict[tuple[str, Hashable, tuple[CallChain, ...]], int]:
        """The ordinals above 0 of the reports with these fingerprints."""
        keys = {(id(key), stream): key for key, stream, _, _ in self._reports}
        chains_by_fingerprint: dict[tuple[str, Hashable], set[tuple[CallChain, ...]]] = {}
        for (_, stream), key in keys.items():
            if (key.fingerprint, stream) in repeated:
                chains_by_fingerprint.setdefault((key.fingerprint, stream), set()).add(key.call_chains)
        # one pair of call chains is one variable
        several_chains = {name for name, chains in chains_by_fingerprint.items() if len(chains) > 1}
        reports_by_fingerprint: dict[tuple[str, Hashable], list[same_function_variables.VariableReport]] = {}
        reports_with_instructions = zip(self._reports, self._instructions, strict=True)
        for (key, stream, address, actors), instructions in reports_with_instructions if several_chains else ():
            if 0 < len(key.side_keys) < 3 and address and (key.fingerprint, stream) in several_chains:
                report = (key, address, actors(), instructions)
                reports_by_fingerprint.setdefault((key.fingerprint, stream), []).append(report)
        return {
            (name, stream, call_chains): ordinal
            for (name, stream), variable_reports in reports_by_fingerprint.items()
            for call_chains, ordinal in same_function_variables.ordinals_by_lines(variable_reports).items()
            if ordinal
        }

    def _link_incomplete(self, ids: list[str]) -> Iterator[tuple[str, str]]:
        """Link reports with an omitted function to the only other race of their writer."""
        named_reports = [(name, key, stream) for name, (key, stream, *_) in zip(ids, self._reports, strict=True)]
        complete_by_chain: dict[tuple[Hashable, CallChain], set[str]] = {}
        for name, key, stream in named_reports:
            for chain in () if key.has_omitted_function else key.writer_chains:
                complete_by_chain.setdefault((stream, chain), set()).add(name)
        for name, key, stream in named_reports:
            for chain in key.writer_chains if key.has_omitted_function else ():
                if len(others := complete_by_chain.get((stream, chain), set())) == 1:
                    yield name, min(others)
