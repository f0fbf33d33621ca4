"""GitLab code quality report: a JSON array that is shown in merge requests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deadheat.render import escape
from deadheat.render.findings import EachOnce, file_of, sentence, sides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.render import Style
    from deadheat.render.findings import Finding, Findings


class GitLab(EachOnce):
    name = "gitlab"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        before = "["
        for finding in findings.races:
            yield f"{before}\n{json.dumps(_issue(finding, style.root), ensure_ascii=False)}"
            before = ","
        yield "[]\n" if before == "[" else "\n]\n"


def _issue(finding: Finding, root: str) -> dict[str, object]:
    verdict, report = finding.sighting.verdict, finding.sighting.report
    accesses = sides(finding)
    site = next((access.site for access in accesses if access.site and access.site.file), None)
    told = "; ".join(sentence(access, root) for access in accesses)
    return {
        "description": escape.shown(f"{verdict.title}: {told}" if told else verdict.title),
        "check_name": report.kind,
        "fingerprint": verdict.race,
        "severity": "critical" if finding.fails else "info",
        "location": {
            "path": escape.shown(file_of(site, root) if site else finding.sighting.uri),
            "lines": {"begin": (site.line or 1) if site else 1},
        },
        "categories": ["Bug Risk"],
    }


RENDERER = GitLab()
