"""The verdict on a fix: error bounds by simulation, number of runs against the best fixed plan, and every verdict."""

from __future__ import annotations

import heapq
import math
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import numpy
import pytest
import scipy  # loads its packages when they are used: it takes seconds
from hypothesis import given
from hypothesis import strategies as st

from deadheat.verification.sequential import FixVerdict, Prior, Reason, Rule, Trial, TrialOutcome, Verification, Version

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.long
RATES = (0.3, 0.1, 0.03, 0.01, 0.002)
RULE = Rule()


@pytest.fixture(params=[1, pytest.param(5, marks=pytest.mark.soak)], ids=["sample", "full"])
def scale(request: pytest.FixtureRequest) -> int:
    """How many times the least number of simulations."""
    return int(request.param)


def most_wrong(simulations: int, error: float) -> int:
    """How many wrong verdicts are no contradiction to the stated error."""
    return int(scipy.stats.binom.ppf(0.999, simulations, error))


def verify(
    random: Random,
    old_rate: Callable[[int], float],
    remaining: float,
    rule: Rule = RULE,
    limit: int = 10**9,
    prior: Prior | None = None,
) -> tuple[Verification, FixVerdict, Reason, int]:
    """Run trials, with an old rate that may depend on the number of the trial, until the verdict is final."""
    verification = Verification(rule, random.getrandbits(64), prior=prior)
    verdict, reason = verification.judge()
    trials = 0
    while reason is Reason.NOT_ENOUGH and trials < limit:
        slot, version = verification.next_trial()
        rate = old_rate(trials) * (1 if version is Version.OLD else remaining)
        trials += 1
        is_sighting = random.random() < rate
        verification.record(Trial(slot, TrialOutcome.THIS_RACE if is_sighting else TrialOutcome.CLEAN, 0.5))
        if is_sighting or trials < 300 or trials % 8 == 0:
            verdict, reason = verification.judge()
    return verification, verdict, reason, trials


def constant(rate: float) -> Callable[[int], float]:
    return lambda _: rate


# what a change did to the rate, and how many simulations for each of the five rates
CHANGES = {"nothing": (1.0, 100), "slightly rarer": (0.8, 60), "at the limit": (RULE.remaining, 140)}


@pytest.mark.parametrize(("remaining", "simulations"), CHANGES.values(), ids=CHANGES)
def test_wrong_fixed_is_as_rare_as_stated(remaining: float, simulations: int, scale: int) -> None:
    random = Random(29)
    verdicts = [verify(random, constant(rate), remaining)[1] for rate in RATES for _ in range(scale * simulations)]
    assert verdicts.count(FixVerdict.FIXED) <= most_wrong(len(verdicts), RULE.error)
    assert verdicts.count(FixVerdict.STILL_RACES) >= 0.97 * len(verdicts)


def test_a_rare_rest_is_called_fixed_as_rarely_as_documented() -> None:
    """The rule excludes half of the old rate, not a tenth of it; the docs say how often that is missed."""
    random, simulations = Random(30), 400
    expected = RULE.old_probability(0.1) ** RULE.sightings_needed
    for rule, error in ((RULE, expected), (Rule(remaining=0.1), 0.01)):
        fixed = sum(verify(random, constant(0.3), 0.1, rule)[1] is FixVerdict.FIXED for _ in range(simulations))
        assert fixed <= most_wrong(simulations, error)
    assert 0.2 < expected < 0.3


def test_a_weaker_confidence_is_used_up_and_not_exceeded(scale: int) -> None:
    random, simulations, rule = Random(31), 300 * scale, Rule(confidence=0.9, remaining=1)
    fixed = sum(verify(random, constant(0.05), 1, rule)[1] is FixVerdict.FIXED for _ in range(simulations))
    assert 0.05 * simulations < fixed <= most_wrong(simulations, 0.1)


@pytest.mark.parametrize("remaining", [1.0, RULE.remaining])
def test_drifting_rates_do_no_harm(remaining: float, scale: int) -> None:
    """The load of the computer changes during the verification, in both directions."""
    random, simulations = Random(32), 80 * scale
    drifts: list[Callable[[int], float]] = [
        lambda trial: 0.3 if trial % 60 < 15 else 0.003,
        lambda trial: min(0.4, 0.001 * 1.02**trial),
        lambda trial: 0.5 * 0.9**trial + 0.02,
    ]
    verdicts = [verify(random, drift, remaining)[1] for drift in drifts for _ in range(simulations)]
    assert verdicts.count(FixVerdict.FIXED) <= most_wrong(len(verdicts), RULE.error)


