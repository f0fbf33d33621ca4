"""The cause of a race from all its reports: laws, and what is chosen where they disagree."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.diagnosis import ranking
from deadheat.lake import race_rows as deriving
from deadheat.lake.report_row import ReportDetails

if TYPE_CHECKING:
    from collections.abc import Iterable

CAUSES = ("check-then-act", "missing-lock", "teardown-vs-worker", "unknown")
# what a report says first, how surely, and how often it was seen
Said = tuple[str | None, float, int]
REPORTS = st.lists(
    st.tuples(
        st.sampled_from((*CAUSES, None)),
        st.integers(1, 100).map(lambda hundredths: hundredths / 100),
        st.integers(1, 5),
    ),
    max_size=12,
)


def votes(reports: Iterable[Said]) -> list[dict[str, Any]]:
    added: ranking.CauseVotes = {}
    for report in reports:
        ranking.add_votes(added, ranking.votes_of_report(*report))
    return ranking.votes_as_rows(added)


# -- laws ------------------------------------------------------------------------------------------


@given(REPORTS, st.randoms(use_true_random=False), st.integers(0, 12), st.integers(0, 12))
def test_order_and_batches_make_no_difference(reports: list[Said], random: Any, one: int, two: int) -> None:
    together = votes(reports)
    mixed = random.sample(reports, len(reports))
    first, second = sorted((one, two))
    parts = [votes(mixed[:first]), votes(mixed[first:second]), votes(mixed[second:])]
    for order in (parts, parts[::-1]):
        added: ranking.CauseVotes = {}
        for part in order:
            ranking.add_votes(added, part)
        assert ranking.votes_as_rows(added) == together


@given(REPORTS, st.integers(2, 4))
def test_to_see_everything_again_changes_no_cause(reports: list[Said], times: int) -> None:
    assert ranking.choose_cause(votes(reports * times)) == ranking.choose_cause(votes(reports))
    oftener = [(cause, sure, seen * times) for cause, sure, seen in reports]
    assert votes(oftener) == votes(reports * times)


@given(REPORTS)
def test_the_cause_is_one_that_a_report_says_or_unknown(reports: list[Said]) -> None:
    chosen = ranking.choose_cause(votes(reports))
    said = {cause for cause, _, _ in reports if cause}
    assert chosen in said | {"unknown"} if said else chosen is None


@given(REPORTS)
def test_one_more_report_that_agrees_changes_nothing(reports: list[Said]) -> None:
    chosen = ranking.choose_cause(votes(reports))
    if chosen is not None:
        assert ranking.choose_cause(votes([*reports, (chosen, 0.5, 1)])) == chosen


# -- what is chosen --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reports", "cause"),
    [
        ([], None),
        ([(None, 0.0, 3)], None),
        ([("unknown", 1.0, 3)], "unknown"),
        # the sum of confidences, so that several agree against one that is surer
        ([("missing-lock", 0.55, 2), ("check-then-act", 0.9, 1)], "missing-lock"),
        ([("missing-lock", 0.55, 1), ("check-then-act", 0.9, 1)], "check-then-act"),
        # as sure together: the one that is said oftener; as often: by name
        ([("missing-lock", 0.4, 2), ("check-then-act", 0.8, 1)], "missing-lock"),
        ([("missing-lock", 0.8, 1), ("check-then-act", 0.8, 1)], "check-then-act"),
        # who does not know says nothing against it, unless hardly anybody knows
        ([("unknown", 1.0, 2), ("check-then-act", 0.41, 1)], "check-then-act"),
        ([("unknown", 0.6, 3), ("check-then-act", 0.99, 1)], "unknown"),
        ([("unknown", 0.9, 4), ("check-then-act", 0.5, 1), ("missing-lock", 0.6, 1)], "missing-lock"),
    ],
)
def test_what_is_chosen(reports: list[Said], cause: str | None) -> None:
    assert ranking.choose_cause(votes(reports)) == cause


# -- nodes and races -------------------------------------------------------------------------------

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


def sighted(digest: str, damage: int = 0) -> tuple[Any, ...]:
    return "n1", "b1", [], [], False, digest, None, None, None, WHEN, damage


def about(cause: str | None, confidence: float) -> ReportDetails:
    return ReportDetails("a race", "go", "data-race", [], cause, confidence, [])


KNOWN = {
    "d1": about("unknown", 0.65),
    "d2": about("check-then-act", 0.75),
    "d3": about("missing-lock", 0.55),
    "d4": about(None, 0.0),
}


def test_a_race_has_the_cause_of_all_its_reports_and_the_title_of_the_best() -> None:
    seen = [sighted("d1"), sighted("d2", 1), sighted("d2", 1), sighted("d3", 2), sighted("d4")]
    ((race,), _) = deriving.race_and_family_rows(deriving.variant_rows(seen, KNOWN))
    assert (race["report"], race["cause"]) == ("d1", "check-then-act")
    assert race["causes"] == [
        {"cause": "check-then-act", "sightings": 2, "weight": 150},
        {"cause": "missing-lock", "sightings": 1, "weight": 55},
        {"cause": "unknown", "sightings": 1, "weight": 65},
    ]


@given(st.lists(st.sampled_from([*KNOWN]), min_size=1, max_size=8), st.integers(0, 8))
def test_nodes_of_batches_are_those_of_all_at_once(digests: list[str], cut: int) -> None:
    seen = [sighted(digest) for digest in digests]
    before = deriving.variant_rows(seen[:cut], KNOWN)
    assert deriving.variant_rows(seen[cut:], KNOWN, before) == deriving.variant_rows(seen, KNOWN)
