"""`bisect`: builds and runs commits of a range until it is known which one introduced or fixed a race.

`bisection.py` decides which commit runs next, at first by the suspicions of the dossier. The answer is only stated when
it is as probable without them, so that wrong suspicions cost time but make no answer wrong.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat.errors import DeadheatError
from deadheat.repo.clone import Clone
from deadheat.verification.bisection import Answer, CommitTrials, Costs, best_answer, next_step, posterior
from deadheat.verification.go_tests import BuildError
from deadheat.verification.processes import remove_folder
from deadheat.verification.search_records import TrialCounts
from deadheat.verification.sequential import TrialOutcome
from deadheat.verification.sought_race import IDENTITY, RenamedSearch
from deadheat.verification.trials import TrialRequest, judge_observation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from deadheat.repo.dossier import Dossier
    from deadheat.verification.bisection import Step
    from deadheat.verification.code_under_test import CodeBuilder
    from deadheat.verification.commit_range import CommitRange
    from deadheat.verification.search_records import SearchRecords
    from deadheat.verification.sought_race import SoughtRace
    from deadheat.verification.trials import Configuration, TrialCode, TrialExecutor, TrialObservation, TrialResult

_TREE = "commit"  # one folder for all: Go's build cache knows packages by their folder
_UNKNOWN_BUILD_SECONDS = 10.0
_SECONDS_BETWEEN_LOOKS = 1.0
# trials that tell nothing, until a commit is skipped
_VACUOUS_TO_SKIP, _INCOMPLETE_TO_SKIP, _USELESS_PER_RUN = 3, 4, 4


class CommitCode(NamedTuple):
    """A commit that is checked out and built."""

    code: TrialCode
    build_seconds: float  # 0: it was built before
    renamed: Callable[[], RenamedSearch]  # finds the race after a renaming; slow to make


class CommitSource(Protocol):
    """Where the code of commits comes from. Only the commit that was opened last can run."""

    def open(self, commit: str) -> CommitCode:
        """Check out and build a commit; `BuildError` if its code cannot be built."""


class SwitchedTree:
    """Commits in one work tree, which is switched from one to the next."""

    def __init__(self, builder: CodeBuilder, clone: Clone, dossier: Dossier) -> None:
        self._builder, self._clone, self._dossier = builder, clone, dossier
        self._commit = ""
        self._code: TrialCode | None = None
        self._renamed: RenamedSearch | None = None
        self._changed_clone: Clone | None = None  # of a commit with the tests of another one

    def check_out(self, commit: str) -> Path:
        """The folder with the files of a commit."""
        if commit != self._commit:
            self._commit, self._code, self._renamed = "", None, None
            self._builder.trees.switch(commit, _TREE)
            self._commit = commit
        return self._builder.trees.folder / _TREE

    def open(self, commit: str) -> CommitCode:
        started = time.monotonic()
        tree = self.check_out(commit)
        is_built = self._code is not None
        self._code = code = self._code or self._builder.build(_TREE, tree, f"commit {commit[:12]}")
        return CommitCode(code, 0.0 if is_built else time.monotonic() - started, self._search_renamed)

    def _search_renamed(self) -> RenamedSearch:
        if self._renamed is None:
            clone, commit, trees = self._clone, self._commit, self._builder.trees
            if self._builder.plan.tests is not None:
                self.close()
                remove_folder(trees.folder / f"{_TREE}.git")
                self._changed_clone = clone = Clone(str(trees.as_repository(_TREE)))
                commit = clone.resolve_revision("HEAD") or ""
            self._renamed = RenamedSearch(self._dossier, clone, commit, trees.folder / _TREE)
        return self._renamed

    def close(self) -> None:
        if self._changed_clone is not None:
            self._changed_clone.close()
            self._changed_clone = None

    def __enter__(self) -> SwitchedTree:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def plan_step(
    commits: CommitRange, observations: Sequence[CommitTrials], costs: Costs, unusable: Iterable[int], confidence: float
) -> Step | None:
    """What to run next; None if the answer has the confidence with and without suspicions, or no trial tells more."""
    broken = [*unusable]
    for suspects in (commits.suspects, commits.impartial_suspects):
        if step := next_step(suspects, observations, costs, broken, confidence):
            return step
    return None


def state_answer(commits: CommitRange, observations: Sequence[CommitTrials], unusable: Iterable[int]) -> Answer:
    """The answer, with the lower one of its probabilities with and without suspicions."""
    broken = [*unusable]
    found = [best_answer(suspects, observations, broken) for suspects in (commits.suspects, commits.impartial_suspects)]
    weights = [posterior(suspects, observations) for suspects in (commits.suspects, commits.impartial_suspects)]
    stated = [
        Answer(each.first, each.last, min(math.fsum(some[each.first : each.last + 1]) for some in weights))
        for each in found
    ]
    return max(stated, key=lambda each: each.probability)


class SearchVerdict(Enum):
    """How a bisection ended."""

    FOUND = "found"
    OUTSIDE = "no commit of the range"
    NOT_ENOUGH = "not enough"


class SearchConclusion(NamedTuple):
    """The answer, and why it is one or not."""

    verdict: SearchVerdict
    reason: str
    answer: Answer


@dataclass
class CommitSearch:
    """A search that runs."""

    sought: SoughtRace
    commits: CommitRange
    source: CommitSource
    configuration: Configuration
    executor: TrialExecutor
    records: SearchRecords
    seconds: float
    confidence: float
    on_change: Callable[[CommitSearch, str], None]  # what it does now
    elapsed: float = 0.0
    was_interrupted: bool = False
    renamings: dict[str, str] = field(default_factory=dict)  # what was renamed, by commit
    other_races: dict[str, tuple[str, int]] = field(default_factory=dict)  # title and trials, by id

    def __post_init__(self) -> None:
        self._index = {commit: number for number, commit in enumerate(self.commits.commits)}
        self.answer = self._state()

    def run(self) -> None:
        """Run until the answer has the confidence, or the time is over. An interruption ends it early."""
        started = time.monotonic()
        try:
            while not self._is_hopeless() and (step := self._plan()) and self.elapsed < self.seconds:
                self._run_step(step, started)
                self.elapsed = time.monotonic() - started
                self.answer = self._state()
        except KeyboardInterrupt:
            self.was_interrupted = True
        finally:
            self.records.write_trials()
        self.elapsed = time.monotonic() - started
        self.answer = self._state()

    def counts_at(self, commit: str) -> TrialCounts:
        return self.records.counts(commit, self.configuration.name)

    @property
    def total(self) -> TrialCounts:
        """All trials of the range, also those that were read from the file."""
        total = TrialCounts()
        for commit in self.commits.commits:
            total.add(self.counts_at(commit))
        return total

    @property
    def unusable(self) -> dict[int, str]:
        """The commits that cannot be tried, with the reasons."""
        found = {self._index[commit]: why for commit, why in self.records.unusable.items() if commit in self._index}
        return dict(sorted(found.items()))

    def conclude(self) -> SearchConclusion:
        """The answer if it has the confidence, else why not."""
        commits, answer = self.commits, self.answer
        has_sightings = any(each.sightings for each in self.observations())
        outside = [commits.is_outside(each) for each in range(answer.first, answer.last + 1)]
        if answer.probability >= self.confidence and has_sightings:
            if all(outside):
                return SearchConclusion(SearchVerdict.OUTSIDE, "", answer)
            if not any(outside):
                return SearchConclusion(SearchVerdict.FOUND, "", answer)
            reason = "commits at the end of the range cannot be tried, so it may also be none of the range"
        elif commits.racing_commit in self.records.unusable:
            why = self.records.unusable[commits.racing_commit]
            reason = f"{commits.racing_commit[:12]}, which should show the race, cannot be tried: {why}"
        elif not has_sightings:
            runs = self.counts_at(commits.racing_commit).runs
            reason = f"{commits.racing_commit[:12]}, which should show the race, did not in {runs:,} runs"
        elif self.was_interrupted:
            reason = "it was interrupted"
        elif self.elapsed >= self.seconds:
            reason = "the time is over"
        else:
            reason = "no commit that can be tried tells more"
        return SearchConclusion(SearchVerdict.NOT_ENOUGH, reason, answer)

    def observations(self) -> list[CommitTrials]:
        counts = ((number, self.counts_at(commit)) for commit, number in self._index.items())
        return [CommitTrials(number, each.runs, each.sightings) for number, each in counts if each.runs]

    def _state(self) -> Answer:
        return state_answer(self.commits, self.observations(), self.unusable)

    def _is_hopeless(self) -> bool:
        return self.commits.racing_commit in self.records.unusable

    def _plan(self) -> Step | None:
        total, builds = self.total, self.records.build_seconds
        costs = Costs(
            sum(builds) / len(builds) if builds else _UNKNOWN_BUILD_SECONDS,
            max(1e-3, total.seconds / max(1, total.trials)) / self._slots if total.trials else 1.0,
        )
        return plan_step(self.commits, self.observations(), costs, self.unusable, self.confidence)

    @property
    def _slots(self) -> int:
        """How many trials run at once."""
        return int(getattr(self.executor, "jobs", 1)) * self.configuration.processes_per_core

    def _run_step(self, step: Step, started: float) -> None:
        """Run trials of one commit until the race shows; all that began are waited for, as they count."""
        commit = self.commits.commits[step.commit]
        version = self._open(commit)
        if version is None:
            return
        counts = self.counts_at(commit)
        sightings, looked_at = counts.sightings, time.monotonic()
        rest = math.ceil(step.trials / self._slots) * self._slots
        while (left := started + self.seconds - time.monotonic()) > 0:
            if counts.sightings > sightings or commit in self.records.unusable:
                rest = 0
            while rest and self.executor.has_room(self.configuration):
                self.executor.start(TrialRequest(commit, version.code, self.configuration))
                rest -= 1
            if not len(self.executor):
                return
            for request, observation in self.executor.wait(min(left, _SECONDS_BETWEEN_LOOKS)):
                self._record(request, observation, version)
            self.elapsed = time.monotonic() - started
            if time.monotonic() - looked_at > _SECONDS_BETWEEN_LOOKS:
                # a long batch need not end if the answer is known before
                looked_at, self.answer = time.monotonic(), self._state()
                rest = rest if self.conclude().verdict is SearchVerdict.NOT_ENOUGH else 0

    def _open(self, commit: str) -> CommitCode | None:
        self.on_change(self, f"building {commit[:12]}")
        try:
            version = self.source.open(commit)
        except DeadheatError as error:
            if commit == self.commits.racing_commit:
                raise
            self.records.add_unusable(commit, error.what, is_lasting=isinstance(error, BuildError))
            return None
        if version.build_seconds:
            self.records.add_build(commit, version.build_seconds)
        self.on_change(self, f"running {commit[:12]}")
        return version

    def _record(self, request: TrialRequest, observation: TrialObservation, version: CommitCode) -> None:
        commit = str(request.key)
        result = judge_observation(observation, self.sought)
        if not result.races.is_this and result.races.others:
            # only a race that is not recognised may be renamed
            result = judge_observation(observation, self.sought, version.renamed())
        if result.races.is_this and result.races.how != IDENTITY:
            self.renamings[commit] = result.races.how
        for race, title in result.races.others.items():
            self.other_races[race] = (title, self.other_races.get(race, ("", 0))[1] + 1)
        self.records.add_trial(commit, self.configuration.name, _count_trial(result))
        if reason := _reason_to_skip(self.counts_at(commit), result.failure):
            self.records.add_unusable(commit, reason, is_lasting=True)
        self.on_change(self, f"running {commit[:12]}")

    def commit_weights(self) -> tuple[list[float], list[float]]:
        """The probability of each answer, without and with suspicions."""
        observations = self.observations()
        return posterior(self.commits.impartial_suspects, observations), posterior(self.commits.suspects, observations)


def _count_trial(result: TrialResult) -> TrialCounts:
    is_vacuous = result.outcome is TrialOutcome.VACUOUS
    is_sighting = result.outcome is TrialOutcome.THIS_RACE
    is_incomplete = not (result.is_run or is_vacuous)
    return TrialCounts(int(result.is_run), int(is_sighting), int(is_vacuous), int(is_incomplete), result.seconds)


def _reason_to_skip(counts: TrialCounts, failure: str) -> str:
    """Why a commit tells nothing; empty if it does."""
    useless = counts.vacuous + counts.incomplete
    if counts.sightings or useless <= _USELESS_PER_RUN * counts.runs:
        return ""
    if counts.vacuous >= _VACUOUS_TO_SKIP:
        return "the test is not in this commit, or it was skipped"
    return f"its trials end early: {failure}" if counts.incomplete >= _INCOMPLETE_TO_SKIP and failure else ""
