"""Grouping: which reports are the same race, which are different races, and that order never matters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deadheat
from deadheat.grouping import race_assignment, races, same_function_variables
from deadheat.grouping.document import DocumentGrouping
from deadheat.grouping.keys import (
    GroupingKey,
    InstructionSource,
    SideKey,
    grouping_key_of,
    race_address,
    racing_actors,
    racing_instructions,
)
from deadheat.grouping.links import ConnectedComponents, Link, LinkKind
from deadheat.parsing.duplicates import Duplicate
from deadheat.symbols import go
from tests.cases import SHARED

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from deadheat.model import Sighting

names = st.sampled_from([f"{n:02x}" for n in range(12)])
VARIANTS = [races.Variant(f"{n // 3:02x}", f"c{n % 3}", n % 2) for n in range(12)]
variant_ids = st.sampled_from([variant.id for variant in VARIANTS])
variant_pairs = st.lists(st.tuples(variant_ids, variant_ids), max_size=10)
alias_claims = st.sampled_from(
    ["?x", "!x", "?y", "!y", "?z", "!z"]
    + [f"<{variant.id}" for variant in VARIANTS[:4]]
    + [f"#{variant.ordinal}{variant.base}" for variant in VARIANTS[:6]]
    + [f"^{variant.base}" for variant in VARIANTS[:3]]
)
variant_claims = st.lists(st.tuples(variant_ids, alias_claims), max_size=10)
splits = st.sets(st.sampled_from([variant.base for variant in VARIANTS]))


Pairs = list[tuple[str, str]]


def make_facts(variants: list[races.Variant], links: Pairs, aliases: Pairs, split: set[str]) -> races.GroupingFacts:
    decoded = {(name, Link.decode(alias)) for name, alias in aliases}
    return races.GroupingFacts({variant.id: variant for variant in variants}, {*links}, decoded, split)


@pytest.mark.parametrize("kind", LinkKind)
def test_a_link_is_stored_and_read_back(kind: LinkKind) -> None:
    link = Link(kind, "0f3e5a7c9b1d2e4f", 11 if kind is LinkKind.POSSIBLE_BASE else 0)
    assert Link.decode(link.encode()) == link
    assert link.encode().removeprefix(kind).removeprefix("b") == link.key


@given(variant_pairs, variant_pairs, variant_claims, splits, st.randoms())
def test_order_and_batches_do_not_change_ids(
    links: Pairs, aliases: Pairs, claimed_aliases: Pairs, split: set[str], rng: random.Random
) -> None:
    aliases += claimed_aliases
    once = races.race_ids(make_facts(VARIANTS, links, aliases, split))
    variants, links, aliases = ([*mixed] for mixed in (VARIANTS, links, aliases))
    for mixed in (variants, links, aliases):
        rng.shuffle(mixed)
    batches = races.empty_facts()
    batches.add(make_facts(variants[:5], [pair[::-1] for pair in links], [], split))
    batches.add(make_facts(variants[5:], [], aliases, set()))
    assert races.race_ids(batches) == once


@given(variant_pairs, variant_pairs, splits, st.permutations(VARIANTS))
def test_oldest_variant_gives_the_race_its_id(
    links: Pairs, aliases: Pairs, split: set[str], age: list[races.Variant]
) -> None:
    oldest = {variant.id: rank for rank, variant in enumerate(age)}
    ids = races.race_ids(make_facts(VARIANTS, links, aliases, split), oldest)
    named: set[str] = set()
    for variant in age:
        if ids[variant.id] not in named:
            assert ids[variant.id] in (variant.base, variant.id)
            named.add(ids[variant.id])


@given(variant_pairs, splits, st.permutations(VARIANTS))
def test_race_id_is_stable_when_newer_reports_arrive(links: Pairs, split: set[str], age: list[races.Variant]) -> None:
    """Each known race keeps its id or becomes part of an older race."""
    oldest = {variant.id: rank for rank, variant in enumerate(age)}
    early_ids = {variant.id for variant in age[:6]}
    early = [pair for pair in links if early_ids.issuperset(pair)]
    before = races.race_ids(make_facts(age[:6], early, [], split), oldest)
    after = races.race_ids(make_facts(age, links, [], split), oldest)
    for variant in age[:6]:
        first = min((n for n in age[:6] if before[n.id] == before[variant.id]), key=age.index)
        eldest = min((n for n in age if after[n.id] == after[variant.id]), key=age.index)
        if eldest == first:
            assert after[variant.id] == before[variant.id]


@given(st.lists(st.tuples(names, st.sets(st.integers(0, 20), max_size=3))))
def test_connected_components_equal_a_graph_search(members: list[tuple[str, set[int]]]) -> None:
    components = ConnectedComponents()
    for name, keys in members:
        for key in keys:
            components.join(name, f"key {key}")
    roots = {name: components.root(name) for name, _ in members}
    for name in roots:
        reached = {name}
        while True:
            held = {key for other, keys in members if other in reached for key in keys}
            more = {other for other, keys in members if keys & held}
            if more <= reached:
                break
            reached |= more
        assert {other for other in roots if roots[other] == roots[name]} == reached


def test_component_root_is_the_smallest_name() -> None:
    components = ConnectedComponents()
    for a, b in (("c", "d"), ("b", "c"), ("x", "y")):
        components.join(a, b)
    assert components.roots() == {"b": "b", "c": "b", "d": "b", "x": "x", "y": "x"}


# -- several variables in one pair of functions -----------------------------------------------------


HEAP = 0xC000000000
Observation = tuple[tuple[int, ...], int, str]  # the lines of both sides, the address, the actors


Chain = tuple[tuple[int, str], ...]
KeyedObservation = tuple[GroupingKey, int, frozenset[str], InstructionSource]


def make_key(writes: Chain, reads: Chain, keyed: bool = False) -> GroupingKey:
    """The first side writes, the other one reads."""
    side_keys = [
        SideKey("F", writes, True, ("",), "F", False, False, keyed),
        SideKey("F", reads, False, ("",), "F", False, False, False),
    ]
    return GroupingKey("f", tuple(side_keys), "data-race", False, "", (), ())


def call_chains(*lines: int) -> tuple[Chain, Chain]:
    """The call chains of both sides; line 0 means an unknown side."""
    one, other = (((line, "F"),) if line else () for line in lines)
    return one, other


def ordinals_of(*observations: Observation, base: int = HEAP) -> list[int]:
    ordinals = same_function_variables.ordinals_by_lines(
        (make_key(*call_chains(*lines)), base + at, frozenset(by.split()), tuple) for lines, at, by in observations
    )
    return [ordinals[call_chains(*lines)] for lines, _, _ in observations]


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        # two neighbouring fields, each on its own lines
        ([((10, 20), 0x100, ""), ((11, 21), 0x108, "")], [0, 1]),
        # in any order
        ([((11, 21), 0x108, ""), ((10, 20), 0x100, "")], [1, 0]),
        # one variable: the same address
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x100, "7 8")], [0, 0]),
        # two words of one variable, written on one line
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x108, "7 8")], [0, 0]),
        # the same field of two objects, far apart, each with its own actors
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x9000, "9 10")], [0, 0]),
        # two variables of one function with a common actor
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x9000, "7 9")], [0, 1]),
        # a slice and its elements: one line writes both
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x9000, "7 8")], [0, 64]),
        # two fields that are read on one line
        ([((10, 20), 0x100, "7 8"), ((11, 20), 0x108, "7 8")], [0, 64]),
        # two captured variables: one line writes both, each worker was caught at a different one
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x9000, "7 9")], [0, 64]),
        # the same field of two objects that other actors use, or that lie in one page
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x9000, "9 10")], [0, 0]),
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x300, "7 8")], [0, 0]),
        # elements do not change the ordinal of another field
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x9000, "7 8"), ((11, 22), 0x108, "7 8")],
         [0, 64, 1]),
        # a second object with both fields
        ([((10, 20), 0x100, ""), ((11, 21), 0x108, ""), ((10, 20), 0x9000, ""),
          ((11, 21), 0x9008, "")], [0, 1, 0, 1]),
        # three fields
        ([((10, 20), 0x100, ""), ((11, 21), 0x108, ""), ((12, 22), 0x110, "")], [0, 1, 2]),
        # an unknown side joins nothing
        ([((0, 20), 0x100, "7 8"), ((0, 21), 0x108, "7 8")], [0, 1]),
        ([((0, 20), 0x100, "7 8"), ((0, 21), 0x100, "7 8")], [0, 0]),
        ([((0, 20), 0x100, "7 8"), ((0, 21), 0x9000, "7 8")], [0, 1]),
        ([((0, 20), 0x100, "7 8"), ((0, 21), 0x9000, "7 9")], [0, 0]),
        # different actors: two fields of a type have different offsets in its objects
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x9008, "9 10")], [0, 1]),
        # actors started alternately share one object, whose fields have any offset; far apart, any offset
        ([((10, 20), 0x100, "7 9"), ((11, 21), 0x110, "8 10")], [0, 1]),
        ([((10, 20), 0x100, "T1 T3"), ((11, 21), 0x110, "T2 T4")], [0, 1]),
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x110, "9 10")], [0, 0]),
        ([((10, 20), 0x100, "7 9"), ((11, 21), 0x9000, "8 10")], [0, 0]),
        # two slices of an object, appended to by different actors; one was reported with its elements
        ([((10, 20), 0x108, "7 8"), ((10, 20), 0x9000, "7 8"), ((11, 21), 0x120, "9 10")],
         [0, 0, 1]),
    ],
)  # fmt: skip
def test_ordinals_of_variables(observations: list[Observation], expected: list[int]) -> None:
    assert ordinals_of(*observations) == expected


def make_observation(writes: Chain, reads: Chain, *, at: int, by: str) -> KeyedObservation:
    """A report whose first side writes."""
    return (make_key(writes, reads), HEAP + at, frozenset(by.split()), tuple)


def test_other_callers_of_the_same_lines_are_the_same_variable() -> None:
    bare, wrapped = ((10, "F"),), ((10, "F"), (50, "W"))
    reads, one, other = ((20, "G"),), ((20, "G"), (61, "A")), ((20, "G"), (62, "B"))
    # the caller is known on one side only
    for pair in ((bare, reads), (bare, one)):
        observations = [
            make_observation(*pair, at=0x100, by="7 8"),
            make_observation(wrapped, reads, at=0x120, by="7 8"),
        ]
        assert distinct_ordinals(observations) == {0}
    # words of one field in objects of different actors
    observations = [
        make_observation(bare, one, at=0x100, by="7 8"),
        make_observation(wrapped, other, at=0x128, by="9 10"),
    ]
    assert distinct_ordinals(observations) == {0}
    # one helper for two fields of an object with the same actors
    observations = [
        make_observation(bare, one, at=0x100, by="7 8"),
        make_observation(wrapped, other, at=0x108, by="7 8"),
    ]
    assert distinct_ordinals(observations) == {0, 1}


def test_one_line_writing_the_same_field_of_many_objects_is_one_variable() -> None:
    def observe(writes: str, by: str, line: int, at: int) -> KeyedObservation:
        return make_observation(((10, writes),), ((line, "G"),), at=at, by=by)

    # the readers differ, and nothing was captured
    one, other = observe("F", "7 8", 20, 0x100), observe("F", "7 9", 21, 0x9000)
    assert distinct_ordinals([one, other]) == {0}
    # a function and its closures
    one, other = observe("G", "7 8", 20, 0x100), observe("G", "7 9", 21, 0x9000)
    assert len(distinct_ordinals([one, other])) == 2


def test_reads_of_one_instruction_are_one_variable() -> None:
    """A sum over the elements of a slice that are set on different lines."""
    for first, second, expected in (("0x6c", "0x6c", 1), ("0x6c", "0x7a", 2), ("", "", 2)):
        observations = [
            (make_key(*call_chains(10, 20)), HEAP + 0x100, frozenset("78"), partial(tuple, ("0x1", first))),
            (make_key(*call_chains(11, 20)), HEAP + 0x108, frozenset("78"), partial(tuple, ("0x2", second))),
        ]
        assert len(distinct_ordinals(observations)) == expected


def test_map_assignments_of_one_line_are_one_variable() -> None:
    one, other = call_chains(10, 20), call_chains(10, 21)
    for keyed, expected in ((False, 2), (True, 1)):
        observations = [
            (make_key(*one, keyed=keyed), HEAP + 0x100, frozenset("78"), tuple),
            (make_key(*other), HEAP + 0x9000, frozenset("78"), tuple),
        ]
        assert len(distinct_ordinals(observations)) == expected


def test_two_captured_variables_set_on_one_line_are_two() -> None:
    def observe(line: int, at: int, reader: str) -> KeyedObservation:
        writes, reads = make_key(*call_chains(10, line)).side_keys
        side_keys = (writes, reads._replace(function=reader))
        return (make_key(*call_chains(10, line))._replace(side_keys=side_keys), at, frozenset("78"), tuple)

    # a captured variable has a heap block of its own
    for reader, gap, expected in (("F.func1", 16, 2), ("F.func1", 8, 1), ("F", 16, 1)):
        both = [observe(20, HEAP, reader), observe(21, HEAP + gap, reader)]
        assert len(distinct_ordinals(both)) == expected


def test_reports_on_the_same_lines_are_ranked_together() -> None:
    """Two fields of two objects, each seen with one or more pairs of goroutines."""

    def observe(line: int, caller: int, at: int, by: str) -> KeyedObservation:
        chain = ((line, "F"), (caller, "W"))
        return make_observation(chain, chain, at=at, by=by)

    both = [
        observe(10, 25, 0x100, "8 12"),
        observe(10, 26, 0x120, "11 13"),
        observe(12, 25, 0x110, "8 10"),
        observe(12, 26, 0x130, "9 13"),
    ]
    ordinals = same_function_variables.ordinals_by_lines(both)
    assert [ordinals[key.call_chains] for key, *_ in both] == [0, 0, 1, 1]


def distinct_ordinals(observations: Iterable[KeyedObservation]) -> set[int]:
    return {*same_function_variables.ordinals_by_lines(observations).values()}


def closure_observation(line: int, at: int, by: str, keyed: bool = False) -> KeyedObservation:
    """A report of a closure that races with itself on one line."""
    key = make_key(*call_chains(line, line), keyed=keyed)
    side_keys = tuple(side._replace(function="F.func1") for side in key.side_keys)
    return key._replace(side_keys=side_keys), HEAP + at, frozenset(by.split()), tuple


def test_variable_captured_by_the_closures_of_one_call_exists_once() -> None:
    one = closure_observation(10, 0x100, "7 9")
    assert len(distinct_ordinals([one, closure_observation(11, 0x9000, "8 10")])) == 2
    # another call has its own variables
    assert len(distinct_ordinals([one, closure_observation(11, 0x9000, "10 11")])) == 1
    # a map and a non-map are different variables
    mapped = closure_observation(11, 0x9000, "10 11", keyed=True)
    assert len(distinct_ordinals([one, mapped])) == 2


@pytest.mark.parametrize(
    ("instructions", "by", "expected"),
    [
        (("0x10", "0x20"), "1 8", {0, 1}),
        # one instruction reads one variable; unknown instructions are no evidence
        (("0x10", "0x10"), "1 8", {0}),
        (("0x10", ""), "1 8", {0}),
        # another call
        (("0x10", "0x20"), "2 8", {0}),
    ],
)
def test_captured_variables_read_on_one_line(instructions: tuple[str, str], by: str, expected: set[int]) -> None:
    def observe(line: int, at: int, by: str, read: str) -> KeyedObservation:
        instructions_of_both = partial(tuple, ("0x99", read) if read else ())
        return make_key(*call_chains(line, 20)), HEAP + at, frozenset(by.split()), instructions_of_both

    both = [observe(10, 0x100, "1 7", instructions[0]), observe(11, 0x9000, by, instructions[1])]
    assert distinct_ordinals(both) == expected


def test_package_variables_are_distinct_at_any_distance() -> None:
    assert ordinals_of(((10, 20), 0x77D788, ""), ((11, 21), 0x798D00, ""), base=0) == [0, 1]
    assert ordinals_of(((10, 20), 0x77D788, ""), ((11, 21), 0x77D790, ""), base=0) == [0, 0]


REPORT = """==================
WARNING: DATA RACE
Write at {address} by goroutine 7:
  example.com/shop/cart.{writer}()
      /src/shop/cart/cart.go:{write} +0x45

