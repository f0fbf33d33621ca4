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
# a refined cause that is as sure as this goes before the general one
_REFINED = 0.6
# what is said when nothing else can be: it is worth what the others leave
REMAINDER = "missing-lock"
# between causes that are as sure: who starts and ends things explains more than what they touch
_ORDER = (
    "tests",
    "group synchronisation",
    "channels",
    "locking",
    "lifetime",
    "container",
    "captured variable",
    "publication",
    "atomics",
    "contract",
)
# a test that leaves something open is why a worker outlives what it works for
_REASONS = {"test-leaves-resource-open": ("worker-outlives-owner", "teardown-vs-worker")}
# how something is reused and that it is reused too early are two sides of one defect
_TOGETHER = {
    "worker-outlives-owner": ("struct-overwritten", "mixed-atomic"),
    "test-leaves-resource-open": ("struct-overwritten", "mixed-atomic"),
}
# a reason that is as sure as this goes before what it explains
_CLEAR = 0.8


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
    others = [f if _agree(first.cause, f.cause, rules) else _capped(f, first) for f in rest]
    return (first, *sorted(others, key=order))


def _agree(first: str, other: str, rules: Mapping[str, Rule]) -> bool:
    """Does one refine the other, or explain it, or are they two sides of one defect?"""
    return (
        other in _wider(first, rules)
        or first in _wider(other, rules)
        or other in _REASONS.get(first, ())
        or other in _TOGETHER.get(first, ())
    )


def _wider(cause: str, rules: Mapping[str, Rule]) -> Iterator[str]:
    """The causes that a cause refines, by however many steps."""
    for wider in rules[cause].general:
        yield wider
        yield from _wider(wider, rules)


def _refined(findings: list[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    found = findings
    for finding in sorted(findings, key=lambda f: f.confidence):
        wider = set(_wider(finding.cause, rules))
        found = [
            _below(f, finding)
            if f.cause in wider and finding.confidence >= max(_REFINED, f.confidence - 0.3)
            else f
            for f in found
        ]
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
    """What explains another finding takes over its evidence and goes before it."""
    found = list(findings)
    for reason in [f for f in findings if f.cause in _REASONS and f.confidence >= _CLEAR]:
        explained = [f for f in found if f.cause in _REASONS[reason.cause]]
        if explained:
            told = tuple(e for f in explained for e in f.evidence)
            sure = max(reason.confidence, *(f.confidence for f in explained))
            found.remove(reason)
            found.append(replace(reason, confidence=sure, evidence=(*reason.evidence, *told)))
            found = [_limited(f, sure - 0.01) if f in explained else f for f in found]
    return found
