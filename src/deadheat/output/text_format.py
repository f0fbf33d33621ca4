"""Text for a terminal: few races with both stacks, many as a list or in groups, and the result of a gate."""

from __future__ import annotations

from itertools import islice
from typing import IO, TYPE_CHECKING

from deadheat import plugins
from deadheat.diagnosis.finding import UNKNOWN
from deadheat.output.findings import (
    OncePerRaceFormat,
    RaceFindings,
    format_race_count,
    frame_location,
    ordered_accesses,
    sort_races,
    summarize_gate,
)
from deadheat.output.layout import TextPainter, plain_sentence, wrap_text
from deadheat.output.race_text import RaceText
from deadheat.printable import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.output import OutputStyle, RaceSelection
    from deadheat.output.findings import RaceFinding
    from deadheat.output.race_counts import RaceCountCollector

# what is printed on a terminal by default has at most this many lines
MAX_TERMINAL_LINES = 60
# up to this many races are shown with both stacks
MAX_FULL_RACES = 10
# for the totals and how to see the rest, on a terminal of 40 columns
_FOOTER_LINES = 7
# known races of a gate shown on a terminal
_MAX_KNOWN_LINES = 20


class TextFormat(OncePerRaceFormat):
    """Shows the races that fail in full or as a list, and the known ones of a gate on one line each."""

    name = "text"
    prints_causes = True
    shows_dossiers = True

    def new_collector(self, style: OutputStyle) -> RaceCountCollector:
        # a line of --brief has no cause
        self.prints_causes = not style.brief or "cause" in (style.selection.group_by, style.selection.sort)
        return super().new_collector(style)

    def select_races(self, races: Iterator[RaceFinding], selection: RaceSelection) -> RaceFindings:
        """All races in order: how many are shown depends on the terminal, too."""
        return RaceFindings(sort_races(races, selection.sort))

    def write(self, out: IO[str], pieces: Iterable[str]) -> None:
        """Writes in the encoding of the terminal."""
        out.writelines(pieces)
        out.flush()

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        for line in _RaceListing(findings, style).lines():
            yield f"{line}\n"


