"""JUnit XML: each race is a failed test case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.render.escape import xml
from deadheat.render.findings import EachOnce, file_of, place, sentence, sides, times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access
    from deadheat.render import Style
    from deadheat.render.findings import Finding, Findings


class JUnit(EachOnce):
    name = "junit"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        races = list(findings.races)
        failed = sum(finding.fails for finding in races)
        # some readers reject a suite without a test case
        counts = f'tests="{max(1, len(races))}" failures="{failed}" errors="0"'
        skipped = f'skipped="{len(races) - failed}"'  # only allowed on a suite
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f'<testsuites {counts}>\n<testsuite name="deadheat" {counts} {skipped}>\n'
        for finding in races:
            yield _case(finding, style.root)
        if not races:
            yield '<testcase classname="deadheat" name="no race"/>\n'
        yield "</testsuite>\n</testsuites>\n"


def _case(finding: Finding, root: str) -> str:
    verdict, report = finding.sighting.verdict, finding.sighting.report
    site = next((access.site for access in sides(finding) if access.site), None)
    where = f' file="{xml(file_of(site, root))}"' if site and site.file else ""
    where += f' line="{site.line}"' if site and site.line else ""
    owner = site.package if site and site.package else report.detector
    name = f"{verdict.title} ({verdict.race})"
    return (
        f'<testcase classname="{xml(owner)}" name="{xml(name)}"{where}>'
        f"{_failure(finding, root) if finding.fails else _skipped(finding)}</testcase>\n"
    )


def _skipped(finding: Finding) -> str:
    why = f"{finding.standing}: {finding.note}" if finding.note else str(finding.standing)
    return f'<skipped message="{xml(why)}"/>'


def _failure(finding: Finding, root: str) -> str:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    actors = {actor.id: actor for actor in report.actors}
    lines = [f"race {verdict.race}, {times(finding.seen)} by {report.detector}"]
    lines += [f"in {report.test}"] if report.test else []
    lines += [f"at {where}" for where in finding.places]
    for access in sides(finding):
        lines += ["", sentence(access, root), *_frames(access, root)]
        actor = actors.get(access.actor)
        if actor and actor.created_at:
            lines.append("  created at")
            lines += [f"    {f.function} {place(f, root)}" for f in actor.created_at if not f.stale]
    told = xml("\n".join(lines))
    return f'<failure type="{xml(report.kind)}" message="{xml(verdict.title)}">{told}</failure>'


def _frames(access: Access, root: str) -> list[str]:
    return [f"    {f.function} {place(f, root)}" for f in access.stack if not f.stale]


RENDERER = JUnit()
