"""What keeps a race's identity, what tells races apart, and that order never matters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deadheat
from deadheat.grouping import race_assignment, races, same_function_variables
from deadheat.grouping.connected_components import ConnectedComponents
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
from deadheat.grouping.links import Link, LinkKind
from deadheat.parsing.duplicates import Duplicate
from deadheat.symbols import go
from tests.cases import SHARED

if TYPE_CHECKING:
    import random

    from deadheat.model import Sighting

names = st.sampled_from([f"{n:02x}" for n in range(12)])
NODES = [races.Variant(f"{n // 3:02x}", f"c{n % 3}", n % 2) for n in range(12)]
ids_of_nodes = st.sampled_from([node.id for node in NODES])
pairs_of_nodes = st.lists(st.tuples(ids_of_nodes, ids_of_nodes), max_size=10)
claims = st.sampled_from(
    ["?x", "!x", "?y", "!y", "?z", "!z"]
    + [f"<{node.id}" for node in NODES[:4]]
    + [f"#{node.ordinal}{node.base}" for node in NODES[:6]]
    + [f"^{node.base}" for node in NODES[:3]]
)
claims_of_nodes = st.lists(st.tuples(ids_of_nodes, claims), max_size=10)
splits = st.sets(st.sampled_from([node.base for node in NODES]))


Pairs = list[tuple[str, str]]


def told(nodes: list[races.Variant], links: Pairs, aliases: Pairs, split: set[str]) -> races.GroupingFacts:
    decoded = {(name, Link.decode(alias)) for name, alias in aliases}
    return races.GroupingFacts({node.id: node for node in nodes}, {*links}, decoded, split)


@pytest.mark.parametrize("kind", LinkKind)
def test_a_link_is_stored_and_read_back(kind: LinkKind) -> None:
    link = Link(kind, "0f3e5a7c9b1d2e4f", 11 if kind is LinkKind.POSSIBLE_BASE else 0)
    assert Link.decode(link.encode()) == link
    assert link.encode().removeprefix(kind).removeprefix("b") == link.key


@given(pairs_of_nodes, pairs_of_nodes, claims_of_nodes, splits, st.randoms())
def test_order_and_batches_do_not_change_ids(
    links: Pairs, aliases: Pairs, claimed: Pairs, split: set[str], rng: random.Random
) -> None:
    aliases += claimed
    once = races.race_ids(told(NODES, links, aliases, split))
    nodes, links, aliases = ([*mixed] for mixed in (NODES, links, aliases))
    for mixed in (nodes, links, aliases):
        rng.shuffle(mixed)
    batches = races.empty_facts()
    batches.add(told(nodes[:5], [pair[::-1] for pair in links], [], split))
    batches.add(told(nodes[5:], [], aliases, set()))
    assert races.race_ids(batches) == once


@given(pairs_of_nodes, pairs_of_nodes, splits, st.permutations(NODES))
def test_the_oldest_gives_its_name(links: Pairs, aliases: Pairs, split: set[str], age: list[races.Variant]) -> None:
    oldest = {node.id: rank for rank, node in enumerate(age)}
    ids = races.race_ids(told(NODES, links, aliases, split), oldest)
    named: set[str] = set()
    for node in age:
        if ids[node.id] not in named:
            assert ids[node.id] in (node.base, node.id)
            named.add(ids[node.id])


@given(pairs_of_nodes, splits, st.permutations(NODES))
def test_a_name_once_given_is_kept_when_younger_ones_come(
    links: Pairs, split: set[str], age: list[races.Variant]
) -> None:
    """Each race that was there before still goes by its name, or has become part of an older one."""
    oldest = {node.id: rank for rank, node in enumerate(age)}
    half = {node.id for node in age[:6]}
    early = [pair for pair in links if half.issuperset(pair)]
    before = races.race_ids(told(age[:6], early, [], split), oldest)
    after = races.race_ids(told(age, links, [], split), oldest)
    for node in age[:6]:
        first = min((n for n in age[:6] if before[n.id] == before[node.id]), key=age.index)
        eldest = min((n for n in age if after[n.id] == after[node.id]), key=age.index)
        if eldest == first:
            assert after[node.id] == before[node.id]


@given(st.lists(st.tuples(names, st.sets(st.integers(0, 20), max_size=3))))
def test_components_are_what_a_walk_finds(members: list[tuple[str, set[int]]]) -> None:
    components = ConnectedComponents()
    for name, keys in members:
        for key in keys:
            components.join(name, f"key {key}")
    found = {name: components.root(name) for name, _ in members}
    for name in found:
        reached = {name}
        while True:
            held = {key for other, keys in members if other in reached for key in keys}
            more = {other for other, keys in members if keys & held}
            if more <= reached:
                break
            reached |= more
        assert {other for other in found if found[other] == found[name]} == reached


def test_a_root_is_the_smallest_name() -> None:
    components = ConnectedComponents()
    for a, b in (("c", "d"), ("b", "c"), ("x", "y")):
        components.join(a, b)
    assert components.roots() == {"b": "b", "c": "b", "d": "b", "x": "x", "y": "x"}


# -- twins ----------------------------------------------------------------------------------------


HEAP = 0xC000000000
Seen = tuple[tuple[int, ...], int, str]  # the lines of both sides, the address, the actors


Chain = tuple[tuple[int, str], ...]
Told = tuple[GroupingKey, int, frozenset[str], InstructionSource]


def marked(writes: Chain, reads: Chain, keyed: bool = False) -> GroupingKey:
    """The first side writes, the other one reads."""
    sides = [
        SideKey("F", writes, True, ("",), "F", False, False, keyed),
        SideKey("F", reads, False, ("",), "F", False, False, False),
    ]
    return GroupingKey("f", tuple(sides), "data-race", False, "", (), ())


def ways(*lines: int) -> tuple[Chain, Chain]:
    """How both sides were reached; nothing is known of a side on line 0."""
    one, other = (((line, "F"),) if line else () for line in lines)
    return one, other


def ranks(*seen: Seen, base: int = HEAP) -> list[int]:
    told = same_function_variables.ordinals_by_lines(
        (marked(*ways(*lines)), base + at, frozenset(by.split()), tuple) for lines, at, by in seen
    )
    return [told[ways(*lines)] for lines, _, _ in seen]


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        # two fields, side by side, each on lines of its own
        ([((10, 20), 0x100, ""), ((11, 21), 0x108, "")], [0, 1]),
        # whichever was printed first
        ([((11, 21), 0x108, ""), ((10, 20), 0x100, "")], [1, 0]),
        # one variable: the same address
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x100, "7 8")], [0, 0]),
        # two words of one variable, written on one line
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x108, "7 8")], [0, 0]),
        # the same field of two objects, far apart, each with actors of its own
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x9000, "9 10")], [0, 0]),
        # two variables of one function: somebody uses both
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x9000, "7 9")], [0, 1]),
        # a slice and its elements: one line writes both
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x9000, "7 8")], [0, 64]),
        # two fields that are read on one line
        ([((10, 20), 0x100, "7 8"), ((11, 20), 0x108, "7 8")], [0, 64]),
        # two captured variables: one line writes both, and each worker was caught at another one
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x9000, "7 9")], [0, 64]),
        # the same field of two objects, which others use, or which lie in one page
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x9000, "9 10")], [0, 0]),
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x300, "7 8")], [0, 0]),
        # elements do not change the number of another field
        ([((10, 20), 0x100, "7 8"), ((10, 21), 0x9000, "7 8"), ((11, 22), 0x108, "7 8")],
         [0, 64, 1]),
        # a second object with both fields
        ([((10, 20), 0x100, ""), ((11, 21), 0x108, ""), ((10, 20), 0x9000, ""),
          ((11, 21), 0x9008, "")], [0, 1, 0, 1]),
        # three fields
        ([((10, 20), 0x100, ""), ((11, 21), 0x108, ""), ((12, 22), 0x110, "")], [0, 1, 2]),
        # a side of which nothing is known joins nothing
        ([((0, 20), 0x100, "7 8"), ((0, 21), 0x108, "7 8")], [0, 1]),
        ([((0, 20), 0x100, "7 8"), ((0, 21), 0x100, "7 8")], [0, 0]),
        ([((0, 20), 0x100, "7 8"), ((0, 21), 0x9000, "7 8")], [0, 1]),
        ([((0, 20), 0x100, "7 8"), ((0, 21), 0x9000, "7 9")], [0, 0]),
        # strangers: two fields of a type have different places in its objects
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x9008, "9 10")], [0, 1]),
        # started by turns, they have one object, whose fields may have any place; or far apart, any
        ([((10, 20), 0x100, "7 9"), ((11, 21), 0x110, "8 10")], [0, 1]),
        ([((10, 20), 0x100, "T1 T3"), ((11, 21), 0x110, "T2 T4")], [0, 1]),
        ([((10, 20), 0x100, "7 8"), ((11, 21), 0x110, "9 10")], [0, 0]),
        ([((10, 20), 0x100, "7 9"), ((11, 21), 0x9000, "8 10")], [0, 0]),
        # two slices of an object, which strangers append to; that of one was seen with its elements
        ([((10, 20), 0x108, "7 8"), ((10, 20), 0x9000, "7 8"), ((11, 21), 0x120, "9 10")],
         [0, 0, 1]),
    ],
)  # fmt: skip
def test_twins(seen: list[Seen], wanted: list[int]) -> None:
    assert ranks(*seen) == wanted


def reached(writes: Chain, reads: Chain, *, at: int, by: str) -> Told:
    """A report of which the first side writes."""
    return (marked(writes, reads), HEAP + at, frozenset(by.split()), tuple)


def test_other_callers_of_the_same_lines_are_no_twins() -> None:
    bare, wrapped = ((10, "F"),), ((10, "F"), (50, "W"))
    reads, one, other = ((20, "G"),), ((20, "G"), (61, "A")), ((20, "G"), (62, "B"))
    # who called is known here, and not there
    for pair in ((bare, reads), (bare, one)):
        seen = [reached(*pair, at=0x100, by="7 8"), reached(wrapped, reads, at=0x120, by="7 8")]
        assert set(same_function_variables.ordinals_by_lines(seen).values()) == {0}
    # words of one field in objects of two strangers
    seen = [reached(bare, one, at=0x100, by="7 8"), reached(wrapped, other, at=0x128, by="9 10")]
    assert set(same_function_variables.ordinals_by_lines(seen).values()) == {0}
    # one helper for two fields of an object, which the same two meet at
    seen = [reached(bare, one, at=0x100, by="7 8"), reached(wrapped, other, at=0x108, by="7 8")]
    assert set(same_function_variables.ordinals_by_lines(seen).values()) == {0, 1}


def test_one_line_that_writes_the_same_field_of_many_objects_has_no_twins() -> None:
    def seen(writes: str, by: str, line: int, at: int) -> Told:
        return reached(((10, writes),), ((line, "G"),), at=at, by=by)

    # who reads differs, and nothing was captured
    one, other = seen("F", "7 8", 20, 0x100), seen("F", "7 9", 21, 0x9000)
    assert set(same_function_variables.ordinals_by_lines([one, other]).values()) == {0}
    # a function and its closures
    one, other = seen("G", "7 8", 20, 0x100), seen("G", "7 9", 21, 0x9000)
    assert len(set(same_function_variables.ordinals_by_lines([one, other]).values())) == 2


def test_what_one_instruction_reads_is_one_variable() -> None:
    """A sum over the elements of a slice, which others set on lines of their own."""
    for first, second, wanted in (("0x6c", "0x6c", 1), ("0x6c", "0x7a", 2), ("", "", 2)):
        seen = [
            (marked(*ways(10, 20)), HEAP + 0x100, frozenset("78"), partial(tuple, ("0x1", first))),
            (marked(*ways(11, 20)), HEAP + 0x108, frozenset("78"), partial(tuple, ("0x2", second))),
        ]
        assert len(set(same_function_variables.ordinals_by_lines(seen).values())) == wanted


def test_what_a_line_assigns_to_a_map_is_one_variable() -> None:
    one, other = ways(10, 20), ways(10, 21)
    for keyed, wanted in ((False, 2), (True, 1)):
        seen = [
            (marked(*one, keyed=keyed), HEAP + 0x100, frozenset("78"), tuple),
            (marked(*other), HEAP + 0x9000, frozenset("78"), tuple),
        ]
        assert len(set(same_function_variables.ordinals_by_lines(seen).values())) == wanted


def test_two_captured_variables_that_one_line_sets_are_two() -> None:
    def seen(line: int, at: int, reader: str) -> Told:
        writes, reads = marked(*ways(10, line)).side_keys
        sides = (writes, reads._replace(function=reader))
        return (marked(*ways(10, line))._replace(side_keys=sides), at, frozenset("78"), tuple)

    # each has a block to itself, if a closure captured it
    for reader, gap, wanted in (("F.func1", 16, 2), ("F.func1", 8, 1), ("F", 16, 1)):
        both = [seen(20, HEAP, reader), seen(21, HEAP + gap, reader)]
        assert len(set(same_function_variables.ordinals_by_lines(both).values())) == wanted


def test_what_is_on_the_same_lines_is_judged_together() -> None:
    """Two fields of two objects, each pair of which was seen with one pair of goroutines or more."""

    def seen(line: int, caller: int, at: int, by: str) -> Told:
        chain = ((line, "F"), (caller, "W"))
        return reached(chain, chain, at=at, by=by)

    both = [
        seen(10, 25, 0x100, "8 12"),
        seen(10, 26, 0x120, "11 13"),
        seen(12, 25, 0x110, "8 10"),
        seen(12, 26, 0x130, "9 13"),
    ]
    told = same_function_variables.ordinals_by_lines(both)
    assert [told[mark.call_chains] for mark, *_ in both] == [0, 0, 1, 1]


def closure(line: int, at: int, by: str, keyed: bool = False) -> Told:
    """A report of a closure that races with itself on one line."""
    plain = marked(*ways(line, line), keyed=keyed)
    sides = tuple(side._replace(function="F.func1") for side in plain.side_keys)
    return plain._replace(side_keys=sides), HEAP + at, frozenset(by.split()), tuple


def test_what_the_closures_of_one_call_captured_is_there_once() -> None:
    one = closure(10, 0x100, "7 9")
    assert len(set(same_function_variables.ordinals_by_lines([one, closure(11, 0x9000, "8 10")]).values())) == 2
    # another call has variables of its own
    assert len(set(same_function_variables.ordinals_by_lines([one, closure(11, 0x9000, "10 11")]).values())) == 1
    # but a map is not what is no map
    mapped = closure(11, 0x9000, "10 11", keyed=True)
    assert len(set(same_function_variables.ordinals_by_lines([one, mapped]).values())) == 2


@pytest.mark.parametrize(
    ("instructions", "by", "wanted"),
    [
        (("0x10", "0x20"), "1 8", {0, 1}),
        # one instruction reads one variable, and of what is not known nothing is told
        (("0x10", "0x10"), "1 8", {0}),
        (("0x10", ""), "1 8", {0}),
        # of another call
        (("0x10", "0x20"), "2 8", {0}),
    ],
)
def test_what_one_line_reads_of_captured_variables(instructions: tuple[str, str], by: str, wanted: set[int]) -> None:
    def seen(line: int, at: int, by: str, read: str) -> Told:
        told = partial(tuple, ("0x99", read) if read else ())
        return marked(*ways(line, 20)), HEAP + at, frozenset(by.split()), told

    both = [seen(10, 0x100, "1 7", instructions[0]), seen(11, 0x9000, by, instructions[1])]
    assert set(same_function_variables.ordinals_by_lines(both).values()) == wanted


def test_variables_of_packages_are_twins_however_far_apart() -> None:
    assert ranks(((10, 20), 0x77D788, ""), ((11, 21), 0x798D00, ""), base=0) == [0, 1]
    assert ranks(((10, 20), 0x77D788, ""), ((11, 21), 0x77D790, ""), base=0) == [0, 0]


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


def report(
    address: int, writer: str = "(*Cart).Add", reader: str = "(*Cart).Total", write: int = 31, read: int = 40
) -> str:
    at = f"0x{0xC000000000 + address:012x}"
    return REPORT.format(address=at, writer=writer, reader=reader, write=write, read=read)


def ids(*texts: str) -> list[str]:
    """The races of documents that are scanned together, one id per report."""
    nodes: list[str] = []
    found = races.empty_facts()
    for text in texts:
        document = DocumentGrouping()
        for s in deadheat.scan(text, diagnose=False):
            who, at = partial(racing_actors, s.report), partial(racing_instructions, s.report)
            document.add_report(grouping_key_of(s.report), s.span.stream, race_address(s.report), who, at)
        names, told = document.group_reports()
        nodes += names
        found.add(told)
    lasting = races.race_ids(found)
    return [lasting[name] for name in nodes]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (report(0xC000), report(0xC100)),
        (report(0xC000, write=31), report(0xC000, write=77)),
        (report(0xC000, writer="(*Cart).Add.func1"), report(0xC000, writer="(*Cart).Add.func2.1")),
        (report(0xC000, reader="(*Cart[...]).Total"), report(0xC000, reader="(*Cart[int]).Total")),
        (report(0xC000), report(0xC000, writer="(*Cart).Total", reader="(*Cart).Add")),
        (report(0xC000, reader="Run.Total.func1"), report(0xC000, reader="Total.1")),
    ],
)
def test_one_race_in_two_documents(one: str, other: str) -> None:
    assert len(set(ids(one, other))) == 1


def test_one_process_and_one_address_are_one_race() -> None:
    both = report(0xC000) + report(0xC000, reader="(*Cart).Print", read=50)
    assert len(set(ids(both))) == 1
    # what was joined once stays joined for a document that shows one of them
    assert len(set(ids(both, report(0xD000, reader="(*Cart).Print")))) == 1


def test_two_processes_may_have_one_address() -> None:
    assert len(set(ids(report(0xC000), report(0xC000, reader="(*Cart).Print")))) == 2


def test_one_line_that_writes_two_words_is_one_race() -> None:
    both = report(0xC000) + report(0xC008, reader="(*Tracker).Consume", read=9)
    assert len(set(ids(both))) == 1
    apart = report(0xC000) + report(0xC008, reader="(*Tracker).Consume", read=9, write=32)
    assert len(set(ids(apart))) == 2


def test_two_fields_in_one_pair_of_functions_are_two_races() -> None:
    both = report(0xC000) + report(0xC008, write=32, read=41)
    moved = report(0xC040, write=52, read=61) + report(0xC048, write=53, read=62)
    found = ids(both, moved)
    assert found[0] != found[1]
    assert found[:2] == found[2:]


CALLED = """  example.com/shop/{}()
      /src/shop/x.go:{} +0x11
