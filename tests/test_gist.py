"""What is left out of a document's reports changes nothing of what it tells."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deadheat import identify
from deadheat.identity import races
from deadheat.identity.document import Document
from deadheat.identity.evidence import Mark, actors, mark
from deadheat.identity.gist import gist
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
def marks() -> dict[tuple[int, bool], Mark]:
    """A report that is met twice gives two marks, which are equal."""
    return {
        (id(report), again): mark(report) for report in some_reports() for again in (False, True)
    }


@st.composite
def seen(draw: st.DrawFn) -> list[Seen]:
    few = draw(st.lists(st.sampled_from(some_reports()), min_size=1, max_size=4))
    lanes = st.sampled_from(["a", "b"])
    one = st.tuples(st.sampled_from(few), st.booleans(), lanes, addresses)
    return draw(st.lists(one, min_size=2, max_size=16))


def told(reports: list[Seen]) -> tuple[list[str], races.Found]:
    document = Document()
    for report, again, lane, at in reports:
        document.add(marks()[id(report), again], lane, at, partial(actors, report))
    return document.found()


@pytest.mark.long
@law(200)
@given(seen())
def test_what_is_left_out_changes_nothing(reports: list[Seen]) -> None:
    marked: list[tuple[Mark, str, int]] = [
        (marks()[id(report), again], lane, at) for report, again, lane, at in reports
    ]
    tellers = gist(marked)
    assert all(marked[first][:2] == one[:2] for first, one in zip(tellers, marked, strict=True))
    kept = sorted(set(tellers))
    names, found = told([reports[index] for index in kept])
    of = dict(zip(kept, names, strict=True))
    assert ([of[first] for first in tellers], found) == told(reports)


def test_many_nodes_are_kept_small_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identify, "_MOST_ALIASED", 3)
    monkeypatch.setattr(identify, "_MOST_TUPLES", 3)
    some = some_reports()
    batches = [told([(report, False, "a", 0)])[1] for report in some[:40]]
    batches.append(told([(some[0], False, "a", 0xC000), (some[1], False, "a", 0xC000)])[1])
    identity, everything = identify.Identity(), races.nothing()
    for found in batches:
        identity.add(found)
        everything.add(found)
    assert identity.ids().keys() == everything.nodes.keys()
    assert (identity.found.nodes, identity.found.links) == (everything.nodes, everything.links)
