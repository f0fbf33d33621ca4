"""The result of a gate as terminal text and as JSON; `scan` does not offer these formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import serialization
from deadheat.baseline.judgement import GateStanding
from deadheat.output.findings import OncePerRaceFormat, absent_by_state, format_sighting_count, summarize_absent
from deadheat.output.text_format import RaceText, TextPainter
from deadheat.printable import format_json, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.output import OutputStyle
    from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings


class GateTextFormat(OncePerRaceFormat):
    """Shows failing races in full and the others on one line each."""

    name = "text"

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        paint, text = TextPainter(style.colour), RaceText(style)
        races = list(findings.races)
        failing = [finding for finding in races if finding.fails]
        for number, finding in enumerate(failing, 1):
            title, body = text(finding.sighting)
            if style.brief:
                yield f"{paint(f'{finding.sighting_count:6}x', 'yellow')} {title}\n"
                continue
            yield f"{paint(f'{number}. {title}', 'bold')}{self._standing_note(finding, paint)}\n"
            yield "".join(paint(f"   {visible_text(location)}", "dim") + "\n" for location in finding.locations)
            yield f"{body}\n\n"
        for finding in races:
            if not finding.fails:
                yield self._known_race_line(finding, paint)
        for absent in findings.absent:
            line = f"{absent.state:5}  {absent.title}  {absent.race}  ({absent.why})"
            yield paint(visible_text(line), "cyan") + "\n"
        if races or findings.absent:
            yield paint(summarize_gate(races, findings.absent), "bold") + "\n"

    def _standing_note(self, finding: RaceFinding, paint: TextPainter) -> str:
        notes = [] if finding.standing is None else [f"{finding.standing} {finding.note}".strip()]
        notes += [format_sighting_count(finding.sighting_count)] if finding.sighting_count > 1 else []
        return paint(f"  {visible_text(', '.join(notes))}", "yellow") if notes else ""

    def _known_race_line(self, finding: RaceFinding, paint: TextPainter) -> str:
        verdict = finding.sighting.verdict
        note = f"  ({visible_text(finding.note)})" if finding.note else ""
        line = f"{finding.standing:6} {visible_text(verdict.title)}  {verdict.race}{note}"
        return paint(line, "dim") + "\n"


def summarize_gate(races: list[RaceFinding], absent: Sequence[AbsentRace]) -> str:
    """`3 races: 1 new, 2 known; 1 known race is gone`."""
    count = f"{len(races)} race{'s' * (len(races) != 1)}"
    counts = [
        f"{number} {standing}"
        for standing in GateStanding
        if (number := sum(finding.standing is standing for finding in races))
    ]
    absent_note = f"; {summarize_absent(absent)}" if absent else ""
    return f"{count}: {', '.join(counts)}{absent_note}" if counts else f"{count}{absent_note}"


class GateJsonLinesFormat(OncePerRaceFormat):
    """One JSON line per race: its best report and its standing."""

    name = "jsonl"
    prints_causes = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        for finding in findings.races:
            yield format_json(_finding_to_json(finding)) + "\n"


class GateJsonFormat(OncePerRaceFormat):
    """One JSON object with all races, and the known races that were not found."""

    name = "json"
    prints_causes = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        races = list(findings.races)
        standings = [finding.standing for finding in races]
        counts = {standing.value: standings.count(standing) for standing in GateStanding}
        absent = absent_by_state(findings.absent)
        counts |= {state: len(rows) for state, rows in absent.items()}
        fields = {"races": [_finding_to_json(finding) for finding in races], **absent, "counts": counts}
        yield format_json(fields, indent=1) + "\n"


def _finding_to_json(finding: RaceFinding) -> serialization.JsonDict:
    fields = {"seen": finding.sighting_count, "places": list(finding.locations)}
    if finding.standing is not None:
        fields |= {"standing": finding.standing.value, "note": finding.note}
    return serialization.sighting_to_wire(finding.sighting) | fields


GATE_FORMATS = {form.name: form for form in (GateTextFormat(), GateJsonLinesFormat(), GateJsonFormat())}