Previous read at {address} by goroutine 8:
  example.com/shop/cart.{reader}()
      /src/shop/cart/cart.go:{read} +0x38

Goroutine 7 (running) created at:
  main.main()
      /src/shop/main.go:12 +0x9a

Goroutine 8 (finished) created at:
  main.main()
      /src/shop/main.go:14 +0x9a
==================
"""


def make_report(
    address: int, writer: str = "(*Cart).Add", reader: str = "(*Cart).Total", write: int = 31, read: int = 40
) -> str:
    at = f"0x{0xC000000000 + address:012x}"
    return REPORT.format(address=at, writer=writer, reader=reader, write=write, read=read)


def race_ids_of(*texts: str) -> list[str]:
    """The race id of each report of documents that are scanned together."""
    variants: list[str] = []
    facts_of_all = races.empty_facts()
    for text in texts:
        document = DocumentGrouping()
        for s in deadheat.scan(text, diagnose=False):
            who, at = partial(racing_actors, s.report), partial(racing_instructions, s.report)
            document.add_report(grouping_key_of(s.report), s.span.stream, race_address(s.report), who, at)
        names, facts = document.group_reports()
        variants += names
        facts_of_all.add(facts)
    race_ids = races.race_ids(facts_of_all)
    return [race_ids[name] for name in variants]


def race_count(*texts: str) -> int:
    return len({*race_ids_of(*texts)})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (make_report(0xC000), make_report(0xC100)),
        (make_report(0xC000, write=31), make_report(0xC000, write=77)),
        (make_report(0xC000, writer="(*Cart).Add.func1"), make_report(0xC000, writer="(*Cart).Add.func2.1")),
        (make_report(0xC000, reader="(*Cart[...]).Total"), make_report(0xC000, reader="(*Cart[int]).Total")),
        (make_report(0xC000), make_report(0xC000, writer="(*Cart).Total", reader="(*Cart).Add")),
        (make_report(0xC000, reader="Run.Total.func1"), make_report(0xC000, reader="Total.1")),
    ],
)
def test_one_race_in_two_documents(one: str, other: str) -> None:
    assert race_count(one, other) == 1


def test_same_address_in_one_process_is_one_race() -> None:
    both = make_report(0xC000) + make_report(0xC000, reader="(*Cart).Print", read=50)
    assert race_count(both) == 1
    # the link also holds for a document that shows only one of them
    assert race_count(both, make_report(0xD000, reader="(*Cart).Print")) == 1


def test_same_address_in_two_processes_is_not_evidence() -> None:
    assert race_count(make_report(0xC000), make_report(0xC000, reader="(*Cart).Print")) == 2


def test_one_line_that_writes_two_words_is_one_race() -> None:
    both = make_report(0xC000) + make_report(0xC008, reader="(*Tracker).Consume", read=9)
    assert race_count(both) == 1
    apart = make_report(0xC000) + make_report(0xC008, reader="(*Tracker).Consume", read=9, write=32)
    assert race_count(apart) == 2


def test_two_fields_in_one_pair_of_functions_are_two_races() -> None:
    both = make_report(0xC000) + make_report(0xC008, write=32, read=41)
    shifted = make_report(0xC040, write=52, read=61) + make_report(0xC048, write=53, read=62)
    race_ids = race_ids_of(both, shifted)
    assert race_ids[0] != race_ids[1]
    assert race_ids[:2] == race_ids[2:]


CALLED = """  example.com/shop/{}()
      /src/shop/x.go:{} +0x11
