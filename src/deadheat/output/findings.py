"""Race findings, and the base class of the formats that show each race once."""

from __future__ import annotations

import json
from itertools import islice
from typing import IO, TYPE_CHECKING, NamedTuple

from deadheat import plugins, serialization
from deadheat.api import diagnose_sighting
from deadheat.diagnosis.finding import MIN_CONFIDENCE, UNKNOWN
from deadheat.grouping.race_assignment import with_race
from deadheat.model import Op
from deadheat.output.race_counts import PackedCount, RaceCountCollector, RaceCounter, ReportPlace
from deadheat.printable import format_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from deadheat.baseline.absence import AbsenceState
    from deadheat.baseline.judgement import GateStanding
    from deadheat.model import Access, Cause, Frame, Sighting
    from deadheat.output import OutputStyle, RaceSelection


_WRITE_OPS = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)


class RaceFinding(NamedTuple):
    """A race with its least damaged sighting."""

    sighting: Sighting
    sighting_count: int
    locations: tuple[str, ...]  # "ci.log:12"
    standing: GateStanding | None = None  # None without a gate
    note: str = ""  # reason of the standing
    dossier: serialization.JsonDict | None = None  # what a clone tells about it, if one was given

    @property
    def fails(self) -> bool:
        """Whether the race makes the gate or the scan fail."""
        return self.standing is None or self.standing.fails


class AbsentRace(NamedTuple):
    """A race of the baseline that was not found; only some of them are gone."""

    race: str
    title: str
    state: AbsenceState
    why: str

    @property
    def description(self) -> str:
        """`not run: TestTake was skipped`."""
        return f"{self.state}: {self.why}"


class RaceFindings(NamedTuple):
    """The result of a scan or a gate."""

    races: Iterable[RaceFinding]
    absent: tuple[AbsentRace, ...] = ()
    omitted: int = 0  # races left out by a limit
    totals: tuple[int, int] | None = None  # all races and sightings, where they are counted already


class FindingsAccumulator:
    """Collects races until all are known. `line_of` gives the line of an offset in a document, if it is known."""

    def __init__(self, line_of: Callable[[str, int], int | None] | None = None) -> None:
        self._counter = RaceCounter()
        self._line_of = line_of

    @staticmethod
    def new_collector(diagnose: bool) -> RaceCountCollector:
        return RaceCountCollector(_encode_with_causes if diagnose else _encode_finding)

    def merge_batch(self, packed: dict[str, PackedCount]) -> None:
        self._counter.merge_counts(packed)

    write_live = merge_batch

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        """Does nothing: there is no output."""

    def iter_findings(self, ids: Mapping[str, str]) -> Iterator[RaceFinding]:
        """Every race, those with the most sightings first."""
        self._counter.assign_races(ids)
        return self._findings()

    def _findings(self) -> Iterator[RaceFinding]:
        for race in self._counter.iter_races():
            sighting = with_race(serialization.sighting_from_wire(json.loads(race.body)), race.race)
            places = dict.fromkeys([format_place(place, self._line_of) for place in race.places])
            yield RaceFinding(sighting, race.sighting_count, tuple(places))


class FindingsWriter(FindingsAccumulator):
    """Writes the races once all are known."""

    def __init__(self, out: IO[str], format: OncePerRaceFormat, style: OutputStyle) -> None:
        super().__init__(style.line_of)
        self._out, self._format, self._style = out, format, style
        self.is_wanted: Callable[[RaceFinding], bool] | None = None  # set once all races are known
        self.race_count = 0  # of the races that are wanted

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        races = self.iter_findings(ids)
        if self.is_wanted is None:
            totals = self._counter.count_totals()
        else:
            wanted = list(filter(self.is_wanted, races))
            races, totals = iter(wanted), (len(wanted), sum(finding.sighting_count for finding in wanted))
        self.race_count = totals[0]
        findings = self._format.select_races(races, self._style.selection)._replace(totals=totals)
        if findings.omitted:
            self._style.job.warn(f"--limit leaves out {format_race_count(findings.omitted)}")
        self._format.write(self._out, self._format.render_pieces(findings, self._style))