@pytest.mark.parametrize("remaining", [1.0, RULE.remaining])
def test_the_error_bound_holds_whenever_one_stops(remaining: float, scale: int) -> None:
    """One adversary stops at random, the other one at the lowest error that is ever stated."""
    random, simulations = Random(33), 400 * scale
    at_random, lowest = [], []
    for number in range(simulations):
        rate = RATES[number % 4]
        limit = round(random.expovariate(rate / 10)) + 1
        stopped, verdict, _, _ = verify(random, constant(rate), remaining, limit=limit)
        conclusion = stopped.conclude()
        at_random.append(conclusion.error)
        assert verdict is not FixVerdict.FIXED or conclusion.error <= RULE.error * (1 + 1e-9)
        # a sighting in the new code ends it; the error was lowest before
        lowest.append(RULE.old_probability(RULE.remaining) ** conclusion.counted_sightings)
    for level in (0.3, 0.1, 0.03, 0.01):
        assert sum(error <= level for error in at_random) <= most_wrong(simulations, level)
        assert sum(error <= level for error in lowest) <= most_wrong(simulations, level)


def test_the_bound_of_the_remaining_share_holds_whenever_one_stops(scale: int) -> None:
    random, simulations, rule = Random(34), 300 * scale, Rule(confidence=0.9, remaining=0.2)
    for remaining in (0.25, 0.4, 0.9):
        wrong = 0
        for _ in range(simulations):
            verification = verify(random, constant(0.1), remaining, rule)[0]
            bound = rule.remaining_bound(verification.conclude().counted_sightings)  # the lowest that was ever stated
            wrong += bound is not None and bound < remaining
        assert wrong <= most_wrong(simulations, 0.1)


class Schedule:
    """Trials that run at the same time, on a simulated clock; the new code takes ten times as long."""

    def __init__(self, random: Random, rate: float, workers: int = 64) -> None:
        self._random, self._rate, self._workers = random, rate, workers
        self._running: list[tuple[float, Trial]] = []
        self._clock = 0.0
        self.has_claimed = False  # whether the error bound was ever as low as that of the rule

    def run(self, verification: Verification, trials: list[Trial], until: float) -> None:
        while self._clock < until and verification.judge()[1] is Reason.NOT_ENOUGH:
            while len(self._running) < self._workers:
                slot, version = verification.next_trial()
                duration = self._random.expovariate(1) * (1 if version is Version.OLD else 10)
                outcome = TrialOutcome.THIS_RACE if self._random.random() < self._rate else TrialOutcome.CLEAN
                heapq.heappush(self._running, (self._clock + duration, Trial(slot, outcome, duration)))
            self._clock, trial = heapq.heappop(self._running)
            trials.append(trial)
            verification.record(trial)
            self.has_claimed |= verification.conclude().error <= RULE.error * (1 + 1e-9)

    def kill(self) -> None:
        self._running.clear()


@pytest.mark.parametrize("simulations", [30, pytest.param(400, marks=pytest.mark.soak)])
@pytest.mark.parametrize("patience", [4.0, math.inf])
def test_a_slow_fix_is_not_favoured_by_parallel_or_interrupted_runs(patience: float, simulations: int) -> None:
    """Trials of the old code end first, and those of the new code are killed most often."""
    random, claimed = Random(35), 0
    for number in range(simulations):
        seed, trials = random.getrandbits(64), list[Trial]()
        schedule = Schedule(random, (0.3, 0.1, 0.03)[number % 3])
        until, verification = 0.0, Verification(RULE, seed)
        while until < 1000 and verification.judge()[1] is Reason.NOT_ENOUGH:
            until += patience
            verification = Verification(RULE, seed, trials)
            schedule.run(verification, trials, until)
            schedule.kill()
        claimed += schedule.has_claimed
        assert verification.judge()[0] is not FixVerdict.FIXED or schedule.has_claimed
    assert claimed <= most_wrong(simulations, RULE.error)


def test_one_failure_elsewhere_proves_nothing(scale: int) -> None:
    random, simulations, fixed = Random(36), 30 * scale, 0
    for rate in RATES:
        for _ in range(simulations):
            runs = 1 + int(random.expovariate(rate))  # the first failure ended them
            fixed += verify(random, constant(rate), 1, prior=Prior(1, runs))[1] is FixVerdict.FIXED
    assert fixed <= most_wrong(len(RATES) * simulations, RULE.error)


