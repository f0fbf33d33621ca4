"""Loads the races of a log, a lake and a baseline. Runs in the worker process, because it may take long."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat.api import diagnose_sighting, read_opened_documents
from deadheat.baseline import Baseline, BaselineLineError, parse_baseline
from deadheat.baseline.judgement import BaselineGate, GateStanding
from deadheat.errors import DeadheatError, UnreadableError, limit_faults, unexpected_fault
from deadheat.grouping import races
from deadheat.grouping.race_assignment import group_sightings, with_race
from deadheat.model import Access, Frame, Op, Origin, Report, Sighting
from deadheat.output.race_counts import damage_score
from deadheat.path_maps import map_report
from deadheat.sources import file_listing, files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from deadheat.baseline import KnownRace
    from deadheat.lsp_server.settings import ServerSettings
    from deadheat.model import Cause

    JsonDict = dict[str, Any]

_MAX_LAKE_RACES = 20_000
_MAX_FAULTS = 5


@dataclass(frozen=True, slots=True)
class RaceEntry:
    """A race as the server shows it. Its paths are mapped."""

    race: str
    title: str
    report: Report
    causes: tuple[Cause, ...] = ()
    fingerprint: str = ""
    sighting_count: int = 0
    last_run: str = ""  # the run or the day of the latest sighting, or the log
    log: str = ""  # a file that contains the report, if it is no archive
    standing: str = ""  # in the baseline: new, known, expired, muted
    note: str = ""  # the reason of the standing, or of the mute
    revisions: tuple[str, ...] = ()  # commits of runs that saw the race
    aliases: tuple[str, ...] = ()

    @property
    def is_muted(self) -> bool:
        return self.standing == GateStanding.MUTED


@dataclass(frozen=True, slots=True)
class LoadedRaces:
    """The races of all sources, and what could not be read."""

    entries: tuple[RaceEntry, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(slots=True)
class _RaceCollection:
    entries: dict[str, RaceEntry] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def add_fault(self, fault: DeadheatError) -> None:
        self.faults.append(str(fault))

    def try_to(self, load: Callable[[], None], where: str) -> None:
        """Runs one loader; its failure is a fault, and the other sources are read."""
        try:
            load()
        except DeadheatError as error:
            self.add_fault(error)
        except Exception as error:  # noqa: BLE001
            self.add_fault(unexpected_fault(error, where))


def load_races(settings: ServerSettings) -> LoadedRaces:
    """The races of all sources. A race that is in a log and in the lake has the report of the log."""
    found = _RaceCollection()
    baseline = Baseline()

    def load_baseline() -> None:
        nonlocal baseline
        baseline = _read_baseline(settings.baseline)
        for known in baseline.known:
            found.entries[known.race] = _entry_of_known_race(known)

    if settings.baseline:
        found.try_to(load_baseline, settings.baseline)
    if settings.lake:
        found.try_to(lambda: _load_lake(settings, found), settings.lake)
    if settings.logs:
        found.try_to(lambda: _load_logs(settings, baseline, found), settings.logs[0])
    if settings.decisions_address:
        found.try_to(lambda: _apply_decisions(settings.decisions_address, found), settings.decisions_address)
    entries = tuple(replace(entry, report=map_report(entry.report, settings.maps)) for entry in found.entries.values())
    more = len(found.faults) - _MAX_FAULTS
    return LoadedRaces(entries, (*found.faults[:_MAX_FAULTS], *([f"{more} more faults"] if more > 0 else [])))


# -- a baseline -------------------------------------------------------------------------------------


def _read_baseline(path: str) -> Baseline:
    try:
        return parse_baseline(Path(path).read_bytes().decode("utf-8", "surrogateescape"))
    except OSError as error:
        raise DeadheatError(f"cannot be read: {error.strerror or error}", path, "name a baseline") from error
    except BaselineLineError as error:
        raise DeadheatError(error.what, f"{path}:{error.number}", "correct the line, or remove it") from error


def _entry_of_known_race(known: KnownRace) -> RaceEntry:
    """A race that only the baseline knows: it has functions and files, and no lines."""
    accesses = []
    for site in known.sites:
        function, _, file = site.rpartition(" ")
        frame = Frame(function, "", file, None, Origin.USER, file)
        accesses.append(Access(Op.UNKNOWN, "", (frame,), site=frame))
    report = Report("", "data-race", tuple(accesses), test=known.test or None)
    is_expired = bool(known.expires) and known.expires < date.today().isoformat()
    standing = GateStanding.EXPIRED if is_expired else GateStanding.KNOWN
    return RaceEntry(known.race, known.title, report, standing=standing, note=known.reason, aliases=known.merged)


# -- a lake -----------------------------------------------------------------------------------------


def _load_lake(settings: ServerSettings, found: _RaceCollection) -> None:
    try:
        from deadheat.lake import queries
        from deadheat.lake.tables import Lake
    except ModuleNotFoundError as error:
        raise DeadheatError(f"{error.name} is not installed", do="pip install 'deadheat[lake]'") from None
    lake = Lake(settings.lake).require()
    rows = lake.read_rows("races", [*queries.RACE_COLUMNS, *queries.EXAMPLE_NEEDS[1:]]).to_pylist()
    rows.sort(key=lambda row: row["last_seen"], reverse=True)
    if len(rows) > _MAX_LAKE_RACES:
        found.faults.append(f"{lake.uri}: only the latest {_MAX_LAKE_RACES} of {len(rows)} races are shown")
        del rows[_MAX_LAKE_RACES:]
    by_race = {row["race"]: row for row in rows}
    for race, sighting, commits in queries.example_sightings(lake, rows):
        row, known = by_race[race], found.entries.get(race)
        entry = _entry_of_sighting(sighting)
        found.entries[race] = replace(
            entry,
            title=row["title"],
            sighting_count=row["sightings"],
            last_run=_last_run_of_row(row),
            revisions=tuple(filter(None, commits)),
            aliases=tuple(row["aliases"]),
            standing=known.standing if known else "",
            note=known.note if known else "",
        )


def _last_run_of_row(row: JsonDict) -> str:
    """`run 1234 on 2026-11-19`, `2026-11-19`."""
    day = f"{row['last_seen']:%Y-%m-%d}"
    run = (row["example"] or {}).get("run")
    return f"run {run} on {day}" if run else day


def _entry_of_sighting(sighting: Sighting) -> RaceEntry:
    verdict, diagnosed = sighting.verdict, diagnose_sighting(sighting)
    return RaceEntry(verdict.race, verdict.title, sighting.report, diagnosed.causes, verdict.fingerprint)


# -- logs -------------------------------------------------------------------------------------------


def _load_logs(settings: ServerSettings, baseline: Baseline, found: _RaceCollection) -> None:
    sightings: list[Sighting] = []
    plain: set[str] = set()
    for entry in file_listing.list_entries(settings.logs):
        if isinstance(entry, UnreadableError):
            found.add_fault(entry)
            continue
        plain.add(entry.uri)
        for item in limit_faults(
            read_opened_documents(files.open_documents(files.FileRange(entry), None, None)), entry.uri
        ):
            if isinstance(item, UnreadableError):
                found.add_fault(item)
            elif isinstance(item, Sighting):
                sightings.append(item)
    if not sightings:
        return
    grouped, facts, _ = group_sightings(sightings)
    gate = BaselineGate(baseline, facts, date.today().isoformat())
    ids: Mapping[str, str] = gate.ids if settings.baseline else races.race_ids(facts)
    counts: Counter[str] = Counter()
    best: dict[str, Sighting] = {}
    last: dict[str, Sighting] = {}
    for variant in grouped:
        sighting = with_race(variant, ids[variant.verdict.race])
        race = sighting.verdict.race
        counts[race] += 1
        last[race] = sighting
        if race not in best or damage_score(sighting) < damage_score(best[race]):
            best[race] = sighting
    for race, sighting in best.items():
        found_race = _entry_of_log(sighting, counts[race], last[race], plain)
        if settings.baseline:
            judgement = gate.judge_race(sighting)
            found_race = replace(found_race, standing=judgement.standing, note=judgement.note)
        found.entries[race] = _merge_with_lake(found_race, found.entries.get(race))


def _entry_of_log(sighting: Sighting, count: int, latest: Sighting, plain: Iterable[str]) -> RaceEntry:
    log = os.path.abspath(sighting.uri) if sighting.uri in plain else ""  # noqa: PTH100
    entry = _entry_of_sighting(sighting)
    return replace(entry, sighting_count=count, last_run=latest.uri.rpartition("/")[2], log=log)


def _merge_with_lake(entry: RaceEntry, known: RaceEntry | None) -> RaceEntry:
    """The entry of a log with what the lake tells about the race."""
    if known is None or not known.sighting_count:
        return entry
    return replace(
        entry,
        sighting_count=known.sighting_count,
        last_run=known.last_run,
        revisions=known.revisions,
        aliases=known.aliases,
    )


# -- people's decisions -----------------------------------------------------------------------------


def _apply_decisions(address: str, found: _RaceCollection) -> None:
    if "://" not in address and not Path(address).exists():
        return
    try:
        from deadheat.triage.store import DecisionStore
    except ModuleNotFoundError as error:
        raise DeadheatError(f"{error.name} is not installed", do="pip install 'deadheat[triage]'") from None
    store = DecisionStore.open(address)
    try:
        states, aliases = store.states(), store.aliases()
    finally:
        store.close()
    now = datetime.now(UTC)
    for race, entry in found.entries.items():
        names = (aliases.get(name, name) for name in (race, *entry.aliases))
        state = next((states[name] for name in names if name in states), None)
        if state is not None and state.is_muted(now) and state.mute is not None:
            found.entries[race] = replace(entry, standing=GateStanding.MUTED, note=state.mute.reason)
