"""What the runs of a lake say about its races: the rate per run; quiet, back, or a fix that did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat.printable import visible_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deadheat.lake.run_history import RunSequence
    from deadheat.lake.tables import Lake
    from deadheat.verification.silence import Silence

    JsonDict = dict[str, Any]

FIX_DID_NOT_HOLD = "fix did not hold"
_MAX_JOBS = 20


def add_standings(lake: Lake, races: Sequence[JsonDict], verified: Mapping[str, Sequence[JsonDict]]) -> None:
    """Add `standing` to races of a lake, with the verifications of each race by its id.

    Many races are judged at once, so the probability of a silence that is no chance is divided by their number.
    """
    from deadheat.lake.run_history import RunHistory
    from deadheat.verification.silence import QUIET_BELOW, judge_silence

    if not races:
        return
    history = RunHistory(lake)
    quiet_below = QUIET_BELOW / max(1, lake.row_count("races"))
    commits = _commits_of(lake, verified)
    for race in races:
        sequence = history.sequence_of(race)
        standing = None
        if sequence is not None:
            silence = judge_silence(sequence.sighted, sequence.runs, quiet_below=quiet_below)
            standing = _standing_to_json(silence, sequence, quiet_below)
        race["standing"] = _with_failed_fix(standing, verified.get(race["race"], ()), commits.get(race["race"], ()))


def _commits_of(lake: Lake, verified: Mapping[str, Sequence[JsonDict]]) -> dict[str, list[str]]:
    """The commits of the latest runs that showed these races."""
    from deadheat.lake.data_files import is_in

    if not verified:
        return {}
    rows = lake.read_rows("races", ["race", "latest_commits"], is_in("race", verified)).to_pylist()
    return {row["race"]: [commit["name"] for commit in row["latest_commits"] or ()] for row in rows}


def _standing_to_json(silence: Silence, sequence: RunSequence, quiet_below: float) -> JsonDict:
    run, at = sequence.run_at(silence.since) or (None, None)
    return {
        "state": silence.standing.value,
        "since_run": run,
        "since": at and at.isoformat(),
        "rate": silence.rate,
        "probability": silence.probability,
        "quiet_below": quiet_below,
        "sighted_runs": len(sequence.sighted),
        "clean_runs": silence.clean_runs,
        "runs": sequence.runs,
        "repo": sequence.repo,
        "jobs": list(sequence.jobs[:_MAX_JOBS]),
        "fix": None,
        "sentence": _describe_silence(silence, sequence),
    }


def _with_failed_fix(standing: JsonDict | None, rows: Sequence[JsonDict], commits: Sequence[str]) -> JsonDict | None:
    from deadheat.verification.record import failed_fix

    failed = failed_fix(rows, commits)
    if failed is None:
        return standing
    commit, why = failed
    sentence = visible_text(f"fix {commit[:12]} did not hold: {why}")
    fields = {"state": FIX_DID_NOT_HOLD, "fix": {"commit": commit, "why": why}}
    if standing is None:
        return {**dict.fromkeys(_EMPTY_FIELDS), **fields, "sentence": sentence}
    return {**standing, **fields, "sentence": f"{sentence}; {standing['sentence']}"}


_EMPTY_FIELDS = (
    "since_run", "since", "rate", "probability", "quiet_below", "sighted_runs", "clean_runs", "runs", "repo", "jobs",
)  # fmt: skip


def _describe_silence(silence: Silence, sequence: RunSequence) -> str:
    """`quiet since run 131: 40 clean runs, p = 2e-05 at its rate of 31 %`."""
    from deadheat.verification.campaign_report import format_share, format_times
    from deadheat.verification.silence import Standing

    clean = format_times(silence.clean_runs, "clean run")
    run, _ = sequence.run_at(silence.since) or ("", None)
    rate = "" if silence.rate is None else f" at its rate of {format_share(silence.rate)} of runs"
    if silence.standing is Standing.QUIET:
        sentence = f"quiet since run {run}: {clean}, p = {silence.probability:.1g}{rate}"
    elif silence.standing is Standing.BACK:
        sentence = f"back since run {run}, after a silence that is no chance{rate}; {clean} since it was seen"
    else:
        runs = format_times(sequence.runs, "run")
        shown = f"seen in {len(sequence.sighted):,} of {runs} since run {run}"
        enough = f"; {clean} since, p = {silence.probability:.2g}" if silence.clean_runs and rate else ""
        sentence = f"{shown}{enough}"
    return visible_text(sentence)
