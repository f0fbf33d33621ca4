"""The result of a gate as terminal text and as JSON; `scan` does not offer these formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deadheat import wire
from deadheat.gate.judge import Standing
from deadheat.render.findings import EachOnce, times
from deadheat.render.text import Paint, RaceText, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.render import Style
    from deadheat.render.findings import Finding, Findings


class VerdictText(EachOnce):
    """Shows failing races in full and the others on one line each."""

    name = "text"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        paint, text = Paint(style.colour), RaceText(style)
        races = list(findings.races)
        failing = [finding for finding in races if finding.fails]
        for number, finding in enumerate(failing, 1):
            title, body = text(finding.sighting)
            if style.brief:
                yield f"{paint(f'{finding.seen:6}x', 'yellow')} {title}\n"
                continue
            yield f"{paint(f'{number}. {title}', 'bold')}{self._told(finding, paint)}\n"
            yield "".join(paint(f"   {plain(where)}", "dim") + "\n" for where in finding.places)
            yield f"{body}\n\n"
        for finding in races:
            if not finding.fails:
                yield self._line(finding, paint)
        for gone in findings.gone:
            yield paint(f"gone   {plain(gone.title)}  {plain(gone.race)}", "cyan") + "\n"
        if races or findings.gone:
            yield paint(summary(races, len(findings.gone)), "bold") + "\n"

    def _told(self, finding: Finding, paint: Paint) -> str:
        words = [] if finding.standing is None else [f"{finding.standing} {finding.note}".strip()]
        words += [times(finding.seen)] if finding.seen > 1 else []
        return paint(f"  {plain(', '.join(words))}", "yellow") if words else ""

    def _line(self, finding: Finding, paint: Paint) -> str:
        verdict = finding.sighting.verdict
        note = f"  ({plain(finding.note)})" if finding.note else ""
        line = f"{finding.standing:6} {plain(verdict.title)}  {verdict.race}{note}"
        return paint(line, "dim") + "\n"


def summary(races: list[Finding], gone: int) -> str:
    """`3 races: 1 new, 2 known; 1 known race is gone`."""
    count = f"{len(races)} race{'s' * (len(races) != 1)}"
    counts = [
        f"{number} {standing}"
        for standing in Standing
        if (number := sum(finding.standing is standing for finding in races))
    ]
    left = f"; {gone} known race{'s are' if gone > 1 else ' is'} gone" if gone else ""
    return f"{count}: {', '.join(counts)}{left}" if counts else f"{count}{left}"


class VerdictLines(EachOnce):
    """One JSON line per race: its best report and its standing."""

    name = "jsonl"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        for finding in findings.races:
            yield json.dumps(_plain(finding), ensure_ascii=False) + "\n"


class VerdictJson(EachOnce):
    """One JSON object with all races and the races that are gone."""

    name = "json"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        races = [_plain(finding) for finding in findings.races]
        gone = [gone._asdict() for gone in findings.gone]
        yield json.dumps({"races": races, "gone": gone}, ensure_ascii=False, indent=1) + "\n"


def _plain(finding: Finding) -> wire.Plain:
    told = {"seen": finding.seen, "places": list(finding.places)}
    if finding.standing is not None:
        told |= {"standing": finding.standing.value, "note": finding.note}
    return wire.sighting_to_wire(finding.sighting) | told


FORMATS = {form.name: form for form in (VerdictText(), VerdictLines(), VerdictJson())}
