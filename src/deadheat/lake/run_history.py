"""The runs of a lake in their order, and which of them could have shown a race.

A document without a report is a row of `files` as well, so clean runs are known by repository, run and job. The lake
does not know which tests ran in them. A run counts for a race if it has all jobs that had any report in one of the
runs that showed the race: one of these jobs showed it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.lake.tables import Lake

    JsonDict = dict[str, Any]

# "123", "9876543210-2": numbers that CI systems count up
_NUMBERED_RUN = re.compile(r"\d{1,19}(?:[-./_]\d{1,19})?")
_COLUMNS = ("repo", "run", "job", "sightings", "duplicate_of", "modified_at")


class RunSequence(NamedTuple):
    """The runs that could have shown a race, counted from 0, and those that did."""

    sighted: list[int]
    runs: int
    repo: str | None
    jobs: tuple[str, ...]  # those that had a report in the runs that showed the race
    positions: Sequence[int]  # of all runs that could have shown it, among those of the repository
    first: int  # the position in `positions` of run 0
    names: Sequence[tuple[str, int]]  # of all runs of the repository, with times

    def run_at(self, index: int) -> tuple[str, datetime] | None:
        """Name and time of a run; None if there is none yet."""
        if index >= self.runs:
            return None
        name, time = self.names[self.positions[self.first + index]]
        return name, datetime.fromtimestamp(time / 1e6, UTC)


class LakeRun:
    """One run of a repository: the time of its latest document, its jobs, and those with a report."""

    __slots__ = ("jobs", "reporting", "time")

    def __init__(self, time: int) -> None:
        self.time = time
        self.jobs: set[str] = set()
        self.reporting: set[str] = set()


class RepositoryRuns:
    """The runs of one repository in their order."""

    def __init__(self, runs: dict[str, LakeRun]) -> None:
        ordered = sorted(runs, key=_run_order(runs))
        self.names = [(name, runs[name].time) for name in ordered]
        self.position = {name: position for position, name in enumerate(ordered)}
        # few sets are distinct, so each is compared once
        self.job_sets: dict[frozenset[str], int] = {}
        self._set_of_run = [
            self.job_sets.setdefault(frozenset(runs[name].jobs), len(self.job_sets)) for name in ordered
        ]
        self._reporting = [frozenset(runs[name].reporting or runs[name].jobs) for name in ordered]
        self._having: dict[frozenset[str], frozenset[int]] = {}
        self._positions: dict[frozenset[int], list[int]] = {}

    def positions_for(self, sighted: Sequence[int]) -> tuple[list[int], frozenset[str]]:
        """The runs that could have shown a race that these runs showed, and the jobs that may have shown it."""
        needed = {self._reporting[position] for position in sighted}
        sets = frozenset().union(*map(self._sets_having, needed))
        if sets not in self._positions:
            self._positions[sets] = [position for position, number in enumerate(self._set_of_run) if number in sets]
        return self._positions[sets], frozenset().union(*needed)

    def _sets_having(self, jobs: frozenset[str]) -> frozenset[int]:
        """The sets of jobs that contain these."""
        if jobs not in self._having:
            self._having[jobs] = frozenset(number for each, number in self.job_sets.items() if jobs <= each)
        return self._having[jobs]


class RunHistory:
    """The runs of all repositories of a lake."""

    def __init__(self, lake: Lake) -> None:
        by_repo: dict[str | None, dict[str, LakeRun]] = {}
        for repo, name, job, sightings, time in _job_rows(lake):
            runs = by_repo.setdefault(repo, {})
            run = runs.get(name)
            if run is None:
                run = runs[name] = LakeRun(time)
            run.time = max(run.time, time)
            run.jobs.add(job or "")
            if sightings:
                run.reporting.add(job or "")
        self._repositories = {repo: RepositoryRuns(runs) for repo, runs in by_repo.items()}

    def sequence_of(self, race: JsonDict) -> RunSequence | None:
        """The runs of the repository that showed a race most often, from the first of its latest runs on.

        None if the runs are not known, or if several repositories of the race have runs of equal names.
        """
        found: dict[str | None, list[int]] = {}
        for repo in race["repos"] or [None]:
            if repository := self._repositories.get(repo):
                position = repository.position
                if positions := [position[name] for name in race["runs"] if name in position]:
                    found[repo] = sorted(positions)
        if not found or sum(map(len, found.values())) > len(race["runs"]):
            return None
        repo, sighted = max(found.items(), key=lambda item: (len(item[1]), item[1][-1]))
        repository = self._repositories[repo]
        possible, jobs = repository.positions_for(sighted)
        first = bisect_left(possible, sighted[0])
        indexes = [bisect_left(possible, position) - first for position in sighted]
        names = tuple(sorted(filter(None, jobs)))
        return RunSequence(indexes, len(possible) - first, repo, names, possible, first, repository.names)


def _job_rows(lake: Lake) -> Iterable[tuple[Any, ...]]:
    """Repository, run, job, sightings and time in microseconds, for each job of a run."""
    files = lake.read_rows("files", _COLUMNS)
    files = files.filter(pc.is_valid(files["run"]))
    # the sightings of a duplicate are those of another document
    own = pc.if_else(pc.is_null(files["duplicate_of"]), files["sightings"], 0)
    files = files.set_column(files.schema.get_field_index("sightings"), "sightings", own)
    grouped = files.group_by(["repo", "run", "job"]).aggregate([("sightings", "max"), ("modified_at", "max")])
    times = grouped["modified_at_max"].cast(pa.int64())
    others = (grouped[name].to_pylist() for name in ("repo", "run", "job", "sightings_max"))
    return zip(*others, times.to_pylist(), strict=True)


def _run_order(runs: dict[str, LakeRun]) -> Any:
    """The order of runs: by their numbers if all have one, else by time. Times of copied files say little."""
    if all(map(_NUMBERED_RUN.fullmatch, runs)):
        return lambda name: tuple(map(int, re.split(r"[-./_]", name)))
    return lambda name: (runs[name].time, name)
