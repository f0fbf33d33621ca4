"""The order of the findings of a report, and the cause of a race by votes of its reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.diagnosis.finding import UNKNOWN, Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from deadheat.diagnosis.rule import Rule

    JsonDict = dict[str, Any]

    # sightings of each cause, and the sum of its confidences in hundredths
    CauseVotes = dict[str, tuple[int, int]]

# a less confident cause is not reported first: it would be wrong as often as right
MIN_CONFIDENCE = 0.5
# a refined cause with this confidence precedes the general one
_MIN_REFINED_CONFIDENCE = 0.6
# the cause when no other applies; its confidence is what the others leave
FALLBACK_CAUSE = "missing-lock"
# tie-break: start and end of things explain more than the data they access
_FAMILY_ORDER = (
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
_EXPLAINED_CAUSES = {"test-leaves-resource-open": ("worker-outlives-owner", "teardown-vs-worker")}
# a function that waited needs no lock: it was signalled too early; a panic unwinds on a path without the lock
_REPLACED_CAUSES = {"done-before-cleanup": ("partial-lock",), "recovery-path": ("partial-lock",)}
# how an object is reused and that it is reused too early are one defect
_COMPATIBLE_CAUSES = {
    "worker-outlives-owner": ("struct-overwritten", "mixed-atomic"),
    "test-leaves-resource-open": ("struct-overwritten", "mixed-atomic"),
}
# a reason with this confidence precedes what it explains
_MIN_REASON_CONFIDENCE = 0.8
# an object that is reused too early may contain a container: that is only the symptom
_CONTAINER_CAUSES = ("concurrent-slice", "concurrent-map")
_LIFETIME_CAUSES = ("worker-outlives-owner", "pooled-object-reused")
_MIN_LIFETIME_CONFIDENCE = 0.7


class RuleRelations(NamedTuple):
    """The relations between rules."""

    rules: tuple[Rule, ...]
    general_causes: dict[str, frozenset[str]]  # the causes that each refines, transitively
    compatible: dict[str, frozenset[str]]  # the causes that do not compete with it
    family_order: dict[str, int]
    rules_by_features: dict[int, tuple[Rule, ...]]  # the rules for a set of features, the fallback last

    def rules_for(self, features: int) -> tuple[Rule, ...]:
        """The rules that may find something in a report with these features."""
        result = self.rules_by_features.get(features)
        if result is None:
            selected = [rule for rule in self.rules if rule.features & features]
            result = tuple(sorted(selected, key=lambda rule: rule.cause == FALLBACK_CAUSE))
            self.rules_by_features[features] = result
        return result


_cached_relations: Final[list[RuleRelations]] = []


def rule_relations(rules: tuple[Rule, ...]) -> RuleRelations:
    """The relations of these rules; computed once for as long as the rules are the same."""
    if not _cached_relations or _cached_relations[0].rules is not rules:
        _cached_relations[:] = [_build_relations(rules)]
    return _cached_relations[0]


def _build_relations(rules: tuple[Rule, ...]) -> RuleRelations:
    rule_by_cause = {rule.cause: rule for rule in rules}
    general = {cause: frozenset(_general_causes(cause, rule_by_cause)) for cause in rule_by_cause}
    compatible = {
        cause: general[cause]
        | {other for other in rule_by_cause if cause in general[other]}
        | {*_EXPLAINED_CAUSES.get(cause, ()), *_REPLACED_CAUSES.get(cause, ()), *_COMPATIBLE_CAUSES.get(cause, ())}
        for cause in rule_by_cause
    }
    family = {rule.cause: _FAMILY_ORDER.index(rule.family) for rule in rules}
    return RuleRelations(rules, general, compatible, family, {})


def _general_causes(cause: str, rules: Mapping[str, Rule]) -> Iterator[str]:
    for general in rules[cause].general_causes:
        yield general
        yield from _general_causes(general, rules)


def rank_findings(
    findings: list[Finding], relations: RuleRelations, open_questions: Callable[[], tuple[str, ...]]
) -> tuple[Finding, ...]:
    """The findings, most confident first, or `unknown` first; evidence for the first counts against its competitors."""

    def sort_key(finding: Finding) -> tuple[float, int, str]:
        return -finding.confidence, relations.family_order[finding.cause], finding.cause

    if len(findings) > 1:
        findings = _merge_explained_causes(_prefer_lifetime(findings))
        best = max([f.confidence for f in findings if f.cause != FALLBACK_CAUSE], default=0.0)
        findings = _limit_confidence(findings, (FALLBACK_CAUSE,), 1 - best)
        findings = sorted(_prefer_refined_causes(findings, relations), key=sort_key)
    if not findings or round(findings[0].confidence, 2) < MIN_CONFIDENCE:
        best = findings[0].confidence if findings else 0.0
        return (Finding(UNKNOWN, round(1 - best, 2), open_questions=open_questions()), *findings)
    first, *rest = findings
    competing = {f.cause for f in rest} - relations.compatible[first.cause]
    return (first, *sorted(_limit_confidence(rest, competing, 1 - first.confidence), key=sort_key))


def _limit_confidence(findings: list[Finding], causes: Container[str], limit: float) -> list[Finding]:
    """The findings; those of the given causes are at most as confident as the limit."""
    limit = round(limit, 2)
    return [f._replace(confidence=limit) if f.cause in causes and f.confidence > limit else f for f in findings]


def _prefer_refined_causes(findings: list[Finding], relations: RuleRelations) -> list[Finding]:
    """A refined cause, if it is confident enough, precedes the general cause that it refines."""
    refining = [f for f in findings if f.confidence >= _MIN_REFINED_CONFIDENCE and relations.general_causes[f.cause]]
    for finding in sorted(refining, key=lambda f: f.confidence):
        close = {f.cause for f in findings if finding.confidence >= f.confidence - 0.3}
        general = relations.general_causes[finding.cause] & close
        findings = _limit_confidence(findings, general, finding.confidence - 0.01)
    return findings


def _prefer_lifetime(findings: list[Finding]) -> list[Finding]:
    """From a report alone: a lifetime cause precedes the container in which its users meet."""
    lived = [f for f in findings if f.cause in _LIFETIME_CAUSES and f.confidence >= _MIN_LIFETIME_CONFIDENCE]
    if not lived or lived[0].from_source:
        return findings
    causes = [f.cause for f in findings if f.cause in _CONTAINER_CAUSES and not f.from_source]
    return _limit_confidence(findings, causes, max([f.confidence for f in lived]) - 0.01)


def _merge_explained_causes(findings: list[Finding]) -> list[Finding]:
    """A cause that explains another finding takes over its evidence and precedes it."""
    result = findings
    for reason in [f for f in findings if f.cause in _REPLACED_CAUSES and f.confidence >= _MIN_REASON_CONFIDENCE]:
        result = _limit_confidence(result, _REPLACED_CAUSES[reason.cause], reason.confidence - 0.01)
    for reason in [f for f in findings if f.cause in _EXPLAINED_CAUSES and f.confidence >= _MIN_REASON_CONFIDENCE]:
        explained = [f for f in result if f.cause in _EXPLAINED_CAUSES[reason.cause]]
        if explained:
            known = {(e.point, e.text.partition(" in ")[0]) for e in reason.evidence}
            extra = [e for f in explained for e in f.evidence if (e.point, e.text.partition(" in ")[0]) not in known]
            confidence = max(reason.confidence, *(f.confidence for f in explained))
            result = [f for f in result if f is not reason]
            result.append(reason._replace(confidence=confidence, evidence=(*reason.evidence, *extra)))
            result = _limit_confidence(result, [f.cause for f in explained], confidence - 0.01)
    return result


# at least one of so many sightings must name a cause: fewer may be mistakes
_MAX_SIGHTINGS_PER_NAMED: Final = 3


def votes_of_report(cause: str | None, confidence: float, sightings: int) -> list[JsonDict]:
    """The vote of one report with that many sightings."""
    weight = round(100 * confidence) * sightings
    return [{"cause": cause, "sightings": sightings, "weight": weight}] if cause is not None else []


def add_votes(votes: CauseVotes, new_votes: Iterable[JsonDict]) -> None:
    """Add the votes of other reports of the same race."""
    for vote in new_votes:
        sightings, weight = votes.get(vote["cause"], (0, 0))
        votes[vote["cause"]] = sightings + vote["sightings"], weight + vote["weight"]


def votes_as_rows(votes: CauseVotes) -> list[JsonDict]:
    """The votes as rows, sorted by cause."""
    return [
        {"cause": cause, "sightings": number, "weight": weight} for cause, (number, weight) in sorted(votes.items())
    ]


def choose_cause(votes: Iterable[JsonDict]) -> str | None:
    """The cause with the greatest sum of confidences; `unknown` if too few reports name one, None without votes."""
    all_votes = list(votes)
    named_votes = [vote for vote in all_votes if vote["cause"] != UNKNOWN]
    if not named_votes or _MAX_SIGHTINGS_PER_NAMED * _count_sightings(named_votes) < _count_sightings(all_votes):
        return UNKNOWN if all_votes else None
    return str(min(named_votes, key=lambda vote: (-vote["weight"], -vote["sightings"], vote["cause"]))["cause"])


def _count_sightings(votes: list[JsonDict]) -> int:
    return sum([vote["sightings"] for vote in votes])
