"""The cause of a race and its remedy in one line each, from the dossier if there is one, else from the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import plugins
from deadheat.diagnosis.finding import MIN_CONFIDENCE
from deadheat.printable import split_code

if TYPE_CHECKING:
    from deadheat.output.findings import RaceFinding


def likely_cause(finding: RaceFinding) -> str:
    """The name of the cause, if it is likely enough to be said alone."""
    causes = _causes(finding)
    return causes[0][0] if causes and causes[0][1] >= MIN_CONFIDENCE else ""


def describe_likely_cause(finding: RaceFinding) -> str:
    """`No lock on either side`; the titles of two causes if only both together are likely; empty if unknown."""
    causes = _causes(finding)
    is_answer = bool(causes) and causes[0][1] >= MIN_CONFIDENCE
    titles = [plugins.cause_title(name) for name, _ in causes[: 1 if is_answer else 2]]
    return ", or ".join([*titles[:1], *(f"{title[:1].lower()}{title[1:]}" for title in titles[1:])])


def _causes(finding: RaceFinding) -> list[tuple[str, float]]:
    """The causes with their confidence; none if the first is unknown, or of a kind that is no data race."""
    if finding.dossier is not None:
        causes = [(row["cause"], row["confidence"]) for row in finding.dossier["causes"]]
    else:
        causes = [(cause.cause, cause.confidence) for cause in finding.sighting.causes]
    known = plugins.causes_by_name()
    if not causes or causes[0][0] not in known:
        return []
    return [(name, confidence) for name, confidence in causes if name in known]


def describe_first_remedy(finding: RaceFinding) -> str:
    """What to change, in one line, if the cause is known; with the names of the code."""
    if not _causes(finding):
        return ""
    if finding.dossier is not None:
        fix = finding.dossier["cause"]["fix"]
        return str(fix["change"]) if fix else ""
    from deadheat.diagnosis import diagnose  # a scan leaves remedies out

    remedy = diagnose(finding.sighting.report)[0].remedy
    return remedy.change if remedy else ""


def without_marks(text: str) -> str:
    """A sentence without the backticks around code."""
    return "".join(part for part, _ in split_code(text))
