"""Duplicate reports that are left out do not change the grouping."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat.grouping import race_assignment, races
from deadheat.grouping.document import DocumentGrouping
from deadheat.grouping.keys import GroupingKey, grouping_key_of, racing_actors
from deadheat.grouping.race_assignment import representative_indexes
from tests.cases import all_cases
from tests.test_properties import example_count

if TYPE_CHECKING:
    from deadheat.model import Report

    Observation = tuple[Report, bool, str, int]

# close to each other, or far away from everything
near = st.integers(0, 80).map(lambda n: 0xC000 + 8 * n)
addresses = st.one_of(st.just(0), near, st.integers(1, 8).map(lambda n: n << 16))


@cache
def sample_reports() -> list[Report]:
    return [s.report for case in all_cases()[::3] for s in case.sightings()]


@cache
def grouping_keys() -> dict[tuple[int, bool], GroupingKey]:
    """Two equal keys per report, as for a report that occurs twice."""
    return {(id(report), again): grouping_key_of(report) for report in sample_reports() for again in (False, True)}


@st.composite
def observations(draw: st.DrawFn) -> list[Observation]:
    sample = draw(st.lists(st.sampled_from(sample_reports()), min_size=1, max_size=4))
    streams = st.sampled_from(["a", "b"])
    one = st.tuples(st.sampled_from(sample), st.booleans(), streams, addresses)
    return draw(st.lists(one, min_size=2, max_size=16))


def group_reports(reports: list[Observation]) -> tuple[list[str], races.GroupingFacts]:
    document = DocumentGrouping()
    for report, again, stream, at in reports:
        document.add_report(grouping_keys()[id(report), again], stream, at, partial(racing_actors, report))
    return document.group_reports()


@pytest.mark.long
@example_count(200)
@given(observations())
def test_omitted_duplicates_change_nothing(reports: list[Observation]) -> None:
    keyed: list[tuple[GroupingKey, str, int]] = [
        (grouping_keys()[id(report), again], stream, at) for report, again, stream, at in reports
    ]
    first_indexes = representative_indexes(keyed)
    assert all(keyed[first][:2] == one[:2] for first, one in zip(first_indexes, keyed, strict=True))
    representatives = sorted(set(first_indexes))
    names, facts = group_reports([reports[index] for index in representatives])
    names_by_index = dict(zip(representatives, names, strict=True))
    assert ([names_by_index[first] for first in first_indexes], facts) == group_reports(reports)


def test_many_variants_are_packed_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race_assignment, "_MAX_ALIASED_VARIANTS", 3)
    monkeypatch.setattr(race_assignment, "_MAX_UNPACKED_VARIANTS", 3)
    reports = sample_reports()
    batches = [group_reports([(report, False, "a", 0)])[1] for report in reports[:40]]
    batches.append(group_reports([(reports[0], False, "a", 0xC000), (reports[1], False, "a", 0xC000)])[1])
    identity, everything = race_assignment.RaceAssigner(), races.empty_facts()
    for facts in batches:
        identity.add_batch(facts)
        everything.add(facts)
    assert identity.race_ids().keys() == everything.variants.keys()
    assert (identity.facts.variants, identity.facts.links) == (everything.variants, everything.links)