@given(st.integers(0, 2**32), st.integers(0, 400), st.sampled_from([None, Prior(1, 20), Prior(60, 100)]))
def test_99_percent_is_not_stated_from_one_failure(seed: int, clean_runs: int, prior: Prior | None) -> None:
    verification = Verification(Rule(0.99, 1.0), seed, prior=prior)
    has_failed = False
    for _ in range(clean_runs):
        slot, version = verification.next_trial()
        is_failure = version is Version.OLD and not has_failed
        has_failed |= is_failure
        verification.record(Trial(slot, TrialOutcome.THIS_RACE if is_failure else TrialOutcome.CLEAN, 2.0))
    conclusion = verification.conclude()
    assert conclusion.verdict is FixVerdict.INCONCLUSIVE
    assert conclusion.error > 0.3
    forecast = conclusion.forecast
    assert forecast.sightings == 5 - has_failed
    assert forecast.fewest <= forecast.runs <= forecast.most
    if has_failed:
        assert math.isfinite(forecast.most)
        assert forecast.seconds == pytest.approx(2 * forecast.runs)
        assert forecast.runs > 0.3 * clean_runs


@cache
def best_fixed_plan(rate: float, rule: Rule, power: float = 0.9) -> int:
    """The fewest runs of a plan with fixed sizes that knows the old rate.

    It runs n old and m new, and says *fixed* if the old code showed the race at least s times and the new code never.
    The sizes and s are chosen for this rate so that it says so with a probability of `power` if the new code is right;
    but it is wrong with at most the error of the rule at any old rate, as the sequential rule is.
    """
    rates = numpy.geomspace(1e-5, 1, 3000)
    best = 10**9
    for needed in range(1, 30):
        old = least(lambda n, s=needed: scipy.stats.binom.sf(s - 1, n, rate) >= power)  # type: ignore[misc]
        if old >= best:
            break
        shown = scipy.stats.binom.sf(needed - 1, old, rates)
        new = least(lambda m, shown=shown: (shown * (1 - rule.remaining * rates) ** m).max() <= rule.error)  # type: ignore[misc]
        best = min(best, old + new)
    return best


def least(is_enough: Callable[[int], bool]) -> int:
    """The least number that is enough."""
    high = 1
    while not is_enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


@pytest.mark.parametrize("rate", [0.9, *RATES])
@pytest.mark.parametrize("rule", [RULE, Rule(0.99, 1.0), Rule(0.95, 1.0)], ids=["default", "nothing-99", "nothing-95"])
def test_a_right_fix_takes_few_runs(rate: float, rule: Rule) -> None:
    random, simulations = Random(37), 60 if rate > 0.01 else 30 if rate > 0.005 else 20
    outcomes = [verify(random, constant(rate), 0, rule) for _ in range(simulations)]
    verdicts = [verdict for _, verdict, _, _ in outcomes]
    assert verdicts.count(FixVerdict.FIXED) >= 0.9 * simulations
    assert set(verdicts) <= {FixVerdict.FIXED, FixVerdict.INCONCLUSIVE}
    runs = sum(trials for _, _, _, trials in outcomes) / simulations
    assert runs <= 1.5 * best_fixed_plan(rate, rule)


@pytest.mark.parametrize("rate", RATES)
def test_expected_runs_by_the_formula_are_fewer_than_those_of_the_fixed_plan(rate: float) -> None:
    """Without the noise of a simulation: sightings / (share * rate), and the plan that has 90 % power."""
    for rule in (RULE, Rule(0.99, 1.0), Rule(0.999, 0.5)):
        assert rule.sightings_needed / rule.old_share / rate < best_fixed_plan(rate, rule)


@given(st.floats(0.5, 0.999999), st.floats(0.01, 1), st.integers(-3, 3))
def test_the_plan_of_a_rule_is_the_cheapest(confidence: float, remaining: float, more: int) -> None:
    rule = Rule(confidence, remaining)
    assert rule.old_probability(remaining) ** rule.sightings_needed == pytest.approx(rule.error)
    sightings = max(1, rule.sightings_needed + more)
    odds = rule.error ** (-1 / sightings) - 1  # of the other plan that uses up the error
    other_share = 1 / (1 + odds / remaining)
    assert sightings / other_share >= rule.sightings_needed / rule.old_share * (1 - 1e-9)
    assert rule.sightings_for(remaining) == rule.sightings_needed
    bound = rule.remaining_bound(rule.sightings_needed)
    assert bound == pytest.approx(remaining)


