"""The cause of a race from all its reports: invariants, and the choice where they disagree."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.diagnosis import cause_votes as votes
from deadheat.lake import race_rows
from deadheat.lake.report_row import ReportDetails
from deadheat.lake.schema import SIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

CAUSES = ("check-then-act", "missing-lock", "teardown-vs-worker", "unknown")
# the first cause of a report, its confidence, and its number of sightings
Vote = tuple[str | None, float, int]
REPORTS = st.lists(
    st.tuples(
        st.sampled_from((*CAUSES, None)),
        st.integers(1, 100).map(lambda hundredths: hundredths / 100),
        st.integers(1, 5),
    ),
    max_size=12,
)


def count_votes(reports: Iterable[Vote]) -> list[dict[str, Any]]:
    added: votes.CauseVotes = {}
    for report in reports:
        votes.add_votes(added, votes.votes_of_report(*report))
    return votes.votes_as_rows(added)


# -- invariants ------------------------------------------------------------------------------------


@given(REPORTS, st.randoms(use_true_random=False), st.integers(0, 12), st.integers(0, 12))
def test_order_and_batches_make_no_difference(reports: list[Vote], random: Any, one: int, two: int) -> None:
    together = count_votes(reports)
    mixed = random.sample(reports, len(reports))
    first, second = sorted((one, two))
    parts = [count_votes(mixed[:first]), count_votes(mixed[first:second]), count_votes(mixed[second:])]
    for order in (parts, parts[::-1]):
        added: votes.CauseVotes = {}
        for part in order:
            votes.add_votes(added, part)
        assert votes.votes_as_rows(added) == together


@given(REPORTS, st.integers(2, 4))
def test_repeating_all_reports_changes_no_cause(reports: list[Vote], times: int) -> None:
    assert votes.choose_cause(count_votes(reports * times)) == votes.choose_cause(count_votes(reports))
    repeated = [(cause, sure, count * times) for cause, sure, count in reports]
    assert count_votes(repeated) == count_votes(reports * times)


@given(REPORTS)
def test_cause_is_that_of_a_report_or_unknown(reports: list[Vote]) -> None:
    chosen = votes.choose_cause(count_votes(reports))
    causes = {cause for cause, _, _ in reports if cause}
    assert chosen in causes | {"unknown"} if causes else chosen is None


@given(REPORTS)
def test_another_agreeing_report_changes_nothing(reports: list[Vote]) -> None:
    chosen = votes.choose_cause(count_votes(reports))
    if chosen is not None:
        assert votes.choose_cause(count_votes([*reports, (chosen, 0.5, 1)])) == chosen


# -- examples --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reports", "cause"),
    [
        ([], None),
        ([(None, 0.0, 3)], None),
        ([("unknown", 1.0, 3)], "unknown"),
        # the sum of confidences: several reports outvote a more confident one
        ([("missing-lock", 0.55, 2), ("check-then-act", 0.9, 1)], "missing-lock"),
        ([("missing-lock", 0.55, 1), ("check-then-act", 0.9, 1)], "check-then-act"),
        # equal weight: the more frequent cause; equally frequent: by name
        ([("missing-lock", 0.4, 2), ("check-then-act", 0.8, 1)], "missing-lock"),
        ([("missing-lock", 0.8, 1), ("check-then-act", 0.8, 1)], "check-then-act"),
        # unknown is no vote against a cause, unless nearly all are unknown
        ([("unknown", 1.0, 2), ("check-then-act", 0.41, 1)], "check-then-act"),
        ([("unknown", 0.6, 3), ("check-then-act", 0.99, 1)], "unknown"),
        ([("unknown", 0.9, 4), ("check-then-act", 0.5, 1), ("missing-lock", 0.6, 1)], "missing-lock"),
    ],
)
def test_chosen_cause(reports: list[Vote], cause: str | None) -> None:
    assert votes.choose_cause(count_votes(reports)) == cause


# -- variants and races ----------------------------------------------------------------------------

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


def sighting_row(digest: str, damage: int = 0) -> dict[str, Any]:
    lists: dict[str, list[str]] = {"links": [], "aliases": [], "names": []}
    place = {"uri": "a.log", "offset": 0, "length": 1, "observed_at": WHEN}
    return {**lists, **place, "node": "n1", "base": "b1", "split": False, "report": digest, "damage": damage}


def variants(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return race_rows.rows_of_sightings(pa.Table.from_pylist(rows, SIGHTINGS), KNOWN)


def report_details(cause: str | None, confidence: float) -> ReportDetails:
    return ReportDetails("a race", "go", "data-race", [], cause, confidence, [])


KNOWN = {
    "d1": report_details("unknown", 0.65),
    "d2": report_details("check-then-act", 0.75),
    "d3": report_details("missing-lock", 0.55),
    "d4": report_details(None, 0.0),
}


def test_race_has_the_cause_of_all_its_reports_and_the_title_of_the_best() -> None:
    rows = [sighting_row("d1"), sighting_row("d2", 1), sighting_row("d2", 1), sighting_row("d3", 2), sighting_row("d4")]
    (race,) = race_rows.race_rows(row | {"race": "r1"} for row in variants(rows)).values()
    assert (race["report"], race["cause"]) == ("d1", "check-then-act")
    assert race["causes"] == [
        {"cause": "check-then-act", "sightings": 2, "weight": 150},
        {"cause": "missing-lock", "sightings": 1, "weight": 55},
        {"cause": "unknown", "sightings": 1, "weight": 65},
    ]


@given(st.lists(st.sampled_from([*KNOWN]), min_size=1, max_size=8), st.integers(0, 8))
def test_variants_of_batches_equal_those_of_all_at_once(digests: list[str], cut: int) -> None:
    rows = [sighting_row(digest) for digest in digests]
    parts = [*variants(rows[:cut]), *variants(rows[cut:])]
    assert race_rows.variant_rows(parts) == variants(rows)
