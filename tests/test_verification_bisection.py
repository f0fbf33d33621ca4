"""The noisy search for a commit: exact posteriors, calibration on simulated histories, and its number of runs."""

from __future__ import annotations

import math
from functools import cache
from random import Random
from typing import NamedTuple

import pytest
import scipy  # loads its packages when they are used: it takes seconds
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat.verification.bisection import (
    Answer,
    Change,
    CommitTrials,
    Costs,
    Step,
    Suspects,
    best_answer,
    next_step,
    posterior,
)
from deadheat.verification.rates import Beta, clean_runs_at_rate

pytestmark = pytest.mark.long
COMMITS = 300
CHANGES = st.sampled_from(Change)


class History(NamedTuple):
    """A simulated history: a change at commit `answer`, builds that fail, and the rate where the race shows."""

    change: Change
    answer: int
    rate: float
    broken: frozenset[int]

    @property
    def racing(self) -> int:
        """A commit that is known to show the race."""
        return COMMITS - 1 if self.change is Change.INTRODUCED else 0

    def run(self, random: Random, commit: int) -> bool:
        shows = commit >= self.answer if self.change is Change.INTRODUCED else commit < self.answer
        return shows and random.random() < self.rate


class Found(NamedTuple):
    answer: Answer
    is_right: bool
    runs: int
    builds: int


def draw_history(random: Random, answer: int | None = None) -> History:
    change = random.choice([*Change])
    rate = math.exp(random.uniform(math.log(0.02), math.log(0.9)))
    broken = {commit for commit in range(COMMITS) if random.random() < 0.1}
    broken -= {0, COMMITS - 1}
    return History(change, answer or random.randrange(1, COMMITS), rate, frozenset(broken))


def search(random: Random, history: History, suspects: Suspects, costs: Costs, confidence: float) -> Found:
    observations: list[CommitTrials] = []
    failed: list[int] = []
    while step := next_step(suspects, observations, costs, failed, confidence):
        assert step.commit not in failed
        if step.commit in history.broken:
            failed.append(step.commit)
            continue
        trials = sightings = 0
        while trials < step.trials and not sightings:
            trials += 1
            sightings += history.run(random, step.commit)
        observations.append(CommitTrials(step.commit, trials, sightings))
    answer = best_answer(suspects, observations, failed)
    is_right = answer.first <= history.answer <= answer.last
    builds = len({one.commit for one in observations}) + len(failed)
    return Found(answer, is_right, sum(one.trials for one in observations), builds)


def search_by_point_estimate(random: Random, history: History, confidence: float) -> Found:
    """A bisection as others do it: the rate as estimated from three failures, then enough clean runs of each commit."""
    runs = failures = builds = 0
    while failures < 3:
        runs += 1
        failures += history.run(random, history.racing)
    per_commit = 1 - (1 - confidence) / math.log2(COMMITS)
    enough = clean_runs_at_rate(failures / runs, per_commit)
    good, bad = (-1, COMMITS - 1) if history.change is Change.INTRODUCED else (COMMITS, 0)
    while (commit := middle_that_builds(good, bad, history.broken)) is not None:
        builds += 1
        for _ in range(enough):
            runs += 1
            if history.run(random, commit):
                bad = commit
                break
        else:
            good = commit
    answer = (
        Answer(good + 1, bad, confidence) if history.change is Change.INTRODUCED else Answer(bad + 1, good, confidence)
    )
    return Found(answer, answer.first <= history.answer <= answer.last, runs, builds)


def middle_that_builds(good: int, bad: int, broken: frozenset[int]) -> int | None:
    between = [commit for commit in range(min(good, bad) + 1, max(good, bad)) if commit not in broken]
    return min(between, key=lambda commit: abs(2 * commit - good - bad), default=None)


@cache
def simulated(confidence: float, simulations: int) -> list[Found]:
    random = Random(17)
    found = []
    for _ in range(simulations):
        history = draw_history(random)
        suspects = Suspects(history.change, COMMITS, racing=(history.racing,))
        found.append(search(random, history, suspects, Costs(build=0, trial=1), confidence))
    return found


