"""Which finding comes first, and what a finding is worth beside others; the only place that knows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from deadheat.diagnose.finding import UNKNOWN, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from deadheat.diagnose.rule import Rule

# what is less sure than this is not said first
THRESHOLD = 0.4
# what is said when nothing else can be: it is worth what the others leave
REMAINDER = "missing-lock"
# between causes that are as sure: who starts and ends things explains more than what they touch
_ORDER = (
    "tests",
    "group synchronisation",
    "channels",
    "captured variable",
    "locking",
    "lifetime",
    "publication",
    "atomics",
    "contract",
    "container",
)
# a test that leaves something open is why a worker outlives what it works for
_REASONS = {"test-leaves-resource-open": ("worker-outlives-owner", "teardown-vs-worker")}


def ranked(
    findings: Sequence[Finding], rules: Mapping[str, Rule], settle: Sequence[str]
) -> tuple[Finding, ...]:
    """The findings, surest first; `unknown` in front where none is sure enough.

    A refined cause goes before the general one that it refines, if it is sure enough to be said.
    Causes compete: what speaks for the first speaks against the others, unless one refines the other.
    """

    def order(finding: Finding) -> tuple[float, int, str]:
        return -finding.confidence, _ORDER.index(rules[finding.cause].family), finding.cause

    found = _refined(_remainder(_with_reasons(findings)), rules)
    found.sort(key=order)
    if not found or found[0].confidence < THRESHOLD:
        best = found[0].confidence if found else 0.0
        return (Finding(UNKNOWN, round(1 - best, 2), settle=tuple(settle)), *found)
    first, *rest = found
    related = {*_wider(first.cause, rules), *(c for c in rules if first.cause in _wider(c, rules))}
    return (first, *(f if f.cause in related else _capped(f, first) for f in rest))


def _wider(cause: str, rules: Mapping[str, Rule]) -> Iterator[str]:
    """The causes that a cause refines, the nearest first."""
    while wider := rules[cause].general:
        yield wider
        cause = wider


def _refined(findings: list[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    found = findings
    for finding in sorted(findings, key=lambda f: f.confidence):
        if finding.confidence >= THRESHOLD:
            wider = set(_wider(finding.cause, rules))
            found = [_below(f, finding) if f.cause in wider else f for f in found]
    return found


def _remainder(findings: list[Finding]) -> list[Finding]:
    best = max((f.confidence for f in findings if f.cause != REMAINDER), default=0.0)
    return [_limited(f, 1 - best) if f.cause == REMAINDER else f for f in findings]


def _limited(finding: Finding, most: float) -> Finding:
    return replace(finding, confidence=min(finding.confidence, round(most, 2)))


def _below(wider: Finding, finding: Finding) -> Finding:
    return _limited(wider, finding.confidence - 0.01)


def _capped(finding: Finding, first: Finding) -> Finding:
    return _limited(finding, 1 - first.confidence)


def _with_reasons(findings: Sequence[Finding]) -> list[Finding]:
    """What explains another finding lends it its evidence and its remedy, and steps back."""
    found = list(findings)
    for reason in findings:
        explained = _REASONS.get(reason.cause, ())
        if not any(f.cause in explained and f.confidence >= THRESHOLD for f in found):
            continue
        found = [
            _lent(f, reason) if f.cause in explained else _second(f) if f is reason else f
            for f in found
        ]
    return found


def _lent(finding: Finding, reason: Finding) -> Finding:
    return replace(
        finding,
        evidence=(*finding.evidence, *reason.evidence),
        remedy=reason.remedy,
        test_only=reason.test_only,
    )


def _second(reason: Finding) -> Finding:
    return _limited(reason, THRESHOLD)
