"""Which commit introduced or fixed a race: Bayesian search with noisy outcomes.

The model: on one side of the change no run shows the race, on the other side each run shows it with one unknown
rate. So a sighting decides, and clean runs only make one side less probable. Everything is a function of what is known
before and the observations, so a search is resumed by reading its observations again.

Answers and commits are indices, oldest commit first. Answer i means that commit i introduced the race, or is the first
without it; answer 0, that commit 0 or an earlier one is; the answer after the last commit, that none of them is.
"""

from __future__ import annotations

import math
from bisect import bisect
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from deadheat.verification.rates import Beta, check_counts, log_rising

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# nearly even in the logarithm: a race that shows in 1 of 1000 runs is as probable as one that shows in 1 of 10
UNKNOWN_RATE = Beta(0.1, 0.5)

_KNOWN_RATE = 3  # sightings, before commits are compared
_FIRST_BATCH = 16
_BATCHES = tuple(2**power for power in range(13))
_NEARLY_BEST = 0.9  # a longer batch may gain so much less, to ask less often
_CERTAIN = 1e-4  # commits that show the race, or do not, with an even lower probability of error are not tried


class Change(Enum):
    """What the searched commit did."""

    INTRODUCED = "introduced"
    FIXED = "fixed"


class CommitTrials(NamedTuple):
    """Trials of a commit. Vacuous and failing trials that could not have shown the race do not count."""

    commit: int
    trials: int
    sightings: int


@dataclass(frozen=True, slots=True)
class Suspects:
    """What is known before the first trial.

    `prior` has a weight for each answer, or is empty if all commits are equal; a share `doubt` of it is spread
    over all commits, because suspicions may be wrong. `racing` are commits that showed the race elsewhere.
    """

    change: Change
    commits: int
    prior: Sequence[float] = ()
    racing: tuple[int, ...] = ()
    rate: Beta = UNKNOWN_RATE
    doubt: float = 0.1

    def __post_init__(self) -> None:
        if self.commits < 1 or len(self.prior) not in (0, self.commits, self.commits + 1):
            raise ValueError(f"{len(self.prior)} weights for {self.commits} commits")
        if any(not 0 <= weight < math.inf for weight in self.prior):
            raise ValueError("a weight is negative or infinite")

    def mirror(self, commit: int) -> int:
        """The index in the order in which the race shows at the end."""
        return commit if self.change is Change.INTRODUCED else self.commits - 1 - commit

    def prior_weights(self) -> list[float]:
        """The probability of each answer, in the order in which the race shows at the end."""
        given = [*self.prior] or [1.0] * self.commits
        top = max(given) or 1.0  # scaled, as the sum of given weights may be too large or too small for a float
        given = [weight / top for weight in given]
        total = sum(given)
        share = (1 - self.doubt) / total if total else 0.0
        even = (self.doubt if total else 1.0) / self.commits
        weights = [weight * share + (even if answer < self.commits else 0.0) for answer, weight in enumerate(given)]
        weights += [0.0] * (self.commits + 1 - len(weights))
        return weights if self.change is Change.INTRODUCED else weights[::-1]


class Costs(NamedTuple):
    """Seconds of a build and of a trial."""

    build: float = 0.0
    trial: float = 1.0


class Step(NamedTuple):
    """Build this commit and run up to so many trials; stop at the first sighting, and ask again."""

    commit: int
    trials: int


class Answer(NamedTuple):
    """The most probable answers that trials cannot tell apart: one, and those next to it that cannot be built."""

    first: int
    last: int
    probability: float


class _CommitEvidence:
    """The observations, with commits mirrored so that the race shows from the answer on."""

    def __init__(self, suspects: Suspects, observations: Iterable[CommitTrials]) -> None:
        self._prior = suspects.rate
        self.sightings = 0
        self.tried: set[int] = set()
        showing = {suspects.mirror(commit) for commit in suspects.racing}
        trials_at = [0] * (suspects.commits + 1)
        for observation in observations:
            check_counts(observation.sightings, observation.trials)
            commit = suspects.mirror(observation.commit)
            self.tried.add(commit)
            trials_at[commit] += observation.trials
            self.sightings += observation.sightings
            if observation.sightings:
                showing.add(commit)
        self.latest = min(showing, default=suspects.commits)  # answer that is possible
        self.trials_from = [*accumulate(reversed(trials_at))][::-1]  # trials that could show the race, by answer
        self.weights = self._posterior(suspects.prior_weights())

    def rate(self, trials: int) -> Beta:
        """What is known about the rate if so many trials could show the race."""
        return self._prior.update(self.sightings, trials)

    def _posterior(self, weights: list[float]) -> list[float]:
        possible = weights[: self.latest + 1]
        # beta(a + sightings, b + clean) / beta(a, b), without what is equal for all answers
        known = {trials: self.rate(trials) for trials in {*self.trials_from[: self.latest + 1]}}
        logs = {trials: -log_rising(rate.b, rate.a) for trials, rate in known.items()}
        top = max(logs.values())
        likelihood = {trials: math.exp(log - top) for trials, log in logs.items()}
        joint = [weight * likelihood[trials] for weight, trials in zip(possible, self.trials_from, strict=False)]
        total = math.fsum(joint)
        if not total:
            raise ValueError("the observations are impossible with these suspects")
        return [weight / total for weight in joint] + [0.0] * (len(weights) - len(joint))


