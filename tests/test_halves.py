"""Reports that show one side only: completed by their own run, or looked up elsewhere."""

from __future__ import annotations

import pickle
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deadheat
from deadheat.grouping import races
from deadheat.grouping.document import DocumentGrouping
from deadheat.grouping.incomplete_reports import complete_one_sided_reports
from deadheat.grouping.keys import GroupingKey, grouping_key_of
from tests.test_identity import ids, report

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Actors = frozenset[str]
    from deadheat.grouping.keys import ReportInDocument

ONE, TWO = "(*Cart).Total", "(*Cart).Print"


def half(address: int, writer: str = "(*Cart).Add", write: int = 31) -> str:
    """The report, of which the log has only the first side."""
    return report(address, writer=writer, write=write).partition("\n\n")[0] + "\n"


def other(address: int, reader: str = ONE, read: int = 40) -> str:
    """The report as a run would show it that forgot who wrote."""
    return half(address, reader, read).replace("Write", "Read")


def in_one_run(*texts: str) -> list[str]:
    """The races of reports that one process printed, each of which was cut."""
    found = races.empty_facts()
    document = DocumentGrouping()
    for text in texts:
        [sighting] = deadheat.scan(text, diagnose=False)
        first = sighting.report.accesses[0]
        document.add_report(grouping_key_of(sighting.report), None, int(first.address or "0", 16))
    names, told = document.group_reports()
    found.add(told)
    lasting = races.race_ids(found)
    return [lasting[name] for name in names]


def test_two_halves_at_one_address_are_a_whole() -> None:
    [whole] = ids(report(0xC000))
    assert in_one_run(half(0xC000), other(0xC000)) == [whole, whole]
    # at another address they have nothing to do with one another
    assert len(set(in_one_run(half(0xC000), other(0xC100)))) == 2
    # two that read do not race
    assert len(set(in_one_run(other(0xC000, TWO), other(0xC000)))) == 2


def test_a_half_is_completed_by_a_whole_at_its_address() -> None:
    [whole] = ids(report(0xC000, reader=TWO))
    found = in_one_run(half(0xC000), report(0xC000, reader=TWO), other(0xC000, TWO))
    assert found == [whole] * 3


def test_all_that_happens_at_one_address_is_one_race() -> None:
    three = [half(0xC000), other(0xC000), other(0xC000, TWO)]
    assert {race for order in permutations(three) for race in in_one_run(*order)} == {*in_one_run(*three)}
    assert len(set(in_one_run(*three))) == 1
    # one of them alone is not known by what the others did elsewhere
    assert len(set(ids(report(0xC000), report(0xC000, reader=TWO)))) == 2


def test_what_is_left_over_may_be_another_variable() -> None:
    """A function with more sides than could be completed: nobody knows which variable comes first."""
    pair = [half(0xC000), other(0xC000)]
    assert len(set(in_one_run(*pair))) == 1
    assert len(set(in_one_run(*pair, half(0xD000, write=33)))) == 2
    assert ids(report(0xC000))[0] not in in_one_run(*pair, half(0xD000, write=33))


def test_two_lines_of_one_function_meet_if_different_actors_were_there() -> None:
    [whole] = ids(report(0xC000, reader="(*Cart).Add", read=33))
    texts = [half(0xC000), other(0xC000, "(*Cart).Add", 33)]
    known = [grouping_key_of(deadheat.scan(text, diagnose=False)[0].report) for text in texts]
    for who, races_ in ((("7", "8"), {whole}), (("7", "7"), set(in_one_run(texts[0])))):
        document = DocumentGrouping()
        for one, actor in zip(known, who, strict=True):
            document.add_report(one, None, 0xC000, lambda actor=actor: frozenset([actor]))  # type: ignore[misc]
        names, told = document.group_reports()
        assert {races.race_ids(told)[name] for name in names} == races_


