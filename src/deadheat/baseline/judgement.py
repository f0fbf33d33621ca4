"""The judgement of the gate: which races are new, known, muted or gone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from deadheat import baseline as lines
from deadheat.baseline import Baseline, KnownRace
from deadheat.grouping import races
from deadheat.grouping.links import Link, LinkKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.grouping.races import GroupingFacts
    from deadheat.model import Frame, Report, Sighting


# the suppression type of each kind of report; all others are "race"
_SUPPRESSION_TYPES = {
    "thread-leak": "thread",
    "lock-order-inversion": "deadlock",
    "signal-unsafe-call": "signal",
    "errno-in-signal": "signal",
    "destroy-locked-mutex": "mutex",
    "double-lock": "mutex",
    "unlock-unlocked-mutex": "mutex",
    "invalid-mutex-access": "mutex",
    "mutex-held-wrong-context": "mutex",
    "read-lock-of-write-locked-mutex": "mutex",
    "read-unlock-of-write-locked-mutex": "mutex",
}
_TOP_FRAME_TYPE = "race_top"
_PATTERN_TYPES = frozenset(("race", _TOP_FRAME_TYPE, "id", *_SUPPRESSION_TYPES.values()))
# ThreadSanitizer types that cannot be decided from the report alone
_UNSUPPORTED_TYPES = frozenset(("called_from_lib",))
_MIN_ID_LENGTH = 6


class Mute(NamedTuple):
    """A mute rule with its reason, owner and expiry date."""

    pattern: str
    reason: str = ""
    owner: str = ""
    expires: str = ""  # a date as in 2026-12-31


def pattern_error(pattern: str) -> str:
    """The error in a pattern; empty if it is valid."""
    kind, colon, name = pattern.partition(":")
    if not colon or kind not in _PATTERN_TYPES:
        return f"{pattern!r} does not begin with one of {', '.join(sorted(_PATTERN_TYPES))} and a colon"
    if kind == "id" and (len(name) < _MIN_ID_LENGTH or name.strip("0123456789abcdef")):
        return f"{pattern!r} needs a race id of at least {_MIN_ID_LENGTH} hexadecimal digits"
    return "" if name.strip("*^$ ") else f"{pattern!r} would mute everything"


def parse_suppressions(text: str) -> tuple[list[Mute], list[str]]:
    """The rules of a suppression file, and the errors in its other lines.

    The comment above a rule is its reason, up to the next blank line.
    """
    mutes: list[Mute] = []
    faults: list[str] = []
    reason: list[str] = []
    above = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith("#"):
            # a comment after a rule starts a new reason
            reason = [*(reason if above.startswith("#") else []), line.lstrip("# ")]
        elif not line:
            reason = []
        elif line.partition(":")[0] in _UNSUPPORTED_TYPES:
            faults.append(f"line {number}: {line.partition(':')[0]} is not supported, ignored")
        elif error := pattern_error(line):
            faults.append(f"line {number}: {error}, ignored")
        else:
            mutes.append(Mute(line, " ".join(reason)))
        above = line
    return mutes, faults


def mute_matches(mute: Mute, sighting: Sighting) -> bool:
    """Whether the rule mutes this race."""
    kind, _, name = mute.pattern.partition(":")
    if kind == "id":
        return sighting.verdict.race.startswith(name)
    report = sighting.report
    if (_SUPPRESSION_TYPES.get(report.kind, "race")) != ("race" if kind == _TOP_FRAME_TYPE else kind):
        return False
    names = _top_frame_names(report) if kind == _TOP_FRAME_TYPE else _all_report_names(report)
    return any(_pattern_matches(name, other) for other in names)


def _top_frame_names(report: Report) -> Iterator[str]:
    for access in report.accesses:
        for frame in access.stack[:1]:
            yield from _frame_names(frame)


def _all_report_names(report: Report) -> Iterator[str]:
    stacks = [access.stack for access in report.accesses]
    stacks += [actor.created_at for actor in report.actors]
    stacks += [stack for edge in report.cycle for stack in (edge.stack, edge.held_stack)]
    for stack in stacks:
        for frame in stack:
            if not frame.stale:
                yield from _frame_names(frame)
    if report.location is not None:
        yield from filter(None, (report.location.name, report.location.file))


def _frame_names(frame: Frame) -> Iterator[str]:
    yield from (frame.function, frame.file, frame.path)
    if frame.package:  # with the full import path, as the Go detector prints it
        yield f"{frame.package}.{frame.function.partition('.')[2]}"


def _pattern_matches(pattern: str, text: str) -> bool:
    """Matches in one pass: each part is searched after the previous one."""
    anchored_start, anchored_end = pattern.startswith("^"), pattern.endswith("$")
    parts = pattern.removeprefix("^").removesuffix("$").split("*")
    if anchored_start and not text.startswith(parts[0]):
        return False
    position = len(parts[0]) if anchored_start else 0
    last = len(parts) - 1
    for number, part in enumerate(parts):
        if number == 0 and anchored_start and (last or not anchored_end):
            continue
        if number == last and anchored_end:
            is_exact = anchored_start and not last
            return text == part if is_exact else len(text) - len(part) >= position and text.endswith(part)
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True


class GateStanding(StrEnum):
    """The result of the gate for one race."""

    NEW = "new"
    EXPIRED = "expired"  # in the baseline, but past its date
    KNOWN = "known"
    MUTED = "muted"

    @property
    def fails(self) -> bool:
        return self in (GateStanding.NEW, GateStanding.EXPIRED)


class GateJudgement(NamedTuple):
    standing: GateStanding
    note: str = ""


@dataclass(frozen=True, slots=True)
class NewEntryDetails:
    """The fields of new entries in the baseline."""

    since: str
    reason: str = ""
    owner: str = ""
    expires: str = ""


class BaselineGate:
    """Compares the races of one run with a baseline."""

    def __init__(self, baseline: Baseline, run_evidence: GroupingFacts, today: str) -> None:
        self._baseline, self._run_evidence, self._today = baseline, run_evidence, today
        all_evidence = races.empty_facts()
        all_evidence.add(run_evidence)
        all_evidence.add(baseline_evidence := lines.known_race_evidence(baseline.known))
        race_ids = races.race_ids(all_evidence, dict.fromkeys(baseline_evidence.variants, 0))
        self._entries_by_race: dict[str, list[KnownRace]] = {}  # by race id of this comparison
        for entry in baseline.known:
            self._entries_by_race.setdefault(race_ids[lines.variants_of(entry)[0].id], []).append(entry)
        self.ids: Mapping[str, str] = {
            variant: self._baseline_race_id(race_ids[variant]) for variant in run_evidence.variants
        }
        self._known_races = {entries[0].race: entries for entries in self._entries_by_race.values()}
        self._aliases = {
            variant: [f"{variant} {alias}" for alias in aliases]
            for variant, aliases in run_evidence.encoded_aliases().items()
        }
        for variant, name in run_evidence.shared_names:
            alias = Link(LinkKind.SHARED_NAME, name).encode()
            self._aliases.setdefault(variant, []).append(f"{variant} {alias}")

    def _baseline_race_id(self, race: str) -> str:
        """The id in the baseline for a known race, else the id of this run."""
        entries = self._entries_by_race.get(race)
        return entries[0].race if entries else race

    def judge_race(self, sighting: Sighting) -> GateJudgement:
        """Judges a race by one of its sightings."""
        for mute in self._baseline.mutes:
            if not self._has_expired(mute.expires) and mute_matches(mute, sighting):
                return GateJudgement(GateStanding.MUTED, mute.reason)
        entries = self._known_races.get(sighting.verdict.race)
        if not entries:
            return GateJudgement(GateStanding.NEW)
        expired = [entry for entry in entries if self._has_expired(entry.expires)]
        if len(expired) == len(entries):
            note = ": ".join(filter(None, (f"until {expired[0].expires}", expired[0].reason)))
            return GateJudgement(GateStanding.EXPIRED, note)
        return GateJudgement(GateStanding.KNOWN, next((e.reason for e in entries if e not in expired), ""))

    def _has_expired(self, expires: str) -> bool:
        return bool(expires) and expires < self._today

    def gone_races(self) -> list[KnownRace]:
        """The known races that were not found."""
        found_races = set(self.ids.values())
        return [entries[0] for race, entries in self._known_races.items() if race not in found_races]

    def updated_baseline(self, sightings: Iterable[Sighting], entry: NewEntryDetails, prune: bool = False) -> Baseline:
        """The baseline with the races of this run added, except muted ones."""
        known = [] if prune else [_merge_entries(self._known_races[entry.race]) for entry in self.gone_races()]
        variants_by_race = self._variants_by_race()
        for sighting in sightings:
            race = sighting.verdict.race
            entries = self._known_races.get(race)
            if entries is None and self.judge_race(sighting).standing is GateStanding.MUTED:
                continue
            first = _merge_entries(entries) if entries else _new_known_race(sighting, entry)
            known.append(self._with_variants(self._renew_if_expired(first, entry), variants_by_race.get(race, [])))
        return Baseline(tuple(known), self._baseline.mutes)

    def _renew_if_expired(self, known: KnownRace, entry: NewEntryDetails) -> KnownRace:
        """Gives an expired entry the date, reason and owner of new entries."""
        if not self._has_expired(known.expires):
            return known
        renewed = replace(known, expires=entry.expires)
        return replace(renewed, reason=entry.reason or known.reason, owner=entry.owner or known.owner)

    def _variants_by_race(self) -> dict[str, list[str]]:
        """The variants of each race of this run."""
        variants_by_race: dict[str, list[str]] = {}
        for variant, race in self.ids.items():
            variants_by_race.setdefault(race, []).append(variant)
        return variants_by_race

    def _with_variants(self, known: KnownRace, variant_ids: list[str]) -> KnownRace:
        variants = {
            variant.id: variant for variant in (*known.variants, *(self._run_evidence.variants[n] for n in variant_ids))
        }
        aliases = {*known.aliases, *(alias for n in variant_ids for alias in self._aliases.get(n, ()))}
        split = {*known.split, *({n.base for n in variants.values()} & self._run_evidence.split_by_caller)}
        return replace(
            known, variants=tuple(variants.values()), aliases=tuple(sorted(aliases)), split=tuple(sorted(split))
        )


def _merge_entries(entries: list[KnownRace]) -> KnownRace:
    """Merges entries that turned out to be the same race."""
    first, *others = entries
    if not others:
        return first
    return replace(
        first,
        reason=next((entry.reason for entry in entries if entry.reason), ""),
        owner=next((entry.owner for entry in entries if entry.owner), ""),
        merged=tuple(sorted({*first.merged, *(entry.race for entry in others)})),
        variants=tuple(dict.fromkeys(variant for entry in entries for variant in lines.variants_of(entry))),
        aliases=tuple(sorted({alias for entry in entries for alias in entry.aliases})),
        split=tuple(sorted({base for entry in entries for base in entry.split})),
    )


def _new_known_race(sighting: Sighting, entry: NewEntryDetails) -> KnownRace:
    return KnownRace(
        sighting.verdict.race,
        sighting.verdict.title,
        entry.reason,
        entry.owner,
        entry.expires,
        entry.since,
        tuple(dict.fromkeys(_portable_site(access.site) for access in sighting.report.accesses if access.site)),
    )


def _portable_site(site: Frame) -> str:
    """Function and file, without machine-specific folders and line numbers."""
    file = site.file
    if file.startswith("/") or file[1:2] == ":":
        file = "/".join(file.replace("\\", "/").split("/")[-2:])
    return " ".join(filter(None, (site.function, file)))
