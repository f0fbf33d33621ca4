"""Markdown for a job summary or a merge request: a table, and a section per race."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from deadheat.gate.judge import Standing
from deadheat.render.escape import cell, code, element, fence, markdown
from deadheat.render.findings import EachOnce, place, sentence, sides, summary, times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access, Actor
    from deadheat.render import Style
    from deadheat.render.findings import Finding, Findings

# a job summary is limited to 1 MiB
_ROWS, _SECTIONS = 500, 100
_MARKS = {Standing.NEW: "🔴 new", Standing.EXPIRED: "🔴 expired", None: "🔴"}


class Markdown(EachOnce):
    name = "markdown"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        races = sorted(findings.races, key=lambda finding: not finding.fails)
        yield f"## deadheat: {summary(races) if races else 'no race'}\n\n"
        if races:
            yield "| | race | where | seen | test |\n|---|---|---|---|---|\n"
            yield from (_row(finding, style.root) for finding in races[:_ROWS])
            yield _left_out(len(races) - _ROWS, "race") + "\n"
        if findings.gone:
            yield "Known races not found in this run:\n\n"
            yield from (f"- {markdown(g.title)} {code(g.race)}\n" for g in findings.gone)
            yield "\n"
        failing = (finding for finding in races if finding.fails)
        for finding in islice(failing, _SECTIONS):
            yield _section(finding, style)
        yield _left_out(sum(f.fails for f in races) - _SECTIONS, "race's section")


def _left_out(count: int, what: str) -> str:
    return f"\n… and {count} more {what}{'s' * (count > 1)}\n" if count > 0 else ""


def _row(finding: Finding, root: str) -> str:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    sites = [access.site for access in sides(finding) if access.site and access.site.file]
    where = "<br>".join(cell(place(site, root)) for site in sites)
    mark = _MARKS.get(finding.standing) or markdown(str(finding.standing))
    test = cell(report.test) if report.test else ""
    note = f"<br>{markdown(finding.note)}" if finding.note else ""
    return f"| {mark}{note} | {markdown(verdict.title)} | {where} | {finding.seen} | {test} |\n"


def _section(finding: Finding, style: Style) -> str:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    actors = {actor.id: actor for actor in report.actors}
    stacks = "\n\n".join(_side(a, actors.get(a.actor), style) for a in sides(finding))
    facts = [f"race {code(verdict.race)}", f"detector {code(report.detector)}"]
    facts += [f"test {code(report.test)}"] if report.test else []
    facts += [f"{times(finding.seen)}, first at {code(finding.places[0])}"]
    return (
        f"<details><summary>{element(verdict.title)}</summary>\n\n"
        f"{', '.join(facts)}\n\n{fence(stacks)}\n\n</details>\n"
    )


def _side(access: Access, actor: Actor | None, style: Style) -> str:
    lines = [sentence(access, style.root)]
    live = [frame for frame in access.stack if not frame.stale]
    lines += [f"    {frame.function}  {place(frame, style.root)}" for frame in live]
    if actor and actor.created_at:
        lines.append("  created at")
        lines += [
            f"    {f.function}  {place(f, style.root)}" for f in actor.created_at if not f.stale
        ]
    return "\n".join(lines)


RENDERER = Markdown()