class OncePerRaceFormat:
    """A format that shows each race once; a subclass defines `name` and `render_pieces`."""

    name = ""
    prints_at_end = True
    prints_causes = False
    shows_links = False  # whether it uses the links of the style
    shows_dossiers = False  # whether it uses what a clone tells about a race

    def new_collector(self, style: OutputStyle) -> RaceCountCollector:
        return FindingsAccumulator.new_collector(self.prints_causes)

    def new_writer(self, out: IO[str], style: OutputStyle) -> FindingsWriter:
        return FindingsWriter(out, self, style)

    def select_races(self, races: Iterator[RaceFinding], selection: RaceSelection) -> RaceFindings:
        """The races in the order to show them, without those beyond the limit."""
        return limit_races(sort_races(races, selection.sort), selection.limit or 0)

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        """Yields the output in pieces."""
        raise NotImplementedError

    def write(self, out: IO[str], pieces: Iterable[str]) -> None:
        """Writes the pieces; a format for programs is UTF-8, whatever the locale is."""
        write_utf8(out, pieces)


def sort_races(races: Iterable[RaceFinding], order: str) -> Iterable[RaceFinding]:
    """The races in one of `SORT_ORDERS`; they come in the order of their sightings."""
    if order == "seen":
        return races
    key = {"title": _sort_by_title, "file": _sort_by_file, "cause": _sort_by_cause}[order]
    return sorted(races, key=key)


def _sort_by_title(finding: RaceFinding) -> tuple[str, ...]:
    return (finding.sighting.verdict.title,)


def _sort_by_file(finding: RaceFinding) -> tuple[bool, str, int]:
    site = next((access.site for access in ordered_accesses(finding) if access.site and access.site.file), None)
    return (True, "", 0) if site is None else (False, site.file, site.line or 0)


def _sort_by_cause(finding: RaceFinding) -> tuple[bool, str, float]:
    cause = finding.sighting.causes[0] if finding.sighting.causes else None
    if cause is None or cause.cause == UNKNOWN:
        return True, "", 0.0
    return False, plugins.cause_title(cause.cause), -cause.confidence


def limit_races(races: Iterable[RaceFinding], limit: int) -> RaceFindings:
    """The first races, all if the limit is 0, and the number of the others."""
    if not limit:
        return RaceFindings(races)
    iterator = iter(races)
    shown = list(islice(iterator, limit))
    return RaceFindings(shown, omitted=sum(1 for _ in iterator))


def format_place(place: ReportPlace, line_of: Callable[[str, int], int | None] | None = None) -> str:
    """`ci.log:12`; only the name where lines are not known: standard input, members of archives."""
    if place.uri == "-":
        return "standard input"
    line = line_of(place.uri, place.offset) if line_of else None
    return place.uri if line is None else f"{place.uri}:{line}"


def summarize_causes(causes: tuple[Cause, ...]) -> str:
    """`A lock on one side only (97%)`; "" for what is no data race."""
    named = [(plugins.cause_title(c.cause), c.confidence) for c in causes if c.cause != UNKNOWN and c.confidence]
    if not causes or (causes[0].cause == UNKNOWN and not named):
        return ""
    return format_cause_choice(named, causes[0].cause == UNKNOWN)


def format_cause_choice(named: list[tuple[str, float]], is_unknown: bool) -> str:
    """The first cause, the first two if neither is likely alone, or that none is."""
    texts = [f"{title} ({confidence:.0%})" for title, confidence in named[:2]]
    if is_unknown:
        return f"unknown; most likely {', or '.join(map(_lower_first, texts))}" if texts else "unknown"
    first, *others = texts if named[0][1] < MIN_CONFIDENCE else texts[:1]
    return ", or ".join([first, *map(_lower_first, others)])


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _encode_finding(sighting: Sighting) -> bytes:
    return format_json(serialization.sighting_to_wire(sighting)).encode()


def _encode_with_causes(sighting: Sighting) -> bytes:
    return _encode_finding(diagnose_sighting(sighting))