"""


def with_callers(text: str, writer: str, reader: str) -> str:
    """The report with a caller on each side."""
    head, middle, tail = text.split("\n\n", 2)
    ends = [CALLED.format(name, 9).rstrip("\n") for name in (writer, reader)]
    return "\n\n".join([f"{head}\n{ends[0]}", f"{middle}\n{ends[1]}", tail])


def test_one_helper_for_two_objects_is_two_races() -> None:
    users = with_callers(make_report(0xC000), "users.Put", "users.Get")
    orders = with_callers(make_report(0x9C000), "orders.Put", "orders.Get")
    both = race_ids_of(users + orders, orders.replace("9c000", "8c000"), users.replace("c000 ", "d000 "))
    assert both[0] != both[1]
    assert both[2:] == [both[1], both[0]]
    # they are only known to be two if they occur together
    assert race_count(users, orders) == 1


def test_callers_distinguish_neighbouring_objects() -> None:
    users = with_callers(make_report(0xC000), "users.Put", "users.Get")
    orders = with_callers(make_report(0xC010), "orders.Put", "orders.Get")
    far = orders.replace("c010", "9c010")
    race_ids = race_ids_of(users + orders, users + far, orders)
    assert race_ids[0] == race_ids[2] != race_ids[1] == race_ids[3] == race_ids[4]


def test_one_caller_on_two_lines_and_two_other_callers_are_two_races() -> None:
    def with_line(text: str, line: int) -> str:
        return text.replace("export.All", f"export.All#{line}").replace(
            f"export.All#{line}()\n      /src/shop/x.go:9", f"export.All()\n      /src/shop/x.go:{line}"
        )

    tags = with_line(with_callers(make_report(0xC000), "span.Tag", "export.All"), 26)
    baggage = with_line(with_callers(make_report(0x9C000), "span.Carry", "export.All"), 27)
    race_ids = race_ids_of(tags + baggage, baggage, tags)
    assert race_ids[0] == race_ids[3] != race_ids[1] == race_ids[2]
    # with other actors it may be the same field of another object
    strangers = baggage.replace("oroutine 7", "oroutine 17")
    assert race_count(tags + strangers) == 1


def test_ordinal_ignores_variables_already_reported_under_another_pair() -> None:
    """`now` on line 17 and `moves` on 18 of one function; another function reads `now`."""
    add, now = "(*Clock).Add", "(*Clock).Now"

    def self_race(at: int, line: int) -> str:
        return make_report(at, writer=add, reader=add, write=line, read=line)

    reads = make_report(0xC000, writer=add, reader=now, write=17, read=12)
    all_reports = reads + self_race(0xC000, 17) + self_race(0xC008, 18)
    part = reads + self_race(0xC008, 18)
    race_ids = race_ids_of(all_reports, part)
    assert race_ids[0] == race_ids[1] == race_ids[3]
    assert race_ids[2] == race_ids[4] != race_ids[0]
    # before both were seen, it is the only one
    assert race_ids_of(part)[1] == race_ids_of(self_race(0xC008, 18))[0]
    # another object or an earlier line is no evidence
    for text in (reads + self_race(0x9C008, 18), reads + self_race(0xC008, 16)):
        assert race_ids_of(all_reports, text)[4] == race_ids[0]


def test_provider_of_an_alias_may_require_another() -> None:
    variants = [races.Variant(name, "") for name in ("aa", "bb", "cc")]
    asked = [("aa", "!k"), ("aa", "!l"), ("bb", "?k"), ("bb", "!l"), ("cc", "?l")]
    assert len(set(races.race_ids(make_facts(variants, [], asked, set())).values())) == 1
    # two different providers are ambiguous
    asked = [("aa", "!l"), ("bb", "!l"), ("cc", "?l")]
    assert len(set(races.race_ids(make_facts(variants, [], asked, set())).values())) == 3


def test_closure_named_after_a_test_is_recognised_by_its_file() -> None:
    """Up to Go 1.20 a closure is named after the function that its parent was inlined into."""
    old = make_report(0xC000, writer="TestOptions.func1")
    new = make_report(0xC000, writer="TestOptions.WithSink.func1")
    direct = make_report(0xC000, writer="WithSink.func1")
    assert race_count(old, new, direct) == 1
    # closures in tests, in other files, and ambiguous ones are not matched
    tested = old.replace("/src/shop/cart/cart.go:31", "/src/shop/cart/cart_test.go:31")
    elsewhere = old.replace("/src/shop/cart/cart.go:31", "/src/shop/cart/list.go:31")
    for text in (tested, elsewhere):
        assert race_count(text, new) == 2
    assert race_count(old, new, new.replace("WithSink", "WithName")) == 3


def test_closure_numbered_among_others_is_recognised_by_its_lines() -> None:
    def by(writer: str, at: int = 0xC000, write: int = 31, read: int = 40) -> str:
        return with_callers(make_report(at, writer, write=write, read=read), "serve.Run", "serve.Show")

    second = 0xC008, 35, 41
    sink, name = by("TestOptions.WithSink.func1"), by("TestOptions.WithName.func2", *second)
    old = by("TestOptions.func1") + by("TestOptions.func2", *second)
    race_ids = race_ids_of(sink, name, old)
    assert race_ids[:2] == race_ids[2:]
    assert race_ids[0] != race_ids[1]
    assert race_count(sink, name, by("TestOptions.func1", write=33)) == 3
    # the same if the enclosing function is no test but lies in another directory
    texts = [text.replace("shop/cart.TestOptions", "shop/app.Run") for text in (sink, name, old)]
    race_ids = race_ids_of(*texts)
    assert race_ids[:2] == race_ids[2:]


def test_closure_inlined_elsewhere_is_recognised_by_its_directory() -> None:
    """Go 1.21 to 1.26 omit the package of an inlined function."""
    direct = make_report(0xC000, writer="(*Cart).Items.func1")
    inlined = make_report(0xC000, writer="main.(*Cart).Items.func2")
    inlined = inlined.replace("example.com/shop/cart.main", "main.main")
    assert race_ids_of(direct) != race_ids_of(inlined)
    assert race_count(direct, inlined) == 1
    # another directory, another function, two candidates
    elsewhere = inlined.replace("/src/shop/cart/cart.go:31", "/src/shop/list/cart.go:31")
    for text in (elsewhere, inlined.replace("Items", "Names")):
        assert race_count(direct, text) == 2
    other = direct.replace("shop/cart.(*Cart).Items", "old/cart.(*Cart).Items")
    other = other.replace("/src/shop/cart/cart.go:31", "/src/old/cart/cart.go:31")
    assert race_count(direct, other, inlined) == 3


LAMBDA = """==================
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 8 at 0x7ffc94c54340 by thread T2:
    #0 {0} /src/shop/totals.cc:14 (shop+0x35ff)

  Previous write of size 8 at 0x7ffc94c54340 by thread T1:
    #0 {0} /src/shop/totals.cc:14 (shop+0x35ff)

