"""Variants whose ordinal is ambiguous, and how it is resolved.

Ordinals are counted in line order. A run that shows only some variables of an object counts them
wrongly. It may show in a race with another function that a different variable comes earlier, or
the ordinal may be known from another race at the same address. Then the variant gets an ambiguous
id, which is resolved with the facts of all documents."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final

from deadheat.grouping.fingerprint import hex_digest
from deadheat.grouping.keys import AMBIGUITY_SEPARATOR, VARIANT_ID_LENGTH
from deadheat.grouping.links import ConnectedComponents, Link, LinkKind

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping

    from deadheat.grouping.keys import OrdinalsByFingerprint, ReportInDocument
    from deadheat.grouping.races import GroupingFacts, Variant

    NameInStream = tuple[str, Hashable]  # variant id or fingerprint, and stream

    FunctionPosition = tuple[str, int]  # the fingerprint of a variant, and its first line in one function

    # by variant id: ids of other variables, and the possible bases by ordinal
    AmbiguousVariants = dict[str, tuple[set[str], dict[int, str]]]


# fields of one object are within 1 << 8 bytes
_ADDRESS_BUCKET_BITS: Final = 8
# maximum number of variants compared per bucket
_MAX_VARIANTS_PER_BUCKET: Final = 16


def variants_on_earlier_lines(
    ids: list[str], reports: list[ReportInDocument], has_parts: bool
) -> dict[NameInStream, set[str]]:
    """For each variant, the ids of variants with other variables of its object on earlier lines.

    `ids` are the variant ids of the reports.
    """
    earlier_variants = _maps_on_earlier_lines(ids, reports) if has_parts else {}
    shared_buckets = _shared_buckets(reports)
    if not shared_buckets:
        return earlier_variants
    near_reports = [
        pair for pair in zip(ids, reports, strict=True) if pair[1][2] >> _ADDRESS_BUCKET_BITS in shared_buckets
    ]
    shared_functions = _functions_in_several_races(near_reports)
    actors: dict[NameInStream, set[str]] = {}
    positions_by_bucket: dict[tuple[Hashable, str, int], dict[str, FunctionPosition]] = {}
    addresses: dict[NameInStream, set[int]] = {}  # by variant id, and by fingerprint
    for name, (grouping_key, stream, address, actor_source) in near_reports if shared_functions else ():
        shared_sides = [
            side for side in grouping_key.side_keys if side.chain and (stream, side.name) in shared_functions
        ]
        if not shared_sides:
            continue
        for owner in (name, grouping_key.fingerprint):
            addresses.setdefault((owner, stream), set()).add(address)
        actors.setdefault((name, stream), set()).update(actor_source())
        for side in shared_sides:
            bucket = address >> _ADDRESS_BUCKET_BITS
            # near addresses are in the same bucket or in adjacent ones
            for bucket_key in ((stream, side.name, bucket), (stream, side.name, bucket + 1)):
                positions = positions_by_bucket.setdefault(bucket_key, {})
                position = grouping_key.fingerprint, side.chain[0][0]
                positions[name] = min(position, positions.get(name, position))
    for (stream, _, _), positions in positions_by_bucket.items():
        for name, other in _pairs_by_line(positions):
            # the variable is already counted if the fingerprint was seen at its address
            is_counted = addresses[positions[name][0], stream] & addresses[other, stream]
            if not is_counted and actors[name, stream] & actors[other, stream]:
                earlier_variants.setdefault((name, stream), set()).add(other)
    return earlier_variants


def _maps_on_earlier_lines(ids: list[str], reports: list[ReportInDocument]) -> dict[NameInStream, set[str]]:
    """The same for maps whose reading function is omitted.

    The content of a map may be at any address. But the same actors on different lines race for two
    variables.
    """
    maps: dict[tuple[Hashable, str], dict[tuple[int, frozenset[str]], str]] = {}
    for name, (key, stream, _, actor_source) in zip(ids, reports, strict=True):
        for side in key.side_keys if key.has_omitted_function else ():
            if side.chain and side.writes and len(maps.setdefault((stream, side.name), {})) < _MAX_VARIANTS_PER_BUCKET:
                maps[stream, side.name][side.chain[0][0], actor_source()] = name
    earlier_variants: dict[NameInStream, set[str]] = {}
    lines: dict[NameInStream, set[tuple[str, int]]] = {}  # by fingerprint
    complete = [pair for pair in zip(ids, reports, strict=True) if not pair[1][0].has_omitted_function]
    for _, (key, stream, *_) in complete:
        sites = [(side.name, side.chain[0][0]) for side in key.side_keys if side.chain]
        lines.setdefault((key.fingerprint, stream), set()).update(sites)
    for name, (key, stream, _, actor_source) in complete:
        for side in key.side_keys:
            for (line, map_actors), other in maps.get((stream, side.name), {}).items() if side.chain else ():
                is_counted = (side.name, line) in lines[key.fingerprint, stream]
                if line < side.chain[0][0] and map_actors == actor_source() and not is_counted:
                    earlier_variants.setdefault((name, stream), set()).add(other)
    return earlier_variants


def _shared_buckets(reports: list[ReportInDocument]) -> set[int]:
    """The address buckets with reports of different fingerprints."""
    first: dict[int, str] = {}
    shared_buckets: set[int] = set()
    for key, _, address, _ in reports:
        bucket = address >> _ADDRESS_BUCKET_BITS
        if first.setdefault(bucket, key.fingerprint) != key.fingerprint:
            shared_buckets.add(bucket)
    first.pop(0, None)  # unknown addresses
    shared_buckets.update([near_bucket for lower in first if lower + 1 in first for near_bucket in (lower, lower + 1)])
    return shared_buckets - {0}


def _functions_in_several_races(near_reports: list[tuple[str, ReportInDocument]]) -> set[tuple[Hashable, str]]:
    first: dict[tuple[Hashable, str], str] = {}
    keys_by_variant = {(name, stream): key for name, (key, stream, *_) in near_reports}
    return {
        (stream, side.name)
        for (_, stream), key in keys_by_variant.items()
        for side in key.side_keys
        if first.setdefault((stream, side.name), key.fingerprint) != key.fingerprint
    }


def _pairs_by_line(positions: dict[str, FunctionPosition]) -> Iterator[tuple[str, str]]:
    """Pairs of variants of which the second is on an earlier line."""
    compared = [*positions.items()][:_MAX_VARIANTS_PER_BUCKET]
    for (name, (fingerprint, line)), (other, (other_fingerprint, other_line)) in permutations(compared, 2):
        if fingerprint != other_fingerprint and other_line < line:
            yield name, other


def _variants_with_known_ordinal(
    variants: Mapping[str, Variant], links: Iterable[tuple[str, str]], ordinals_shown: OrdinalsByFingerprint
) -> dict[str, set[str]]:
    """The variants whose ordinal is known from other variants, with the bases of those.

    It depends on the order which two variants are linked, but not which are connected. So
    components are compared.
    """
    counts = {name: len(ordinals) for name, ordinals in ordinals_shown.items()}
    components = ConnectedComponents()
    for pair in links:
        components.join(*pair)
    bases: dict[str, dict[int, set[str]]] = {}  # of each component, by number of ordinals shown
    roots = components.roots()
    for name, root in roots.items():
        count = counts.get(variants[name].fingerprint, 1)
        bases.setdefault(root, {}).setdefault(count, set()).add(variants[name].base)
    larger = {
        name: [ids for count, ids in bases[root].items() if count > counts.get(variants[name].fingerprint, 1)]
        for name, root in roots.items()
    }
    return {name: set().union(*ids) for name, ids in larger.items() if ids}


def add_known_ordinals(facts: GroupingFacts, ids: list[str], ordinals_shown: OrdinalsByFingerprint) -> list[str]:
    """Give these variants an ambiguous id, and return the new ids of the reports."""
    certain = {name: variant for name, variant in facts.variants.items() if not variant.ambiguity}
    links = [pair for pair in facts.links if pair[0] in certain and pair[1] in certain]
    new_ids: dict[str, str] = {}
    for name, others in _variants_with_known_ordinal(certain, links, ordinals_shown).items():
        ambiguity = hex_digest(" ".join([LinkKind.KNOWN_ORDINAL, *sorted(others)]))[:6]
        variant = facts.variants[name]._replace(ambiguity=ambiguity)
        new_ids[name] = variant.id
        facts.aliases.update([(variant.id, Link(LinkKind.KNOWN_ORDINAL, other)) for other in others])
    return facts.rename_variants(new_ids, ids) if new_ids else ids


# length of the fingerprint part of a variant id
FINGERPRINT_PREFIX_LENGTH: Final = 8


def resolve_ambiguous(
    facts: GroupingFacts,
    ambiguous: AmbiguousVariants,
    with_known_ordinal: set[str],
    first: dict[str, str],
    components: ConnectedComponents,
) -> frozenset[str]:
    """Join ambiguous variants with their race, and return those with a corrected ordinal.

    `with_known_ordinal` have their ordinal from other variants. `first` is one certain variant of
    each base that is one race.
    """
    for name in with_known_ordinal - _contradicted_variants(facts, with_known_ordinal, components):
        _join_resolved(name, *_resolved_base(name, None, facts), facts, first, components)
    renumbered = _renumbered_variants(facts, ambiguous, components)
    for name in ambiguous:
        _join_resolved(name, *_resolved_base(name, renumbered.get(name), facts), facts, first, components)
    return frozenset(renumbered)


def ambiguous_variants(facts: GroupingFacts) -> tuple[AmbiguousVariants, set[str]]:
    """The ambiguous variants with their possible bases, and those whose ordinal is known from others."""
    ambiguous: AmbiguousVariants = {}
    with_known_ordinal: set[str] = set()
    for name, (kind, key, ordinal) in facts.aliases:
        if kind is LinkKind.KNOWN_ORDINAL:
            with_known_ordinal.add(name)
        elif kind is LinkKind.OTHER_VARIABLE:
            ambiguous.setdefault(name, (set(), {}))[0].add(key)
        elif kind is LinkKind.POSSIBLE_BASE:
            bases = ambiguous.setdefault(name, (set(), {}))[1]
            bases[ordinal] = min(key, bases.get(ordinal, key))
    return ambiguous, with_known_ordinal


def _renumbered_variants(
    facts: GroupingFacts, ambiguous: AmbiguousVariants, components: ConnectedComponents
) -> dict[str, tuple[int, str]]:
    """The variants with a corrected ordinal, with that ordinal and its base.

    An ordinal that belongs to another variable of the document cannot be that of the variant.
    """
    wanted = {base for _, bases in ambiguous.values() for base in bases.values()}
    holders: dict[str, set[str]] = {}
    for name, variant in facts.variants.items():
        if variant.base in wanted and AMBIGUITY_SEPARATOR not in name:
            holders.setdefault(variant.base, set()).add(components.root(name))
    renumbered: dict[str, tuple[int, str]] = {}
    for name, (others, bases) in ambiguous.items():
        excluded = {components.root(other) for other in others} - {components.root(name)}
        base = facts.variants[name].base
        remaining = [ordinal for ordinal in sorted(bases) if excluded.isdisjoint(holders.get(bases[ordinal], ()))]
        position = next((ordinal for ordinal in sorted(bases) if bases[ordinal] == base), 0)
        if position < len(remaining) and remaining[position] != position:
            renumbered[name] = remaining[position], bases[remaining[position]]
    return renumbered


def _contradicted_variants(
    facts: GroupingFacts, with_known_ordinal: set[str], components: ConnectedComponents
) -> set[str]:
    """The variants whose ordinal is contradicted by variants that they are joined with.

    This is the case if variants of one base are joined with different ordinals of one fingerprint.
    """
    if not with_known_ordinal:
        return set()
    roots_by_base: dict[str, set[str]] = {facts.variants[name].base: set() for name in with_known_ordinal}
    ordinals_in_component: dict[str, dict[str, set[str]]] = {}  # ordinals in each component, by fingerprint
    for name, variant in facts.variants.items():
        root = components.root(name)
        if variant.base in roots_by_base:
            roots_by_base[variant.base].add(root)
        if name not in with_known_ordinal:
            ordinals = ordinals_in_component.setdefault(root, {})
            ordinals.setdefault(name[:FINGERPRINT_PREFIX_LENGTH], set()).add(
                name[VARIANT_ID_LENGTH:].partition(AMBIGUITY_SEPARATOR)[0]
            )
    contradicted = {
        base
        for base, roots in roots_by_base.items()
        if _have_different_ordinals([ordinals_in_component.get(member_root, {}) for member_root in roots])
    }
    return {name for name in with_known_ordinal if facts.variants[name].base in contradicted}


def _have_different_ordinals(ordinals_by_root: list[dict[str, set[str]]]) -> bool:
    first: dict[str, set[str]] = {}
    return any(
        first.setdefault(name, ordinals) != ordinals for one in ordinals_by_root for name, ordinals in one.items()
    )


def _resolved_base(name: str, renumbered: tuple[int, str] | None, facts: GroupingFacts) -> tuple[str, str]:
    """The base of a resolved variant, and the id that it has if it is not ambiguous."""
    if renumbered is None:
        return facts.variants[name].base, name.partition(AMBIGUITY_SEPARATOR)[0]
    ordinal, base = renumbered
    return base, f"{name[:VARIANT_ID_LENGTH]}{ordinal:x}" if ordinal else name[:VARIANT_ID_LENGTH]


def _join_resolved(
    name: str, base: str, certain_id: str, facts: GroupingFacts, first: dict[str, str], components: ConnectedComponents
) -> None:
    if base not in facts.split_by_caller:
        components.join(first.setdefault(base, name), name)
    else:
        shared_name = Link(LinkKind.SHARED_NAME, certain_id).encode()
        components.join(certain_id if certain_id in facts.variants else shared_name, name)
