"""One self-contained HTML page: the races with search and sorting, each with a diagram.

The page loads nothing, and its content security policy allows only its own script.
"""

from __future__ import annotations

import pkgutil
from typing import TYPE_CHECKING

from deadheat.baseline.judgement import GateStanding
from deadheat.diagnosis.finding import UNKNOWN
from deadheat.output import escape_html, race_diagram
from deadheat.output.findings import (
    OncePerRaceFormat,
    describe_access,
    format_sighting_count,
    frame_location,
    ordered_accesses,
    summarize_absent,
    summarize_races,
)
from deadheat.printable import format_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.model import Access, Actor, Frame
    from deadheat.output import OutputStyle
    from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings

_STANDING_RANKS: dict[GateStanding | None, int] = {None: 0, GateStanding.NEW: 0, GateStanding.EXPIRED: 1}
_LOWEST_RANK = 2
_PAGE_TEMPLATE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
script-src '{hash}'; base-uri 'none'; form-action 'none'">
<title>deadheat: {title}</title><style>
{css}</style></head><body>
<header><h1>deadheat: {title}</h1><span id="count" role="status"></span>
<input id="search" type="search" placeholder="search: function, file, test, id" aria-label="search">
<select id="order" aria-label="order"><option value="standing">new first</option>\
<option value="seen">most seen</option><option value="title">title</option>\
<option value="file">file</option></select>
<button id="theme" type="button" title="light or dark">◐</button></header>
{absent}<main><noscript>This page needs JavaScript to show the races.</noscript></main>
<script type="application/json" id="data">["""


class HtmlFormat(OncePerRaceFormat):
    name = "html"
    prints_causes = True
    shows_links = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        races = list(findings.races)
        script, css = (_read_asset(f"report.{kind}") for kind in ("js", "css"))
        title = escape_html(summarize_races(races))
        yield _PAGE_TEMPLATE.format(
            hash=_script_hash(script), css=css, title=title, absent=_absent_races_html(findings.absent)
        )
        for number, finding in enumerate(races):
            yield f"{',' if number else ''}\n{_escape_script_data(format_json(_race_data(finding, style.root)))}"
        yield f"]</script>\n<script>{script}</script>\n</body></html>\n"


def _read_asset(name: str) -> str:
    data = pkgutil.get_data("deadheat.output", name)  # also works in a zip file
    return (data or b"").decode()


def _script_hash(script: str) -> str:
    """The hash of the script for the content security policy."""
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def _escape_script_data(data: str) -> str:
    """Escapes JSON so that it cannot close the script element."""
    return data.replace("<", "\\u003c")


def _absent_races_html(absent: Sequence[AbsentRace]) -> str:
    if not absent:
        return ""
    items = "".join(
        f"<li>{escape_html(race.title)} <code>{escape_html(race.race)}</code> {escape_html(race.description)}</li>"
        for race in absent
    )
    summary_text = escape_html(f"Known races not found in this run: {summarize_absent(absent)}")
    return f'<details id="absent"><summary>{summary_text}</summary><ul>{items}</ul></details>\n'


def _race_data(finding: RaceFinding, root: str) -> dict[str, object]:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    locations = [frame_location(access.site, root) for access in ordered_accesses(finding) if access.site]
    names = [frame.function for access in report.accesses for frame in access.stack if not frame.stale]
    search_terms = [verdict.title, verdict.race, report.detector, report.test or "", finding.note, *locations]
    return {
        "id": verdict.race,
        "title": verdict.title,
        "file": locations[0] if locations else "",
        "seen": finding.sighting_count,
        "rank": _STANDING_RANKS.get(finding.standing, _LOWEST_RANK),
        "words": " ".join([*search_terms, str(finding.standing or ""), *dict.fromkeys(names)]),
        "row": _row_html(finding, locations),
        "html": _section_html(finding, root),
    }


def _row_html(finding: RaceFinding, locations: list[str]) -> str:
    standing = finding.standing or finding.sighting.report.detector
    style = "standing fails" if finding.fails else "standing"
    return (
        '<button type="button" aria-expanded="false">'
        f'<span class="{style}">{escape_html(standing)}</span>'
        f'<span class="title">{escape_html(finding.sighting.verdict.title)}</span>'
        f'<span class="seen">{format_sighting_count(finding.sighting_count)}</span>'
        f'<span class="where">{escape_html("  ×  ".join(locations))}</span></button>'
    )


def _section_html(finding: RaceFinding, root: str) -> str:
    report = finding.sighting.report
    actors = {actor.id: actor for actor in report.actors}
    facts = "".join(f"<dt>{name}</dt><dd>{escape_html(value)}</dd>" for name, value in _labelled_facts(finding))
    stacks = "".join(_access_html(access, actors.get(access.actor), root) for access in report.accesses)
    return (
        f'<dl>{facts}</dl><div class="picture">{race_diagram.render_svg(report)}</div>'
        f'<div class="stacks">{stacks}</div>'
    )


def _labelled_facts(finding: RaceFinding) -> Iterator[tuple[str, str]]:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    yield "race", verdict.race
    if finding.note:
        yield "note", finding.note
    if report.test:
        yield "test", report.test
    for cause in finding.sighting.causes[:1]:
        # an unknown cause has no confidence
        confidence = f" ({cause.confidence:.0%})" if cause.cause != UNKNOWN else ""
        why = "; ".join(cause.evidence)
        yield "cause", f"{cause.cause}{confidence}{f': {why}' if why else ''}"
    if report.location and report.location.name:
        yield "memory", f"{report.location.kind} {report.location.name}"
    yield "seen at", ", ".join(finding.locations)
    if report.damage:
        yield "text damaged", ", ".join(report.damage)


def _access_html(access: Access, actor: Actor | None, root: str) -> str:
    lines = [f"<b>{escape_html(describe_access(access, root))}</b>", *_frames_html(access.stack, root)]
    if actor and actor.created_at:
        lines += ["<i>created at</i>", *_frames_html(actor.created_at, root)]
    return f"<pre>{chr(10).join(lines)}</pre>"


def _frames_html(stack: tuple[Frame, ...], root: str) -> list[str]:
    frames = [frame for frame in stack if not frame.stale]
    return [f"{escape_html(f.function)}\n    <i>{escape_html(frame_location(f, root))}</i>" for f in frames]


FORMAT = HtmlFormat()
