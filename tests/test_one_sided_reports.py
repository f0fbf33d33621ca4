"""One-sided reports: completed by their own run, or matched with other documents."""

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
from tests.test_grouping import make_report, race_count, race_ids_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Actors = frozenset[str]
    from deadheat.grouping.keys import ReportInDocument

ONE, TWO = "(*Cart).Total", "(*Cart).Print"


def first_side_only(address: int, writer: str = "(*Cart).Add", write: int = 31) -> str:
    """The report without its second side."""
    return make_report(address, writer=writer, write=write).partition("\n\n")[0] + "\n"


def reading_side_only(address: int, reader: str = ONE, read: int = 40) -> str:
    """The report without its writing side."""
    return first_side_only(address, reader, read).replace("Write", "Read")


def race_ids_of_run(*texts: str) -> list[str]:
    """The race ids of one-sided reports that one process printed."""
    facts_of_run = races.empty_facts()
    document = DocumentGrouping()
    for text in texts:
        [sighting] = deadheat.scan(text, diagnose=False)
        first = sighting.report.accesses[0]
        document.add_report(grouping_key_of(sighting.report), None, int(first.address or "0", 16))
    names, facts = document.group_reports()
    facts_of_run.add(facts)
    race_ids = races.race_ids(facts_of_run)
    return [race_ids[name] for name in names]


def race_count_of_run(*texts: str) -> int:
    return len({*race_ids_of_run(*texts)})


def test_two_sides_at_one_address_are_one_race() -> None:
    [race] = race_ids_of(make_report(0xC000))
    assert race_ids_of_run(first_side_only(0xC000), reading_side_only(0xC000)) == [race, race]
    # different addresses are unrelated
    assert race_count_of_run(first_side_only(0xC000), reading_side_only(0xC100)) == 2
    # two reads do not race
    assert race_count_of_run(reading_side_only(0xC000, TWO), reading_side_only(0xC000)) == 2


def test_one_sided_report_is_completed_by_a_complete_one_at_its_address() -> None:
    [race] = race_ids_of(make_report(0xC000, reader=TWO))
    race_ids = race_ids_of_run(first_side_only(0xC000), make_report(0xC000, reader=TWO), reading_side_only(0xC000, TWO))
    assert race_ids == [race] * 3


def test_everything_at_one_address_is_one_race() -> None:
    three = [first_side_only(0xC000), reading_side_only(0xC000), reading_side_only(0xC000, TWO)]
    assert {race for order in permutations(three) for race in race_ids_of_run(*order)} == {*race_ids_of_run(*three)}
    assert race_count_of_run(*three) == 1
    # across documents they stay separate
    assert race_count(make_report(0xC000), make_report(0xC000, reader=TWO)) == 2


def test_unmatched_side_may_be_another_variable() -> None:
    """A function has more sides than could be completed: the order of the variables is unknown."""
    pair = [first_side_only(0xC000), reading_side_only(0xC000)]
    assert race_count_of_run(*pair) == 1
    assert race_count_of_run(*pair, first_side_only(0xD000, write=33)) == 2
    assert race_ids_of(make_report(0xC000))[0] not in race_ids_of_run(*pair, first_side_only(0xD000, write=33))


def test_two_lines_of_one_function_race_if_their_actors_differ() -> None:
    [race] = race_ids_of(make_report(0xC000, reader="(*Cart).Add", read=33))
    texts = [first_side_only(0xC000), reading_side_only(0xC000, "(*Cart).Add", 33)]
    known = [grouping_key_of(deadheat.scan(text, diagnose=False)[0].report) for text in texts]
    for who, races_ in ((("7", "8"), {race}), (("7", "7"), set(race_ids_of_run(texts[0])))):
        document = DocumentGrouping()
        for one, actor in zip(known, who, strict=True):
            document.add_report(one, None, 0xC000, lambda actor=actor: frozenset([actor]))  # type: ignore[misc]
        names, facts = document.group_reports()
        assert {races.race_ids(facts)[name] for name in names} == races_


