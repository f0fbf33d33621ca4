"""Failure rates: intervals, predictive probabilities, and how many clean runs prove something.

All functions are accurate to at least six digits for up to ten million runs and rates down to 1e-7.
"""

from __future__ import annotations

import math
from typing import NamedTuple

_MAX_FACTORS = 100_000  # of the continued fraction; it needs about the square root of the number of runs
_PRECISION = 1e-14
_STIRLING_FROM = 20.0  # from here on, three terms of Stirling's series are exact to 1e-11
_MAX_RUNS = 10**15


class Interval(NamedTuple):
    """Two bounds of a rate."""

    low: float
    high: float


class Beta(NamedTuple):
    """What is known about a failure rate: a beta distribution, `a` grows with failures and `b` with clean runs."""

    a: float
    b: float

    @property
    def mean(self) -> float:
        return self.a / (self.a + self.b)

    def update(self, failures: int, runs: int) -> Beta:
        """The same after more runs."""
        check_counts(failures, runs)
        return Beta(self.a + failures, self.b + runs - failures)

    def quantile(self, probability: float) -> float:
        """The rate that is not exceeded with this probability."""
        return beta_quantile(self.a, self.b, probability)

    def clean_probability(self, runs: int) -> float:
        """The probability that this many further runs are all clean: the beta-binomial predictive probability."""
        # prod((b + i) / (a + b + i) for i < runs), also for many runs and without loss of digits
        log = log_rising(self.b, self.a) - log_rising(self.b + runs, self.a)
        return math.exp(min(0.0, log))


JEFFREYS = Beta(0.5, 0.5)


def check_counts(failures: int, runs: int) -> None:
    """Reject counts that no runs can have."""
    if not 0 <= failures <= runs:
        raise ValueError(f"{failures} failures in {runs} runs: must be between 0 and the number of runs")


def jeffreys_interval(failures: int, runs: int, confidence: float = 0.95) -> Interval:
    """The equal-tailed posterior interval of the rate with Jeffreys' prior.

    The bound on the side of an observation at the edge (no run failed, or all) is the edge.
    """
    posterior = JEFFREYS.update(failures, runs)
    tail = (1 - confidence) / 2
    low = posterior.quantile(tail) if failures else 0.0
    high = posterior.quantile(1 - tail) if failures < runs else 1.0
    return Interval(low, high)


def clopper_pearson_interval(failures: int, runs: int, confidence: float = 0.95) -> Interval:
    """The exact interval of the rate: it contains the true rate at least as often as `confidence` says."""
    one_sided = (1 + confidence) / 2
    return Interval(lower_bound(failures, runs, one_sided), upper_bound(failures, runs, one_sided))


def upper_bound(failures: int, runs: int, confidence: float = 0.95) -> float:
    """The exact one-sided upper bound of the rate (Clopper and Pearson)."""
    check_counts(failures, runs)
    if failures == runs:
        return 1.0
    if not failures:
        return -math.expm1(math.log1p(-confidence) / runs)
    return beta_quantile(failures + 1, runs - failures, confidence)


def lower_bound(failures: int, runs: int, confidence: float = 0.95) -> float:
    """The exact one-sided lower bound of the rate (Clopper and Pearson)."""
    check_counts(failures, runs)
    if not failures:
        return 0.0
    if failures == runs:
        return math.exp(math.log1p(-confidence) / runs)
    return beta_quantile(failures, runs - failures + 1, 1 - confidence)


def clean_probability(failures: int, runs: int, clean_runs: int) -> float:
    """The probability of this many clean runs if nothing had changed since `failures` in `runs`.

    The uncertainty of the old rate is part of it (Jeffreys' prior), so few failures give a large probability.
    """
    return JEFFREYS.update(failures, runs).clean_probability(clean_runs)


def clean_runs_needed(failures: int, runs: int, confidence: float) -> int:
    """How many clean runs make "nothing has changed" as improbable as 1 - `confidence`."""
    known, error = JEFFREYS.update(failures, runs), 1 - confidence
    high = 1
    while known.clean_probability(high) > error:
        high *= 2
        if high > _MAX_RUNS:
            raise ValueError(f"{failures} failures in {runs} runs: no feasible number of runs gives {confidence}")
    low = high // 2  # not enough, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if known.clean_probability(middle) > error else (low, middle)
    return high


def clean_runs_at_rate(rate: float, confidence: float) -> int:
    """How many clean runs exclude a failure rate that is known exactly."""
    if not 0 < rate <= 1:
        raise ValueError(f"{rate}: a failure rate must be above 0 and at most 1")
    return 1 if rate == 1 else max(1, math.ceil(math.log1p(-confidence) / math.log1p(-rate)))


def regularized_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function: the probability that a beta(a, b) variable is at most x."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - _log_beta(a, b))
    if x < (a + 1) / (a + b + 2):  # where the continued fraction converges fast
        return min(1.0, front * _continued_fraction(a, b, x) / a)
    return max(0.0, 1 - front * _continued_fraction(b, a, 1 - x) / b)


def beta_quantile(a: float, b: float, probability: float) -> float:
    """The x with regularized_beta(a, b, x) == probability: Newton's method, kept inside a bracket."""
    low, high, x = 0.0, 1.0, a / (a + b)
    log_beta = _log_beta(a, b)
    for _ in range(200):
        excess = regularized_beta(a, b, x) - probability
        low, high = (low, x) if excess > 0 else (x, high)
        log_density = (a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - log_beta
        step = excess / math.exp(log_density) if log_density > -700 else math.inf
        following = x - step
        if not low < following < high:  # in proportion: the bounds may differ by orders of magnitude
            following = math.sqrt(low * high) if low else high / 16
            following = following if high < 0.5 else (low + high) / 2
        if abs(following - x) <= 1e-13 * x or not 0 < following < 1:
            break
        x = following
    return x


def _continued_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes 6.4)."""
    tiny = 1e-300
    c = 1.0
    d = 1 / _away_from_zero(1 - (a + b) * x / (a + 1), tiny)
    result = d
    for m in range(1, _MAX_FACTORS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for factor in (even, odd):
            d = 1 / _away_from_zero(1 + factor * d, tiny)
            c = _away_from_zero(1 + factor / c, tiny)
            result *= d * c
        if abs(d * c - 1) < _PRECISION:
            break
    return result


def _away_from_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny


def _log_beta(a: float, b: float) -> float:
    small, large = min(a, b), max(a, b)
    return math.lgamma(small) - log_rising(large, small)


def log_rising(x: float, a: float) -> float:
    """log(gamma(x + a) / gamma(x)), without the cancellation of two large logarithms."""
    if x < _STIRLING_FROM:
        return math.lgamma(x + a) - math.lgamma(x)
    return (x - 0.5) * math.log1p(a / x) + a * math.log(x + a) - a + _stirling_rest(x + a) - _stirling_rest(x)


def _stirling_rest(x: float) -> float:
    return (1 - (1 / 30 - 1 / (105 * x * x)) / (x * x)) / (12 * x)