class _RaceListing:
    """The lines of all races in the layout that fits."""

    def __init__(self, findings: RaceFindings, style: OutputStyle) -> None:
        self._findings, self._style = findings, style
        self._paint = TextPainter(style.colour)
        self._text = RaceText(style)
        self._limit = style.selection.limit
        self._shown = 0
        # whether only what fits on a terminal is shown
        self._is_limited = style.is_terminal and not style.full and self._limit is None

    def lines(self) -> Iterator[str]:
        if self._findings.totals is None:  # a gate has all its races in memory
            yield from self._gate_lines(list(self._findings.races))
            return
        races, sightings = self._findings.totals
        if not races:
            return
        if self._style.selection.group_by == "race":
            yield from self._race_lines(iter(self._findings.races), races)
        else:
            yield from self._group_lines(list(self._findings.races))
        totals = f"{format_race_count(races)}, {sightings} sighting{'s' * (sightings != 1)}"
        yield from self._summary_lines(totals, races)

    def _gate_lines(self, races: list[RaceFinding]) -> Iterator[str]:
        failing = [finding for finding in races if finding.fails]
        yield from self._race_lines(iter(failing), len(failing))
        others = [self._text.known_lines(finding) for finding in races if not finding.fails]
        others += [self._text.absent_lines(absent) for absent in self._findings.absent]
        limit = _MAX_KNOWN_LINES if self._is_limited else len(others)
        yield from (line for lines in others[:limit] for line in lines)
        if len(others) > limit:
            yield f"… and {len(others) - limit} more known races; --full lists them"
        if races or self._findings.absent:
            yield from self._summary_lines(summarize_gate(races, self._findings.absent), len(failing))

    def _race_lines(self, races: Iterator[RaceFinding], count: int) -> Iterator[str]:
        style = self._style
        if self._limit:
            races, count = islice(races, self._limit), min(count, self._limit)
        if style.brief:
            yield from self._fitting_lines(map(self._text.brief_lines, races))
        elif style.full or not style.is_terminal or count <= MAX_FULL_RACES:
            yield from self._numbered(races)
        else:
            yield from self._fitting_lines(map(self._text.list_lines, races))

    def _numbered(self, races: Iterator[RaceFinding]) -> Iterator[str]:
        for finding in races:
            self._shown += 1
            yield from self._text.full_lines(self._shown, finding)

    def _fitting_lines(self, blocks: Iterable[list[str]]) -> Iterator[str]:
        """The lines of the first races: of those that fit on a terminal, unless the user sets the number."""
        room = MAX_TERMINAL_LINES - _FOOTER_LINES
        for block in blocks:
            room -= len(block)
            if self._is_limited and room < 0:
                return
            self._shown += 1
            yield from block

    def _group_lines(self, races: list[RaceFinding]) -> Iterator[str]:
        """The races of each group below its name, the group with most sightings first."""
        groups: dict[str, list[RaceFinding]] = {}
        for finding in races:
            groups.setdefault(group_name(finding, self._style), []).append(finding)
        ordered = sorted(groups.items(), key=_group_order)
        headings = [self._group_heading(name, members) for name, members in ordered]
        room = MAX_TERMINAL_LINES - _FOOTER_LINES - sum(map(len, headings))
        per_group = self._limit or len(races)
        if self._is_limited:
            per_group = self._races_per_group([members for _, members in ordered], room)
        lines_left = MAX_TERMINAL_LINES - _FOOTER_LINES if self._is_limited else None
        for number, (heading, (_, members)) in enumerate(zip(headings, ordered, strict=True)):
            if lines_left is not None and (lines_left := lines_left - len(heading)) < 0 and per_group == 0:
                yield f"… and {len(ordered) - number} more"
                return
            yield from heading
            for finding in members[:per_group]:
                self._shown += 1
                yield from self._group_member(finding)

    def _group_heading(self, name: str, members: list[RaceFinding]) -> list[str]:
        sightings = sum(finding.sighting_count for finding in members)
        count = f"{format_race_count(len(members))}, {sightings} sighting{'s' * (sightings != 1)}"
        lines = wrap_text(f"{visible_text(name)} ({count})", self._style.width, "", "  ")
        return [self._paint(line, "bold") for line in lines]

    def _group_member(self, finding: RaceFinding) -> list[str]:
        style = self._style
        return self._text.full_lines(self._shown, finding) if style.full else self._text.brief_lines(finding)

    def _races_per_group(self, groups: list[list[RaceFinding]], room: int) -> int:
        """The largest number of races that can be shown of every group."""
        for number in range(max(map(len, groups))):
            room -= sum(len(self._text.brief_lines(members[number])) for members in groups if len(members) > number)
            if room < 0:
                return number
        return max(map(len, groups))

    def _summary_lines(self, totals: str, count: int) -> Iterator[str]:
        yield from (self._paint(line, "bold") for line in wrap_text(totals, self._style.width))
        if self._shown >= count:
            return
        style = self._style
        hints = ["--limit 0 lists all"] if style.selection.is_option else []
        if style.selection.is_option and style.selection.group_by == "race":
            hints.append("--group-by package (or test, cause, file) groups them")
        hints += ["--full shows the stacks"] if not (style.full or style.brief) else []
        hints.append("--format html makes a page with search and filters")
        text = f"{count - self._shown} of them are not shown: {', '.join(hints)}."
        yield from wrap_text(text, style.width)


def _group_order(group: tuple[str, list[RaceFinding]]) -> tuple[int, str]:
    return -sum(finding.sighting_count for finding in group[1]), group[0]


def group_name(finding: RaceFinding, style: OutputStyle) -> str:
    """The package, test, cause or file of a race."""
    sites = [access.site for access in ordered_accesses(finding) if access.site]
    match style.selection.group_by:
        case "package":
            names = (site.package or site.file.rpartition("/")[0] for site in sites)
        case "file":
            names = (frame_location(site._replace(line=None), style.root) for site in sites)
        case "test":
            names = (test for test in [finding.sighting.report.test or ""])
        case _:
            causes = finding.sighting.causes[:1]
            names = (plain_sentence(plugins.cause_title(cause.cause)) for cause in causes if cause.cause != UNKNOWN)
    return next(filter(None, names), f"unknown {style.selection.group_by}")


FORMAT = TextFormat()