def record(verification: Verification, outcomes: Callable[[Version, int], Trial], trials: int) -> None:
    """Run up to `trials` trials; the second argument of `outcomes` counts those of the version."""
    counts = dict.fromkeys(Version, 0)
    for _ in range(trials):
        if verification.judge()[1] is not Reason.NOT_ENOUGH:
            return
        slot, version = verification.next_trial()
        verification.record(outcomes(version, counts[version])._replace(slot=slot))
        counts[version] += 1


def trial(outcome: TrialOutcome, *races: str, complete: bool = True) -> Trial:
    return Trial(0, outcome, 1.0, complete, races)


RACE, CLEAN, SKIPPED = trial(TrialOutcome.THIS_RACE), trial(TrialOutcome.CLEAN), trial(TrialOutcome.VACUOUS)
CRASH, OTHER = trial(TrialOutcome.OTHER_FAILURE, complete=False), trial(TrialOutcome.ANOTHER_RACE, "b7")
HALTED = OTHER._replace(complete=False)

# what the old and the new code show in their n-th run
SCENARIOS: dict[str, tuple[FixVerdict, Reason, Callable[[int], Trial], Callable[[int], Trial]]] = {
    "right fix": (FixVerdict.FIXED, Reason.PROVEN, lambda n: CLEAN if n % 3 else RACE, lambda _: CLEAN),
    "rarer": (
        FixVerdict.STILL_RACES,
        Reason.SIGHTING,
        lambda n: CLEAN if n % 3 else RACE,
        lambda n: CLEAN if n != 9 else RACE,
    ),
    "race in a crash": (
        FixVerdict.STILL_RACES,
        Reason.SIGHTING,
        lambda _: RACE,
        lambda _: RACE._replace(complete=False),
    ),
    "another race": (FixVerdict.ANOTHER_RACE, Reason.OTHER_RACE_IN_NEW, lambda _: RACE, lambda _: OTHER),
    "another race, once": (
        *(FixVerdict.ANOTHER_RACE, Reason.OTHER_RACE_IN_NEW),
        *(lambda _: RACE, lambda n: OTHER if n == 1 else CLEAN),
    ),
    "another race stops the program": (
        *(FixVerdict.ANOTHER_RACE, Reason.OTHER_RACE_IN_NEW),
        *(lambda n: CLEAN if n % 9 else RACE, lambda _: HALTED),
    ),
    "the other race was there before": (
        *(FixVerdict.FIXED, Reason.PROVEN),
        *(lambda _: RACE._replace(other_races=("b7",)), lambda _: OTHER),
    ),
    "test skipped": (FixVerdict.VACUOUS, Reason.NEW_VACUOUS, lambda n: CLEAN if n % 9 else RACE, lambda _: SKIPPED),
    "test often skipped": (
        *(FixVerdict.VACUOUS, Reason.NEW_VACUOUS),
        *(lambda n: CLEAN if n % 40 else RACE, lambda n: SKIPPED if n % 5 else CLEAN),
    ),
    "test rarely skipped": (
        *(FixVerdict.FIXED, Reason.PROVEN),
        *(lambda n: CLEAN if n % 3 else RACE, lambda n: CLEAN if n % 5 else SKIPPED),
    ),
    "fix crashes": (FixVerdict.INCONCLUSIVE, Reason.NEW_FAILS, lambda n: CLEAN if n % 9 else RACE, lambda _: CRASH),
    "old code crashes": (FixVerdict.INCONCLUSIVE, Reason.OLD_FAILS, lambda _: CRASH, lambda _: CLEAN),
    "old code went silent": (
        *(FixVerdict.INCONCLUSIVE, Reason.OLD_SILENT),
        *(lambda n: RACE if n in (2, 5) else CLEAN, lambda _: CLEAN),
    ),
    "never shown": (FixVerdict.INCONCLUSIVE, Reason.NOT_ENOUGH, lambda _: CLEAN, lambda _: CLEAN),
}


@pytest.mark.parametrize(("verdict", "reason", "old", "new"), SCENARIOS.values(), ids=SCENARIOS)
def test_verdict(verdict: FixVerdict, reason: Reason, old: Callable[[int], Trial], new: Callable[[int], Trial]) -> None:
    for seed in range(20):
        verification = Verification(Rule(remaining=0.5), seed)
        record(verification, lambda version, n: old(n) if version is Version.OLD else new(n), 700)
        assert verification.judge() == (verdict, reason)
        conclusion = verification.conclude()
        assert (conclusion.verdict, conclusion.reason) == (verdict, reason)
        assert conclusion.final is (reason is not Reason.NOT_ENOUGH)
        if verdict is FixVerdict.FIXED:
            assert conclusion.remaining_bound == pytest.approx(0.5)
            assert conclusion.error <= 0.01 + 1e-9
            assert conclusion.unchanged_probability <= 0.01
            assert conclusion.forecast.sightings == conclusion.forecast.runs == 0
        if verdict is FixVerdict.STILL_RACES:
            assert (conclusion.error, conclusion.unchanged_probability, conclusion.remaining_bound) == (1, 1, None)


