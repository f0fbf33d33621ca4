"""The result of `bisect` as data, text and Markdown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.printable import quote_code, shorten, visible_text
from deadheat.verification.bisection import Change
from deadheat.verification.campaign_report import format_share, format_times, place_to_json
from deadheat.verification.code_under_test import command_for
from deadheat.verification.commit_range import subject_of
from deadheat.verification.commit_search import SearchVerdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.repo.clone import Clone
    from deadheat.verification.bisection import Answer
    from deadheat.verification.code_under_test import RunPlan
    from deadheat.verification.commit_search import CommitSearch, SearchConclusion
    from deadheat.verification.trials import TrialPlace

JsonDict = dict[str, Any]
_MAX_PROBABLE, _MAX_SUBJECT, _MAX_REASON, _MAX_NAMED = 5, 72, 160, 20
_MIN_SHOWN_PROBABILITY = 0.005


class SearchContext(NamedTuple):
    """What was searched, and how."""

    clone: Clone
    plan: RunPlan
    racing_note: str  # why this commit shows the race
    toolchain: str
    place: TrialPlace
    notes: tuple[str, ...] = ()


class _ProbableCommit(NamedTuple):
    commit: str | None  # None: no commit of the range
    subject: str
    probability: float
    suspected: float  # with suspicions
    score: float | None  # of the dossier


def search_to_json(search: CommitSearch, context: SearchContext) -> JsonDict:
    commits, records, conclusion = search.commits, search.records, search.conclude()
    answer, total = conclusion.answer, search.total
    return {
        "schema": 1,
        "race": search.sought.id,
        "title": search.sought.title,
        "change": commits.change.value,
        "verdict": conclusion.verdict.value,
        "reason": conclusion.reason,
        "confidence": search.confidence,
        "answer": {
            "commits": [_commit_to_json(context, commit) for commit in _answer_commits(search, answer)],
            "may_be_outside": _may_be_outside(search, answer),
            "probability": answer.probability,
        },
        "range": {
            "first": commits.commits[0],
            "last": commits.commits[-1],
            "commits": len(commits.commits),
            "line": commits.line,
            "racing": commits.racing_commit,
            "racing_note": context.racing_note,
        },
        "most_probable": [each._asdict() for each in _most_probable(search, context)],
        "tried": _tried_to_json(search, context),
        "unusable": [
            {**_commit_to_json(context, commits.commits[number]), "reason": why}
            for number, why in search.unusable.items()
        ],
        "trials": total.trials,
        "trials_from_cache": records.known_trials,
        "builds": len(records.build_seconds),
        "seconds": round(search.elapsed, 3),
        "process_seconds": round(total.seconds, 3),
        "is_interrupted": search.was_interrupted,
        "command": command_for(context.plan, search.configuration),
        "tests_from": context.plan.tests and context.plan.tests.commit,
        "configuration": search.configuration.name,
        "seed": records.seed,
        "toolchain": context.toolchain,
        **place_to_json(context.place),
        "cache": str(records.path) if records.path else None,
        "other_races": [
            {"race": race, "title": title, "trials": number} for race, (title, number) in search.other_races.items()
        ],
        "notes": _notes(search, context),
    }


def _tried_to_json(search: CommitSearch, context: SearchContext) -> list[JsonDict]:
    return [
        {
            **_commit_to_json(context, commit),
            "runs": counts.runs,
            "sightings": counts.sightings,
            "vacuous": counts.vacuous,
            "incomplete": counts.incomplete,
            "renamed": search.renamings.get(commit, ""),
        }
        for commit in search.commits.commits
        if (counts := search.counts_at(commit)).trials
    ]


def _commit_to_json(context: SearchContext, commit: str) -> JsonDict:
    return {"commit": commit, "subject": subject_of(context.clone, commit)}


def _answer_commits(search: CommitSearch, answer: Answer) -> list[str]:
    """The commits of an answer, oldest first."""
    inside = (each for each in range(answer.first, answer.last + 1) if not search.commits.is_outside(each))
    return [search.commits.commits[each] for each in inside]


def _may_be_outside(search: CommitSearch, answer: Answer) -> bool:
    return any(search.commits.is_outside(each) for each in (answer.first, answer.last))


def _most_probable(search: CommitSearch, context: SearchContext) -> list[_ProbableCommit]:
    commits = search.commits
    impartial, suspected = search.commit_weights()
    # equal probabilities in the order of suspicion
    order = sorted(range(len(impartial)), key=lambda each: (-impartial[each], -suspected[each]))
    found: list[_ProbableCommit] = []
    for each in order[:_MAX_PROBABLE]:
        if impartial[each] < _MIN_SHOWN_PROBABILITY and found:
            break
        is_outside = commits.is_outside(each) or each == len(commits.commits)
        commit = None if is_outside else commits.commits[each]
        text = subject_of(context.clone, commit) if commit else _outside_text(search)
        found.append(_ProbableCommit(commit, text, impartial[each], suspected[each], commits.suspicions.get(each)))
    return found


def _outside_text(search: CommitSearch) -> str:
    first, last = search.commits.commits[0], search.commits.commits[-1]
    if search.commits.change is Change.FIXED:
        return f"none: {last[:12]} still has it"
    return f"none: {first[:12]} has it already"


def format_probability(probability: float) -> str:
    """`0.9734` as `97.3 %`; never rounded up."""
    return f"{math.floor(probability * 1e3 + 1e-9) / 10:g} %"


def running_estimate(search: CommitSearch) -> str:
    """What is known so far, for the line of progress."""
    answer, commits = search.answer, search.commits
    if commits.is_outside(answer.first) and answer.first == answer.last:
        best = "none of the range"
    else:
        inside = _answer_commits(search, answer)
        best = inside[0][:12] if len(inside) == 1 else f"{inside[0][:12]} to {inside[-1][:12]}"
    total = search.total
    builds = format_times(len(search.records.build_seconds), "build")
    return f"{best} {format_probability(answer.probability)}, {format_times(total.trials, 'trial')}, {builds}"


def headline(search: CommitSearch, context: SearchContext, conclusion: SearchConclusion) -> str:
    """The answer as a sentence."""
    commits, answer = search.commits, conclusion.answer
    verb, probability = commits.change.value, format_probability(answer.probability)
    if conclusion.verdict is SearchVerdict.OUTSIDE:
        return f"not {verb} in this range: {_outside_text(search).removeprefix('none: ')} ({probability})"
    if conclusion.verdict is SearchVerdict.NOT_ENOUGH:
        return f"not known which commit {verb} it: {conclusion.reason}"
    inside = _answer_commits(search, answer)
    if len(inside) == 1:
        return f"{verb} by {_name_commit(context, inside[0])} ({probability})"
    what = "only commits that cannot be tried separate them"
    return f"{verb} by one of {len(inside)} commits, {inside[0][:12]} to {inside[-1][:12]} ({probability}): {what}"


def _name_commit(context: SearchContext, commit: str) -> str:
    return f"{commit[:12]} {shorten(subject_of(context.clone, commit), _MAX_SUBJECT)}"


def _notes(search: CommitSearch, context: SearchContext) -> list[str]:
    notes = [*search.commits.notes, search.records.fault, *context.notes]
    if search.answer.first != search.answer.last and context.plan.go_test and not context.plan.tests:
        racing = search.commits.racing_commit[:12]
        notes.append(f"commits that lack the test can be tried with that of another one: --tests-from {racing}")
    return [note for note in dict.fromkeys(notes) if note]


def _tried_rows(search: CommitSearch, context: SearchContext) -> Iterator[tuple[str, str, str, str, str]]:
    """Commit, runs, sightings, what else is known, subject; oldest first."""
    for commit in search.commits.commits:
        counts = search.counts_at(commit)
        if not counts.trials:
            continue
        remarks = [f"{counts.vacuous} without the test"] if counts.vacuous else []
        remarks += [f"{counts.incomplete} not complete"] if counts.incomplete else []
        remarks += [search.renamings[commit]] if commit in search.renamings else []
        subject = shorten(subject_of(context.clone, commit), _MAX_SUBJECT)
        yield commit[:12], f"{counts.runs:,}", f"{counts.sightings:,}", "; ".join(remarks), subject


def _detail_rows(search: CommitSearch, context: SearchContext) -> Iterator[tuple[str, str]]:
    commits, records, total, place = search.commits, search.records, search.total, context.place
    first, last = commits.commits[0][:12], commits.commits[-1][:12]
    yield "range", f"{first} to {last}, {format_times(len(commits.commits), 'commit')}, {commits.line}"
    yield "shows the race", f"{commits.racing_commit[:12]}, {context.racing_note}"
    yield "command", command_for(context.plan, search.configuration) or context.plan.command
    if search.configuration.name != "default":
        yield "configuration", f"{search.configuration.name}, which shows the race best"
    yield "run", ", ".join(filter(None, (context.toolchain, place.isolation, place.description)))
    cached = f" ({records.known_trials:,} from the cache)" if records.known_trials else ""
    builds = format_times(len(records.build_seconds), "build")
    ending = ", interrupted" if search.was_interrupted else ""
    yield "trials", f"{total.trials:,}{cached}, {builds}"
    yield "time", f"{search.elapsed:.1f} s with {format_times(place.jobs, 'job')}{ending}"
    yield "seed", str(records.seed)
    for race, (title, number) in [*search.other_races.items()][:_MAX_NAMED]:
        yield "another race", f"{race} in {format_times(number, 'run')}: {title}"
    for note in _notes(search, context):
        yield "note", note


def search_lines(search: CommitSearch, context: SearchContext) -> list[str]:
    """The result for people."""
    conclusion = search.conclude()
    lines = [f"race {search.sought.id}: {search.sought.title}", "", headline(search, context, conclusion)]
    lines += ["", "most probable:"]
    for each in _most_probable(search, context):
        score = "" if each.score is None else f" (suspected, score {each.score:.2f})"
        name = f"{each.commit[:12]} " if each.commit else ""
        text = shorten(each.subject, _MAX_SUBJECT)
        lines.append(f"  {format_probability(each.probability):>7}  {name}{text}{score}")
    rows = [*_tried_rows(search, context)]
    if rows:
        lines += ["", "tried, oldest first:"]
        width = max(len(row[1]) for row in rows)
        for commit, runs, sightings, remarks, subject in rows:
            more = f" ({remarks})" if remarks else ""
            lines.append(f"  {commit}  seen {sightings:>{width}} of {runs:>{width}}  {subject}{more}")
    if search.unusable:
        lines += ["", "cannot be tried:"]
        lines += [f"  {commit}  {reason}" for commit, reason in _unusable_rows(search)]
    lines += ["", *(f"{label}: {text}" for label, text in _detail_rows(search, context))]
    return [visible_text(line) for line in lines]


def _unusable_rows(search: CommitSearch) -> Iterator[tuple[str, str]]:
    found = search.unusable
    for number, reason in [*found.items()][:_MAX_NAMED]:
        yield search.commits.commits[number][:12], shorten(reason, _MAX_REASON)
    if len(found) > _MAX_NAMED:
        yield "…", f"{len(found) - _MAX_NAMED:,} more"


def search_markdown(search: CommitSearch, context: SearchContext) -> str:
    """The result to paste into an issue."""
    conclusion = search.conclude()
    lines = [f"### Bisection of race {quote_code(search.sought.id)}", "", quote_code(search.sought.title), ""]
    lines += [f"Result: {quote_code(headline(search, context, conclusion))}", ""]
    lines += ["| probability | commit | subject |", "| --: | --- | --- |"]
    for each in _most_probable(search, context):
        commit = quote_code(each.commit[:12]) if each.commit else ""
        lines.append(f"| {format_share(each.probability)} | {commit} | {_cell(shorten(each.subject, _MAX_SUBJECT))} |")
    lines += ["", "| commit tried | runs | this race | subject |", "| --- | --: | --: | --- |"]
    for name, runs, sightings, remarks, subject in _tried_rows(search, context):
        lines.append(
            f"| {quote_code(name)} | {runs} | {sightings} | {_cell(f'{subject} ({remarks})' if remarks else subject)} |"
        )
    lines.append("")
    if search.unusable:
        lines += ["| commit that cannot be tried | reason |", "| --- | --- |"]
        lines += [f"| {quote_code(name)} | {_cell(reason)} |" for name, reason in _unusable_rows(search)]
        lines.append("")
    lines += [f"- {label}: {quote_code(text)}" for label, text in _detail_rows(search, context)]
    return "\n".join(visible_text(line) for line in lines) + "\n"


def _cell(text: str) -> str:
    """Text in a cell of a table; a bar would end the cell, also in code."""
    return quote_code(text.replace("|", "¦")) if text else ""