"""


def called(text: str, writer: str, reader: str) -> str:
    """The report with a caller on each side."""
    head, middle, tail = text.split("\n\n", 2)
    ends = [CALLED.format(name, 9).rstrip("\n") for name in (writer, reader)]
    return "\n\n".join([f"{head}\n{ends[0]}", f"{middle}\n{ends[1]}", tail])


def test_one_helper_for_two_objects_is_two_races() -> None:
    users = called(report(0xC000), "users.Put", "users.Get")
    orders = called(report(0x9C000), "orders.Put", "orders.Get")
    both = ids(users + orders, orders.replace("9c000", "8c000"), users.replace("c000 ", "d000 "))
    assert both[0] != both[1]
    assert both[2:] == [both[1], both[0]]
    # nothing shows that there are two if they are never seen together
    assert len(set(ids(users, orders))) == 1


def test_callers_tell_where_objects_lie_side_by_side() -> None:
    users = called(report(0xC000), "users.Put", "users.Get")
    orders = called(report(0xC010), "orders.Put", "orders.Get")
    far = orders.replace("c010", "9c010")
    found = ids(users + orders, users + far, orders)
    assert found[0] == found[2] != found[1] == found[3] == found[4]


def test_one_caller_on_two_lines_and_two_other_callers_are_two_races() -> None:
    def named(text: str, line: int) -> str:
        return text.replace("export.All", f"export.All#{line}").replace(
            f"export.All#{line}()\n      /src/shop/x.go:9", f"export.All()\n      /src/shop/x.go:{line}"
        )

    tags = named(called(report(0xC000), "span.Tag", "export.All"), 26)
    baggage = named(called(report(0x9C000), "span.Carry", "export.All"), 27)
    found = ids(tags + baggage, baggage, tags)
    assert found[0] == found[3] != found[1] == found[2]
    # others met there: the same field of another object, as far as anyone knows
    strangers = baggage.replace("oroutine 7", "oroutine 17")
    assert len(set(ids(tags + strangers))) == 1


def test_a_twin_is_not_what_comes_earlier_under_another_name() -> None:
    """`now` on line 17 and `moves` on 18 of one function; one more function reads `now`."""
    add, now = "(*Clock).Add", "(*Clock).Now"

    def alone(at: int, line: int) -> str:
        return report(at, writer=add, reader=add, write=line, read=line)

    reads = report(0xC000, writer=add, reader=now, write=17, read=12)
    whole = reads + alone(0xC000, 17) + alone(0xC008, 18)
    part = reads + alone(0xC008, 18)
    found = ids(whole, part)
    assert found[0] == found[1] == found[3]
    assert found[2] == found[4] != found[0]
    # as long as nobody has seen that there are two, it is the only one
    assert ids(part)[1] == ids(alone(0xC008, 18))[0]
    # in another object, or on an earlier line, it says nothing
    for text in (reads + alone(0x9C008, 18), reads + alone(0xC008, 16)):
        assert ids(whole, text)[4] == found[0]


def test_who_answers_may_have_asked() -> None:
    nodes = [races.Variant(name, "") for name in ("aa", "bb", "cc")]
    asked = [("aa", "!k"), ("aa", "!l"), ("bb", "?k"), ("bb", "!l"), ("cc", "?l")]
    assert len(set(races.race_ids(told(nodes, [], asked, set())).values())) == 1
    # two who answer, and are two
    asked = [("aa", "!l"), ("bb", "!l"), ("cc", "?l")]
    assert len(set(races.race_ids(told(nodes, [], asked, set())).values())) == 3


def test_a_closure_that_is_called_after_a_test_is_known_by_its_file() -> None:
    """Go up to 1.20 calls a closure after the function that its own was inlined into."""
    old = report(0xC000, writer="TestOptions.func1")
    new = report(0xC000, writer="TestOptions.WithSink.func1")
    plain = report(0xC000, writer="WithSink.func1")
    assert len(set(ids(old, new, plain))) == 1
    # what is in a test, what stands elsewhere, and what is one of two is not known
    tested = old.replace("/src/shop/cart/cart.go:31", "/src/shop/cart/cart_test.go:31")
    elsewhere = old.replace("/src/shop/cart/cart.go:31", "/src/shop/cart/list.go:31")
    for text in (tested, elsewhere):
        assert len(set(ids(text, new))) == 2
    assert len(set(ids(old, new, new.replace("WithSink", "WithName")))) == 3


def test_a_closure_that_go_names_after_others_is_known_by_its_lines() -> None:
    def by(writer: str, at: int = 0xC000, write: int = 31, read: int = 40) -> str:
        return called(report(at, writer, write=write, read=read), "serve.Run", "serve.Show")

    second = 0xC008, 35, 41
    sink, name = by("TestOptions.WithSink.func1"), by("TestOptions.WithName.func2", *second)
    old = by("TestOptions.func1") + by("TestOptions.func2", *second)
    found = ids(sink, name, old)
    assert found[:2] == found[2:]
    assert found[0] != found[1]
    assert len(set(ids(sink, name, by("TestOptions.func1", write=33)))) == 3
    # so it is if the function that it is called after is no test, but lies in another folder
    texts = [text.replace("shop/cart.TestOptions", "shop/app.Run") for text in (sink, name, old)]
    found = ids(*texts)
    assert found[:2] == found[2:]


def test_a_closure_that_was_inlined_elsewhere_is_known_by_its_folder() -> None:
    """Go 1.21 to 1.26 leave out the package of a function that was inlined."""
    plain = report(0xC000, writer="(*Cart).Items.func1")
    inlined = report(0xC000, writer="main.(*Cart).Items.func2")
    inlined = inlined.replace("example.com/shop/cart.main", "main.main")
    assert ids(plain) != ids(inlined)
    assert len(set(ids(plain, inlined))) == 1
    # another folder, another function, two who answer
    elsewhere = inlined.replace("/src/shop/cart/cart.go:31", "/src/shop/list/cart.go:31")
    for text in (elsewhere, inlined.replace("Items", "Names")):
        assert len(set(ids(plain, text))) == 2
    other = plain.replace("shop/cart.(*Cart).Items", "old/cart.(*Cart).Items")
    other = other.replace("/src/shop/cart/cart.go:31", "/src/old/cart/cart.go:31")
    assert len(set(ids(plain, other, inlined))) == 3


LAMBDA = """==================
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 8 at 0x7ffc94c54340 by thread T2:
    #0 {0} /src/shop/totals.cc:14 (shop+0x35ff)

  Previous write of size 8 at 0x7ffc94c54340 by thread T1:
    #0 {0} /src/shop/totals.cc:14 (shop+0x35ff)

