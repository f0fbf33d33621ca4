"""Twins of which a run shows one only, and what tells which of them it is."""

from __future__ import annotations

from itertools import permutations

from tests.test_hidden import HIDES
from tests.test_identity import TITLE, ids, report, topped

ADD, NOW = "(*Clock).Add", "(*Clock).Now"


def added(line: int, at: int) -> str:
    """Two goroutines add to one variable on one line."""
    return report(at, writer=ADD, reader=ADD, write=line, read=line)


def read(line: int, at: int) -> str:
    """Another function reads what is written on that line, five lines above it."""
    return report(at, writer=ADD, reader=NOW, write=line, read=line - 5)


BOTH = added(17, 0xC000) + added(18, 0xC008)
FIRST, SECOND = BOTH + read(17, 0xC000), BOTH + read(18, 0xC008)


def test_a_twin_that_is_shown_alone_has_its_number_from_the_same_address() -> None:
    one, other, shown, *rest = ids(FIRST, SECOND)
    assert one != other
    assert [shown, *rest] == [one, one, other, other]


def test_a_number_that_nobody_contradicts_says_nothing() -> None:
    # as far as anybody has seen, the other function reads one variable only
    one, other, shown, alone = ids(SECOND, read(28, 0xD000))
    assert one != other == shown == alone
    # a run that shows both says so, too
    whole = BOTH + read(17, 0xC000) + read(18, 0xC008)
    found = ids(SECOND, whole)
    assert [found[0], found[1], found[1]] == [found[3], found[2], found[6]]
    assert found[5] == found[0] != found[1]


def test_neither_order_nor_number_of_documents_changes_which_twin_it_is() -> None:
    texts = [FIRST, SECOND, BOTH, read(17, 0xE000)]
    groups = set()
    for order in permutations(range(4)):
        found = iter(ids(*(texts[n] for n in order)))
        told = {n: tuple(next(found) for _ in range(texts[n].count("WARNING"))) for n in order}
        groups.add(tuple(told[n] for n in range(4)))
    assert len(groups) == 1


def test_a_map_whose_reader_is_left_out_is_counted() -> None:
    """`seen[k] = seen[k] + 1` on line 31, `last = k` on line 32."""

    def last(write: int) -> str:
        return report(0xC100, reader="(*Cart).Add", write=write, read=write)

    counted = report(0x9C000, reader="(*Cart).Add", read=31)
    title = TITLE.replace("Total", "Add").replace(":40", ":31")
    before = topped(counted, HIDES[1]) + last(32)
    now = topped(counted.replace(title, ""), *HIDES) + last(32)
    found = ids(before, now)
    assert found[:2] == found[2:]
    assert found[0] != found[1]
    # on an earlier line it is the first one, and so it is where others met
    strangers = last(32).replace("oroutine 7", "oroutine 9")
    for text in (last(30), strangers):
        assert ids(before, now.replace(last(32), text))[3] == found[0]
