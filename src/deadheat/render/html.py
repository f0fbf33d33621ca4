"""One self-contained HTML page: the races with search and sorting, each with a diagram.

The page loads nothing, and its content security policy allows only its own script.
"""

from __future__ import annotations

import json
import pkgutil
from typing import TYPE_CHECKING

from deadheat.diagnose.finding import UNKNOWN
from deadheat.gate.judge import Standing
from deadheat.render import lanes
from deadheat.render.escape import html
from deadheat.render.findings import EachOnce, place, sentence, sides, summary, times
from deadheat.wire import causes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.model import Access, Actor, Frame
    from deadheat.render import Style
    from deadheat.render.findings import Finding, Findings, Gone

_RANKS: dict[Standing | None, int] = {None: 0, Standing.NEW: 0, Standing.EXPIRED: 1}
_LATER = 2
_PAGE = """<!DOCTYPE html>
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
{gone}<main><noscript>This page needs JavaScript to show the races.</noscript></main>
<script type="application/json" id="data">["""


class Html(EachOnce):
    name = "html"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        races = list(findings.races)
        script, css = (_asset(f"report.{kind}") for kind in ("js", "css"))
        title = html(summary(races))
        yield _PAGE.format(hash=_hash(script), css=css, title=title, gone=_gone(findings.gone))
        for number, finding in enumerate(races):
            yield f"{',' if number else ''}\n{_inert(json.dumps(_race(finding, style.root)))}"
        yield f"]</script>\n<script>{script}</script>\n</body></html>\n"


def _asset(name: str) -> str:
    data = pkgutil.get_data("deadheat.render", name)  # also works in a zip file
    return (data or b"").decode()


def _hash(script: str) -> str:
    """The hash of the script for the content security policy."""
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def _inert(data: str) -> str:
    """Escapes JSON so that it cannot close the script element."""
    return data.replace("<", "\\u003c")


def _gone(gone: Sequence[Gone]) -> str:
    if not gone:
        return ""
    items = "".join(f"<li>{html(g.title)} <code>{html(g.race)}</code></li>" for g in gone)
    said = f"{len(gone)} known races not found in this run"
    return f'<details id="gone"><summary>{said}</summary><ul>{items}</ul></details>\n'


def _race(finding: Finding, root: str) -> dict[str, object]:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    spots = [place(a.site, root) for a in sides(finding) if a.site]
    names = [f.function for a in report.accesses for f in a.stack if not f.stale]
    words = [verdict.title, verdict.race, report.detector, report.test or "", finding.note, *spots]
    return {
        "id": verdict.race,
        "title": verdict.title,
        "file": spots[0] if spots else "",
        "seen": finding.seen,
        "rank": _RANKS.get(finding.standing, _LATER),
        "words": " ".join([*words, str(finding.standing or ""), *dict.fromkeys(names)]),
        "row": _row(finding, spots),
        "html": _section(finding, root),
    }


def _row(finding: Finding, spots: list[str]) -> str:
    standing = finding.standing or finding.sighting.report.detector
    style = "standing fails" if finding.fails else "standing"
    return (
        '<button type="button" aria-expanded="false">'
        f'<span class="{style}">{html(standing)}</span>'
        f'<span class="title">{html(finding.sighting.verdict.title)}</span>'
        f'<span class="seen">{times(finding.seen)}</span>'
        f'<span class="where">{html("  ×  ".join(spots))}</span></button>'
    )


def _section(finding: Finding, root: str) -> str:
    report = finding.sighting.report
    actors = {actor.id: actor for actor in report.actors}
    facts = "".join(f"<dt>{name}</dt><dd>{html(told)}</dd>" for name, told in _facts(finding))
    stacks = "".join(_side(a, actors.get(a.actor), root) for a in report.accesses)
    return (
        f'<dl>{facts}</dl><div class="picture">{lanes.svg(report)}</div>'
        f'<div class="stacks">{stacks}</div>'
    )


def _facts(finding: Finding) -> Iterator[tuple[str, str]]:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    yield "race", verdict.race
    if finding.note:
        yield "note", finding.note
    if report.test:
        yield "test", report.test
    for cause in causes_of(report)[:1]:
        # an unknown cause has no confidence
        sure = f" ({cause.confidence:.0%})" if cause.cause != UNKNOWN else ""
        why = "; ".join(cause.evidence)
        yield "cause", f"{cause.cause}{sure}{f': {why}' if why else ''}"
    if report.location and report.location.name:
        yield "memory", f"{report.location.kind} {report.location.name}"
    yield "seen at", ", ".join(finding.places)
    if report.damage:
        yield "text damaged", ", ".join(report.damage)


def _side(access: Access, actor: Actor | None, root: str) -> str:
    lines = [f"<b>{html(sentence(access, root))}</b>", *_frames(access.stack, root)]
    if actor and actor.created_at:
        lines += ["<i>created at</i>", *_frames(actor.created_at, root)]
    return f"<pre>{chr(10).join(lines)}</pre>"


def _frames(stack: tuple[Frame, ...], root: str) -> list[str]:
    live = [frame for frame in stack if not frame.stale]
    return [f"{html(f.function)}\n    <i>{html(place(f, root))}</i>" for f in live]


RENDERER = Html()
