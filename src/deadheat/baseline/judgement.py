"""The judgement of the gate: which races are new, known or muted, and which of the others are gone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from deadheat import baseline as lines
from deadheat.baseline import Baseline, KnownRace, matching_mutes
from deadheat.baseline.absence import Absence, AbsenceState, TestRunEvidence
from deadheat.baseline.editing import EntryFields
from deadheat.grouping import races
from deadheat.grouping.keys import ONE_SIDED_MARK
from deadheat.grouping.links import Link, LinkKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from deadheat.baseline import Mute
    from deadheat.grouping.races import GroupingFacts
    from deadheat.model import Frame, Report, Sighting


class GateStanding(StrEnum):
    """The result of the gate for one race."""

    NEW = "new"
    EXPIRED = "expired"  # in the baseline, but past its date
    BACK = "back"  # declared fixed, and found again
    KNOWN = "known"
    MUTED = "muted"

    @property
    def fails(self) -> bool:
        return self in (GateStanding.NEW, GateStanding.EXPIRED, GateStanding.BACK)


class GateJudgement(NamedTuple):
    standing: GateStanding
    note: str = ""


_NO_CHANGES = EntryFields()


@dataclass(frozen=True, slots=True)
class NewEntryDetails:
    """The fields of new entries in the baseline."""

    since: str
    reason: str = ""
    owner: str = ""
    expires: str = ""
    owner_of: Callable[[Sighting], str] | None = None  # the owner of an entry, if none is given

    def owner_for(self, sighting: Sighting) -> str:
        return self.owner or (self.owner_of(sighting) if self.owner_of else "")


class BaselineGate:
    """Compares the races of one run with a baseline.

    With `assume_complete` a known race that was not found is gone unless `test_runs` tells the contrary. `decide` gives
    the judgement that people's decisions on a race with one of its names amount to, if they do.
    """

    def __init__(
        self,
        baseline: Baseline,
        run_evidence: GroupingFacts,
        today: str,
        test_runs: TestRunEvidence | None = None,
        assume_complete: bool = False,
        more_mutes: Iterable[Mute] = (),
        decide: Callable[[Iterable[str]], GateJudgement | None] | None = None,
    ) -> None:
        self._decide = decide
        self._baseline, self._run_evidence, self._today = baseline, run_evidence, today
        all_mutes = (*baseline.mutes, *more_mutes)  # the others are not written into the baseline
        self._mutes = [mute for mute in all_mutes if not self._has_expired(mute.expires)]
        self._test_runs, self._assume_complete = test_runs or TestRunEvidence(), assume_complete
        all_evidence = races.empty_facts()
        all_evidence.add(run_evidence)
        all_evidence.add(baseline_evidence := lines.known_race_evidence(baseline.known))
        all_evidence.aliases.update(run_evidence.former_links())
        race_ids = races.race_ids(all_evidence, dict.fromkeys(baseline_evidence.variants, 0))
        self._entries_by_race: dict[str, list[KnownRace]] = {}  # by race id of this comparison
        for entry in baseline.known:
            self._entries_by_race.setdefault(race_ids[lines.main_variant(entry).id], []).append(entry)
        self.ids: Mapping[str, str] = {
            variant: self._baseline_race_id(race_ids[variant]) for variant in run_evidence.variants
        }
        self._variants_by_race = self._group_variants()
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
        if self._mutes and (mute := next(matching_mutes(self._mutes, sighting), None)) is not None:
            return GateJudgement(GateStanding.MUTED, mute.reason)
        entries = self._known_races.get(sighting.verdict.race, ())
        if self._decide and (decided := self._decide(self._names_of(sighting.verdict.race, entries))) is not None:
            return decided
        if not entries:
            return GateJudgement(GateStanding.NEW)
        expired = [entry for entry in entries if self._has_expired(entry.expires)]
        if len(expired) == len(entries):
            note = ": ".join(filter(None, (f"until {expired[0].expires}", expired[0].reason)))
            return GateJudgement(GateStanding.EXPIRED, note)
        return GateJudgement(GateStanding.KNOWN, next((e.reason for e in entries if e not in expired), ""))

    def _names_of(self, race: str, entries: Sequence[KnownRace]) -> list[str]:
        """The ids that a race may have elsewhere: in the baseline and of its variants in this run."""
        former = [name for entry in entries for name in (entry.race, *entry.merged)]
        return [race, *former, *self._variants_by_race.get(race, ())]

    def _has_expired(self, expires: str) -> bool:
        return bool(expires) and expires < self._today

    def absent_races(self) -> list[tuple[KnownRace, Absence]]:
        """The known races that were not found, and whether they are gone."""
        found_races = set(self.ids.values())
        return [
            (entries[0], self._judge_absence(entries))
            for race, entries in self._known_races.items()
            if race not in found_races
        ]

    def _judge_absence(self, entries: list[KnownRace]) -> Absence:
        absences = [self._test_runs.judge_absence(entry, self._assume_complete) for entry in entries]
        return next((absence for absence in absences if absence.state is not AbsenceState.GONE), absences[0])

    def updated_baseline(
        self,
        sightings: Iterable[Sighting],
        entry: NewEntryDetails,
        prune: bool = False,
        changes: EntryFields = _NO_CHANGES,
    ) -> Baseline:
        """The baseline with the races of this run added, except muted ones; known ones of this run are changed."""
        known = [
            _merge_entries(self._known_races[absent.race])
            for absent, absence in self.absent_races()
            if not (prune and absence.state is AbsenceState.GONE)
        ]
        for sighting in sightings:
            race = sighting.verdict.race
            entries = self._known_races.get(race)
            if entries is None and self.judge_race(sighting).standing is GateStanding.MUTED:
                continue
            first = _merge_entries(entries) if entries else _new_known_race(sighting, entry)
            if not (first.package or first.test):
                first = self._with_origin(first, sighting)
            first = changes.apply_to(self._renew_if_expired(first, entry)) if entries else first
            known.append(self._with_variants(first, self._variants_by_race.get(race, [])))
        return Baseline(tuple(known), self._baseline.mutes)

    def _with_origin(self, known: KnownRace, sighting: Sighting) -> KnownRace:
        """Adds the package and the tests in whose run a race was seen."""
        report = sighting.report
        if report.detector not in _GO_DETECTORS:
            return known
        package = _package_of_test(report) or self._test_runs.package_of(
            sighting.uri, sighting.span.offset, sighting.span.stream
        )
        other_test = next((access.test for access in report.accesses if access.test), None)
        return replace(known, package=package, test=report.test or "", other_test=other_test or "")

    def _renew_if_expired(self, known: KnownRace, entry: NewEntryDetails) -> KnownRace:
        """Gives an expired entry the date, reason and owner of new entries."""
        if not self._has_expired(known.expires):
            return known
        renewed = replace(known, expires=entry.expires)
        return replace(renewed, reason=entry.reason or known.reason, owner=entry.owner or known.owner)

    def _group_variants(self) -> dict[str, list[str]]:
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
        bases = {base for n in variants.values() for base in (n.base, f"{n.base}{ONE_SIDED_MARK}")}
        split = {*known.split, *(bases & self._run_evidence.split_by_caller)}
        return replace(
            known, variants=tuple(variants.values()), aliases=tuple(sorted(aliases)), split=tuple(sorted(split))
        )


_GO_DETECTORS = ("go", "go-fatal")


def _package_of_test(report: Report) -> str:
    """The package of the test function in the stacks, else of other test code."""
    name = (report.test or "").partition("/")[0]
    stacks = [*(access.stack for access in report.accesses), *(actor.created_at for actor in report.actors)]
    frames = [frame for stack in stacks for frame in stack if frame.package and frame.file.endswith("_test.go")]
    frame = next((frame for frame in frames if name in frame.function.split(".")), frames[0] if frames else None)
    # the tests of package p may be in package p_test
    return frame.package.removesuffix("_test").replace("%2e", ".") if frame else ""


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
        entry.owner_for(sighting),
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