def posterior(suspects: Suspects, observations: Iterable[CommitTrials]) -> list[float]:
    """The probability of each answer."""
    weights = _CommitEvidence(suspects, observations).weights
    return weights if suspects.change is Change.INTRODUCED else weights[::-1]


def best_answer(suspects: Suspects, observations: Iterable[CommitTrials], unbuildable: Iterable[int] = ()) -> Answer:
    """The most probable answer, with those that only commits that cannot be built would tell from it."""
    return _best_answer(suspects, _CommitEvidence(suspects, observations).weights, {*unbuildable})


def next_step(
    suspects: Suspects,
    observations: Iterable[CommitTrials],
    costs: Costs,
    unbuildable: Iterable[int] = (),
    confidence: float = 0.95,
) -> Step | None:
    """The trials with the most expected information per second.

    None if the best answer has this probability, or if no trial can tell more. While no trial shows the race there is
    always a next step: the caller limits the time.
    """
    evidence, broken = _CommitEvidence(suspects, observations), {*unbuildable}
    if _best_answer(suspects, evidence.weights, broken).probability >= confidence:
        return None
    showing = [commit for commit in suspects.racing if commit not in broken]
    if showing and suspects.rate.a + evidence.sightings < _KNOWN_RATE:
        return Step(showing[0], _FIRST_BATCH)
    mirrored = {suspects.mirror(commit) for commit in broken}
    chances = _build_chances(suspects.commits, mirrored, evidence.tried)
    step = _most_informative(evidence, costs, chances)
    return step and Step(suspects.mirror(step.commit), step.trials)


def _best_answer(suspects: Suspects, weights: Sequence[float], broken: set[int]) -> Answer:
    mirrored = {suspects.mirror(commit) for commit in broken}
    found, first = Answer(0, 0, -1.0), 0
    for last in range(len(weights)):
        if last not in mirrored:  # a trial of this commit tells this answer from the next one
            probability = min(1.0, math.fsum(weights[first : last + 1]))
            found = max(found, Answer(first, last, probability), key=lambda answer: answer.probability)
            first = last + 1
    if suspects.change is Change.INTRODUCED:
        return found
    return Answer(suspects.commits - found.last, suspects.commits - found.first, found.probability)


def _build_chances(commits: int, broken: set[int], built: set[int]) -> list[float]:
    """The probability that a commit builds; builds fail in ranges, so it is lower next to one that failed."""
    chances = [1.0] * commits
    for order in (range(commits), reversed(range(commits))):
        distance = commits
        for commit in order:
            distance = 0 if commit in broken else distance + 1
            known = commit in built
            chances[commit] = 1.0 if known else min(chances[commit], distance / (distance + 1) if broken else 1.0)
            distance = commits if known else distance
    return chances


def _most_informative(evidence: _CommitEvidence, costs: Costs, chances: Sequence[float]) -> Step | None:
    """The batch with the most expected information about the answer per second."""
    shows = [*accumulate(evidence.weights[: evidence.latest])]  # probability that the race shows at a commit
    candidates = range(bisect(shows, _CERTAIN), min(len(shows), 1 + bisect(shows, 1 - _CERTAIN)))
    values: dict[int, list[float]] = {}
    best, commit = 0.0, -1
    for batch in _BATCHES:
        gains = _expected_gains(evidence, candidates, batch)
        values[batch] = [
            chances[c]
            * gain
            / (costs.build * (c not in evidence.tried) + costs.trial * (batch * (1 - shows[c]) + length))
            for c, (gain, length) in zip(candidates, gains, strict=True)
        ]
        top, first = max(((value, -c) for c, value in zip(candidates, values[batch], strict=True)), default=(0.0, 1))
        if top > best:
            best, commit = top, -first
        elif top < best / 2:  # longer batches would only repeat what is known
            break
    if commit < 0:
        return None
    of_commit = {batch: one[commit - candidates.start] for batch, one in values.items()}
    return Step(commit, max(batch for batch, value in of_commit.items() if value >= _NEARLY_BEST * best))


def _expected_gains(evidence: _CommitEvidence, commits: range, batch: int) -> Iterator[tuple[float, float]]:
    """For each commit, the information that a batch gives about the answer, and its length if the race shows there.

    The length is weighted with the probability that it shows there: a batch ends with the first sighting.
    """
    trials_from = evidence.trials_from[commits.start : commits.stop]
    by_trials = {}
    for trials in {*trials_from}:
        rate = evidence.rate(trials)
        shows = 1 - rate.clean_probability(batch)
        by_trials[trials] = shows, _entropy(shows), min(batch, shows / rate.mean)
    sighting = noise = length = 0.0
    for weight, trials in zip(evidence.weights[commits.start : commits.stop], trials_from, strict=True):
        shows, entropy, expected_length = by_trials[trials]
        sighting += weight * shows
        noise += weight * entropy
        length += weight * expected_length
        yield _entropy(sighting) - noise, length


def _entropy(probability: float) -> float:
    if not 0 < probability < 1:
        return 0.0
    return -probability * math.log(probability) - (1 - probability) * math.log1p(-probability)
