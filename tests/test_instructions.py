"""The offsets behind a line tell two variables that it sets from one that it overwrites."""

from __future__ import annotations

import pickle

import pytest

import deadheat
from deadheat.grouping import race_assignment, same_function_variables
from deadheat.grouping.keys import racing_instructions
from deadheat.lake import sighting_rows
from deadheat.parsing.duplicates import Duplicate, IntactReport
from tests.cases import ROOT
from tests.test_identity import HEAP, ids, marked, report, ways

FROM, TO = ("(*Span).From", 50), ("(*Span).To", 60)


def written(at: int, by: str, reader: str, read: int, writer: str = "(*Span).Set") -> str:
    """What one instruction of line 31 writes, and somebody reads."""
    text = report(at, writer=writer, reader=reader, read=read)
    return text.replace("cart.go:31 +0x45", f"cart.go:31 {by}".rstrip())


# two functions that read, and one that reads on two lines
READERS = [(FROM, TO), (("(*Span).Width", 50), ("(*Span).Width", 51))]


@pytest.mark.parametrize(("one", "other"), READERS)
def test_a_line_that_sets_two_fields_is_two_races(one: tuple[str, int], other: tuple[str, int]) -> None:
    both = written(0xC000, "+0x1c4", *one) + written(0xC008, "+0x1e4", *other)
    rebuilt = written(0xC048, "+0x2f0", *other) + written(0xC040, "+0x2d1", *one)
    found = ids(both, rebuilt)
    assert found[0] == found[3] != found[1] == found[2]


@pytest.mark.parametrize(("one", "other"), READERS)
@pytest.mark.parametrize("by", ["+0x1c4", ""])
def test_a_line_that_overwrites_an_object_is_one_race(one: tuple[str, int], other: tuple[str, int], by: str) -> None:
    # of one instruction, or of one that nobody knows
    assert len(set(ids(written(0xC000, by, *one) + written(0xC008, by, *other)))) == 1


@pytest.mark.parametrize(("one", "other"), READERS)
def test_what_a_line_makes_and_publishes_is_one_object(one: tuple[str, int], other: tuple[str, int]) -> None:
    fields = written(0xC000, "+0x3b", *one) + written(0xC010, "+0x72", *other)
    for last, at, wanted in (("+0x8b", 0x9C000, 1), ("+0x1b", 0x9C000, 2), ("+0x8b", 0xC018, 2)):
        pointer = written(at, last, "(*Span).Get" if one is FROM else one[0], 40)
        assert len(set(ids(fields + pointer)[:2])) == wanted
        assert len(set(ids(pointer + fields)[1:])) == wanted


def test_what_is_exchanged_is_of_one_kind() -> None:
    both = [written(0xC000 + at, f"+0x{at:x}4", *side, "byAge.Swap") for at, side in ((0x10, FROM), (0x18, TO))]
    assert len(set(ids("".join(both)))) == 1


@pytest.mark.parametrize(
    ("one", "other", "gap", "wanted"),
    [
        # named results side by side, and the same field of objects that lie far apart
        ("0x1c4", "0x1e4", 8, 2),
        ("0x1c4", "0x1c4", 0x9000, 1),
        # of one of the two nobody knows which instruction it was
        ("0x1c4", "", 8, 1),
        ("0x1c4", "", 0x9000, 2),
    ],
)
def test_twins_by_their_instructions(one: str, other: str, gap: int, wanted: int) -> None:
    seen = [
        (marked(*ways(10, line)), HEAP + at, frozenset("78"), told)
        for line, at, told in ((20, 0, lambda: (one, "0x38")), (21, gap, lambda: (other, "0x38")))
    ]
    assert len(set(same_function_variables.ordinals_by_lines(seen).values())) == wanted


def test_instructions_are_read_however_a_report_is_read() -> None:
    several = "".join(written(0xC000 + 8 * n, f"+0x1{n // 3}4", *FROM, "(*Span).Shift") for n in range(9))
    found = deadheat.scan(several, diagnose=False)
    assert {type(s.source) for s in found} == {IntactReport, Duplicate}
    told = [race_assignment._instructions_of(s.source) for s in found]
    assert told == [racing_instructions(s.report) for s in found]
    # in the order of their names
    assert told == [("0x38", f"0x1{n // 3}4") for n in range(9)]
    # line after line, and with something else above the site
    stamped = "".join(f"2024-05-01T10:00:00Z {line}\n" for line in several.splitlines())
    assert [racing_instructions(s.report) for s in deadheat.scan(stamped, diagnose=False)] == told
    top = "goroutine 7:\n  runtime.memmove()\n      /usr/local/go/src/runtime/a.s:1 +0x0\n"
    (above,) = deadheat.scan(written(0xC000, "+0x1c4", *FROM).replace("goroutine 7:\n", top, 1), diagnose=False)
    assert race_assignment._instructions_of(above.source) == racing_instructions(above.report) == ("0x38", "")


def test_parts_of_a_document_and_the_lake_tell_the_same() -> None:
    both = [written(0xC000, "+0x1c4", *FROM), written(0xC008, "+0x1e4", *TO)]
    whole = [written(0xC040, "+0x3c4", *FROM), written(0xC048, "+0x3c4", *TO)]
    for pair, wanted in ((both, 2), (whole, 1)):
        identity = race_assignment.RaceAssigner()
        names = []
        for text in pair:
            batch = race_assignment.group_sightings(deadheat.scan(text, "u", diagnose=False), is_part=True)
            names += [s.verdict.race for s in batch.sightings]
            identity.add_batch(batch.facts, pickle.loads(pickle.dumps(batch.observations)))  # noqa: S301, made a moment ago
        identity.close()
        lasting = identity.race_ids()
        assert len({lasting[name] for name in names}) == wanted
        rowed = sighting_rows.add_variants(
            sighting_rows.sighting_row(s) for s in deadheat.scan("".join(pair), "u", diagnose=False)
        )
        linked = [row for one in rowed for row in one.row["links"]]
        assert len(linked) == 2 - wanted


@pytest.mark.parametrize(
    ("case", "wanted"),
    [
        ("one-line-that-sets-two-fields", 2),
        ("one-line-that-overwrites-a-struct", 1),
        ("two-maps-whose-readers-are-hidden", 2),
        ("fields-that-goroutines-started-by-turns-race-for", 3),
        ("two-kinds-of-variable-that-closures-captured", 3),
    ],
)
def test_recorded(case: str, wanted: int) -> None:
    text = (ROOT / "go" / f"{case}.txt").read_text(encoding="utf-8")
    assert len({s.verdict.race for s in deadheat.scan(text, diagnose=False)}) == wanted
