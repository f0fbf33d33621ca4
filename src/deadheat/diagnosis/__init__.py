"""Diagnosis: why the accesses of a report race. Rules match causes; `ranking` orders them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import plugins
from deadheat.diagnosis.context import GO_DETECTORS, RACE_KINDS, RaceContext
from deadheat.diagnosis.facts.function_names import without_package
from deadheat.diagnosis.facts.lifetime import find_continuing_starter, find_package_worker, timer_side
from deadheat.diagnosis.finding import UNKNOWN, Evidence, Finding, Remedy
from deadheat.diagnosis.inferred_access import infer_other_side
from deadheat.diagnosis.ranking import FALLBACK_CAUSE, rank_findings, rule_relations
from deadheat.diagnosis.rule import report_features
from deadheat.model import Damage
from deadheat.printable import quote_code
from deadheat.shell import format_command
from deadheat.symbols.go import run_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.facts.code_facts import CodeReader
    from deadheat.model import Cause, Report

RULE_CRASHED = "rule-crashed"

_MIN_SHOWN_CONFIDENCE, _MAX_CAUSES = 0.2, 3
_INFERRED_SIDE_FACTOR = 0.8  # factor for the confidence of a finding with an inferred side


def diagnose(report: Report, source: CodeReader | None = None) -> tuple[Finding, ...]:
    """The causes of a report, most confident first, or `unknown` first. `source` reads the code, if available."""
    context = RaceContext(report, source)
    if source is not None and (inferred := infer_other_side(context)) is not None:
        findings = _run_rules(RaceContext(inferred.report, source, inferred=True))
        if findings[0].cause != UNKNOWN:
            lowered = [f._replace(confidence=round(f.confidence * _INFERRED_SIDE_FACTOR, 2)) for f in findings]
            return tuple(f._replace(evidence=(*f.evidence, inferred.reason)) for f in lowered)
    return _run_rules(context)


def causes_of_report(report: Report) -> tuple[Cause, ...]:
    """The first findings of a report alone as model causes, and every rule that crashed."""
    context = RaceContext(report)
    findings = _run_rules(context, brief=True)
    context.release_references()
    shown = [f for f in findings if f.crashed or f.confidence >= _MIN_SHOWN_CONFIDENCE]
    return tuple([f.as_cause() for position, f in enumerate(shown) if position < _MAX_CAUSES or f.crashed])


def _run_rules(context: RaceContext, brief: bool = False) -> tuple[Finding, ...]:
    """Run the rules. `brief` omits remedies, and the fallback cause where it would not be shown."""
    findings: list[Finding] = []
    crashed, best = [], 0.0
    relations = rule_relations(plugins.all_rules())
    for rule in relations.rules_for(report_features(context)) if context.report.kind in RACE_KINDS else ():
        if brief and rule.cause == FALLBACK_CAUSE and round(1 - best, 2) < _MIN_SHOWN_CONFIDENCE:
            continue
        try:
            match = rule.find(context)
        except Exception as error:  # noqa: BLE001 - a crash of one rule must not lose other findings
            text = f"The rule {rule.cause} failed on this report: {type(error).__name__}: {error}"
            crashed.append(Finding(RULE_CRASHED, 0.0, (Evidence(text),), crashed=rule.cause))
            continue
        if match is None:
            continue
        confidence, evidence, change, where, test_only, from_source = match
        best = max(best, confidence)
        check = None if brief else verification_step(context.report)
        remedy = Remedy(change, rule.primitive, rule.price, check, where) if check else None
        findings.append(Finding(rule.cause, confidence, evidence, remedy, test_only, from_source))
    return (*rank_findings(findings, relations, lambda: tuple(_find_open_questions(context))), *crashed)


_RERUN_INSTRUCTIONS = {
    "tsan": "Build with -fsanitize=thread and run the program again",
    "helgrind": "Run the program again under valgrind --tool=helgrind",
    "drd": "Run the program again under valgrind --tool=drd",
    "kcsan": "Boot a kernel with CONFIG_KCSAN=y and run the workload again",
    "miri": "Run cargo miri test again, with several seeds (-Zmiri-many-seeds)",
}


def verification_step(report: Report, command: str = "") -> str:
    """What to run after the change: the command that reproduces the race, if known, else advice how often to run."""
    if report.kind == "error-stack":
        outcome = "neither this error nor a race at its location may be reported again."
    elif len(report.accesses) < 2:
        outcome = "no run may report this location again."
    else:
        outcome = "no run may report these two locations together."
    if command:
        return f"{quote_code(command)}: {outcome}"
    if report.detector not in GO_DETECTORS:
        default = "Run the program again under the detector that reported it"
        return f"{_RERUN_INSTRUCTIONS.get(report.detector, default)}, a few dozen times: {outcome}"
    if report.test and (run := format_command("go", "test", "-race", "-run", run_pattern(report.test), "-count=100")):
        return f"{quote_code(run)} in the test's package: {outcome}"
    return f"Build with -race and repeat the workload that showed it: {outcome}"


def _find_open_questions(context: RaceContext) -> Iterator[str]:
    """What is missing to determine the cause."""
    report = context.report
    if report.kind not in RACE_KINDS:
        kind = report.kind.replace("-", " ")
        yield f"Nothing: this report is not a data race ({kind}); its kind names the defect."
        return
    if len(report.accesses) < 2:
        yield "The other access: this report shows only one of the two sides."
    if Damage.TRUNCATED in report.damage or Damage.NO_STACK in report.damage:
        yield "A complete report: this one lacks stacks or creation stacks."
    if any(side.site is None for side in context.race_sides):
        yield "A build with symbols and line tables: one side has no frame in the program's own code."
    if package_worker := find_package_worker(context):
        worker, other, started = package_worker
        starter = without_package(context.enclosing_function(started.function))
        yield (
            f"Whether `{without_package(other.function)}` is meant to run concurrently with the worker"
            f" (`{without_package(worker.function)}`, started in `{starter}`), so a lock is missing, or"
            " after it, so a wait is missing."
        )
    if continuing := find_continuing_starter(context):
        starter = without_package(context.enclosing_function(continuing.start_frame.function))
        yield (
            f"Whether `{starter}`, which started the worker (`{without_package(continuing.worker.function)}`),"
            " waits for all of its work before this access."
        )
    if timer := timer_side(context):
        yield f"Whether the timer that runs `{without_package(timer.function)}` is meant to be stopped before."
    if context.source is None:
        yield "The source: run `deadheat explain --repo` with a clone of the code."
    elif not context.has_code:
        yield "The source of both racing lines: this clone does not contain both."
    elif context.shared_variable is None:
        yield "The variable: the two racing lines name nothing in common."