def test_a_function_that_meets_no_other_one_meets_itself() -> None:
    def approximate(at: int, line: int, by: str) -> tuple[GroupingKey, None, int, Callable[[], Actors]]:
        [sighting] = deadheat.scan(half(at, write=line), diagnose=False)
        return grouping_key_of(sighting.report), None, at, lambda: frozenset(by.split())

    def sides(*seen: tuple[GroupingKey, None, int, Callable[[], Actors]]) -> list[list[int]]:
        return [[s.chain[0][0] for s in m.side_keys if s.chain] for m, *_ in complete_one_sided_reports([*seen])]

    # two were there, on whichever of its lines
    assert sides(approximate(0xC000, 31, "2 3")) == [[31, 31]]
    two = approximate(0xC000, 31, "2 3"), approximate(0xC000, 33, "2 3")
    assert sides(*two) == [[31, 31], [31, 33]]
    # one was there
    assert sides(approximate(0xC000, 31, "2")) == [[31]]
    # the function meets another one elsewhere, so who knows what it met here
    third = deadheat.scan(other(0xC000), diagnose=False)[0].report
    seen = (grouping_key_of(third), None, 0xC000, lambda: frozenset("4"))
    assert sides(two[0], seen, approximate(0xC100, 35, "2 3"))[2] == [35]


def test_a_half_asks_for_the_only_race_of_its_function() -> None:
    alone = half(0xC000)
    assert len(set(ids(report(0xD000), alone))) == 1
    assert len(set(ids(report(0xD000), report(0xD000, reader=TWO), alone))) == 3
    # a twin is another race
    twins = report(0xD000) + report(0xD008, write=32, read=41)
    assert len(set(ids(twins, alone))) == 3


@pytest.mark.parametrize("program", ["uplink-counters", "poller-started", "book-locks"])
def test_what_two_tools_know_of_one_side_is_what_a_third_knows_of_both(
    program: str, recorded: Callable[[str, str], str]
) -> None:
    whole = ids(recorded(program, "helgrind"))
    assert set(ids(recorded(program, "helgrind"), recorded(program, "helgrind-approx"))) == {*whole}


@pytest.fixture
def recorded() -> Callable[[str, str], str]:
    from corpus import store

    def read(program: str, label: str) -> str:
        path = store.unpacked_set("heldout-01") / "c" / program / "recorded" / f"{label}.txt"
        return path.read_text(encoding="utf-8")

    return read


POOL = [
    grouping_key_of(deadheat.scan(text, diagnose=False)[0].report)
    for text in (
        report(0xC000),
        report(0xC000, reader=TWO),
        half(0xC000),
        half(0xC000, write=33),
        other(0xC000),
        other(0xC000, TWO),
    )
]
seen = st.lists(st.tuples(st.sampled_from(POOL), st.sampled_from([0xC000, 0xC008, 0xD000])))


def named(reports: list[tuple[GroupingKey, int]]) -> tuple[list[str], races.GroupingFacts]:
    document = DocumentGrouping()
    for known, address in reports:
        document.add_report(known, "lane", address)
    return document.group_reports()


@given(seen, st.randoms())
def test_the_order_of_reports_changes_no_race(reports: list[tuple[GroupingKey, int]], rng: random.Random) -> None:
    order = list(range(len(reports)))
    rng.shuffle(order)
    names, told = named(reports)
    mixed, others = named([reports[at] for at in order])
    assert [names[at] for at in order] == mixed
    assert races.race_ids(told) == races.race_ids(others)


def test_who_came_first_does_not_decide_what_an_address_tells() -> None:
    both, two, half_, later = POOL[:4]
    reports = [(later, 0xD000), (both, 0xC000), (two, 0xC000), (half_, 0xC000)]
    told = [dict(zip(some, named([*some])[0], strict=True)) for some in permutations(reports)]
    assert all(names == told[0] for names in told)


@given(seen)
def test_a_whole_report_is_never_changed_and_no_half_becomes_another_kind(
    reports: list[tuple[GroupingKey, int]],
) -> None:
    before: list[ReportInDocument] = [(known, "lane", address, frozenset) for known, address in reports]
    for (old, *_), (new, *_) in zip(before, complete_one_sided_reports(before), strict=True):
        assert new is old or (old.one_sided and not new.one_sided and new.kind == old.kind)
        assert {s for s in old.side_keys if s.chain} <= {*new.side_keys}


@given(seen)
def test_what_one_worker_found_reaches_another_unchanged(reports: list[tuple[GroupingKey, int]]) -> None:
    _, told = named(reports)
    sent = pickle.loads(pickle.dumps(told))  # noqa: S301, ours
    assert sent == told
    assert sent.encoded_aliases() == told.encoded_aliases()