SUMMARY: ThreadSanitizer: data race /src/shop/totals.cc:14 in x
==================
"""


def test_a_lambda_without_a_name_is_known_by_its_file() -> None:
    gcc = LAMBDA.format("operator()")
    clang = LAMBDA.format("billing::sum_up()::$_0::operator()() const")
    assert len(set(ids(gcc, clang))) == 1
    assert len(set(ids(gcc, clang.replace("totals.cc", "carts.cc")))) == 2


def test_a_wrapper_does_not_hide_who_called() -> None:
    users = called(report(0xC000), "users.Put", "users.Get")
    orders = called(report(0x9C000), "orders.Put", "orders.Get")
    wrapped = users.replace(
        CALLED.format("users.Put", 9), CALLED.format("users.retry", 3) + CALLED.format("users.Put", 9)
    )
    found = ids(users + orders, wrapped)
    assert found[2] == found[0] != found[1]


def test_how_deep_a_function_has_called_itself_does_not_matter() -> None:
    def deep(at: int, *calls: tuple[str, int]) -> str:
        lines = "".join(
            f"  example.com/shop/cart.{name}()\n      /src/shop/cart/cart.go:{line} +0x11\n" for name, line in calls
        )
        text = report(at, writer="visit", reader="sum")
        head, middle, tail = text.split("\n\n", 2)
        return "\n\n".join([f"{head}\n{lines}".rstrip("\n"), middle, tail])

    tree = [deep(0xC000), deep(0xC030, ("visit", 35)), deep(0xC060, ("visit", 35), ("visit", 37))]
    assert len(set(ids("".join(tree)))) == 1
    walk = [deep(0xC000, ("enter", 50)), deep(0xC030, ("enter", 50), ("visit", 35), ("enter", 50))]
    assert len(set(ids("".join(walk)))) == 1


def test_parts_of_two_races_are_two_races() -> None:
    """Go 1.27 leaves out who reads a map; the elements that are read tell which map it was."""
    users = called(report(0xC000), "users.Put", "users.Get")
    orders = called(report(0x9C000), "orders.Put", "orders.Get")
    maps = [
        topped(text.replace(TITLE, ""), "mapaccess2_faststr", "mapaccess1_faststr")
        .replace("c000 ", "d000 ").partition("  example.com/shop/")
        for text in (users, orders)
    ]  # fmt: skip
    hidden = ["".join(parts) for parts in maps]
    found = ids(users + orders + "".join(hidden))
    assert found[:2] == found[2:]
    assert found[0] != found[1]


def test_an_echo_tells_who_raced() -> None:
    main = report(0xC000).replace("by goroutine 7", "by main goroutine")
    main = main.replace("Goroutine 7 (running) created at:\n  main.main()\n      /src/shop/main.go:12 +0x9a\n\n", "")
    for text in (report(0xC000), main):
        numbered = "".join(
            text.replace("oroutine 7", f"oroutine {n}").replace("oroutine 8", f"oroutine {n + 1}")
            for n in range(10, 60, 7)
        )
        found = deadheat.scan(numbered, diagnose=False)
        assert any(isinstance(s.source, Duplicate) for s in found)
        for s in found:
            assert race_assignment._actors_of(s.source) == racing_actors(s.report) != frozenset()


ATOMIC = """  sync/atomic.AddInt64()
      /usr/local/go/src/runtime/race_amd64.s:289 +0xb
  sync/atomic.AddInt64()
      <autogenerated>:1 +0x15