def test_function_without_a_partner_races_with_itself() -> None:
    def one_sided_report(at: int, line: int, by: str) -> tuple[GroupingKey, None, int, Callable[[], Actors]]:
        [sighting] = deadheat.scan(first_side_only(at, write=line), diagnose=False)
        return grouping_key_of(sighting.report), None, at, lambda: frozenset(by.split())

    def completed_lines(*reports: tuple[GroupingKey, None, int, Callable[[], Actors]]) -> list[list[int]]:
        return [[s.chain[0][0] for s in m.side_keys if s.chain] for m, *_ in complete_one_sided_reports([*reports])]

    # two actors, on any of its lines
    assert completed_lines(one_sided_report(0xC000, 31, "2 3")) == [[31, 31]]
    two = one_sided_report(0xC000, 31, "2 3"), one_sided_report(0xC000, 33, "2 3")
    assert completed_lines(*two) == [[31, 31], [31, 33]]
    # one actor
    assert completed_lines(one_sided_report(0xC000, 31, "2")) == [[31]]
    # the function also races with another one, so the partner is unknown
    third = deadheat.scan(reading_side_only(0xC000), diagnose=False)[0].report
    other_function = (grouping_key_of(third), None, 0xC000, lambda: frozenset("4"))
    assert completed_lines(two[0], other_function, one_sided_report(0xC100, 35, "2 3"))[2] == [35]


def test_one_sided_report_joins_the_only_race_of_its_function() -> None:
    alone = first_side_only(0xC000)
    assert race_count(make_report(0xD000), alone) == 1
    assert race_count(make_report(0xD000), make_report(0xD000, reader=TWO), alone) == 3
    # a second variable is another race
    two_variables = make_report(0xD000) + make_report(0xD008, write=32, read=41)
    assert race_count(two_variables, alone) == 3


@pytest.mark.parametrize("program", ["uplink-counters", "poller-started", "book-locks"])
def test_helgrind_without_history_gives_the_races_of_the_full_report(
    program: str, read_recording: Callable[[str, str], str]
) -> None:
    races_of_helgrind = race_ids_of(read_recording(program, "helgrind"))
    assert set(race_ids_of(read_recording(program, "helgrind"), read_recording(program, "helgrind-approx"))) == {
        *races_of_helgrind
    }


@pytest.fixture
def read_recording() -> Callable[[str, str], str]:
    from corpus import store

    def read(program: str, label: str) -> str:
        path = store.unpacked_set("heldout-01") / "c" / program / "recorded" / f"{label}.txt"
        return path.read_text(encoding="utf-8")

    return read


POOL = [
    grouping_key_of(deadheat.scan(text, diagnose=False)[0].report)
    for text in (
        make_report(0xC000),
        make_report(0xC000, reader=TWO),
        first_side_only(0xC000),
        first_side_only(0xC000, write=33),
        reading_side_only(0xC000),
        reading_side_only(0xC000, TWO),
    )
]
keyed_reports = st.lists(st.tuples(st.sampled_from(POOL), st.sampled_from([0xC000, 0xC008, 0xD000])))


def group_keys(reports: list[tuple[GroupingKey, int]]) -> tuple[list[str], races.GroupingFacts]:
    document = DocumentGrouping()
    for known, address in reports:
        document.add_report(known, "stream", address)
    return document.group_reports()


@given(keyed_reports, st.randoms())
def test_order_of_reports_changes_no_race(reports: list[tuple[GroupingKey, int]], rng: random.Random) -> None:
    order = list(range(len(reports)))
    rng.shuffle(order)
    names, facts = group_keys(reports)
    mixed, others = group_keys([reports[at] for at in order])
    assert [names[at] for at in order] == mixed
    assert races.race_ids(facts) == races.race_ids(others)


def test_order_of_reports_at_one_address_does_not_matter() -> None:
    both, two, one_sided, later = POOL[:4]
    reports = [(later, 0xD000), (both, 0xC000), (two, 0xC000), (one_sided, 0xC000)]
    names_by_order = [dict(zip(some, group_keys([*some])[0], strict=True)) for some in permutations(reports)]
    assert all(names == names_by_order[0] for names in names_by_order)


@given(keyed_reports)
def test_complete_reports_are_unchanged_and_kinds_are_kept(reports: list[tuple[GroupingKey, int]]) -> None:
    before: list[ReportInDocument] = [(known, "stream", address, frozenset) for known, address in reports]
    for (old, *_), (new, *_) in zip(before, complete_one_sided_reports(before), strict=True):
        assert new is old or (old.one_sided and not new.one_sided and new.kind == old.kind)
        assert {s for s in old.side_keys if s.chain} <= {*new.side_keys}


@given(keyed_reports)
def test_grouping_facts_survive_pickling(reports: list[tuple[GroupingKey, int]]) -> None:
    _, facts = group_keys(reports)
    sent = pickle.loads(pickle.dumps(facts))  # noqa: S301, ours
    assert sent == facts
    assert sent.encoded_aliases() == facts.encoded_aliases()
