"""The result of a gate as JSON; `scan` does not offer these formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import serialization
from deadheat.baseline.judgement import GateStanding
from deadheat.output.findings import OncePerRaceFormat, absent_by_state
from deadheat.printable import format_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.output import OutputStyle
    from deadheat.output.findings import RaceFinding, RaceFindings


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


GATE_FORMATS = {form.name: form for form in (GateJsonLinesFormat(), GateJsonFormat())}
