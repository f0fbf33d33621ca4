"""Races: variants that are the same defect, their ids and history, and families of races."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat import plugins
from deadheat.grouping.ambiguity import ambiguous_variants, resolve_ambiguous
from deadheat.grouping.fingerprint import hex_digest, is_test_frame
from deadheat.grouping.keys import (
    AMBIGUITY_SEPARATOR,
    ONE_SIDED_MARK,
    WRITE_OPS,
    caller_digests_past_wrappers,
    former_fingerprint_of,
    former_one_sided_keys,
    is_one_sided,
    one_sided_keys,
)
from deadheat.grouping.links import ConnectedComponents, Link, LinkKind, is_one_sided_key
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from deadheat.detectors import LanguageSymbols
    from deadheat.grouping.keys import GroupingKey
    from deadheat.model import Access, Actor, Frame, Report


# a provider may itself require a key; a second round joins it first
JOIN_ROUNDS: Final = 2


class Variant(NamedTuple):
    """The finest group of reports. Several variants may be one race."""

    fingerprint: str
    caller_digest: str  # digest of the callers of both sides
    ordinal: int = 0
    ambiguity: str = ""  # digest of what makes the ordinal ambiguous

    @property
    def id(self) -> str:
        return variant_id(*self)

    def as_one_sided(self) -> Variant:
        return self._replace(ambiguity=f"{self.ambiguity}{ONE_SIDED_MARK}")

    @property
    def base(self) -> str:
        """The id of the race if callers do not distinguish variants."""
        return base_id(self.fingerprint, self.ordinal)


def variant_id(fingerprint: str, caller_digest: str, ordinal: int, ambiguity: str = "") -> str:
    # both are digests already
    name = f"{fingerprint[:8]}{caller_digest[:8]}{ordinal:x}" if ordinal else f"{fingerprint[:8]}{caller_digest[:8]}"
    return f"{name}{AMBIGUITY_SEPARATOR}{ambiguity}" if ambiguity else name


def base_id(fingerprint: str, ordinal: int) -> str:
    return hex_digest(f"{fingerprint} {ordinal}") if ordinal else fingerprint


@dataclass(frozen=True, slots=True)
class GroupingFacts:
    """The facts of one or more documents that decide which variants are one race."""

    variants: dict[str, Variant]  # by id
    links: set[tuple[str, str]]  # pairs of variant ids
    aliases: set[tuple[str, Link]]  # by variant id
    # bases whose callers race for different objects, with a mark if only one-sided reports show that
    split_by_caller: set[str]
    # variant id and description of its sides; further aliases are derived from it
    descriptions: set[tuple[str, str]] = field(default_factory=set)
    shared_names: set[tuple[str, str]] = field(default_factory=set)  # variant id and a name

    def add(self, other: GroupingFacts) -> None:
        self.variants.update(other.variants)
        self.split_by_caller.update(other.split_by_caller)
        for pairs, others in zip(self._sets_by_variant(), other._sets_by_variant(), strict=True):
            pairs.update(others)

    def add_one_sided(self, other: GroupingFacts, renamed: Iterable[tuple[str, str]]) -> None:
        """Add what is known about the one-sided variants of the same reports, by their names there and here."""
        names: dict[str, set[str]] = {}
        for name, new in renamed:
            names.setdefault(name, set()).add(new)
        one_sided = {name: other.variants[name].as_one_sided() for name in names}
        one_sided = {name: variant for name, variant in one_sided.items() if variant.id in names[name]}
        self.variants.update([(variant.id, variant) for variant in one_sided.values()])
        bases = other.split_by_caller.intersection([variant.base for variant in one_sided.values()])
        self.split_by_caller.update([f"{base}{ONE_SIDED_MARK}" for base in bases])
        for pairs, others in zip(self._sets_by_variant()[1:], other._sets_by_variant()[1:], strict=True):
            pairs.update([(one_sided[name].id, what) for name, what in others if name in one_sided])
        for name, linked in other.links:
            here = product(names[name], names[linked])
            self.links.update([pair for pair in here if any(map(is_one_sided, pair))])

    def is_split(self, name: str) -> bool:
        """Do callers distinguish the variants of its base?"""
        base = self.variants[name].base
        marked = f"{base}{ONE_SIDED_MARK}" if is_one_sided(name) else base
        return not self.split_by_caller.isdisjoint((base, marked))

    def without(self, names: set[str]) -> GroupingFacts:
        """The facts of the other variants."""
        variants = {name: variant for name, variant in self.variants.items() if name not in names}
        links = {pair for pair in self.links if names.isdisjoint(pair)}
        aliases, descriptions, shared = (
            {pair for pair in pairs if pair[0] not in names} for pairs in self._sets_by_variant()[1:]
        )
        return GroupingFacts(variants, links, aliases, self.split_by_caller, descriptions, shared)

    def remove_variants(self, names: set[str]) -> None:
        for name in names:
            del self.variants[name]
        for pairs in self._sets_by_variant():
            pairs.difference_update([pair for pair in pairs if pair[0] in names])

    def _sets_by_variant(self) -> tuple[set[tuple[str, Any]], ...]:
        return self.links, self.aliases, self.descriptions, self.shared_names

    def rename_variants(self, new_ids: Mapping[str, str], variant_ids: list[str]) -> list[str]:
        """Rename variants to their ambiguous ids, and return the new ids of the reports."""
        for name, ambiguous_id in new_ids.items():
            ambiguity = ambiguous_id.partition(AMBIGUITY_SEPARATOR)[2]
            self.variants[ambiguous_id] = self.variants.pop(name)._replace(ambiguity=ambiguity)
        for pairs in self._sets_by_variant():
            changed = [pair for pair in pairs if pair[0] in new_ids or pair[1] in new_ids]
            pairs.difference_update(changed)
            pairs.update([(new_ids.get(a, a), new_ids.get(b, b)) for a, b in changed])
        return [new_ids.get(name, name) for name in variant_ids]

    def __reduce__(self) -> tuple[Any, ...]:
        # variant ids can be computed, and plain tuples are pickled faster
        variants = [(*variant,) for variant in self.variants.values()]
        others = self.links, self.aliases, self.split_by_caller, self.descriptions, self.shared_names
        return _unpack_facts, (variants, *others)

    def linked_components(self) -> ConnectedComponents:
        """The variants that are joined by links and shared names."""
        components = ConnectedComponents()
        first: dict[str, str] = {}
        for a, b in self.links:
            components.join(a, b)
        for name, shared in self.shared_names:
            components.join(first.setdefault(shared, name), name)
        return components

    def encoded_links(self) -> dict[str, list[str]]:
        """The links and shared names by variant, as stored."""
        names = [(name, Link(LinkKind.SHARED_NAME, shared).encode()) for name, shared in self.shared_names]
        return group_by_first([*self.links, *names])

    def former_links(self) -> Iterator[tuple[str, Link]]:
        """Links of the variants to races of an earlier version."""
        for name, description in self.descriptions:
            if base := _former_base(self.variants[name], description):
                yield name, base
            for key in former_one_sided_keys(description):
                yield name, Link(LinkKind.REQUIRES, key.encode())

    def encoded_aliases(self, known: Mapping[str, VariantAliases] | None = None) -> dict[str, list[str]]:
        """The aliases by variant, as stored, including those derived from the descriptions.

        Those are many and rarely needed, so they are computed on demand. `known` caches them by
        description.
        """
        aliases = group_by_first([(name, link.encode()) for name, link in self.aliases])
        for name, description in self.descriptions:
            variant_name, others = (known.get(description) if known else None) or ("", [])
            if variant_name != name:
                others = _derived_aliases(self.variants[name], description)
            aliases[name] = sorted({*aliases[name], *others}) if name in aliases else others
        return aliases


# a variant id, and its derived aliases, as stored
VariantAliases = tuple[str, list[str]]


def first_variant_aliases(key: GroupingKey) -> VariantAliases:
    """The derived aliases of the variant with ordinal 0."""
    variant = Variant(key.fingerprint, key.caller_digest)
    return variant.id, _derived_aliases(variant, key.description)


def _derived_aliases(variant: Variant, description: str) -> list[str]:
    """The ids of a variant if callers are wrappers, and the keys that it provides, sorted."""
    provided = [Link(LinkKind.PROVIDES, key.encode()).encode() for key in one_sided_keys(description)]
    former = _former_base(variant, description)
    return sorted([*_ids_past_wrappers(variant, description), *provided, *([former.encode()] if former else [])])


def _former_base(variant: Variant, description: str) -> Link | None:
    """The base of a variant in an earlier version, if that was another one."""
    former = former_fingerprint_of(description)
    return Link(LinkKind.FORMER_BASE, base_id(former, variant.ordinal)) if former else None


def _ids_past_wrappers(variant: Variant, description: str) -> set[str]:
    fingerprint, caller_digest, ordinal, _ = variant
    others = caller_digests_past_wrappers(description) - {caller_digest}
    return {variant_id(fingerprint, other, ordinal) for other in others}


def group_by_first(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for a, b in pairs:
        grouped.setdefault(a, []).append(b)
    for others in grouped.values():
        others.sort()
    return grouped


def _unpack_facts(variants: list[tuple[str, str, int, str]], *others: set[Any]) -> GroupingFacts:
    return GroupingFacts({variant_id(*variant): Variant(*variant) for variant in variants}, *others)


def empty_facts() -> GroupingFacts:
    return GroupingFacts({}, set(), set(), set())


def race_ids(facts: GroupingFacts, oldest: Mapping[str, object] | None = None) -> dict[str, str]:
    """Return the race of every variant by variant id.

    A race is named after its oldest fingerprint. `oldest` gives an age by variant id, smaller is
    older. Without an age the smallest name is taken, so the result does not depend on order or
    batches. One-sided reports have no influence on the races of the others.
    """
    one_sided = {name for name in facts.variants if is_one_sided(name)}
    if not one_sided:
        return _two_sided_race_ids(facts, oldest or {})
    ids = _two_sided_race_ids(facts.without(one_sided), oldest or {})
    return ids | _one_sided_race_ids(facts, one_sided, ids, oldest or {})


def _one_sided_race_ids(
    facts: GroupingFacts, names: set[str], ids: Mapping[str, str], oldest: Mapping[str, object]
) -> dict[str, str]:
    """The races of the one-sided variants, given those of the others.

    A variant joins a race if that is the only one that it is connected with, by the evidence of a
    run, else by its function. Without own evidence, that of connected one-sided variants counts.
    """
    components = ConnectedComponents()
    races_by_base: dict[str, set[str]] = {}
    for name, race in ids.items():
        races_by_base.setdefault(facts.variants[name].base, set()).add(race)
    first: dict[str, str] = {}
    connected: dict[str, set[str]] = {}  # the races that the evidence of a run connects a variant with
    for name in sorted(names):
        variant = facts.variants[name]
        certain_id = name.partition(AMBIGUITY_SEPARATOR)[0]
        is_split = facts.is_split(name)
        components.join(first.setdefault(certain_id if is_split else variant.base, name), name)
        found = {ids[certain_id]} if is_split and certain_id in ids else races_by_base.get(variant.base, set())
        connected[name] = set(found)
    for name, other in [*facts.links, *(pair[::-1] for pair in facts.links)]:
        if name in names and other in names:
            components.join(name, other)
        elif name in names and other in ids:
            connected[name].add(ids[other])
    for name, link in facts.aliases:
        if name in names and link.kind is LinkKind.FORMER_BASE:
            connected[name] |= races_by_base.get(link.key, set())
    providers = _providers_by_variant(facts)
    required: dict[str, set[str]] = {}  # the races that provide a key that it requires
    for name in sorted(names & providers.keys()):
        required[name] = {ids[other] for other in providers[name] if other in ids}
        roots = {components.root(other) for other in providers[name] if other in names}
        if len(roots) == 1 and not required[name]:
            components.join(name, *roots)
    found_races: dict[str, str] = {}
    for evidence in (connected, required):
        by_component: dict[str, set[str]] = {}
        for name in names:
            by_component.setdefault(components.root(name), set()).update(evidence.get(name, ()))
        for name in names - found_races.keys():
            candidates = evidence.get(name) or by_component[components.root(name)]
            if len(candidates) == 1:
                found_races[name] = next(iter(candidates))
    others = {name: facts.variants[name] for name in names - found_races.keys()}
    taken = {*ids.values(), *races_by_base}
    for name, race in _name_races(others, components, oldest).items():
        found_races[name] = components.root(name) if race in taken else race
    return found_races


def _two_sided_race_ids(facts: GroupingFacts, oldest: Mapping[str, object]) -> dict[str, str]:
    components = facts.linked_components()
    first: dict[str, str] = {}
    ambiguous, with_known_ordinal = ambiguous_variants(facts)
    for name, variant in facts.variants.items():
        base = variant.base
        if base not in facts.split_by_caller and name not in ambiguous and name not in with_known_ordinal:
            other = first.setdefault(base, name)
            if other is not name:
                components.join(other, name)
    for name, link in facts.aliases:
        if link.kind is LinkKind.FORMER_BASE and link.key in first:
            components.join(first[link.key], name)
    providers_by_variant = _providers_by_variant(facts)
    # omitted functions must be resolved before ordinals are compared
    for a, b in _unique_providers(providers_by_variant, components) if ambiguous or with_known_ordinal else ():
        components.join(a, b)
    renumbered = resolve_ambiguous(facts, ambiguous, with_known_ordinal, first, components)
    ids = [(name, link.key) for name, link in facts.aliases if link.kind is LinkKind.VARIANT]
    for name, description in facts.descriptions:
        # otherwise variants with other callers are one race already
        if facts.variants[name].base in facts.split_by_caller:
            ids += [(name, other) for other in _ids_past_wrappers(facts.variants[name], description)]
    for a, b in ids:
        if b in facts.variants and a not in renumbered:
            components.join(a, b)
    for _ in range(JOIN_ROUNDS if providers_by_variant else 0):
        for a, b in _unique_providers(providers_by_variant, components):
            components.join(a, b)
    incomplete = {name for name, link in facts.aliases if link.kind is LinkKind.REQUIRES}
    return _name_races(facts.variants, components, oldest, incomplete)


def _providers_by_variant(facts: GroupingFacts) -> dict[str, list[str]]:
    """The variants that require a key, with all variants that provide it."""
    required = [(name, link.key) for name, link in facts.aliases if link.kind is LinkKind.REQUIRES]
    if not required:
        return {}
    providers: dict[str, list[str]] = {key: [] for _, key in required}
    provided = [(name, link.key) for name, link in facts.aliases if link.kind is LinkKind.PROVIDES]
    if any(map(is_one_sided_key, providers)):
        provided += [(name, key.encode()) for name, text in facts.descriptions for key in one_sided_keys(text)]
    for name, key in provided:
        if key in providers:
            providers[key].append(name)
    providers_by_variant: dict[str, list[str]] = {}
    for name, key in required:
        if providers[key]:
            providers_by_variant.setdefault(name, []).extend(providers[key])
    return providers_by_variant


def _unique_providers(
    providers_by_variant: Mapping[str, list[str]], components: ConnectedComponents
) -> list[tuple[str, str]]:
    """Pairs of a requiring variant and one variant of the only race that provides the key."""
    return [
        (name, others[0])
        for name, others in providers_by_variant.items()
        if len({components.root(other) for other in others}) == 1
    ]


def _name_races(
    variants: Mapping[str, Variant],
    components: ConnectedComponents,
    oldest: Mapping[str, object],
    incomplete: Collection[str] = (),
) -> dict[str, str]:
    """Name each component after its oldest variant: by its base, if no older variant has that base.

    Of variants with equal age, incomplete ones are last: another one has the same name without them.
    """
    age = {
        name: (name not in oldest, oldest.get(name, ""), name in incomplete, name)
        for name in variants
        if oldest or incomplete
    }
    first_by_base: dict[str, str] = {}
    names: dict[str, str] = {}
    for name in sorted(variants, key=age.__getitem__ if age else None):
        base = variants[name].base
        first = first_by_base.setdefault(base, name) == name
        names.setdefault(components.root(name), base if first else name)
    return {name: names[components.root(name)] for name in variants}


NEW, RECURRING, QUIET, RETURNED = "new", "recurring", "quiet", "returned"
# a race is new or returned for this long
_NEW_PERIOD: Final = timedelta(days=7)
# a race is quiet if it was not seen for longer than this
_QUIET_AFTER: Final = timedelta(days=14)


def status_history(days: Sequence[date], newest: date) -> list[tuple[date, str]]:
    """The statuses of a race with their start days. The last one is current.

    `days` are the days of its sightings in order. `newest` is the last day with any data.
    """
    states: list[tuple[date, str]] = []
    for index, day in enumerate(days):
        before = days[index - 1] if index else None
        if before is None:
            states.append((day, NEW))
        elif day - before > _QUIET_AFTER:
            states += [(before + _QUIET_AFTER + timedelta(days=1), QUIET), (day, RETURNED)]
        elif states[-1][1] in (NEW, RETURNED) and day - states[-1][0] > _NEW_PERIOD:
            states.append((day, RECURRING))
    if days and newest - days[-1] > _QUIET_AFTER:
        states.append((days[-1] + _QUIET_AFTER + timedelta(days=1), QUIET))
    elif states and states[-1][1] != RECURRING and days[-1] > states[-1][0] < newest - _NEW_PERIOD:
        states.append((states[-1][0] + _NEW_PERIOD + timedelta(days=1), RECURRING))
    return states


# number of user frames of a write that may be the culprit
_MAX_WRITER_FRAMES: Final = 2
# a key that more races share is infrastructure
MAX_RACES_PER_KEY: Final = 40
_FAMILY_REASONS: Final = {
    "writer": "both are written in or below {}",
    "worker": "one side of each runs in the worker {1} that {0} starts",
}


class Family(NamedTuple):
    """Races that may have a common cause, and the reasons."""

    id: str
    races: tuple[str, ...]
    why: tuple[str, ...]


def family_keys(report: Report) -> Iterator[str]:
    """The family keys of a report: `writer executor ResetContextOfStmt`."""
    symbols = plugins.detector_named(report.detector).symbols
    actors = {actor.id: actor for actor in report.actors}
    for access in report.accesses:
        if access.op in WRITE_OPS:
            for frame in islice(_user_frames(access.stack), _MAX_WRITER_FRAMES):
                yield f"writer {symbols.function_key(frame)}"
        yield from _worker_keys(access, actors.get(access.actor), symbols)


def _worker_keys(access: Access, actor: Actor | None, symbols: LanguageSymbols) -> Iterator[str]:
    """A worker is identified by the function that starts it and the function that it runs."""
    starter = next(_user_frames(actor.created_at), None) if actor else None
    entry = next(_user_frames(reversed(access.stack)), None)
    if starter is not None and entry is not None:
        yield f"worker {symbols.function_key(starter)} > {symbols.function_key(entry)}"


def _user_frames(stack: Iterable[Frame]) -> Iterator[Frame]:
    """The user frames that are valid and not in a test."""
    for frame in stack:
        if frame.origin is Origin.USER and not frame.stale and not is_test_frame(frame):
            yield frame


def find_families(races: Mapping[str, Iterable[str]]) -> list[Family]:
    """Return the families of these races by their family keys, ordered by id."""
    holders: dict[str, list[str]] = {}
    for race in sorted(races):
        for key in sorted(set(races[race])):
            holders.setdefault(key, []).append(race)
    shared = {key: key_races for key, key_races in holders.items() if 1 < len(key_races) <= MAX_RACES_PER_KEY}
    components = ConnectedComponents()
    for key_races in shared.values():
        for race in key_races:
            components.join(key_races[0], race)
    members: dict[str, list[str]] = {}
    for race, root in sorted(components.roots().items()):
        members.setdefault(root, []).append(race)
    why: dict[str, list[str]] = {}
    for key, key_races in sorted(shared.items(), key=lambda item: (-len(item[1]), item[0])):
        why.setdefault(components.root(key_races[0]), []).append(family_reason(key))
    return [Family(root, tuple(members[root]), tuple(why[root])) for root in sorted(members)]


def family_reason(key: str) -> str:
    kind, _, key_names = key.partition(" ")
    return _FAMILY_REASONS[kind].format(*(_short_name(name) for name in key_names.split(" > ")))


def _short_name(name: str) -> str:
    """`github.com/pingcap/tidb/executor ResetContextOfStmt` as `executor.ResetContextOfStmt`."""
    package, _, function = name.rpartition(" ")
    return f"{package.rpartition('/')[2]}.{function}" if package else function
