"""Race findings, and the base class of the formats that show each race once."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, NamedTuple

from deadheat import serialization
from deadheat.api import diagnose_sighting
from deadheat.grouping.race_assignment import with_race
from deadheat.model import Op
from deadheat.output.race_counts import PackedCount, RaceCountCollector, RaceCounter, encode_example
from deadheat.printable import format_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.baseline.absence import AbsenceState
    from deadheat.baseline.judgement import GateStanding
    from deadheat.model import Access, Frame, Sighting
    from deadheat.output import OutputStyle

_WRITE_OPS = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)


class RaceFinding(NamedTuple):
    """A race with its least damaged sighting."""

    sighting: Sighting
    sighting_count: int
    locations: tuple[str, ...]
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


class FindingsAccumulator:
    """Collects races until all are known."""

    def __init__(self) -> None:
        self._counter = RaceCounter()

    @staticmethod
    def new_collector(diagnose: bool) -> RaceCountCollector:
        return RaceCountCollector(_encode_with_causes if diagnose else _encode_finding)

    def merge_batch(self, packed: dict[str, PackedCount]) -> None:
        self._counter.merge_counts(packed)

    write_live = merge_batch

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        """Does nothing: there is no output."""

    def iter_findings(self, ids: Mapping[str, str]) -> Iterator[RaceFinding]:
        """Yields every race, those with the most sightings first."""
        self._counter.assign_races(ids)
        for race in self._counter.iter_races():
            sighting = with_race(serialization.sighting_from_wire(json.loads(race.body)), race.race)
            yield RaceFinding(sighting, race.sighting_count, tuple(race.locations))


class FindingsWriter(FindingsAccumulator):
    """Writes the races once all are known."""

    def __init__(self, out: IO[str], format: OncePerRaceFormat, style: OutputStyle) -> None:
        super().__init__()
        self._out, self._format, self._style = out, format, style

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        write_utf8(self._out, self._format.render_pieces(RaceFindings(self.iter_findings(ids)), self._style))


class OncePerRaceFormat:
    """A format that shows each race once; a subclass defines `name` and `render_pieces`."""

    name = ""
    prints_at_end = True
    prints_causes = False
    shows_links = False  # whether it uses the links of the style

    def new_collector(self, style: OutputStyle) -> RaceCountCollector:
        return FindingsAccumulator.new_collector(self.prints_causes)

    def new_writer(self, out: IO[str], style: OutputStyle) -> FindingsWriter:
        return FindingsWriter(out, self, style)

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        """Yields the output in pieces."""
        raise NotImplementedError


def _encode_finding(sighting: Sighting) -> bytes:
    line = format_json(serialization.sighting_to_wire(sighting))
    return encode_example(sighting.verdict.title, line.encode())


def _encode_with_causes(sighting: Sighting) -> bytes:
    return _encode_finding(diagnose_sighting(sighting))


def write_utf8(out: IO[str], pieces: Iterable[str]) -> None:
    """Writes UTF-8 regardless of the locale."""
    out.flush()
    binary: IO[bytes] = out.buffer  # type: ignore[attr-defined]
    binary.writelines(piece.encode("utf-8", "replace") for piece in pieces)
    binary.flush()


def ordered_accesses(finding: RaceFinding) -> list[Access]:
    """The accesses in a fixed order, writes first."""
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


def absent_by_state(absent: Iterable[AbsentRace]) -> dict[str, list[dict[str, str]]]:
    """The known races that were not found as JSON: `gone`, `not_run`, `not_known`."""
    from deadheat.baseline.absence import AbsenceState  # not needed by a scan

    rows: dict[str, list[dict[str, str]]] = {state.replace(" ", "_"): [] for state in AbsenceState}
    for race in absent:
        rows[race.state.replace(" ", "_")].append({"race": race.race, "title": race.title, "why": race.why})
    return rows


def summarize_absent(absent: Iterable[AbsentRace]) -> str:
    """`1 known race is gone, 2 not run`; empty if there is none."""
    counts = [(state.replace("_", " "), len(rows)) for state, rows in absent_by_state(absent).items() if rows]
    texts = [f"{number} {state}" for state, number in counts]
    if counts:
        state, number = counts[0]
        texts[0] = f"{number} known race{'s are' if number > 1 else ' is'} {state}"
    return ", ".join(texts)


def summarize_races(findings: Iterable[RaceFinding]) -> str:
    """`2 races, 1 of them new`."""
    standings = [finding.standing for finding in findings]
    count = f"{len(standings)} race{'s' * (len(standings) != 1)}"
    if not any(standings):
        return count
    new = sum(1 for standing in standings if standing and standing.fails)
    return f"{count}, {new or 'none'} of them new"
