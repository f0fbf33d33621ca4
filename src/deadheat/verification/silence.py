"""Is a race quiet, is it back, did its fix not hold: from the order of runs and sightings alone.

A race is known because it was seen, and its latest sighting is by definition the end of a gap. So only gaps
between sightings count for its rate: f sightings have f - 1 gaps. For such a count, where runs go on until a
sighting, Jeffreys' prior is beta(0, 1/2). One sighting says nothing about the rate.
"""

from __future__ import annotations

import math
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from deadheat.verification.rates import Beta

if TYPE_CHECKING:
    from collections.abc import Sequence

QUIET_BELOW = 0.001  # probability of a silence that is not chance


class Standing(Enum):
    """What the runs say about a race."""

    ACTIVE = "active"
    QUIET = "quiet"  # a silence this long is improbable at its old rate
    BACK = "back"  # seen again after such a silence
    FIX_DID_NOT_HOLD = "fix did not hold"  # seen in a run that contains the fix


class Silence(NamedTuple):
    """The standing of a race, and the numbers behind it. Runs are counted from 0."""

    standing: Standing
    since: int  # the first run of the silence, after it, or with the fix and the race; else the first sighting
    clean_runs: int  # after the latest sighting
    probability: float  # of so many clean runs at the old rate; 1 if the rate is not known
    rate: float | None  # per run while it was active; None if it was seen once


def silence_probability(gaps: int, runs: int, clean_runs: int) -> float:
    """The probability of this many clean runs at the rate of `gaps` sightings in `runs` runs that end with one.

    If the first of the runs was chosen because of a sighting, that sighting and its run do not count. The
    uncertainty of the rate is part of the probability.
    """
    if not gaps:
        return 1.0
    return Beta(gaps, runs - gaps + 0.5).clean_probability(clean_runs)


def judge_silence(
    sighted: Sequence[int], runs: int, *, fixed_at: int | None = None, quiet_below: float = QUIET_BELOW
) -> Silence:
    """Judge a race that was seen in the runs `sighted`, of `runs` runs that could have shown it.

    `sighted` ascends without repetition; both count runs of the same jobs, in their order. All runs from `fixed_at` on
    contain the commit that is said to fix the race. To judge many races at once, divide `quiet_below` by their
    number, or expect that share of them to be called quiet by chance.
    """
    if not sighted or not 0 <= sighted[0] <= sighted[-1] < runs:
        raise ValueError(f"a race seen in {len(sighted)} of {runs} runs cannot be judged")
    gaps, active_runs, back_since, limit = 0, 0, None, -math.log(quiet_below)
    for before, seen in pairwise(sighted):
        silent_runs = seen - before - 1
        # the probability is at least (b / (a + b))^n, since each clean run makes the next one more probable
        may_be_quiet = silent_runs * gaps > limit * (active_runs - gaps + 0.5)
        if may_be_quiet and silence_probability(gaps, active_runs, silent_runs) < quiet_below:
            back_since = seen  # the silence is not part of the old rate
        else:
            gaps, active_runs = gaps + 1, active_runs + seen - before
    clean_runs = runs - 1 - sighted[-1]
    probability = silence_probability(gaps, active_runs, clean_runs)
    standing, since = Standing.ACTIVE, sighted[0]
    if back_since is not None:
        standing, since = Standing.BACK, back_since
    after_fix = [] if fixed_at is None else [seen for seen in sighted if seen >= fixed_at]
    if after_fix:
        standing, since = Standing.FIX_DID_NOT_HOLD, after_fix[0]
    if probability < quiet_below:
        standing, since = Standing.QUIET, sighted[-1] + 1
    return Silence(standing, since, clean_runs, probability, gaps / active_runs if gaps else None)
