"""Intervals, predictive probabilities and needed runs: against scipy, and what must hold for all counts."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import scipy  # loads its packages when they are used: it takes seconds
from hypothesis import given
from hypothesis import strategies as st

from deadheat.verification import rates
from deadheat.verification.rates import JEFFREYS, Interval
from deadheat.verification.sequential import Rule
from tools.docs import DOCS

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = st.one_of(st.integers(1, 60), st.integers(1, 10**7))
CONFIDENCES = st.sampled_from([0.8, 0.95, 0.99, 0.9999])
FREQUENCIES = st.one_of(st.just(0.0), st.just(1.0), st.floats(-7, 0).map(lambda exponent: 10**exponent))


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    """Failures and runs, at rates down to 1e-7."""
    runs = draw(RUNS)
    return round(runs * draw(FREQUENCIES)), runs


@given(counts(), CONFIDENCES)
def test_clopper_pearson_interval_is_that_of_scipy(observed: tuple[int, int], confidence: float) -> None:
    failures, runs = observed
    expected = scipy.stats.binomtest(failures, runs).proportion_ci(confidence, "exact")
    assert rates.clopper_pearson_interval(failures, runs, confidence) == pytest.approx(tuple(expected), rel=1e-7)


@given(counts(), CONFIDENCES)
def test_jeffreys_interval_is_that_of_scipy(observed: tuple[int, int], confidence: float) -> None:
    failures, runs = observed
    low, high = rates.jeffreys_interval(failures, runs, confidence)
    tail = (1 - confidence) / 2
    if failures:
        assert low == pytest.approx(scipy.special.betaincinv(failures + 0.5, runs - failures + 0.5, tail), rel=1e-7)
    if failures < runs:
        expected = scipy.special.betainccinv(failures + 0.5, runs - failures + 0.5, tail)
        assert high == pytest.approx(expected, rel=1e-7)


@given(st.floats(0.01, 1e7), st.floats(0.01, 1e7), st.just(0.0) | st.floats(1e-300, 1))
def test_incomplete_beta_function_is_that_of_scipy(a: float, b: float, x: float) -> None:
    assert rates.regularized_beta(a, b, x) == pytest.approx(scipy.special.betainc(a, b, x), rel=1e-6, abs=1e-12)


@given(counts(), st.integers(0, 10**8))
def test_predictive_probability_is_that_of_scipy(observed: tuple[int, int], clean_runs: int) -> None:
    failures, runs = observed
    a, b = failures + 0.5, runs - failures + 0.5
    expected = scipy.special.betaln(a, b + clean_runs) - scipy.special.betaln(a, b)
    mine = rates.clean_probability(failures, runs, clean_runs)
    if expected > -500:
        # scipy subtracts two large logarithms
        digits = 1e-14 * (abs(scipy.special.betaln(a, b + clean_runs)) + runs)
        assert math.log(mine) == pytest.approx(expected, rel=1e-6, abs=1e-9 + 100 * digits)
    else:
        assert mine < 1e-200


# runs that exclude "nothing has changed": point estimate 95 %, Jeffreys 95 % and 99 %, Clopper and Pearson 95 %
NEEDED = {(20, 100): (14, 15, 23, 21), (5, 100): (59, 71, 129, 149), (1, 20): (59, 126, 406, 1169)}


@pytest.mark.parametrize(("before", "needed"), NEEDED.items())
def test_needed_runs(before: tuple[int, int], needed: tuple[int, ...]) -> None:
    failures, runs = before
    assert needed == (
        rates.clean_runs_at_rate(failures / runs, 0.95),
        rates.clean_runs_needed(failures, runs, 0.95),
        rates.clean_runs_needed(failures, runs, 0.99),
        rates.clean_runs_at_rate(rates.lower_bound(failures, runs), 0.95),
    )


def test_thirty_clean_runs_exclude_only_a_rate_above_9_5_percent() -> None:
    assert rates.upper_bound(0, 30) == pytest.approx(0.095, abs=0.0005)


@given(counts(), st.sampled_from([0.9, 0.99]))
def test_needed_runs_are_the_fewest(observed: tuple[int, int], confidence: float) -> None:
    failures, runs = observed
    needed = rates.clean_runs_needed(failures, runs, confidence)
    assert rates.clean_probability(failures, runs, needed) <= 1 - confidence
    assert rates.clean_probability(failures, runs, needed - 1) > 1 - confidence


@given(counts(), st.integers(0, 10**7))
def test_clean_runs_become_less_probable_with_their_number_and_with_failures(
    observed: tuple[int, int], clean_runs: int
) -> None:
    failures, runs = observed
    probability = rates.clean_probability(failures, runs, clean_runs)
    assert 0 <= probability <= 1
    assert rates.clean_probability(failures, runs, clean_runs + 1 + clean_runs // 1000) <= probability
    if failures < runs:
        assert rates.clean_probability(failures + 1, runs, clean_runs) <= probability


@given(counts(), CONFIDENCES)
def test_intervals_contain_the_observed_rate(observed: tuple[int, int], confidence: float) -> None:
    failures, runs = observed
    for interval in (rates.clopper_pearson_interval, rates.jeffreys_interval):
        low, high = interval(failures, runs, confidence)
        assert 0 <= low <= failures / runs <= high <= 1
    exact, jeffreys = rates.clopper_pearson_interval(failures, runs), rates.jeffreys_interval(failures, runs)
    assert exact.low <= jeffreys.low * (1 + 1e-9)
    assert jeffreys.high <= exact.high * (1 + 1e-9)


@pytest.mark.parametrize("rate", [0.9, 0.2, 0.02, 0.002])
@pytest.mark.parametrize("runs", [10, 100, 1000])
def test_clopper_pearson_bounds_hold_as_often_as_they_say(rate: float, runs: int) -> None:
    """Not simulated but summed over all outcomes."""
    for bound, is_missed in ((rates.upper_bound, float.__lt__), (rates.lower_bound, float.__gt__)):
        outcomes = (k for k in range(runs + 1) if is_missed(bound(k, runs, 0.95), rate))
        assert math.fsum(scipy.stats.binom.pmf(k, runs, rate) for k in outcomes) <= 0.05 + 1e-12


def test_ten_million_runs() -> None:
    assert rates.upper_bound(0, 10**7, 0.95) == pytest.approx(2.9957e-7, rel=1e-4)
    assert rates.jeffreys_interval(1, 10**7) == pytest.approx(
        Interval(*scipy.special.betaincinv(1.5, 1e7 - 0.5, [0.025, 0.975])), rel=1e-9
    )
    assert rates.clean_runs_needed(10**6, 10**7, 0.99) == 44


def test_impossible_counts_are_rejected() -> None:
    for failures, runs in ((-1, 5), (6, 5), (1, 0)):
        with pytest.raises(ValueError, match="failures in"):
            rates.upper_bound(failures, runs)
        with pytest.raises(ValueError, match="failures in"):
            JEFFREYS.update(failures, runs)
    with pytest.raises(ValueError, match="must be above 0"):
        rates.clean_runs_at_rate(0, 0.95)


def test_without_a_run_nothing_is_known() -> None:
    assert rates.clopper_pearson_interval(0, 0) == (0, 1)
    assert rates.jeffreys_interval(0, 0) == (0, 1)
    assert rates.clean_runs_needed(0, 0, 0.99) > 3000


def documented_rows(header: str) -> Iterator[list[str]]:
    """The cells of the table in the documentation that begins with this line."""
    lines = (DOCS / "explanation" / "verification.md").read_text(encoding="utf-8").splitlines()
    for line in lines[lines.index(header) + 2 :]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def test_documented_bounds_are_right() -> None:
    rows = [*documented_rows("| clean runs | rate below, 95 % | 99 % |")]
    assert len(rows) == 6
    for runs, *bounds in rows:
        number = int(runs.replace(",", ""))
        assert bounds == [f"{100 * rates.upper_bound(0, number, one):.3g} %" for one in (0.95, 0.99)]


def test_documented_numbers_of_runs_are_right() -> None:
    rows = [
        *documented_rows("| seen before | point estimate, 95 % | Jeffreys, 95 % | 99 % | Clopper and Pearson, 95 % |")
    ]
    assert rows == [
        [f"{failures} of {runs}", *(f"{one:,}" for one in needed)] for (failures, runs), needed in NEEDED.items()
    ]


def test_documented_probabilities_of_a_rest_are_right() -> None:
    rows = [*documented_rows("| share that is left | r = 1 | r = 1/2 (default) | r = 1/10 |")]
    rules = [Rule(remaining=remaining) for remaining in (1.0, 0.5, 0.1)]
    *shares, costs = rows
    for (_, *cells), left in zip(shares, (1, 1 / 2, 1 / 5, 1 / 10, 1 / 100), strict=True):
        for cell, rule in zip(cells, rules, strict=True):
            stated = float(cell.removesuffix(" %"))
            digits = len(cell.partition(".")[2].removesuffix(" %"))
            assert stated == round(100 * rule.old_probability(left) ** rule.sightings_needed, digits or None)
    assert costs[1:] == [f"{rule.sightings_needed / rule.old_share:.1f}" for rule in rules]


def test_statistics_need_only_the_standard_library() -> None:
    code = (
        "import sys; from deadheat.verification import bandit, bisection, rates, sequential, silence;"
        "print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if not name.startswith("_")}
    assert loaded <= {"deadheat", "sitecustomize"}
