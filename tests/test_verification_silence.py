"""Is a race quiet, back, or did its fix not hold."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
import scipy  # loads its packages when they are used: it takes seconds
from hypothesis import given
from hypothesis import strategies as st

from deadheat.verification.silence import Standing, judge_silence, silence_probability


@pytest.mark.parametrize("rate", [0.4, 0.05, 0.004])
@pytest.mark.parametrize("sightings", [2, 3, 8])
def test_silences_of_an_unchanged_race_are_as_rare_as_stated(rate: float, sightings: int) -> None:
    """Looks just before the next sighting, when a silence is longest."""
    random, simulations = Random(sightings), 2000
    probabilities = []
    for _ in range(simulations):
        gaps = [draw_gap(random, rate) for _ in range(sightings)]
        probabilities.append(silence_probability(sightings - 1, sum(gaps[1:]), gaps[0] - 1))
    for level in (0.2, 0.05, 0.01):
        assert sum(p <= level for p in probabilities) <= scipy.stats.binom.ppf(0.999, simulations, 1.05 * level)
    assert sum(p <= 0.2 for p in probabilities) >= (0.12 if rate < 0.1 else 0.03) * simulations


def draw_gap(random: Random, rate: float) -> int:
    """Runs until the next sighting, with it."""
    gap = 1
    while random.random() >= rate:
        gap += 1
    return gap


STEADY = [0, 10, 18, 31, 40]

JUDGED = {
    "active": (STEADY, 45, None, Standing.ACTIVE, 0),
    "quiet": (STEADY, 400, None, Standing.QUIET, 41),
    "back": ([*STEADY, 400], 405, None, Standing.BACK, 400),
    "back, and quiet again": ([*STEADY, 400, 410], 900, None, Standing.QUIET, 411),
    "seen twice after it was back": ([*STEADY, 400, 407], 410, None, Standing.BACK, 400),
    "fix held so far": (STEADY, 60, 42, Standing.ACTIVE, 0),
    "fix did not hold": ([*STEADY, 55, 60], 70, 42, Standing.FIX_DID_NOT_HOLD, 55),
    "fix holds": (STEADY, 400, 42, Standing.QUIET, 41),
    "seen once": ([3], 10**6, None, Standing.ACTIVE, 3),
    "in every run": ([0, 1, 2, 3], 4, None, Standing.ACTIVE, 0),
}


@pytest.mark.parametrize(("sighted", "runs", "fixed_at", "standing", "since"), JUDGED.values(), ids=JUDGED)
def test_standing(sighted: list[int], runs: int, fixed_at: int | None, standing: Standing, since: int) -> None:
    silence = judge_silence(sighted, runs, fixed_at=fixed_at)
    assert (silence.standing, silence.since) == (standing, since)
    assert silence.clean_runs == runs - 1 - sighted[-1]


def test_the_rate_is_that_of_the_active_time() -> None:
    assert judge_silence(STEADY, 45).rate == 0.1
    assert judge_silence([*STEADY, 4000, 4020], 5000).rate == pytest.approx(5 / 60)
    assert judge_silence([3], 50).rate is None
    assert judge_silence([3], 50).probability == 1


@given(st.sets(st.integers(0, 3000), min_size=1, max_size=40), st.integers(1, 3000), st.integers(1, 3000))
def test_a_longer_silence_is_never_more_probable(sighted: set[int], clean: int, more: int) -> None:
    order = sorted(sighted)
    short, long = (judge_silence(order, order[-1] + runs) for runs in (clean, clean + more))
    assert 0 <= long.probability <= short.probability <= 1
    assert (long.standing is Standing.QUIET) >= (short.standing is Standing.QUIET)
    assert (long.standing is Standing.QUIET) == (long.probability < 0.001)


@pytest.mark.parametrize(("sighted", "runs"), [([], 5), ([7], 7), ([-1], 5)])
def test_impossible_sightings_are_rejected(sighted: list[int], runs: int) -> None:
    with pytest.raises(ValueError, match="cannot be judged"):
        judge_silence(sighted, runs)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=12), st.integers(0, 300), st.sampled_from([0.05, 1e-3, 1e-7]))
def test_bound_that_saves_probabilities_changes_nothing(gaps: list[int], clean_runs: int, quiet_below: float) -> None:
    sighted = [sum(gaps[: index + 1]) for index in range(len(gaps))]
    counted, runs, back_since = 0, 0, None
    for before, run in pairwise(sighted):
        if silence_probability(counted, runs, run - before - 1) < quiet_below:
            back_since = run
        else:
            counted, runs = counted + 1, runs + run - before
    silence = judge_silence(sighted, sighted[-1] + 1 + clean_runs, quiet_below=quiet_below)
    assert silence.rate == (counted / runs if counted else None)
    assert silence.probability == silence_probability(counted, runs, clean_runs)
    if silence.standing is Standing.BACK:
        assert silence.since == back_since