SUMMARY: ThreadSanitizer: data race /src/shop/totals.cc:14 in x
==================
"""


def test_unnamed_lambda_is_recognised_by_its_file() -> None:
    gcc = LAMBDA.format("operator()")
    clang = LAMBDA.format("billing::sum_up()::$_0::operator()() const")
    assert race_count(gcc, clang) == 1
    assert race_count(gcc, clang.replace("totals.cc", "carts.cc")) == 2


def test_wrapper_does_not_hide_the_caller() -> None:
    users = with_callers(make_report(0xC000), "users.Put", "users.Get")
    orders = with_callers(make_report(0x9C000), "orders.Put", "orders.Get")
    wrapped = users.replace(
        CALLED.format("users.Put", 9), CALLED.format("users.retry", 3) + CALLED.format("users.Put", 9)
    )
    race_ids = race_ids_of(users + orders, wrapped)
    assert race_ids[2] == race_ids[0] != race_ids[1]


def test_recursion_depth_does_not_matter() -> None:
    def deep(at: int, *calls: tuple[str, int]) -> str:
        lines = "".join(
            f"  example.com/shop/cart.{name}()\n      /src/shop/cart/cart.go:{line} +0x11\n" for name, line in calls
        )
        text = make_report(at, writer="visit", reader="sum")
        head, middle, tail = text.split("\n\n", 2)
        return "\n\n".join([f"{head}\n{lines}".rstrip("\n"), middle, tail])

    tree = [deep(0xC000), deep(0xC030, ("visit", 35)), deep(0xC060, ("visit", 35), ("visit", 37))]
    assert race_count("".join(tree)) == 1
    walk = [deep(0xC000, ("enter", 50)), deep(0xC030, ("enter", 50), ("visit", 35), ("enter", 50))]
    assert race_count("".join(walk)) == 1


def test_partial_reports_of_two_races_are_two_races() -> None:
    """Go 1.27 omits the reader of a map; the elements that are read identify the map."""
    users = with_callers(make_report(0xC000), "users.Put", "users.Get")
    orders = with_callers(make_report(0x9C000), "orders.Put", "orders.Get")
    maps = [
        with_runtime_frames(text.replace(TITLE, ""), "mapaccess2_faststr", "mapaccess1_faststr")
        .replace("c000 ", "d000 ").partition("  example.com/shop/")
        for text in (users, orders)
    ]  # fmt: skip
    omitted = ["".join(parts) for parts in maps]
    race_ids = race_ids_of(users + orders + "".join(omitted))
    assert race_ids[:2] == race_ids[2:]
    assert race_ids[0] != race_ids[1]


def test_duplicate_has_the_actors_of_its_own_report() -> None:
    main = make_report(0xC000).replace("by goroutine 7", "by main goroutine")
    main = main.replace("Goroutine 7 (running) created at:\n  main.main()\n      /src/shop/main.go:12 +0x9a\n\n", "")
    for text in (make_report(0xC000), main):
        numbered = "".join(
            text.replace("oroutine 7", f"oroutine {n}").replace("oroutine 8", f"oroutine {n + 1}")
            for n in range(10, 60, 7)
        )
        sightings = deadheat.scan(numbered, diagnose=False)
        assert any(isinstance(s.source, Duplicate) for s in sightings)
        for s in sightings:
            assert race_assignment._actors_of(s.source) == racing_actors(s.report) != frozenset()


ATOMIC = """  sync/atomic.AddInt64()
      /usr/local/go/src/runtime/race_amd64.s:289 +0xb
  sync/atomic.AddInt64()
      <autogenerated>:1 +0x15
