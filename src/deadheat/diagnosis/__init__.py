"""Diagnosis: why the accesses of a report race. Facts, then possible causes, then how probable each is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import plugins
from deadheat.diagnosis.answer import Wording, build_finding, missing_order
from deadheat.diagnosis.context import GO_DETECTORS, RACE_KINDS, RaceContext
from deadheat.diagnosis.facts.collection import collect_facts
from deadheat.diagnosis.finding import MIN_CONFIDENCE, UNKNOWN, Evidence, Finding
from deadheat.diagnosis.inferred_access import infer_other_side
from deadheat.diagnosis.ranker import rank_causes
from deadheat.model import Damage
from deadheat.printable import quote_code
from deadheat.shell import format_command
from deadheat.symbols.go import run_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.facts.code_facts import CodeReader
    from deadheat.model import Cause, Report

COLLECTOR_CRASHED = "collector-crashed"

_MIN_SHOWN_CONFIDENCE, _MAX_CAUSES = 0.1, 3
# two causes are named if neither is likely enough alone but one of them is
_MIN_FIRST_OF_TWO, _MIN_SUM_OF_TWO = 0.3, 0.6
# factors for the confidence where one side is inferred or missing: recorded reports without one side had the right
# cause first in 60 % with the code and in 36 % without, where the calibration says 75 and 60
_INFERRED_SIDE_FACTOR = 0.8
_ONE_SIDE_FACTORS = {True: 0.8, False: 0.6}


def diagnose(report: Report, source: CodeReader | None = None) -> tuple[Finding, ...]:
    """The causes of a report, most probable first, or `unknown` first. `source` reads the code, if available."""
    context = RaceContext(report, source)
    if source is not None and (inferred := infer_other_side(context)) is not None:
        findings = _find_causes(RaceContext(inferred.report, source, inferred=True))
        if findings[0].cause != UNKNOWN:
            lowered = [f._replace(confidence=round(f.confidence * _INFERRED_SIDE_FACTOR, 2)) for f in findings]
            return tuple(f._replace(evidence=(*f.evidence, inferred.reason)) for f in lowered)
    return _find_causes(context)


def causes_of_report(report: Report) -> tuple[Cause, ...]:
    """The first causes of a report alone as model causes, and every collector that crashed."""
    context = RaceContext(report)
    findings = _find_causes(context, brief=True)
    context.release_references()
    return tuple([f.as_cause() for f in findings])


def _find_causes(context: RaceContext, brief: bool = False) -> tuple[Finding, ...]:
    """The findings. `brief` omits remedies."""
    if context.report.kind not in RACE_KINDS or not any(side.site for side in context.race_sides):
        return (Finding(UNKNOWN, 1.0, open_questions=tuple(_find_open_questions(context))),)
    facts, crashes = collect_facts(context)
    crashed = tuple([Finding(COLLECTOR_CRASHED, 0.0, (Evidence(text),), crashed=name) for name, text in crashes])
    definitions, features = plugins.causes_by_name(), facts.features
    possible = [name for name, definition in definitions.items() if definition.is_possible(features)]
    ranked = rank_causes(features, possible, context.source is not None)
    if sum(side.site is not None for side in context.race_sides) < 2:
        factor = _ONE_SIDE_FACTORS[context.source is not None]
        ranked = [r._replace(probability=r.probability * factor) for r in ranked]
    shown = [r for at, r in enumerate(ranked[:_MAX_CAUSES]) if at == 0 or r.probability >= _MIN_SHOWN_CONFIDENCE]
    wording, check = Wording(context, facts), None if brief else verification_step(context.report)
    edge = "" if brief else missing_order(context)
    findings = [
        build_finding(context, facts, wording, definitions[r.cause], r.probability, check)._replace(missing_order=edge)
        for r in shown
    ]
    if not _is_answer(findings):
        best = findings[0].confidence if findings else 0.0
        questions = tuple(_find_open_questions(context))
        findings.insert(0, Finding(UNKNOWN, round(1 - best, 2), open_questions=questions, missing_order=edge))
    return (*findings, *crashed)


def _is_answer(findings: list[Finding]) -> bool:
    """Is the first cause likely enough, or one of the first two?"""
    if not findings:
        return False
    first = findings[0].confidence
    if first >= MIN_CONFIDENCE or len(findings) < 2:
        return first >= MIN_CONFIDENCE
    return first >= _MIN_FIRST_OF_TWO and first + findings[1].confidence >= _MIN_SUM_OF_TWO


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
    if context.source is None:
        yield "The source: run `deadheat explain --repo` with a clone of the code."
    elif not context.has_code:
        yield "The source of both racing lines: this clone does not contain both."
    elif context.shared_variable is None:
        yield "The variable: the two racing lines name nothing in common."
