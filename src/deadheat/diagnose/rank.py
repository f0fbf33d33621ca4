"""Which finding comes first, and what a finding is worth beside others; the only place that knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deadheat.diagnose.finding import UNKNOWN, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# what is less sure than this is not said first
THRESHOLD = 0.4
# a test that leaves something open is why a worker outlives what it works for
_REASONS = {"test-leaves-resource-open": ("worker-outlives-owner", "teardown-vs-worker")}


def ranked(
    findings: Sequence[Finding], general: Mapping[str, str | None], settle: Sequence[str]
) -> tuple[Finding, ...]:
    """The findings, surest first; `unknown` in front where none is sure enough.

    A refined cause goes before the general one that it refines, if it is sure enough to be said.
    Causes compete: what speaks for the first speaks against the others, unless one refines the other.
    """
    found = sorted(_with_reasons(findings), key=lambda f: (-f.confidence, f.cause))
    for finding in list(found):
        wider = general.get(finding.cause)
        if finding.confidence >= THRESHOLD and wider:
            found = [_below(f, finding) if f.cause == wider else f for f in found]
    found.sort(key=lambda f: (-f.confidence, f.cause))
    if not found or found[0].confidence < THRESHOLD:
        best = found[0].confidence if found else 0.0
        return (Finding(UNKNOWN, round(1 - best, 2), settle=tuple(settle)), *found)
    first, *rest = found
    related = {general.get(first.cause), *(c for c, g in general.items() if g == first.cause)}
    return (first, *(f if f.cause in related else _capped(f, first) for f in rest))


def _below(wider: Finding, finding: Finding) -> Finding:
    return replace(wider, confidence=min(wider.confidence, finding.confidence - 0.01))


def _capped(finding: Finding, first: Finding) -> Finding:
    return replace(finding, confidence=min(finding.confidence, round(1 - first.confidence, 2)))


def _with_reasons(findings: Sequence[Finding]) -> list[Finding]:
    """What explains another finding lends it its evidence and its remedy."""
    found = list(findings)
    for reason in findings:
        for cause in _REASONS.get(reason.cause, ()):
            found = [
                replace(
                    f,
                    evidence=(*f.evidence, *reason.evidence),
                    remedy=reason.remedy,
                    test_only=reason.test_only,
                )
                if f.cause == cause
                else f
                for f in found
            ]
    return found