"""


def test_atomic_operation_does_not_overwrite_its_neighbour() -> None:
    # Go shows the caller of the function with the operation: one line for two operations
    def by(reader: str, read: int, at: int) -> str:
        text = make_report(at, reader=reader, read=read)
        return text.replace("goroutine 7:\n", f"goroutine 7:\n{ATOMIC}", 1)

    assert race_count(by("(*Cart).Busy", 40, 0xC000) + by("(*Cart).Idle", 50, 0xC008)) == 2
    # two counters that one function reads
    both = by("(*Cart).Busy", 40, 0xC000) + by("(*Cart).Busy", 41, 0xC008)
    assert race_count(both) == 2


def with_runtime_frames(text: str, *tops: str) -> str:
    """The report with these runtime functions above its reader."""
    lines = "".join(f"  runtime.{top}()\n      <autogenerated>:1 +0x1e\n" for top in tops)
    return text.replace("goroutine 8:\n", f"goroutine 8:\n{lines}", 1)


TITLE = "  example.com/shop/cart.(*Cart).Total()\n      /src/shop/cart/cart.go:40 +0x38\n"


def test_function_omitted_by_go_is_looked_up() -> None:
    read = with_callers(make_report(0xC000), "users.Put", "users.Get")
    shown = with_runtime_frames(read, "mapaccess1_faststr")
    omitted = with_runtime_frames(read.replace(TITLE, ""), "mapaccess2_faststr", "mapaccess1_faststr")
    assert race_count(shown, omitted) == 1
    # ambiguous between two
    other = shown.replace("(*Cart).Total", "(*Cart).Count")
    assert race_count(shown, other, omitted) == 3
    # the same run may decide: the element of the map is read by a function that is shown
    assert race_count(shown, other, omitted + read.replace("c000 ", "d000 ")) == 2
    # a complete read is not matched as an incomplete one
    assert race_count(shown, with_runtime_frames(read.replace(TITLE, ""), "mapaccess1_faststr")) == 2


def test_waitgroup_without_its_users_is_looked_up() -> None:
    used = with_callers(make_report(0xC000), "users.Put", "users.Get")
    used = with_runtime_frames(used, "raceread").replace(
        "goroutine 7:\n", "goroutine 7:\n  runtime.racewrite()\n      <autogenerated>:1 +0x1e\n", 1
    )
    writer = "  example.com/shop/cart.(*Cart).Add()\n      /src/shop/cart/cart.go:31 +0x45\n"
    omitted = used.replace(TITLE, "").replace(writer, "")
    assert race_count(used, omitted) == 1
    assert race_count(used, used.replace("(*Cart)", "(*Shop)"), omitted) == 3


def test_goroutine_without_frames_is_recognised_by_its_starter() -> None:
    used = with_callers(make_report(0xC000), "main.main.func1", "users.Get").replace("shop/main.main", "main")
    used = used.replace("example.com/main.func1", "main.main.func1")
    used = with_runtime_frames(used, "raceread").replace(
        "goroutine 7:\n", "goroutine 7:\n  runtime.racewrite()\n      <autogenerated>:1 +0x1e\n", 1
    )
    begins = "  example.com/shop/cart.(*Cart).Add()"
    ends = "\n\nPrevious read"
    head, tail = used.replace(TITLE, "").split(begins)
    omitted = head.rstrip() + ends + tail.partition(ends)[2]
    assert race_count(used, omitted) == 1
    # another starter
    assert race_count(used, omitted.replace("main.main()", "main.other()", 1)) == 2


DIES = """panic: sync: {}

