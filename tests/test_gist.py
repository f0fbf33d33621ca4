"""What is left out of a document's reports changes nothing of what it tells."""

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
from tests.test_properties import law

if TYPE_CHECKING:
    from deadheat.model import Report

    Seen = tuple[Report, bool, str, int]

# all near one another, or far away from everything but those that are near
near = st.integers(0, 80).map(lambda n: 0xC000 + 8 * n)
addresses = st.one_of(st.just(0), near, st.integers(1, 8).map(lambda n: n << 16))


@cache
def some_reports() -> list[Report]:
    return [s.report for case in all_cases()[::3] for s in case.sightings()]


@cache
def marks() -> dict[tuple[int, bool], GroupingKey]:
    """A report that is met twice gives two marks, which are equal."""
    return {(id(report), again): grouping_key_of(report) for report in some_reports() for again in (False, True)}


@st.composite
def seen(draw: st.DrawFn) -> list[Seen]:
    few = draw(st.lists(st.sampled_from(some_reports()), min_size=1, max_size=4))
    lanes = st.sampled_from(["a", "b"])
    one = st.tuples(st.sampled_from(few), st.booleans(), lanes, addresses)
    return draw(st.lists(one, min_size=2, max_size=16))


def told(reports: list[Seen]) -> tuple[list[str], races.GroupingFacts]:
    document = DocumentGrouping()
    for report, again, lane, at in reports:
        document.add_report(marks()[id(report), again], lane, at, partial(racing_actors, report))
    return document.group_reports()


@pytest.mark.long
@law(200)
@given(seen())
def test_what_is_left_out_changes_nothing(reports: list[Seen]) -> None:
    marked: list[tuple[GroupingKey, str, int]] = [
        (marks()[id(report), again], lane, at) for report, again, lane, at in reports
    ]
    tellers = representative_indexes(marked)
    assert all(marked[first][:2] == one[:2] for first, one in zip(tellers, marked, strict=True))
    kept = sorted(set(tellers))
    names, found = told([reports[index] for index in kept])
    of = dict(zip(kept, names, strict=True))
    assert ([of[first] for first in tellers], found) == told(reports)


def test_many_nodes_are_kept_small_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race_assignment, "_MAX_ALIASED_VARIANTS", 3)
    monkeypatch.setattr(race_assignment, "_MAX_UNPACKED_VARIANTS", 3)
    some = some_reports()
    batches = [told([(report, False, "a", 0)])[1] for report in some[:40]]
    batches.append(told([(some[0], False, "a", 0xC000), (some[1], False, "a", 0xC000)])[1])
    identity, everything = race_assignment.RaceAssigner(), races.empty_facts()
    for found in batches:
        identity.add_batch(found)
        everything.add(found)
    assert identity.race_ids().keys() == everything.variants.keys()
    assert (identity.facts.variants, identity.facts.links) == (everything.variants, everything.links)