"""


def test_an_atomic_operation_overwrites_no_neighbour() -> None:
    # Go shows who called the function that has the operation: one line, although there are two
    def by(reader: str, read: int, at: int) -> str:
        text = report(at, reader=reader, read=read)
        return text.replace("goroutine 7:\n", f"goroutine 7:\n{ATOMIC}", 1)

    assert len(set(ids(by("(*Cart).Busy", 40, 0xC000) + by("(*Cart).Idle", 50, 0xC008)))) == 2
    # two counters that one function reads
    both = by("(*Cart).Busy", 40, 0xC000) + by("(*Cart).Busy", 41, 0xC008)
    assert len(set(ids(both))) == 2


def topped(text: str, *tops: str) -> str:
    """The report with these functions of the runtime above its reader."""
    lines = "".join(f"  runtime.{top}()\n      <autogenerated>:1 +0x1e\n" for top in tops)
    return text.replace("goroutine 8:\n", f"goroutine 8:\n{lines}", 1)


TITLE = "  example.com/shop/cart.(*Cart).Total()\n      /src/shop/cart/cart.go:40 +0x38\n"


def test_a_function_that_go_leaves_out_is_looked_up() -> None:
    read = called(report(0xC000), "users.Put", "users.Get")
    shown = topped(read, "mapaccess1_faststr")
    hidden = topped(read.replace(TITLE, ""), "mapaccess2_faststr", "mapaccess1_faststr")
    assert len(set(ids(shown, hidden))) == 1
    # nobody knows which of two it is
    other = shown.replace("(*Cart).Total", "(*Cart).Count")
    assert len(set(ids(shown, other, hidden))) == 3
    # but the same run may tell: the element that the map gave is read by a function that is shown
    assert len(set(ids(shown, other, hidden + read.replace("c000 ", "d000 ")))) == 2
    # a read that is shown is not taken for one that is hidden
    assert len(set(ids(shown, topped(read.replace(TITLE, ""), "mapaccess1_faststr")))) == 2


def test_a_waitgroup_whose_users_go_leaves_out_is_looked_up() -> None:
    used = called(report(0xC000), "users.Put", "users.Get")
    used = topped(used, "raceread").replace(
        "goroutine 7:\n", "goroutine 7:\n  runtime.racewrite()\n      <autogenerated>:1 +0x1e\n", 1
    )
    writer = "  example.com/shop/cart.(*Cart).Add()\n      /src/shop/cart/cart.go:31 +0x45\n"
    hidden = used.replace(TITLE, "").replace(writer, "")
    assert len(set(ids(used, hidden))) == 1
    assert len(set(ids(used, used.replace("(*Cart)", "(*Shop)"), hidden))) == 3


def test_a_goroutine_of_which_nothing_is_left_is_known_by_who_started_it() -> None:
    used = called(report(0xC000), "main.main.func1", "users.Get").replace("shop/main.main", "main")
    used = used.replace("example.com/main.func1", "main.main.func1")
    used = topped(used, "raceread").replace(
        "goroutine 7:\n", "goroutine 7:\n  runtime.racewrite()\n      <autogenerated>:1 +0x1e\n", 1
    )
    begins = "  example.com/shop/cart.(*Cart).Add()"
    ends = "\n\nPrevious read"
    head, tail = used.replace(TITLE, "").split(begins)
    hidden = head.rstrip() + ends + tail.partition(ends)[2]
    assert len(set(ids(used, hidden))) == 1
    # somebody else started it
    assert len(set(ids(used, hidden.replace("main.main()", "main.other()", 1)))) == 2


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


def test_a_waitgroup_is_the_same_whoever_dies_of_it() -> None:
    reused = "WaitGroup is reused before previous Wait has returned"
    misused = "WaitGroup misuse: Add called concurrently with Wait"
    waits = DIES.format(reused, 9, "Wait", "waiter", 19)
    adds = DIES.format(misused, 8, "Add", "writer", 12)
    assert len(set(ids(waits, adds))) == 1
    # nobody knows for which of two it waits
    assert len(set(ids(waits, adds, adds.replace("writer", "reader")))) == 3


def test_a_program_is_known_by_its_lines_whatever_it_is_called() -> None:
    text = called(report(0xC000, reader="total", writer="add"), "watch", "main")
    text = text.replace("example.com/shop/cart.", "main.").replace("example.com/shop/", "main.")
    trimmed = text.replace("/src/shop/cart/", "example.com/agentd/")
    assert ids(text) != ids(trimmed)
    assert len(set(ids(text, trimmed))) == 1
    assert len(set(ids(text, trimmed.replace("cart.go:31", "cart.go:32")))) == 2


def test_a_report_without_addresses_has_an_identity() -> None:
    text = report(0xC000).replace(" at 0x00c00000c000", "")
    assert ids(text) == ids(report(0xC000))


@pytest.mark.parametrize(
    ("symbol", "path", "wanted"),
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
def test_keys(symbol: str, path: str, wanted: str) -> None:
    assert go.function_key(go.make_frame(symbol, path, 1)) == wanted


# -- families -------------------------------------------------------------------------------------


def test_families_have_their_reasons_in_words() -> None:
    found = races.find_families({
        "a": ["writer example.com/shop/cart (*Cart).Reset"],
        "b": ["writer example.com/shop/cart (*Cart).Reset", "writer main run"],
        "c": ["worker example.com/shop Start > example.com/shop work"],
    })  # fmt: skip
    assert found == [races.Family("a", ("a", "b"), ("both are written in or below cart.(*Cart).Reset",))]


def test_what_all_have_in_common_makes_no_family() -> None:
    assert races.find_families({f"{n:03}": ["writer main run"] for n in range(100)}) == []


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the seed documents")
def test_the_families_of_the_seeds() -> None:
    keys: dict[str, set[str]] = {}
    by_document: dict[str, set[str]] = {}
    for path in sorted((SHARED / "seeds").glob("*.txt")):
        raw = path.read_bytes()
        number = raw.split(b"\n")[0].decode().removeprefix("ID: ")
        found: list[Sighting] = [s for s in deadheat.scan(raw, diagnose=False) if s.report.detector == "go"]
        for s, race in zip(found, ids(raw.decode()), strict=False):
            keys.setdefault(race, set()).update(races.family_keys(s.report))
            by_document.setdefault(number, set()).add(race)
    assert {number: len(found) for number, found in by_document.items()} == dict.fromkeys(
        ("30669", "41105", "31965", "39771"), 1
    )
    (family,) = races.find_families(keys)
    assert set(family.races) == by_document["41105"] | by_document["31965"]
    assert "both are written in or below executor.ResetContextOfStmt" in family.why
