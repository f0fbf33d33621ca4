"""Race findings, and the base class of the formats that show each race once."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, NamedTuple

from deadheat import json_line, wire
from deadheat.identify import in_race
from deadheat.model import Op
from deadheat.render.tally import Count, Tally, TallyGatherer, example

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.gate.judge import Standing
    from deadheat.model import Access, Frame, Sighting
    from deadheat.render import Style

_WRITES = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)


class Finding(NamedTuple):
    """A race with its least damaged sighting."""

    sighting: Sighting
    seen: int
    places: tuple[str, ...]
    standing: Standing | None = None  # None without a gate
    note: str = ""  # reason of the standing

    @property
    def fails(self) -> bool:
        """Whether the race makes the gate or the scan fail."""
        return self.standing is None or self.standing.fails


class Gone(NamedTuple):
    """A race of the baseline that was not found."""

    race: str
    title: str


class Findings(NamedTuple):
    """The result of a scan or a gate."""

    races: Iterable[Finding]
    gone: tuple[Gone, ...] = ()


class Roll:
    """Collects races until all are known."""

    def __init__(self) -> None:
        self._tally = Tally()

    @staticmethod
    def gatherer() -> TallyGatherer:
        return TallyGatherer(_packed)

    def merge(self, packed: dict[str, Count]) -> None:
        self._tally.merge(packed)

    live = merge

    def close(self, ids: Mapping[str, str]) -> None:
        """Does nothing: there is no output."""

    def races(self, ids: Mapping[str, str]) -> Iterator[Finding]:
        """Yields every race, those with the most sightings first."""
        self._tally.name(ids)
        for told in self._tally.races():
            sighting = in_race(wire.sighting_from_wire(json.loads(told.body)), told.race)
            yield Finding(sighting, told.seen, tuple(told.places))


class FindingsOutput(Roll):
    """Writes the races once all are known."""

    def __init__(self, out: IO[str], format: EachOnce, style: Style) -> None:
        super().__init__()
        self._out, self._format, self._style = out, format, style

    def close(self, ids: Mapping[str, str]) -> None:
        write(self._out, self._format.pieces(Findings(self.races(ids)), self._style))


class EachOnce:
    """A format that shows each race once; a subclass defines `name` and `render_pieces`."""

    name = ""
    full = True
    waits = True

    def gatherer(self, style: Style) -> TallyGatherer:
        return Roll.gatherer()

    def output(self, out: IO[str], style: Style) -> FindingsOutput:
        return FindingsOutput(out, self, style)

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        """Yields the output in pieces."""
        raise NotImplementedError


def _packed(sighting: Sighting) -> bytes:
    line = json_line.sighting_to_json(sighting)
    return example(sighting.verdict.title, line.encode("utf-8", "replace"))


def write(out: IO[str], pieces: Iterable[str]) -> None:
    """Writes UTF-8 regardless of the locale."""
    out.flush()
    binary: IO[bytes] = out.buffer  # type: ignore[attr-defined]
    binary.writelines(piece.encode("utf-8", "replace") for piece in pieces)
    binary.flush()


def sides(finding: Finding) -> list[Access]:
    """The accesses in a fixed order, writes first."""
    return sorted(finding.sighting.report.accesses, key=_rank)


def _rank(access: Access) -> tuple[bool, bool, str, int, str]:
    site = access.site
    file, line = (site.file, site.line or 0) if site else ("", 0)
    return site is None, access.op not in _WRITES, file, line, access.op


def file_of(frame: Frame, root: str) -> str:
    """The file of a frame, relative to the checkout if it is in it."""
    path = frame.path.replace("\\", "/")
    below = f"{root.rstrip('/')}/"
    return path.removeprefix(below) if root and path.startswith(below) else frame.file


def place(frame: Frame, root: str) -> str:
    """`cart/cart.go:31`."""
    file = file_of(frame, root)
    return f"{file}:{frame.line}" if frame.line is not None else file


def sentence(access: Access, root: str) -> str:
    """`write by goroutine 7 in cart.(*Cart).Add, cart/cart.go:31`."""
    who = f" by {access.actor}" if access.actor else ""
    if access.site is None:
        return f"{access.op}{who} at an unknown location"
    where = f", {place(access.site, root)}" if access.site.file else ""
    return f"{access.op}{who} in {access.site.function}{where}"


def times(count: int) -> str:
    return f"seen {count} times" if count > 1 else "seen once"


def summary(findings: Iterable[Finding]) -> str:
    """`2 races, 1 of them new`."""
    standings = [finding.standing for finding in findings]
    count = f"{len(standings)} race{'s' * (len(standings) != 1)}"
    if not any(standings):
        return count
    new = sum(1 for standing in standings if standing and standing.fails)
    return f"{count}, {new or 'none'} of them new"
