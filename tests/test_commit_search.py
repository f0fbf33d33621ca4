"""The search for a commit with simulated trials: wrong suspicions, commits that cannot be tried, and going on later."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pytest

from deadheat.errors import DeadheatError
from deadheat.verification.bisection import Change
from deadheat.verification.commit_range import CommitRange
from deadheat.verification.commit_search import CommitCode, CommitSearch, SearchVerdict
from deadheat.verification.go_tests import BuildError
from deadheat.verification.search_records import SearchRecords, TrialCounts
from deadheat.verification.sought_race import IDENTITY, RecognisedRaces, RenamedSearch
from deadheat.verification.trials import Configuration, TrialObservation, TrialRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deadheat.verification.sought_race import SoughtRace
    from deadheat.verification.trials import TrialCode, TrialExecutor

DEFAULT = Configuration("default")


def commit_id(number: int) -> str:
    return f"{number:040x}"


@dataclass
class SimulatedHistory:
    """Commits of which `answer` is the first after the change, run at once by a simulated executor."""

    change: Change
    commits: int
    answer: int
    rate: float
    random: Random
    broken: frozenset[int] = frozenset()
    skipped: frozenset[int] = frozenset()
    offline: frozenset[int] = frozenset()
    jobs: int = 2
    limit: int | None = None  # of trials, then the user interrupts
    trials: int = 0
    most_at_once: int = 0
    is_killed: bool = False
    opened: list[int] = field(default_factory=list)
    _running: list[TrialRequest] = field(default_factory=list)

    # the commits
    def open(self, commit: str) -> CommitCode:
        number = int(commit, 16)
        self.opened.append(number)
        assert not self._running
        if number in self.broken:
            raise BuildError("syntax error", "cart", "")
        if number in self.offline:
            raise DeadheatError("a dependency is missing", "cart", "")
        return CommitCode(cast("TrialCode", None), 2.0, lambda: cast("RenamedSearch", None))

    # the executor
    def has_room(self, configuration: Configuration) -> bool:
        return len(self._running) < self.jobs * configuration.processes_per_core

    def start(self, request: TrialRequest) -> None:
        self._running.append(request)
        self.most_at_once = max(self.most_at_once, len(self._running))

    def __len__(self) -> int:
        return len(self._running)

    def wait(self, seconds: float) -> Iterator[tuple[TrialRequest, TrialObservation]]:
        if self.limit is not None and self.trials >= self.limit:
            raise KeyboardInterrupt
        self.trials += 1
        request = self._running.pop(0)
        number = int(str(request.key), 16)
        shows = number >= self.answer if self.change is Change.INTRODUCED else number < self.answer
        is_skipped = number in self.skipped
        is_seen = shows and not is_skipped and self.random.random() < self.rate
        sightings: list[Any] = [None] if is_seen else []
        yield request, TrialObservation(sightings, "", is_skipped, True, 0.1)

    # the race
    def recognise(self, sightings: list[Any], renamed: RenamedSearch | None = None) -> RecognisedRaces:
        return RecognisedRaces(bool(sightings), IDENTITY if sightings else "", {}, None)

    def range_with(self, suspicions: dict[int, float], share_outside: float = 0.2) -> CommitRange:
        """The range as it is made from the scores of a dossier."""
        suspected = 0.8 * max(suspicions.values(), default=0.0)
        total = sum(score**2 for score in suspicions.values())
        prior = [(1 - suspected) / self.commits] * self.commits
        for number, score in suspicions.items():
            prior[number] += suspected * score**2 / total
        if self.change is Change.FIXED:
            prior = [*(weight * (1 - share_outside) for weight in prior), share_outside]
        commits = tuple(map(commit_id, range(self.commits)))
        return CommitRange(self.change, commits, "main", False, tuple(prior), suspicions)

    def search(
        self, commits: CommitRange, records: SearchRecords, confidence: float = 0.95, seconds: float = 600.0
    ) -> CommitSearch:
        search = CommitSearch(
            cast("SoughtRace", self), commits, self, DEFAULT, cast("TrialExecutor", self), records, seconds, confidence,
            lambda *_: None,
        )  # fmt: skip
        search.run()
        return search


def is_right(search: CommitSearch, answer: int) -> bool:
    found = search.conclude().answer
    return found.first <= answer <= found.last


def draw_history(random: Random, commits: int = 20) -> SimulatedHistory:
    change = random.choice([*Change])
    rate = math.exp(random.uniform(math.log(0.05), math.log(0.9)))
    broken = frozenset(number for number in range(1, commits - 1) if random.random() < 0.1)
    return SimulatedHistory(change, commits, random.randrange(1, commits), rate, random, broken)


def wrong_answers(simulations: int, confidence: float, distance: int) -> tuple[int, float]:
    """How many answers are wrong if a commit at this distance from the right one is suspected; builds on average."""
    random = Random(f"{distance}")
    wrong = builds = 0
    for _ in range(simulations):
        history = draw_history(random)
        # the side on which clean runs are mistaken: later than the origin, earlier than the fix
        sign = 1 if history.change is Change.INTRODUCED else -1
        suspect = min(max(history.answer + sign * distance, 1), history.commits - 1)
        search = history.search(history.range_with({suspect: 0.95}), SearchRecords(), confidence)
        assert search.conclude().verdict is SearchVerdict.FOUND
        wrong += not is_right(search, history.answer)
        builds += len(set(history.opened))
    return wrong, builds / simulations


# with the stated error, 5 %, more wrong answers have a probability below 0.01
@pytest.mark.long
@pytest.mark.parametrize(("simulations", "most_wrong"), [(80, 9), pytest.param(1_000, 67, marks=pytest.mark.soak)])
def test_wrong_suspicions_make_no_answer_wrong_more_often_than_stated(simulations: int, most_wrong: int) -> None:
    right_builds = wrong_answers(simulations, 0.95, 0)[1]
    for distance in (1, 2, 5):
        wrong, builds = wrong_answers(simulations, 0.95, distance)
        assert wrong <= most_wrong
        assert builds > right_builds


@pytest.mark.parametrize("change", [*Change])
def test_answer_may_be_that_no_commit_of_the_range_did_it(change: Change) -> None:
    commits = 12
    answer = commits if change is Change.FIXED else 0
    history = SimulatedHistory(change, commits, answer, 0.3, Random(3))
    search = history.search(history.range_with({5: 0.9}), SearchRecords())
    assert search.conclude().verdict is SearchVerdict.OUTSIDE
    assert search.conclude().answer.probability >= 0.95


def test_commits_that_cannot_be_tried_are_skipped_with_the_reason() -> None:
    history = SimulatedHistory(
        Change.FIXED, 20, 9, 0.8, Random(4), frozenset([8, 10]), skipped=frozenset([7, 12]), offline=frozenset([9])
    )
    search = history.search(history.range_with({10: 0.9}), SearchRecords())
    conclusion = search.conclude()
    assert conclusion.verdict is SearchVerdict.FOUND
    assert (conclusion.answer.first, conclusion.answer.last) == (7, 11)
    reasons = {"syntax error", "a dependency is missing", "the test is not in this commit, or it was skipped"}
    assert {search.unusable[number] for number in (7, 8, 9, 10)} == reasons


def test_change_behind_commits_that_cannot_be_tried_may_be_outside() -> None:
    history = SimulatedHistory(Change.INTRODUCED, 10, 3, 0.8, Random(5), frozenset(range(3)))
    conclusion = history.search(history.range_with({}), SearchRecords()).conclude()
    assert conclusion.verdict is SearchVerdict.NOT_ENOUGH
    assert "may also be none of the range" in conclusion.reason
    assert (conclusion.answer.first, conclusion.answer.last) == (0, 3)


def test_race_that_does_not_show_where_it_should_is_no_answer() -> None:
    history = SimulatedHistory(Change.FIXED, 10, 5, 0.0, Random(6), limit=400)
    search = history.search(history.range_with({}), SearchRecords())
    assert search.conclude().verdict is SearchVerdict.NOT_ENOUGH
    assert search.conclude().reason.endswith("which should show the race, did not in 400 runs")


def test_skipped_test_where_the_race_should_show_ends_the_search() -> None:
    history = SimulatedHistory(Change.INTRODUCED, 10, 5, 0.5, Random(6), skipped=frozenset([9]))
    search = history.search(history.range_with({}), SearchRecords())
    assert "the test is not in this commit" in search.conclude().reason
    assert set(history.opened) == {9}


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_all_cores_are_busy(jobs: int) -> None:
    history = SimulatedHistory(Change.INTRODUCED, 30, 11, 0.5, Random(7), jobs=jobs)
    search = history.search(history.range_with({}), SearchRecords())
    assert search.conclude().verdict is SearchVerdict.FOUND
    assert history.most_at_once == jobs


def test_interrupted_search_goes_on_where_it_was(tmp_path: Path) -> None:
    random = Random(8)
    for number in range(20):
        history = draw_history(random, 30)
        commits = history.range_with({number % 30: 0.7})
        path = tmp_path / f"{number}.jsonl"
        done = 0
        while True:
            history.limit = history.trials + random.randrange(1, 60)
            history._running.clear()
            with SearchRecords(path) as records:
                assert records.known_trials == done
                search = history.search(commits, records)
            done = search.total.trials
            assert done == history.trials
            if not search.was_interrupted:
                break
        assert search.conclude().verdict is SearchVerdict.FOUND
        assert is_right(search, history.answer)
        assert not any(history.opened.count(broken) > 1 for broken in history.broken)


def test_failure_that_only_this_computer_has_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with SearchRecords(path) as records:
        records.add_unusable(commit_id(1), "a dependency is missing", is_lasting=False)
        records.add_unusable(commit_id(2), "syntax error \x1b[31m\n", is_lasting=True)
    with SearchRecords(path) as records:
        assert records.unusable == {commit_id(2): "syntax error \x1b[31m\n"}


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    with SearchRecords(path) as records:
        records.choose_configuration("default", 17, commit_id(0))
        for _ in range(3):
            records.add_trial(commit_id(1), "default", TrialCounts(1, 1, 0, 0, 0.5))
    whole = path.read_bytes()
    last = whole.splitlines()[-1]
    for cut in range(1, len(last)):
        path.write_bytes(whole[:-cut])
        runs = 3 if cut == 1 else 2
        with SearchRecords(path) as records:
            assert records.counts(commit_id(1), "default").runs == runs
            records.add_trial(commit_id(1), "default", TrialCounts(1, 0, 0, 0, 0.5))
        with SearchRecords(path) as records:
            assert records.counts(commit_id(1), "default").runs == runs + 1
            assert records.configuration == "default"


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe", b"[]", b"null", b"{}", b"[" * 100_000, b'{"kind": "trials"}',
        b'{"kind": "trials", "commit": "../../x", "configuration": "default", "runs": 1}',
        b'{"kind": "trials", "commit": "%s", "configuration": "default", "runs": -1}' % commit_id(1).encode(),
        b'{"kind": "trials", "commit": "%s", "configuration": "default", "runs": 1, "sightings": 2}'
        % commit_id(1).encode(),
        b'{"kind": "trials", "commit": "%s", "configuration": "default", "runs": true}' % commit_id(1).encode(),
        b'{"kind": "trials", "commit": "%s", "configuration": "default", "runs": 1e300}' % commit_id(1).encode(),
        b'{"kind": "trials", "commit": "%s", "configuration": "default", "runs": 1, "seconds": NaN}'
        % commit_id(1).encode(),
        b'{"kind": "unusable", "commit": 7, "reason": []}', b'{"kind": "build", "seconds": -1.5}',
    ],
)  # fmt: skip
def test_foreign_lines_are_skipped(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(line + b"\n")
    with SearchRecords(path) as records:
        assert (records.counts(commit_id(1), "default").trials, records.unusable, records.build_seconds) == (0, {}, [])
        assert records.known_trials == 0


def test_records_that_cannot_be_written_do_not_end_the_search(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    records = SearchRecords(tmp_path / "file" / "records.jsonl")
    assert "nothing is kept" in records.fault
    history = SimulatedHistory(Change.INTRODUCED, 10, 5, 0.5, Random(9))
    assert history.search(history.range_with({}), records).conclude().verdict is SearchVerdict.FOUND
