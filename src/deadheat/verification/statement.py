"""The result of `verify` as data, as text, and as a statement to paste into a pull request."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.printable import quote_code, visible_text
from deadheat.verification.campaign_report import format_share, format_times, place_to_json
from deadheat.verification.code_under_test import command_for
from deadheat.verification.racing_line_proof import SiteState
from deadheat.verification.sequential import FixVerdict, Reason, Version
from deadheat.verification.sought_race import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.verification.code_under_test import RunPlan
    from deadheat.verification.comparison import Comparison, Judgement
    from deadheat.verification.racing_line_proof import LineProof, SiteRuns
    from deadheat.verification.sequential import Conclusion
    from deadheat.verification.trials import TrialPlace

JsonDict = dict[str, Any]


class StatementContext(NamedTuple):
    """What was compared, and how."""

    race: str
    title: str
    old: str  # "commit 388fea198e1e, the parent of the fix"
    new: str
    plan: RunPlan
    toolchain: str
    place: TrialPlace
    confidence: float
    notes: tuple[str, ...] = ()


class FixVerification(NamedTuple):
    """A verification that has ended."""

    context: StatementContext
    judgement: Judgement
    comparison: Comparison | None  # None: the trials did not begin
    proof: LineProof | None  # None: not for this language


def verification_to_json(result: FixVerification) -> JsonDict:
    context, judgement, comparison = result.context, result.judgement, result.comparison
    configuration = comparison.configuration if comparison else None
    return {
        "schema": 1,
        "race": context.race,
        "title": context.title,
        "verdict": judgement.verdict.value,
        "reason": judgement.reason,
        "confidence": context.confidence,
        "old": {"what": context.old, **_side_to_json(comparison, Version.OLD)},
        "new": {"what": context.new, **_side_to_json(comparison, Version.NEW)},
        "statistics": judgement.conclusion and _conclusion_to_json(judgement.conclusion),
        "racing_lines": result.proof and {
            "is_proven": result.proof.is_proven,
            "is_vacuous": result.proof.is_vacuous,
            "old": [_site_to_json(runs) for runs in result.proof.old],
            "new": [_site_to_json(runs) for runs in result.proof.new],
        },
        "configuration": configuration and configuration.name,
        "command": configuration and command_for(context.plan, configuration),
        "tests_from": context.plan.tests and context.plan.tests.commit,
        "toolchain": context.toolchain,
        **place_to_json(context.place),
        "seconds": round(comparison.elapsed, 3) if comparison else 0.0,
        "is_interrupted": bool(comparison and comparison.was_interrupted),
        "notes": list(context.notes),
    }  # fmt: skip


def _side_to_json(comparison: Comparison | None, version: Version) -> JsonDict:
    if comparison is None:
        return {"runs": 0, "sightings": 0}
    counts = comparison.counts[version]
    return {
        "runs": counts.runs,
        "sightings": counts.sightings,
        "vacuous": counts.vacuous,
        "incomplete": counts.incomplete,
        "process_seconds": round(counts.seconds, 3),
        "hosts": [{"host": name, "runs": n, "sightings": k} for name, (n, k) in counts.hosts.items()],
        "renamed": [how for how in counts.renamings if how != IDENTITY],
        "other_races": [
            {"race": race, "title": title, "trials": number} for race, (title, number) in counts.other_races.items()
        ],
        "failures": [{"failure": text, "trials": number} for text, number in counts.failures.items()],
    }


def _conclusion_to_json(conclusion: Conclusion) -> JsonDict:
    forecast = conclusion.forecast
    return {
        "error": conclusion.error,
        "remaining_bound": conclusion.remaining_bound,
        "unchanged_probability": conclusion.unchanged_probability,
        "new_rate_bound": conclusion.new_rate_bound,
        "counted_sightings": conclusion.counted_sightings,
        "needed_sightings": forecast.sightings,
        "needed_runs": _finite(forecast.runs),
        "needed_seconds": _finite(forecast.seconds),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _site_to_json(runs: SiteRuns) -> JsonDict:
    return {
        "function": runs.site.function,
        "file": runs.site.path,
        "line": runs.site.text,
        "state": runs.state.value,
        "ran": runs.ran,
        "runs": runs.runs,
        "is_line": runs.is_line,
    }


def headline(result: FixVerification) -> str:
    """The verdict as a sentence."""
    judgement = result.judgement
    if judgement.verdict is FixVerdict.FIXED and judgement.conclusion:
        left = format_share(judgement.conclusion.remaining_bound or 1.0)
        confidence = format_confidence(result.context.confidence)
        return f"fixed: at most {left} of the old rate is left, with {confidence} confidence"
    return f"{judgement.verdict.value}: {judgement.reason}"


def format_confidence(confidence: float) -> str:
    """`0.99` as `99 %`, `0.999` as `99.9 %`: never rounded up."""
    return f"{math.floor(confidence * 1e5 + 1e-6) / 1e3:g} %"


def sentences(result: FixVerification) -> Iterator[str]:
    """What the verdict rests on."""
    conclusion, comparison = result.judgement.conclusion, result.comparison
    if conclusion is not None and comparison is not None:
        for version, what in ((Version.OLD, "old code"), (Version.NEW, "new code")):
            counts = comparison.counts[version]
            yield f"The {what} showed this race in {counts.sightings:,} of {format_times(counts.runs, 'run')}."
        yield from _evidence_sentences(result, conclusion)
    yield from _proof_sentences(result.proof)


def _evidence_sentences(result: FixVerification, conclusion: Conclusion) -> Iterator[str]:
    if conclusion.new.sightings or not conclusion.new.runs:
        return
    if conclusion.old.sightings:
        yield (
            "If nothing had changed, so many clean runs of the new code would have a probability of"
            f" {_small(conclusion.unchanged_probability)}."
        )
    share = format_confidence(result.context.confidence)
    if conclusion.remaining_bound is not None and conclusion.verdict is not FixVerdict.FIXED:
        yield f"At most {format_share(conclusion.remaining_bound)} of the old rate is left ({share} confidence)."
    yield f"The new code shows it in less than {format_share(conclusion.new_rate_bound)} of runs ({share} confidence)."
    if result.judgement.reason == Reason.NOT_ENOUGH.value:
        yield _forecast_sentence(result, conclusion)


def _forecast_sentence(result: FixVerification, conclusion: Conclusion) -> str:
    forecast = conclusion.forecast
    if not math.isfinite(forecast.runs):
        return "The old code did not show the race here, so how many more runs are needed is not known."
    minutes = forecast.seconds / max(1, result.context.place.jobs) / 60
    return f"To call it fixed, about {forecast.runs:,.0f} more runs are needed: {max(minutes, 0.1):.1f} minutes."


def _proof_sentences(proof: LineProof | None) -> Iterator[str]:
    if proof is None:
        yield "Whether the racing lines of the new code run was not examined: that works for Go tests only."
        return
    if not proof.new:
        yield "Whether the racing lines of the new code run is not known: they are not in the clone."
    for runs in dict.fromkeys(proof.new):
        yield _site_sentence(runs)


def _site_sentence(runs: SiteRuns) -> str:
    what = f"The racing line of {quote_code(runs.site.function)}"
    if runs.state is SiteState.GONE:
        return f"{quote_code(runs.site.function)}, where it raced, is not in the new code, or has no statement there."
    if runs.state is SiteState.UNKNOWN:
        return f"{what} could not be examined: the instrumented test does not build."
    if not runs.is_line:
        what = f"{quote_code(runs.site.function)}, whose racing line the new code does not have,"
    return f"{what} ran in {runs.ran} of {runs.runs} instrumented runs of the new code."


def _small(probability: float) -> str:
    return f"{probability:.2g}" if probability >= 1e-4 else f"{probability:.0e}"


def _detail_rows(result: FixVerification) -> Iterator[tuple[str, str]]:
    context, comparison = result.context, result.comparison
    yield "old", context.old
    yield "new", context.new
    if comparison is not None:
        yield "command", command_for(context.plan, comparison.configuration) or context.plan.command
        if comparison.configuration.name != "default":
            yield "configuration", f"{comparison.configuration.name}, which shows the race best"
    place = context.place
    yield "run", ", ".join(filter(None, (context.toolchain, place.isolation, place.description)))
    if comparison is not None:
        ending = ", interrupted" if comparison.was_interrupted else ""
        yield "time", f"{comparison.elapsed:.1f} s with {format_times(place.jobs, 'job')}{ending}"
        for version in Version:
            yield from _side_rows(comparison, version)
    for note in context.notes:
        yield "note", note


def _side_rows(comparison: Comparison, version: Version) -> Iterator[tuple[str, str]]:
    counts, code = comparison.counts[version], f"the {version.value} code"
    for host, (runs, sightings) in counts.hosts.items():
        yield f"{code} on {host}", f"seen in {sightings:,} of {format_times(runs, 'run')}"
    for how in counts.renamings:
        if how != IDENTITY:
            yield f"recognised in {code}", f"by its variable and its sites: {how}"
    for race, (title, number) in counts.other_races.items():
        yield f"another race in {code}", f"{race} in {format_times(number, 'run')}: {title}"
    for text, number in counts.failures.items():
        yield f"failure in {code}", f"{text} ({format_times(number, 'run')})"
    if counts.vacuous:
        yield f"no test in {code}", f"skipped or not run in {format_times(counts.vacuous, 'run')}"


def verification_lines(result: FixVerification) -> list[str]:
    """The result for people."""
    lines = [f"race {result.context.race}: {result.context.title}", "", headline(result), ""]
    lines += [sentence.replace("`", "") for sentence in sentences(result)]
    lines += ["", *(f"{label}: {text}" for label, text in _detail_rows(result))]
    return [visible_text(line) for line in lines]


def verification_markdown(result: FixVerification) -> str:
    """The statement for a pull request."""
    if result.judgement.verdict is FixVerdict.FIXED:
        title = f"### deadheat verify: {headline(result)}"
    else:
        title = f"### deadheat verify: {result.judgement.verdict.value}"
    lines = [title, "", f"Race {quote_code(result.context.race)}: {quote_code(result.context.title)}", ""]
    if result.judgement.verdict is not FixVerdict.FIXED:
        lines += [f"Why: {quote_code(result.judgement.reason)}", ""]
    if result.comparison is not None:
        lines += ["| code | runs | this race |", "| --- | --: | --: |"]
        for version, what in ((Version.OLD, result.context.old), (Version.NEW, result.context.new)):
            counts = result.comparison.counts[version]
            # a bar would end the cell, also in code
            lines.append(f"| {quote_code(what.replace('|', '¦'))} | {counts.runs:,} | {counts.sightings:,} |")
        lines.append("")
    lines += [f"- {sentence}" for sentence in sentences(result)]
    lines += ["", "<details><summary>How</summary>", ""]
    lines += [f"- {label}: {quote_code(text)}" for label, text in _detail_rows(result)]
    lines += ["", "</details>"]
    return "\n".join(visible_text(line) for line in lines) + "\n"
