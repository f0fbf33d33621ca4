"""Two variables of one function, of which a run shows only one: which of them it is."""

from __future__ import annotations

from itertools import permutations

from tests.test_grouping import TITLE, make_report, race_ids_of, with_runtime_frames
from tests.test_omitted_map_readers import RUNTIME_FRAMES

ADD, NOW = "(*Clock).Add", "(*Clock).Now"


def two_writes(line: int, at: int) -> str:
    """Two goroutines add to one variable on one line."""
    return make_report(at, writer=ADD, reader=ADD, write=line, read=line)


def write_and_read(line: int, at: int) -> str:
    """Another function reads what is written on that line, five lines above it."""
    return make_report(at, writer=ADD, reader=NOW, write=line, read=line - 5)


BOTH = two_writes(17, 0xC000) + two_writes(18, 0xC008)
FIRST, SECOND = BOTH + write_and_read(17, 0xC000), BOTH + write_and_read(18, 0xC008)


def test_single_variable_gets_its_ordinal_from_the_same_address() -> None:
    one, other, shown, *rest = race_ids_of(FIRST, SECOND)
    assert one != other
    assert [shown, *rest] == [one, one, other, other]


def test_ordinal_without_contradiction_is_no_evidence() -> None:
    # as far as is known, the other function reads one variable only
    one, other, shown, alone = race_ids_of(SECOND, write_and_read(28, 0xD000))
    assert one != other == shown == alone
    # a run that shows both is the same
    both_read = BOTH + write_and_read(17, 0xC000) + write_and_read(18, 0xC008)
    race_ids = race_ids_of(SECOND, both_read)
    assert [race_ids[0], race_ids[1], race_ids[1]] == [race_ids[3], race_ids[2], race_ids[6]]
    assert race_ids[5] == race_ids[0] != race_ids[1]


def test_order_and_number_of_documents_do_not_change_the_ordinal() -> None:
    texts = [FIRST, SECOND, BOTH, write_and_read(17, 0xE000)]
    groups = set()
    for order in permutations(range(4)):
        race_ids = iter(race_ids_of(*(texts[n] for n in order)))
        ids_by_text = {n: tuple(next(race_ids) for _ in range(texts[n].count("WARNING"))) for n in order}
        groups.add(tuple(ids_by_text[n] for n in range(4)))
    assert len(groups) == 1


def test_map_without_its_reader_counts_as_a_variable() -> None:
    """`seen[k] = seen[k] + 1` on line 31, `last = k` on line 32."""

    def last(write: int) -> str:
        return make_report(0xC100, reader="(*Cart).Add", write=write, read=write)

    counted = make_report(0x9C000, reader="(*Cart).Add", read=31)
    title = TITLE.replace("Total", "Add").replace(":40", ":31")
    before = with_runtime_frames(counted, RUNTIME_FRAMES[1]) + last(32)
    now = with_runtime_frames(counted.replace(title, ""), *RUNTIME_FRAMES) + last(32)
    race_ids = race_ids_of(before, now)
    assert race_ids[:2] == race_ids[2:]
    assert race_ids[0] != race_ids[1]
    # on an earlier line, or with other actors, it is the first one
    strangers = last(32).replace("oroutine 7", "oroutine 9")
    for text in (last(30), strangers):
        assert race_ids_of(before, now.replace(last(32), text))[3] == race_ids[0]