def write_utf8(out: IO[str], pieces: Iterable[str]) -> None:
    """Writes UTF-8 regardless of the locale."""
    out.flush()
    binary: IO[bytes] = out.buffer  # type: ignore[attr-defined]
    binary.writelines(piece.encode("utf-8", "replace") for piece in pieces)
    binary.flush()


def ordered_accesses(finding: RaceFinding) -> list[Access]:
    """The accesses in a fixed order, writes first: the first one is where CI systems show the race."""
    return sorted(finding.sighting.report.accesses, key=_access_sort_key)


def _access_sort_key(access: Access) -> tuple[bool, bool, str, int, str]:
    site = access.site
    file, line = (site.file, site.line or 0) if site else ("", 0)
    return site is None, access.op not in _WRITE_OPS, file, line, access.op


def file_from_root(frame: Frame, root: str) -> str:
    """The file of a frame, relative to the checkout if it is in it."""
    path = frame.path.replace("\\", "/")
    prefix = f"{root.rstrip('/')}/"
    return path.removeprefix(prefix) if root and path.startswith(prefix) else frame.file


def frame_location(frame: Frame, root: str) -> str:
    """`cart/cart.go:31`."""
    file = file_from_root(frame, root)
    return f"{file}:{frame.line}" if frame.line is not None else file


def describe_access(access: Access, root: str) -> str:
    """`write by goroutine 7 in cart.(*Cart).Add, cart/cart.go:31`."""
    actor = f" by {access.actor}" if access.actor else ""
    if access.site is None:
        return f"{access.op}{actor} at an unknown location"
    where = f", {frame_location(access.site, root)}" if access.site.file else ""
    return f"{access.op}{actor} in {access.site.function}{where}"


def format_sighting_count(count: int) -> str:
    return f"seen {count} times" if count > 1 else "seen once"


# what is said of known races that were not found
ABSENCE_LABELS = {"gone": "gone", "not_run": "not run", "not_known": "perhaps gone"}


def absent_by_state(absent: Iterable[AbsentRace]) -> dict[str, list[dict[str, str]]]:
    """The known races that were not found as JSON: `gone`, `not_run`, `not_known`."""
    from deadheat.baseline.absence import AbsenceState  # not needed by a scan

    rows: dict[str, list[dict[str, str]]] = {state.replace(" ", "_"): [] for state in AbsenceState}
    for race in absent:
        rows[race.state.replace(" ", "_")].append({"race": race.race, "title": race.title, "why": race.why})
    return rows


def summarize_absent(absent: Iterable[AbsentRace]) -> str:
    """`1 known race is gone, 2 not run`; empty if there is none."""
    counts = [(ABSENCE_LABELS[state], len(rows)) for state, rows in absent_by_state(absent).items() if rows]
    texts = [f"{number} {state}" for state, number in counts]
    if counts:
        state, number = counts[0]
        texts[0] = f"{number} known race{'s are' if number > 1 else ' is'} {state}"
    return ", ".join(texts)


def format_race_count(count: int) -> str:
    return f"{count} race{'s' * (count != 1)}"


def summarize_races(findings: Iterable[RaceFinding]) -> str:
    """`2 races, 1 of them new`."""
    standings = [finding.standing for finding in findings]
    count = format_race_count(len(standings))
    if not any(standings):
        return count
    new = sum(1 for standing in standings if standing and standing.fails)
    return f"{count}, {new or 'none'} of them new"


def summarize_gate(races: list[RaceFinding], absent: Iterable[AbsentRace]) -> str:
    """`3 races: 1 new, 2 known; 1 known race is gone`."""
    from deadheat.baseline.judgement import GateStanding  # not needed by a scan

    count = format_race_count(len(races))
    counts = [
        f"{number} {standing}"
        for standing in GateStanding
        if (number := sum(finding.standing is standing for finding in races))
    ]
    absent_note = f"; {summarize_absent(absent)}" if absent else ""
    return f"{count}: {', '.join(counts)}{absent_note}" if counts else f"{count}{absent_note}"
