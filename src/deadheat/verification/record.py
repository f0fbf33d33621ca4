"""What a lake keeps of a verification: one row with the numbers and the whole result, and a sentence about it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat._version import __version__
from deadheat.printable import format_json, visible_text
from deadheat.verification.bisection import Change
from deadheat.verification.campaign_report import CONFIDENCE, format_share, format_times
from deadheat.verification.commit_search import SearchVerdict
from deadheat.verification.rates import clopper_pearson_interval, upper_bound
from deadheat.verification.sequential import FixVerdict
from deadheat.verification.statement import format_confidence

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

JsonDict = dict[str, Any]
REPRODUCE, VERIFY, BISECT, PLACE = "reproduce", "verify", "bisect", "place"
FOUND = SearchVerdict.FOUND.value
REPRODUCED, NOT_REPRODUCED = "reproduced", "not reproduced"
# verdicts that say something about a fix
CONCLUSIVE = (FixVerdict.FIXED.value, FixVerdict.STILL_RACES.value, FixVerdict.ANOTHER_RACE.value)
_HASH_LENGTH = 12


class CodeVersions(NamedTuple):
    """Which code ran. Names nothing of this host."""

    repo: str  # the first commit of the main line, as in `dossiers`
    old_commit: str | None
    new_commit: str | None = None
    change: str | None = None  # "commit", "patch" or "work tree"
    patch: str | None = None  # the digest of the patch


def row_of_campaign(result: JsonDict, race: str, code: CodeVersions, at: datetime) -> JsonDict:
    """The row of a `reproduce`, from its JSON."""
    best = result["best"] or {}
    return {
        **_common_fields(result, race, REPRODUCE, code, at),
        "verdict": REPRODUCED if result["is_seen"] else NOT_REPRODUCED,
        "confidence": CONFIDENCE,
        **_old_side(result["runs"], result["sightings"]),
        "configuration": best.get("configuration"),
        "command": best.get("command") or result["command"],
    }


def row_of_fix(result: JsonDict, race: str, code: CodeVersions, at: datetime) -> JsonDict:
    """The row of a `verify`, from its JSON."""
    statistics, new = result["statistics"] or {}, result["new"]
    return {
        **_common_fields(result, race, VERIFY, code, at),
        "verdict": result["verdict"],
        "reason": result["reason"],
        "confidence": result["confidence"],
        "error": statistics.get("error"),
        "remaining_bound": statistics.get("remaining_bound"),
        **_old_side(result["old"]["runs"], result["old"]["sightings"]),
        "new_runs": new["runs"],
        "new_sightings": new["sightings"],
        "configuration": result["configuration"],
        "command": result["command"],
    }


def row_of_search(result: JsonDict, race: str, code: CodeVersions, at: datetime) -> JsonDict:
    """The row of a `bisect`, from its JSON."""
    answer = result["answer"]
    commits = [each["commit"] for each in answer["commits"]]
    is_one = result["verdict"] == FOUND and len(commits) == 1
    return {
        **_common_fields(result, race, BISECT, code._replace(new_commit=commits[0] if is_one else None), at),
        "verdict": result["change"] if result["verdict"] == FOUND else result["verdict"],
        "reason": result["reason"] or _describe_answer(commits),
        "confidence": answer["probability"],
        "configuration": result["configuration"],
        "command": result["command"],
    }


def _describe_answer(commits: Sequence[str]) -> str:
    names = [commit[:_HASH_LENGTH] for commit in commits]
    return names[0] if len(names) == 1 else f"one of {len(names)} commits, {names[0]} to {names[-1]}" if names else ""


def _common_fields(result: JsonDict, race: str, kind: str, code: CodeVersions, at: datetime) -> JsonDict:
    return {
        "race": race,
        "kind": kind,
        "at": at,
        **code._asdict(),
        "seconds": result["seconds"],
        "is_interrupted": result["is_interrupted"],
        "version": __version__,
        "result": format_json(result),
    }


def row_of_sighting(race: str, repo: str, fix: str, commit: str, at: datetime) -> JsonDict:
    """The row that `place` adds if a run of a commit that contains a verified fix showed the race."""
    return {
        "race": race,
        "kind": PLACE,
        "at": at,
        "repo": repo,
        "new_commit": fix,
        "change": "commit",
        "verdict": FixVerdict.STILL_RACES.value,
        "reason": f"a run of {commit[:_HASH_LENGTH]}, which contains it, showed the race",
        "version": __version__,
        "result": format_json({"schema": 1, "race": race, "fix": fix, "commit": commit}),
    }


def fix_to_check(rows: Sequence[JsonDict], repo: str) -> str | None:
    """The commit of the newest verdict, if that is *fixed* in this repository and nothing contradicts it yet."""
    main = main_record(rows)
    if main is None or main["verdict"] != FixVerdict.FIXED.value or main["repo"] != repo or failed_fix(rows, ()):
        return None
    return main["new_commit"] or None


def _old_side(runs: int, sightings: int) -> JsonDict:
    """The counts of the code that is known to race, and its rate with the interval."""
    counts: JsonDict = {"old_runs": runs, "old_sightings": sightings}
    if not runs:
        return counts
    low, high = clopper_pearson_interval(sightings, runs, CONFIDENCE)
    return {**counts, "rate": sightings / runs, "rate_low": low, "rate_high": high}


def describe_record(row: JsonDict) -> str:
    """A row in one sentence: `verified fixed by 96a90c08a61b: at most 9 % of the old rate is left (99 %)`."""
    if row["kind"] == REPRODUCE:
        sentence = _describe_campaign(row)
    elif row["kind"] == VERIFY:
        sentence = _describe_fix(row)
    elif row["kind"] == BISECT:
        sentence = _describe_search(row)
    elif row["kind"] == PLACE:
        sentence = f"fix did not hold: {_describe_change(row)}: {row['reason']}"
    else:
        confidence = "" if row["confidence"] is None else f" ({format_share(row['confidence'])})"
        sentence = f"{row['kind']}: {row['verdict']} {_describe_change(row)}{confidence}"
    return visible_text(sentence)


def _describe_campaign(row: JsonDict) -> str:
    runs, sightings = row["old_runs"] or 0, row["old_sightings"] or 0
    at = f" at {row['old_commit'][:_HASH_LENGTH]}" if row["old_commit"] else ""
    if not runs:
        return f"not reproduced{at}: no run tells anything"
    if not sightings:
        bound = format_share(upper_bound(0, runs, CONFIDENCE))
        return f"not reproduced{at} in {format_times(runs, 'run')}: shows in less than {bound} (95 %)"
    low, high = format_share(row["rate_low"]).removesuffix(" %"), format_share(row["rate_high"])
    return f"reproduced{at}: {sightings:,} of {format_times(runs, 'run')}, {low} to {high}"


def _describe_search(row: JsonDict) -> str:
    if row["verdict"] in (Change.INTRODUCED.value, Change.FIXED.value):
        return f"bisected: {row['verdict']} by {row['reason']} ({format_share(row['confidence'])})"
    reason = f", {row['reason']}" if row["reason"] else ""
    return f"bisected without an answer: {row['verdict']}{reason}"


def _describe_fix(row: JsonDict) -> str:
    change, verdict = _describe_change(row), row["verdict"]
    if verdict == FixVerdict.FIXED.value:
        left = format_share(1.0 if row["remaining_bound"] is None else row["remaining_bound"])
        confidence = format_confidence(row["confidence"])
        return f"verified fixed by {change}: at most {left} of the old rate is left ({confidence})"
    if verdict == FixVerdict.STILL_RACES.value:
        return (
            f"fix did not hold: {change} still shows it in {row['new_sightings']:,} of"
            f" {format_times(row['new_runs'], 'run')}"
        )
    if verdict == FixVerdict.ANOTHER_RACE.value:
        return f"another race instead with {change}"
    return f"not verified for {change}: {verdict}, {row['reason']}"


def _describe_change(row: JsonDict) -> str:
    if row["new_commit"]:
        return str(row["new_commit"][:_HASH_LENGTH])
    return f"patch {row['patch'][:_HASH_LENGTH]}" if row["patch"] else row["change"] or "unknown code"


def main_record(rows: Sequence[JsonDict]) -> JsonDict | None:
    """The row that says most, of rows that are sorted with the newest first: a verdict on a fix, else the newest."""
    verdicts = (row for row in rows if row["kind"] == VERIFY and row["verdict"] in CONCLUSIVE)
    return next(verdicts, rows[0] if rows else None)


def failed_fix(rows: Sequence[JsonDict], commits: Sequence[str]) -> tuple[str, str] | None:
    """The commit of the newest verdict on a fix, and why it is none: it still raced, or a run of it showed the race.

    `commits` are those of runs that showed the race. Whether another commit contains the fix only `place` knows.
    """
    main = main_record(rows)
    if main is None or main["kind"] != VERIFY or not (commit := main["new_commit"]):
        return None
    for row in rows:
        if row["new_commit"] == commit and row["verdict"] == FixVerdict.STILL_RACES.value:
            return commit, row["reason"] if row["kind"] == PLACE else "a verification still shows the race"
    if main["verdict"] == FixVerdict.FIXED.value and any(_is_same_commit(commit, each) for each in commits):
        return commit, "a run of this commit showed the race"
    return None


def _is_same_commit(full: str, given: str) -> bool:
    """Whether a commit of a run, which may be abbreviated, is this one."""
    return len(given) >= 7 and full.startswith(given.lower())


def record_to_json(row: JsonDict, *, has_result: bool) -> JsonDict:
    """The row as JSON, with its sentence; the result as an object."""
    fields = {**row, "at": row["at"].isoformat(), "sentence": describe_record(row)}
    return {**fields, "result": json.loads(row["result"])} if has_result else fields