goroutine {} [running]:
sync.(*WaitGroup).{}(0xc0000140a0)
	/usr/local/go/src/sync/waitgroup.go:118 +0xa5
main.{}(0xc0000140a0)
	/src/flush/main.go:{} +0x2b
created by main.main in goroutine 1
	/src/flush/main.go:30 +0x9c
exit status 2
"""


def test_waitgroup_panics_on_either_side_are_one_race() -> None:
    reused = "WaitGroup is reused before previous Wait has returned"
    misused = "WaitGroup misuse: Add called concurrently with Wait"
    waits = DIES.format(reused, 9, "Wait", "waiter", 19)
    adds = DIES.format(misused, 8, "Add", "writer", 12)
    assert race_count(waits, adds) == 1
    # ambiguous between two writers
    assert race_count(waits, adds, adds.replace("writer", "reader")) == 3


def test_main_package_is_recognised_by_its_lines() -> None:
    text = with_callers(make_report(0xC000, reader="total", writer="add"), "watch", "main")
    text = text.replace("example.com/shop/cart.", "main.").replace("example.com/shop/", "main.")
    trimmed = text.replace("/src/shop/cart/", "example.com/agentd/")
    assert race_ids_of(text) != race_ids_of(trimmed)
    assert race_count(text, trimmed) == 1
    assert race_count(text, trimmed.replace("cart.go:31", "cart.go:32")) == 2


def test_report_without_addresses_has_an_id() -> None:
    text = make_report(0xC000).replace(" at 0x00c00000c000", "")
    assert race_ids_of(text) == race_ids_of(make_report(0xC000))


@pytest.mark.parametrize(
    ("symbol", "path", "expected"),
    [
        ("example.com/a/b.F", "/x/b/f.go", "example.com/a/b F"),
        ("example.com/a/v2/b.F", "/x/b/f.go", "example.com/a/b F"),
        ("example.com/a/v2.F", "/x/a/f.go", "example.com/a F"),
        ("k8s.io/api/core/v1.F", "/x/core/v1/f.go", "k8s.io/api/core/v1 F"),
        ("example.com/c/vendor/example.com/a.F", "/x/f.go", "example.com/a F"),
        ("example.com/a_test.F", "/x/a/f_test.go", "example.com/a F"),
        ("main.run", "/src/agentd/main.go", "agentd/main run"),
        ("command-line-arguments.(*T).M", "/src/agentd/t.go", "agentd/main (*T).M"),
    ],
)
def test_function_key(symbol: str, path: str, expected: str) -> None:
    assert go.function_key(go.make_frame(symbol, path, 1)) == expected


# -- families -------------------------------------------------------------------------------------


def test_family_gives_its_reasons() -> None:
    families = races.find_families({
        "a": ["writer example.com/shop/cart (*Cart).Reset"],
        "b": ["writer example.com/shop/cart (*Cart).Reset", "writer main run"],
        "c": ["worker example.com/shop Start > example.com/shop work"],
    })  # fmt: skip
    assert families == [races.Family("a", ("a", "b"), ("both are written in or below cart.(*Cart).Reset",))]


def test_key_shared_by_all_races_makes_no_family() -> None:
    assert races.find_families({f"{n:03}": ["writer main run"] for n in range(100)}) == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the seed documents")
def test_families_of_the_seed_documents() -> None:
    keys: dict[str, set[str]] = {}
    by_document: dict[str, set[str]] = {}
    for path in sorted((SHARED / "seeds").glob("*.txt")):
        raw = path.read_bytes()
        number = raw.split(b"\n")[0].decode().removeprefix("ID: ")
        sightings: list[Sighting] = [s for s in deadheat.scan(raw, diagnose=False) if s.report.detector == "go"]
        for s, race in zip(sightings, race_ids_of(raw.decode()), strict=False):
            keys.setdefault(race, set()).update(races.family_keys(s.report))
            by_document.setdefault(number, set()).add(race)
    assert {number: len(sightings) for number, sightings in by_document.items()} == dict.fromkeys(
        ("30669", "41105", "31965", "39771"), 1
    )
    (family,) = races.find_families(keys)
    assert set(family.races) == by_document["41105"] | by_document["31965"]
    assert "both are written in or below executor.ResetContextOfStmt" in family.why
