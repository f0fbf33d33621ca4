"""The verdict on a fix: old and new code run in random order until the outcome is proven.

Each slot of the sequence is given to the old code with a fixed probability, `Rule.old_share`, else to the new
code. If the new code still had at least the share r of the old rate, then a slot with a sighting
would be one of the old code with probability at most

    v = old_share / (old_share + (1 - old_share) * r)

whatever the rate is, even if it drifts with the load of the computer. So v**k bounds the probability
that the first k sightings are all in the old code, and that one ever sees k of them before
one in the new code: (1/v)**k is a test martingale, and Ville's inequality holds for every stopping time.
*Fixed* is said when v**k is at most the stated error, and so is the probability of the clean runs of the new code
if nothing had changed (Jeffreys' prior). Sightings from elsewhere never count for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from deadheat.verification import rates
from deadheat.verification.silence import silence_probability

if TYPE_CHECKING:
    from collections.abc import Iterable


class Version(Enum):
    """Which code a trial runs."""

    OLD = "old"
    NEW = "new"


class TrialOutcome(Enum):
    """What a trial showed. If it showed several, the first of these that applies."""

    THIS_RACE = "this race"
    ANOTHER_RACE = "another race"
    OTHER_FAILURE = "other failure"
    VACUOUS = "vacuous"  # it passed, but the racing lines did not run
    CLEAN = "clean"


class FixVerdict(Enum):
    """The result of a verification."""

    FIXED = "fixed"
    STILL_RACES = "still races"
    ANOTHER_RACE = "another race instead"
    INCONCLUSIVE = "inconclusive"
    VACUOUS = "vacuous"


class Reason(Enum):
    """Why the verdict is what it is."""

    SIGHTING = "the new code showed this race"
    PROVEN = "the old code showed this race often enough, the new code never"
    OTHER_RACE_IN_NEW = "the new code shows a race that the old code does not show"
    NEW_VACUOUS = "the racing lines of the new code do not run"
    NEW_FAILS = "the new code mostly fails before the race could show"
    OLD_FAILS = "the old code mostly fails, or its racing lines do not run"
    OLD_SILENT = "the old code does not show this race any more"
    NOT_ENOUGH = "too few sightings in the old code so far"


class Assignment(NamedTuple):
    """A trial to run: the next of its slot."""

    slot: int
    version: Version


class Trial(NamedTuple):
    """A trial that was run: one new process."""

    slot: int
    outcome: TrialOutcome
    seconds: float = 0.0
    complete: bool = True  # ran to its end, so that this race could have shown
    other_races: tuple[str, ...] = ()  # ids of other races that it showed and that are not known from elsewhere

    @property
    def counts(self) -> bool:
        """Whether it tells if the race is there."""
        if self.outcome in (TrialOutcome.THIS_RACE, TrialOutcome.VACUOUS):
            return self.outcome is TrialOutcome.THIS_RACE
        return self.complete


class Prior(NamedTuple):
    """How often the race was seen elsewhere, as in CI. It is used to plan and to give up, never for the error bound."""

    sightings: int
    runs: int


@dataclass(frozen=True, slots=True)
class Rule:
    """What *fixed* has to mean, and the plan that proves it with the fewest runs.

    The verdict is wrong with a probability of at most 1 - `confidence` if the new code still has at least the share
    `remaining` of the old rate. The default excludes fixes that only halve the rate. It costs 1.6 times the runs
    of 1.0, "nothing has changed", which calls 6 % of such fixes fixed; 0.1 costs 5.4 times the runs.
    """

    confidence: float = 0.99
    remaining: float = 0.5
    give_up_below: float = 0.001  # probability of a silence of the old code that ends the verification
    sightings_needed: int = field(init=False)  # in the old code, none in the new
    old_share: float = field(init=False)  # probability that a slot is one of the old code

    def __post_init__(self) -> None:
        if not (0 < self.confidence < 1 and 0 < self.remaining <= 1):
            raise ValueError(f"confidence {self.confidence} and remaining {self.remaining} must be between 0 and 1")
        # the expected number of runs at rate p is sightings / (old_share * p); it has one minimum
        sightings = 1
        while self._cost(sightings + 1) < self._cost(sightings):
            sightings += 1
        object.__setattr__(self, "sightings_needed", sightings)
        object.__setattr__(self, "old_share", sightings / self._cost(sightings))

    @property
    def error(self) -> float:
        return 1 - self.confidence

    def _cost(self, sightings: int) -> float:
        odds = math.expm1(-math.log(self.error) / sightings)
        return sightings * (1 + odds / self.remaining)

    def sightings_for(self, remaining: float) -> int:
        """How many sightings in the old code exclude that this share of the old rate is left."""
        return math.ceil(math.log(self.error) / math.log(self.old_probability(remaining)) - 1e-9)

    def remaining_bound(self, sightings: int) -> float | None:
        """The share of the old rate that may be left after so many sightings in the old code and none in the new.

        It holds at the confidence of the rule for all stopping times. None: even "nothing has changed" is possible.
        """
        if not sightings:
            return None
        bound = math.expm1(-math.log(self.error) / sightings) * self.old_share / (1 - self.old_share)
        return min(1.0, bound) if bound < 1 + 1e-9 else None

    def old_probability(self, remaining: float) -> float:
        """The probability that a sighting is in the old code if the new has this share of the old rate."""
        return self.old_share / (self.old_share + (1 - self.old_share) * remaining)


@dataclass(slots=True)
class Tally:
    """The trials of one version."""

    attempts: int = 0
    runs: int = 0  # that count
    sightings: int = 0
    another_race: int = 0  # attempts by outcome
    other_failure: int = 0
    vacuous: int = 0
    seconds: float = 0.0
    clean_since_sighting: int = 0
    other_races: dict[str, int] = field(default_factory=dict)

    def add(self, trial: Trial) -> None:
        self.attempts += 1
        self.seconds += trial.seconds
        if trial.counts:
            self.runs += 1
            self.clean_since_sighting += 1
        if trial.outcome is TrialOutcome.THIS_RACE:
            self.sightings += 1
            self.clean_since_sighting = 0
        self.another_race += trial.outcome is TrialOutcome.ANOTHER_RACE
        self.other_failure += trial.outcome is TrialOutcome.OTHER_FAILURE
        self.vacuous += trial.outcome is TrialOutcome.VACUOUS
        for race in {*trial.other_races}:
            self.other_races[race] = self.other_races.get(race, 0) + 1


class Forecast(NamedTuple):
    """What *fixed* still needs: trials of both versions, with 80 % bounds; infinite if the rate is not known."""

    sightings: int
    runs: float
    fewest: float
    most: float
    seconds: float  # of run time for `runs`; divide by the number of trials that run at once


class Conclusion(NamedTuple):
    """The state of a verification."""

    verdict: FixVerdict
    reason: Reason
    final: bool  # more trials would not change the verdict; of *fixed*: none is needed
    old: Tally
    new: Tally
    counted_sightings: int  # of the old code, in slots before the first unfinished one
    error: float  # bound of the probability of this evidence if `Rule.remaining` of the old rate were left; 1: none
    remaining_bound: float | None  # at most this share of the old rate is left, at `Rule.confidence`; None: no bound
    unchanged_probability: float  # of so many clean runs of the new code if nothing had changed (Jeffreys' prior)
    new_rate_bound: float  # upper bound of the rate of the new code, at `Rule.confidence` (Clopper and Pearson)
    forecast: Forecast


class Verification:
    """A running verification: ask for assignments, record trials, read the conclusion.

    Trials may run at the same time and end in any order. Pass a new random `seed` for every verification, and
    the same one with the trials so far to resume it. The configuration of the trials must be chosen before, by other
    trials.
    """

    def __init__(self, rule: Rule, seed: int, trials: Iterable[Trial] = (), prior: Prior | None = None) -> None:
        self.rule, self.prior = rule, prior
        self.old, self.new = Tally(), Tally()
        self._random = Random(seed)
        self._versions: list[Version] = []
        self._assigned = 0  # slots that were given out
        self._repeat: list[int] = []  # slots whose trial did not count
        self._finished: dict[int, bool] = {}  # slots after the first unfinished one: are they evidence
        self._first_unfinished = 0
        self.counted_sightings = 0
        past = list(trials)
        self._assigned = 1 + max((trial.slot for trial in past), default=-1)
        for trial in past:
            self.record(trial)
        done = {trial.slot for trial in past if trial.counts}
        self._repeat = [slot for slot in range(self._assigned) if slot not in done]

    def next_trial(self) -> Assignment:
        """The next trial to run. A slot is repeated until its trial counts, so that no version can evade its share."""
        if self._repeat:
            slot = self._repeat.pop(0)
        else:
            slot = self._assigned
            self._assigned += 1
        return Assignment(slot, self.version_of(slot))

    def version_of(self, slot: int) -> Version:
        """The version of a slot: drawn by the seed, so that a resumed verification cannot draw again."""
        while slot >= len(self._versions):
            is_old = self._random.random() < self.rule.old_share
            self._versions.append(Version.OLD if is_old else Version.NEW)
        return self._versions[slot]

    def record(self, trial: Trial) -> None:
        """Count a trial that has ended."""
        if not self._first_unfinished <= trial.slot < self._assigned or trial.slot in self._finished:
            raise ValueError(f"slot {trial.slot} was not assigned, or has a trial that counts")
        is_old = self.version_of(trial.slot) is Version.OLD
        (self.old if is_old else self.new).add(trial)
        if not trial.counts:
            self._repeat.append(trial.slot)
            return
        # evidence counts in the order of slots: if the new code is slower, the trials that end first are mostly old
        self._finished[trial.slot] = is_old and trial.outcome is TrialOutcome.THIS_RACE
        while self._first_unfinished in self._finished:
            self.counted_sightings += self._finished.pop(self._first_unfinished)
            self._first_unfinished += 1

    def conclude(self) -> Conclusion:
        """The verdict as of now, with its numbers; it may be asked for at any time."""
        verdict, reason = self.judge()
        rule, old, new, sightings = self.rule, self.old, self.new, self.counted_sightings
        is_unseen = not new.sightings
        return Conclusion(
            verdict=verdict,
            reason=reason,
            final=reason is not Reason.NOT_ENOUGH,
            old=old,
            new=new,
            counted_sightings=sightings,
            error=math.pow(rule.old_probability(rule.remaining), sightings) if is_unseen else 1.0,
            remaining_bound=rule.remaining_bound(sightings) if is_unseen else None,
            unchanged_probability=self._unchanged_probability() if is_unseen else 1.0,
            new_rate_bound=rates.upper_bound(new.sightings, new.runs, rule.confidence),
            forecast=self.forecast(),
        )

    def judge(self) -> tuple[FixVerdict, Reason]:
        """The verdict as of now; only *fixed* has a bounded probability to be wrong."""
        rule, old, new = self.rule, self.old, self.new
        if new.sightings:
            return FixVerdict.STILL_RACES, Reason.SIGHTING
        is_proven = self._is_proven()
        if self._shows_new_race(1 if is_proven else self._sure_count()):
            return FixVerdict.ANOTHER_RACE, Reason.OTHER_RACE_IN_NEW
        if is_proven:
            return FixVerdict.FIXED, Reason.PROVEN
        if _mostly_fails(new):
            return self._judge_failing_code()
        if _mostly_fails(old):
            return FixVerdict.INCONCLUSIVE, Reason.OLD_FAILS
        if self._silence_of_old_code() < rule.give_up_below:
            return FixVerdict.INCONCLUSIVE, Reason.OLD_SILENT
        return FixVerdict.INCONCLUSIVE, Reason.NOT_ENOUGH

    def _is_proven(self) -> bool:
        if self.counted_sightings < self.rule.sightings_needed:
            return False
        # else a lucky start in which nearly all slots are of the old code would do
        return self._unchanged_probability() <= self.rule.error

    def _unchanged_probability(self) -> float:
        return rates.clean_probability(self.old.sightings, self.old.runs, self.new.runs)

    def _shows_new_race(self, sightings: int) -> bool:
        """Whether the new code showed a race so often, and the old code never did."""
        counts = self.new.other_races
        return any(count >= sightings and race not in self.old.other_races for race, count in counts.items())

    def _sure_count(self) -> int:
        """How many sightings in the new code alone are no chance if the old code has the same rate."""
        return math.ceil(math.log(self.rule.error) / math.log1p(-self.rule.old_share))

    def _judge_failing_code(self) -> tuple[FixVerdict, Reason]:
        if self._shows_new_race(max(self.new.vacuous, self.new.other_failure)):
            return FixVerdict.ANOTHER_RACE, Reason.OTHER_RACE_IN_NEW
        if self.new.vacuous >= self.new.other_failure:
            return FixVerdict.VACUOUS, Reason.NEW_VACUOUS
        return FixVerdict.INCONCLUSIVE, Reason.NEW_FAILS

    def _silence_of_old_code(self) -> float:
        """The probability of the clean runs of the old code since its latest sighting, at its rate until then."""
        old = self.old
        if not old.sightings:
            # it is known because of a sighting, which does not count for its rate
            return silence_probability(self.prior.sightings - 1, self.prior.runs, old.runs) if self.prior else 1.0
        return silence_probability(old.sightings, old.runs - old.clean_since_sighting, old.clean_since_sighting)

    def forecast(self, remaining: float | None = None) -> Forecast:
        """What is still needed for *fixed*, or to go on after it until the bound of the remaining share is so low."""
        rule, sightings, runs = self.rule, self.old.sightings, self.old.runs
        needed = rule.sightings_needed if remaining is None else rule.sightings_for(remaining)
        needed = max(0, needed - self.counted_sightings)
        if self.prior and not sightings:
            sightings, runs = self.prior.sightings, self.prior.runs + runs
        low, high = rates.jeffreys_interval(sightings, runs, 0.8)
        middle = rates.JEFFREYS.update(sightings, runs).quantile(0.5) if sightings else 0.0
        fewest, expected, most = (self._trials_for(needed, rate) for rate in (high, middle, low))
        per_trial = self._seconds_per_trial()
        return Forecast(needed, expected, fewest, most, expected * per_trial if per_trial else 0.0)

    def _trials_for(self, sightings: int, rate: float) -> float:
        """The trials until the old code has shown the race so often, or the new code has run long enough."""
        if sightings:
            return sightings / (self.rule.old_share * rate) if rate else math.inf
        needed = rates.clean_runs_needed(self.old.sightings, self.old.runs, self.rule.confidence)
        return max(0, needed - self.new.runs) / (1 - self.rule.old_share)

    def _seconds_per_trial(self) -> float:
        """Of a trial that counts, with its share of attempts that do not."""
        old, new, share = self.old, self.new, self.rule.old_share
        of_all = (old.seconds + new.seconds) / max(1, old.runs + new.runs)
        of_old = old.seconds / old.runs if old.runs else of_all
        of_new = new.seconds / new.runs if new.runs else of_all
        return share * of_old + (1 - share) * of_new


def _mostly_fails(tally: Tally) -> bool:
    """Whether fewer than half of the attempts count, beyond chance."""
    attempts, runs = tally.attempts, tally.runs
    # the probability of at most `runs` of `attempts` if one half of them counted
    return 2 * runs < attempts and rates.regularized_beta(attempts - runs, runs + 1, 0.5) < 0.05