def test_a_lucky_start_with_the_old_code_only_is_not_enough() -> None:
    seed = next(s for s in range(10**5) if all(Verification(RULE, s).version_of(n) is Version.OLD for n in range(6)))
    verification = Verification(RULE, seed)
    for slot in range(6):
        assert verification.next_trial().slot == slot
        verification.record(RACE._replace(slot=slot))
    conclusion = verification.conclude()
    assert (conclusion.verdict, conclusion.reason) == (FixVerdict.INCONCLUSIVE, Reason.NOT_ENOUGH)
    assert conclusion.forecast.sightings == 0
    assert conclusion.forecast.runs > 0


def test_the_rate_of_ci_ends_runs_that_cannot_show_the_race_here() -> None:
    verification = Verification(RULE, 1, prior=Prior(20, 100))
    record(verification, lambda _, __: CLEAN, 10**4)
    assert verification.judge()[1] is Reason.OLD_SILENT
    assert 20 < verification.old.runs < 60
    unknown = Verification(RULE, 1, prior=Prior(1, 1))  # a report alone has no rate
    record(unknown, lambda _, __: CLEAN, 3000)
    assert unknown.judge()[1] is Reason.NOT_ENOUGH
    assert unknown.forecast().most == math.inf or unknown.forecast().most > 3000


def test_going_on_after_fixed_lowers_the_bound_of_the_remaining_share() -> None:
    verification = Verification(RULE, 3)
    record(verification, lambda version, n: RACE if version is Version.OLD and n % 2 else CLEAN, 1000)
    before, planned = verification.conclude(), verification.forecast(0.1)
    assert before.verdict is FixVerdict.FIXED
    assert planned.sightings == RULE.sightings_for(0.1) - before.counted_sightings == 17
    while verification.forecast(0.1).sightings:
        slot, version = verification.next_trial()
        is_race = version is Version.OLD and verification.old.runs % 2
        verification.record((RACE if is_race else CLEAN)._replace(slot=slot))
    after = verification.conclude()
    assert after.verdict is FixVerdict.FIXED
    assert after.remaining_bound is not None
    assert after.remaining_bound <= 0.1
    slot = next(one.slot for one in iter(verification.next_trial, None) if one.version is Version.NEW)
    verification.record(RACE._replace(slot=slot))
    assert verification.judge()[0] is FixVerdict.STILL_RACES


OUTCOMES = st.lists(st.sampled_from([RACE, CLEAN, CLEAN, SKIPPED, CRASH, OTHER, HALTED]), max_size=60)


@given(st.integers(0, 2**64), OUTCOMES, st.integers(0, 60), st.randoms(use_true_random=False))
def test_a_resumed_verification_continues_where_it_was(
    seed: int, outcomes: list[Trial], cut: int, random: Random
) -> None:
    whole = Verification(RULE, seed)
    past: list[Trial] = []
    running: list[int] = []
    for number, outcome in enumerate(outcomes):
        if number == cut:  # trials that run at this time are lost
            whole, running = Verification(RULE, seed, past), []
        running += [whole.next_trial().slot for _ in range(random.randint(0 if running else 1, 3))]
        past.append(outcome._replace(slot=running.pop(random.randrange(len(running)))))
        whole.record(past[-1])
    again = Verification(RULE, seed, past)
    assert again.conclude() == whole.conclude()
    todo = {again.next_trial().slot for _ in range(40)}
    done = {one.slot for one in past if one.counts}
    assert not todo & done
    assert [slot for slot in range(max(todo)) if slot not in done | todo] == []


def test_slots_that_were_not_given_out_are_rejected() -> None:
    verification = Verification(RULE, 1)
    with pytest.raises(ValueError, match="slot 0 was not assigned"):
        verification.record(CLEAN)
    verification.next_trial()
    verification.record(CLEAN)
    with pytest.raises(ValueError, match="slot 0 was not assigned, or has a trial that counts"):
        verification.record(CLEAN)


@pytest.mark.parametrize("arguments", [(0, 0.5), (1, 0.5), (0.99, 0), (0.99, 1.1)])
def test_impossible_rules_are_rejected(arguments: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        Rule(*arguments)