@pytest.mark.parametrize("simulations", [40, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_the_posterior_of_the_answer_is_calibrated(confidence: float, simulations: int) -> None:
    found = simulated(confidence, simulations)
    stated = sum(one.answer.probability for one in found)
    right = sum(one.is_right for one in found)
    deviation = math.sqrt(sum(one.answer.probability * (1 - one.answer.probability) for one in found))
    assert min(one.answer.probability for one in found) >= confidence
    assert abs(right - stated) <= 3 * deviation + 0.5
    assert sum(one.answer.first == one.answer.last for one in found) > 0.75 * simulations


@pytest.mark.soak
def test_fewer_runs_than_with_a_point_estimate_and_more_often_right() -> None:
    random = Random(17)
    others = [search_by_point_estimate(random, draw_history(random), 0.9) for _ in range(600)]
    found = simulated(0.9, 200)
    assert sum(one.runs for one in found) / len(found) < sum(one.runs for one in others) / len(others)
    assert sum(one.is_right for one in found) / len(found) > sum(one.is_right for one in others) / len(others)


@pytest.mark.parametrize("simulations", [20, pytest.param(40, marks=pytest.mark.soak)])
def test_a_good_prior_saves_runs_and_a_wrong_one_does_not_mislead(simulations: int) -> None:
    random = Random(18)
    results = {}
    for name, shift in (("good", 0), ("wrong", 120)):
        found = []
        for _ in range(simulations):
            history = draw_history(random)
            prior = [0.0] * COMMITS
            prior[(history.answer + shift) % COMMITS] = 3.0
            prior[(history.answer + 50 + shift) % COMMITS] = 1.0
            suspects = Suspects(history.change, COMMITS, prior, (history.racing,))
            found.append(search(random, history, suspects, Costs(build=10, trial=1), 0.95))
        results[name] = found
    builds = {name: sum(one.builds for one in found) / simulations for name, found in results.items()}
    right = {name: sum(one.is_right for one in found) for name, found in results.items()}
    assert builds["good"] < 0.6 * builds["wrong"]
    assert right["good"] >= 0.9 * simulations
    assert right["wrong"] >= 0.9 * simulations


def test_expensive_builds_are_avoided() -> None:
    builds = {}
    for cost in (0.0, 200.0):
        random = Random(19)
        histories = [draw_history(random) for _ in range(25)]
        builds[cost] = sum(
            search(random, one, Suspects(one.change, COMMITS, racing=(one.racing,)), Costs(cost, 1), 0.95).builds
            for one in histories
        )
    assert builds[200.0] < 0.75 * builds[0.0]


def test_failing_ranges_are_left_quickly() -> None:
    """Builds fail in ranges: the next attempt is not made beside a failed one."""
    history = History(Change.INTRODUCED, 60, 0.5, frozenset(range(100, 200)))
    suspects = Suspects(Change.INTRODUCED, COMMITS, racing=(COMMITS - 1,))
    found = search(Random(1), history, suspects, Costs(build=10, trial=1), 0.95)
    assert found.is_right
    assert found.builds < 30


def test_thousands_of_commits_are_fast() -> None:
    commits, answer, random = 5000, 1234, Random(20)
    suspects = Suspects(Change.INTRODUCED, commits, racing=(commits - 1,))
    observations = [CommitTrials(commits - 1, 30, 3)]
    while step := next_step(suspects, observations, Costs(10, 1), confidence=0.999):
        sightings = sum(step.commit >= answer and random.random() < 0.1 for _ in range(step.trials))
        observations.append(CommitTrials(step.commit, step.trials, sightings))
    found = best_answer(suspects, observations)
    assert (found.first, found.last) == (answer, answer)
    assert len(observations) < 60


@st.composite
def searches(draw: st.DrawFn) -> tuple[Suspects, list[CommitTrials]]:
    """Small searches with observations that are possible."""
    commits = draw(st.integers(1, 6))
    prior = draw(st.just([]) | st.lists(st.floats(0, 5) | st.floats(0, 1e308), min_size=commits, max_size=commits + 1))
    change, answer = draw(CHANGES), draw(st.integers(0, commits - 1))
    showing = range(answer, commits) if change is Change.INTRODUCED else range(answer)
    rate = Beta(draw(st.floats(0.1, 20)), draw(st.floats(0.1, 20)))
    observations = []
    for commit in draw(st.lists(st.integers(0, commits - 1), max_size=6)):
        trials = draw(st.integers(0, 12))
        observations.append(CommitTrials(commit, trials, draw(st.integers(0, trials)) if commit in showing else 0))
    racing = tuple(showing[-1:]) if change is Change.INTRODUCED else tuple(showing[:1])
    return Suspects(change, commits, prior, racing if draw(st.booleans()) else (), rate), observations


@settings(max_examples=60)
@given(searches())
def test_posterior_is_that_of_the_theorem_of_bayes_with_scipy(drawn: tuple[Suspects, list[CommitTrials]]) -> None:
    suspects, observations = drawn
    prior = suspects.prior_weights()
    prior = prior if suspects.change is Change.INTRODUCED else prior[::-1]
    joint = []
    for answer, weight in enumerate(prior):
        showing = range(answer, suspects.commits) if suspects.change is Change.INTRODUCED else range(answer)
        seen = {one.commit for one in observations if one.sightings} | {*suspects.racing}
        clean = sum(one.trials - one.sightings for one in observations if one.commit in showing)
        failures = sum(one.sightings for one in observations)
        a, b = suspects.rate
        # over all rates
        likelihood = math.exp(scipy.special.betaln(a + failures, b + clean) - scipy.special.betaln(a, b))
        joint.append(weight * likelihood if seen <= {*showing} else 0.0)
    expected = [value / sum(joint) for value in joint]
    assert posterior(suspects, observations) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@given(searches(), st.sets(st.integers(0, 5), max_size=3), st.floats(0, 50))
def test_steps_and_answers_are_possible(
    drawn: tuple[Suspects, list[CommitTrials]], unbuildable: set[int], build: float
) -> None:
    suspects, observations = drawn
    unbuildable = {commit for commit in unbuildable if commit < suspects.commits}
    observations = [one for one in observations if one.commit not in unbuildable]
    answer = best_answer(suspects, observations, unbuildable)
    weights = posterior(suspects, observations)
    assert math.fsum(weights) == pytest.approx(1)
    assert answer.probability == pytest.approx(math.fsum(weights[answer.first : answer.last + 1]))
    assert 0 <= answer.first <= answer.last <= suspects.commits
    # a group has only one commit that can be tried, or is at the end
    edges = range(answer.first, answer.last)
    assert {*edges} <= unbuildable
    step = next_step(suspects, observations, Costs(build, 1), unbuildable)
    assert step == next_step(suspects, observations[::-1], Costs(build, 1), unbuildable), "the order changes nothing"
    if step:
        assert answer.probability < 0.95
        assert step.commit not in unbuildable
        assert 0 <= step.commit < suspects.commits
        assert step.trials >= 1


def test_a_sighting_decides_and_clean_runs_only_suggest() -> None:
    suspects = Suspects(Change.INTRODUCED, 4, rate=Beta(20, 20))
    assert posterior(suspects, []) == pytest.approx([0.25] * 4 + [0])
    assert posterior(suspects, [CommitTrials(1, 1, 1)])[2:] == [0, 0, 0]
    weights = posterior(suspects, [CommitTrials(1, 8, 0)])
    assert 0 < weights[0] == weights[1] < 0.01 < weights[2] == weights[3]


def test_the_commit_that_shows_the_race_is_run_first_to_learn_its_rate() -> None:
    suspects = Suspects(Change.FIXED, 50, racing=(4,))
    assert next_step(suspects, [], Costs()) == Step(4, 16)
    assert next_step(suspects, [CommitTrials(4, 9, 3)], Costs()) != Step(4, 16)
    known = Suspects(Change.FIXED, 50, racing=(4,), rate=Beta(12, 100))
    step = next_step(known, [], Costs())
    assert step is not None
    assert 15 < step.commit < 40


def test_the_answer_may_be_none_of_the_commits() -> None:
    suspects = Suspects(Change.FIXED, 3, prior=[1, 1, 1, 1], rate=Beta(30, 30))
    assert best_answer(suspects, [CommitTrials(2, 1, 1)]).first == 3
    assert best_answer(suspects, [CommitTrials(0, 12, 0)]).first == 0


def test_impossible_arguments_are_rejected() -> None:
    with pytest.raises(ValueError, match="2 weights for 3 commits"):
        Suspects(Change.FIXED, 3, prior=[1, 1])
    with pytest.raises(ValueError, match="negative or infinite"):
        Suspects(Change.FIXED, 2, prior=[1, -1])
    with pytest.raises(ValueError, match="negative or infinite"):
        Suspects(Change.FIXED, 2, prior=[1, math.nan])
    sure = Suspects(Change.INTRODUCED, 3, prior=[0, 0, 1], doubt=0)
    with pytest.raises(ValueError, match="impossible with these suspects"):
        posterior(sure, [CommitTrials(0, 1, 1)])
