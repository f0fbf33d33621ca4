"""The order of findings, and the confidence of a finding relative to others. Decided only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat.diagnose.finding import UNKNOWN, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from deadheat.diagnose.rule import Rule

# a less confident cause is not reported first: it would be wrong as often as right
THRESHOLD = 0.5
# a refined cause with this confidence precedes the general one
_REFINED = 0.6
# the cause when no other applies; its confidence is what the others leave
REMAINDER = "missing-lock"
# tie-break: start and end of things explain more than the data they access
_ORDER = (
    "tests",
    "group synchronisation",
    "channels",
    "locking",
    "lifetime",
    "container",
    "contract",
    "captured variable",
    "publication",
    "atomics",
)
# a test that leaves something open explains a worker that outlives its owner
_REASONS = {"test-leaves-resource-open": ("worker-outlives-owner", "teardown-vs-worker")}
# a function that waited needs no lock: it was signalled too early; a panic unwinds on a path without
# the lock
_INSTEAD = {"done-before-cleanup": ("partial-lock",), "recovery-path": ("partial-lock",)}
# how an object is reused and that it is reused too early are one defect
_TOGETHER = {
    "worker-outlives-owner": ("struct-overwritten", "mixed-atomic"),
    "test-leaves-resource-open": ("struct-overwritten", "mixed-atomic"),
}
# a reason with this confidence precedes what it explains
_CLEAR = 0.8
# an object that is reused too early may contain a container: that is only the symptom
_SHOWING = ("concurrent-slice", "concurrent-map")
_LIVES = ("worker-outlives-owner", "pooled-object-reused")
_LIVED = 0.7
_new: Final = tuple.__new__


class Kin(NamedTuple):
    """The relations between rules."""

    rules: tuple[Rule, ...]
    wider: dict[str, frozenset[str]]  # the causes that each refines, transitively
    agree: dict[str, frozenset[str]]  # the causes that do not compete with it
    family: dict[str, int]
    asked: dict[int, tuple[Rule, ...]]  # the rules for a set of features, the fallback last

    def ask(self, traits: int) -> tuple[Rule, ...]:
        """The rules that may find something in a report with these features."""
        found = self.asked.get(traits)
        if found is None:
            some = [rule for rule in self.rules if rule.when & traits]
            found = tuple(sorted(some, key=lambda rule: rule.cause == REMAINDER))
            self.asked[traits] = found
        return found


_last: Final[list[Kin]] = []


def kin_of(rules: tuple[Rule, ...]) -> Kin:
    """The relations of these rules; computed once for as long as the rules are the same."""
    if not _last or _last[0].rules is not rules:
        _last[:] = [_kin_of(rules)]
    return _last[0]


def _kin_of(rules: tuple[Rule, ...]) -> Kin:
    by_cause = {rule.cause: rule for rule in rules}
    wider = {cause: frozenset(_wider(cause, by_cause)) for cause in by_cause}
    agree = {
        cause: wider[cause]
        | {other for other in by_cause if cause in wider[other]}
        | {*_REASONS.get(cause, ()), *_INSTEAD.get(cause, ()), *_TOGETHER.get(cause, ())}
        for cause in by_cause
    }
    family = {rule.cause: _ORDER.index(rule.family) for rule in rules}
    return Kin(rules, wider, agree, family, {})


def _wider(cause: str, rules: Mapping[str, Rule]) -> Iterator[str]:
    for wider in rules[cause].general:
        yield wider
        yield from _wider(wider, rules)


def ranked(
    findings: list[Finding], kin: Kin, settle: Callable[[], tuple[str, ...]]
) -> tuple[Finding, ...]:
    """The findings, most confident first; `unknown` comes first if none is confident enough.

    A refined cause precedes the general cause that it refines, if it is confident enough.
    Causes compete: evidence for the first counts against the others, unless one refines the other.
    """

    def order(finding: Finding) -> tuple[float, int, str]:
        return -finding.confidence, kin.family[finding.cause], finding.cause

    if len(findings) > 1:
        findings = _refined(_remainder(_with_reasons(_lived(findings))), kin)
        findings.sort(key=order)
    if not findings or round(findings[0].confidence, 2) < THRESHOLD:
        best = findings[0].confidence if findings else 0.0
        return (Finding(UNKNOWN, round(1 - best, 2), settle=settle()), *findings)
    first, *rest = findings
    if not rest:
        return (first,)
    agree = kin.agree[first.cause]
    others = [f if f.cause in agree else _limited(f, 1 - first.confidence) for f in rest]
    return (first, *sorted(others, key=order))


def _refined(findings: list[Finding], kin: Kin) -> list[Finding]:
    found = findings
    refining = [f for f in findings if f.confidence >= _REFINED and kin.wider[f.cause]]
    for finding in sorted(refining, key=lambda f: f.confidence):
        wider = kin.wider[finding.cause]
        found = [
            _limited(f, finding.confidence - 0.01)
            if f.cause in wider and finding.confidence >= f.confidence - 0.3
            else f
            for f in found
        ]
    return found


def _remainder(findings: list[Finding]) -> list[Finding]:
    best = max([f.confidence for f in findings if f.cause != REMAINDER], default=0.0)
    return [_limited(f, 1 - best) if f.cause == REMAINDER else f for f in findings]


def _limited(finding: Finding, most: float) -> Finding:
    most = round(most, 2)
    if finding.confidence <= most:
        return finding
    less: Finding = _new(Finding, (finding.cause, most, *finding[2:]))
    return less


def _lived(findings: list[Finding]) -> list[Finding]:
    """From a report alone: a lifetime cause precedes the container in which its users meet."""
    lived = [f for f in findings if f.cause in _LIVES and f.confidence >= _LIVED]
    if not lived or lived[0].from_source:
        return findings
    most = max([f.confidence for f in lived]) - 0.01
    return [_limited(f, most) if f.cause in _SHOWING and not f.from_source else f for f in findings]


def _with_reasons(findings: list[Finding]) -> list[Finding]:
    """A cause that explains another finding takes over its evidence and precedes it."""
    found = findings
    for reason in [f for f in findings if f.cause in _INSTEAD and f.confidence >= _CLEAR]:
        most = reason.confidence - 0.01
        found = [_limited(f, most) if f.cause in _INSTEAD[reason.cause] else f for f in found]
    for reason in [f for f in findings if f.cause in _REASONS and f.confidence >= _CLEAR]:
        explained = [f for f in found if f.cause in _REASONS[reason.cause]]
        if explained:
            said = {(e.at, e.text.partition(" in ")[0]) for e in reason.evidence}
            told = tuple(
                e
                for f in explained
                for e in f.evidence
                if (e.at, e.text.partition(" in ")[0]) not in said
            )
            sure = max(reason.confidence, *(f.confidence for f in explained))
            found = [f for f in found if f is not reason]
            found.append(reason._replace(confidence=sure, evidence=(*reason.evidence, *told)))
            found = [_limited(f, sure - 0.01) if f in explained else f for f in found]
    return found
