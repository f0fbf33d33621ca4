"""GitHub workflow commands: one annotation per race, at the writing line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.gate.judge import Standing
from deadheat.render import escape
from deadheat.render.findings import EachOnce, file_of, sentence, sides, times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.render import Style
    from deadheat.render.findings import Finding, Findings

_IN_DATA = re.compile(r"[%\r\n]")
_IN_PROPERTY = re.compile(r"[%\r\n:,]")


class GitHub(EachOnce):
    name = "github"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        for finding in findings.races:
            yield _annotation(finding, style.root)
        for gone in findings.gone:
            yield f"::notice title=known race not seen::{_data(f'{gone.title} ({gone.race})')}\n"


def _annotation(finding: Finding, root: str) -> str:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    accesses = sides(finding)
    site = next((access.site for access in accesses if access.site), None)
    properties = [f"title={_property(verdict.title)}"]
    if site and site.file:
        properties.insert(0, f"file={_property(file_of(site, root))}")
        properties.insert(1, f"line={site.line or 1}")
    lines = [sentence(access, root) for access in accesses]
    lines += [f"test {report.test}"] if report.test else []
    lines.append(f"race {verdict.race}, {times(finding.seen)} by {report.detector}")
    if finding.standing not in (None, Standing.NEW):
        lines.append(f"{finding.standing}: {finding.note}" if finding.note else finding.standing)
    level = "error" if finding.fails else "notice"
    return f"::{level} {','.join(properties)}::{_data(chr(10).join(lines))}\n"


def _data(text: str) -> str:
    return _IN_DATA.sub(_coded, escape.shown(text, "\n"))


def _property(text: str) -> str:
    return _IN_PROPERTY.sub(_coded, escape.shown(text))


def _coded(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


RENDERER = GitHub()
