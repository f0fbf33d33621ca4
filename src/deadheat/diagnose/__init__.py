"""Diagnosis: why the accesses of a report race. Rules match causes; `ranking` orders them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat import registry
from deadheat.diagnose.checks import check, settling
from deadheat.diagnose.finding import UNKNOWN, Evidence, Finding, Remedy
from deadheat.diagnose.rank import REMAINDER, kin_of, ranked
from deadheat.diagnose.scene import RACES, Scene
from deadheat.diagnose.supposed import supposed
from deadheat.diagnose.traits import traits

if TYPE_CHECKING:
    from deadheat.diagnose.rule import Hit, Rule
    from deadheat.diagnose.source import Source
    from deadheat.model import Cause, Report

CRASHED = "rule-crashed"
_new: Final = tuple.__new__
_SHOWN, _MOST = 0.2, 3
_SUPPOSED = 0.8  # factor for the confidence of a finding with an inferred side


def diagnose(report: Report, source: Source | None = None) -> tuple[Finding, ...]:
    """Return every cause that a rule finds in a report, most confident first.

    The first finding is `unknown` if no cause is confident enough. `source` reads the code at the pin;
    without it only the report is used.
    """
    scene = Scene(report, source)
    if source is not None and (pair := supposed(scene)) is not None:
        found = _diagnosed(Scene(pair.report, source, supposed=True))
        if found[0].cause != UNKNOWN:
            return tuple(_weaker(f, pair.why) for f in found)
    return _diagnosed(scene)


def _weaker(finding: Finding, why: Evidence) -> Finding:
    """Lower the confidence of a finding whose second side is inferred, and add the reason."""
    sure = round(finding.confidence * _SUPPOSED, 2)
    return finding._replace(confidence=sure, evidence=(*finding.evidence, why))


def causes(report: Report) -> tuple[Cause, ...]:
    """Return the first findings of a report alone as model causes, and every rule that crashed."""
    scene = Scene(report)
    found = _diagnosed(scene, brief=True)
    scene.close()
    shown = [f for f in found if f.crashed or f.confidence >= _SHOWN]
    return tuple([f.as_cause() for at, f in enumerate(shown) if at < _MOST or f.crashed])


def _diagnosed(scene: Scene, brief: bool = False) -> tuple[Finding, ...]:
    """Run the rules. `brief` omits remedies, and the fallback cause where it would not be shown."""
    found: list[Finding] = []
    crashed, best = [], 0.0
    kin = kin_of(registry.rules())
    for rule in kin.ask(traits(scene)) if scene.report.kind in RACES else ():
        if brief and rule.cause == REMAINDER and round(1 - best, 2) < _SHOWN:
            continue
        try:
            hit = rule.find(scene)
        except Exception as error:  # noqa: BLE001 - a crash of one rule must not lose other findings
            crashed.append(_crash(rule, error))
            continue
        if hit is None:
            continue
        best = max(best, hit.confidence)
        remedy = None if brief else _remedy(rule, hit, scene)
        sure, told, _, _, test_only, from_source = hit
        made = (rule.cause, sure, told, remedy, test_only, from_source, (), None)
        found.append(_new(Finding, made))
    return (*ranked(found, kin, lambda: settling(scene)), *crashed)


def _remedy(rule: Rule, hit: Hit, scene: Scene) -> Remedy:
    return Remedy(hit.change, rule.primitive, rule.price, check(scene.report), hit.where)


def _crash(rule: Rule, error: Exception) -> Finding:
    told = Evidence(f"The rule {rule.cause} failed on this report: {type(error).__name__}: {error}")
    return Finding(CRASHED, 0.0, (told,), crashed=rule.cause)
