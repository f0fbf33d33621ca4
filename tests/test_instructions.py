"""Instruction offsets distinguish two variables set on a line from one that is overwritten."""

from __future__ import annotations

import pickle

import pytest

import deadheat
from deadheat.grouping import race_assignment, same_function_variables
from deadheat.grouping.keys import racing_instructions
from deadheat.lake import sighting_rows
from deadheat.parsing.duplicates import Duplicate, IntactReport
from tests.cases import ROOT
from tests.test_grouping import HEAP, call_chains, make_key, make_report, race_count, race_ids_of

FROM, TO = ("(*Span).From", 50), ("(*Span).To", 60)


def report_of_write(at: int, by: str, reader: str, read: int, writer: str = "(*Span).Set") -> str:
    """A race between an instruction of line 31 and a reader."""
    text = make_report(at, writer=writer, reader=reader, read=read)
    return text.replace("cart.go:31 +0x45", f"cart.go:31 {by}".rstrip())


# two functions that read, and one that reads on two lines
READERS = [(FROM, TO), (("(*Span).Width", 50), ("(*Span).Width", 51))]


@pytest.mark.parametrize(("one", "other"), READERS)
def test_line_that_sets_two_fields_is_two_races(one: tuple[str, int], other: tuple[str, int]) -> None:
    both = report_of_write(0xC000, "+0x1c4", *one) + report_of_write(0xC008, "+0x1e4", *other)
    rebuilt = report_of_write(0xC048, "+0x2f0", *other) + report_of_write(0xC040, "+0x2d1", *one)
    race_ids = race_ids_of(both, rebuilt)
    assert race_ids[0] == race_ids[3] != race_ids[1] == race_ids[2]


@pytest.mark.parametrize(("one", "other"), READERS)
@pytest.mark.parametrize("by", ["+0x1c4", ""])
def test_line_that_overwrites_an_object_is_one_race(one: tuple[str, int], other: tuple[str, int], by: str) -> None:
    # one instruction, or unknown instructions
    assert race_count(report_of_write(0xC000, by, *one) + report_of_write(0xC008, by, *other)) == 1


@pytest.mark.parametrize(("one", "other"), READERS)
def test_object_created_and_published_on_one_line_is_one_race(one: tuple[str, int], other: tuple[str, int]) -> None:
    fields = report_of_write(0xC000, "+0x3b", *one) + report_of_write(0xC010, "+0x72", *other)
    for last, at, expected in (("+0x8b", 0x9C000, 1), ("+0x1b", 0x9C000, 2), ("+0x8b", 0xC018, 2)):
        pointer = report_of_write(at, last, "(*Span).Get" if one is FROM else one[0], 40)
        assert len(set(race_ids_of(fields + pointer)[:2])) == expected
        assert len(set(race_ids_of(pointer + fields)[1:])) == expected


def test_swap_method_is_one_race() -> None:
    both = [report_of_write(0xC000 + at, f"+0x{at:x}4", *side, "byAge.Swap") for at, side in ((0x10, FROM), (0x18, TO))]
    assert race_count("".join(both)) == 1


@pytest.mark.parametrize(
    ("one", "other", "gap", "expected"),
    [
        # adjacent named results, and the same field of distant objects
        ("0x1c4", "0x1e4", 8, 2),
        ("0x1c4", "0x1c4", 0x9000, 1),
        # one of the instructions is unknown
        ("0x1c4", "", 8, 1),
        ("0x1c4", "", 0x9000, 2),
    ],
)
def test_ordinals_by_instruction(one: str, other: str, gap: int, expected: int) -> None:
    observations = [
        (make_key(*call_chains(10, line)), HEAP + at, frozenset("78"), instructions)
        for line, at, instructions in ((20, 0, lambda: (one, "0x38")), (21, gap, lambda: (other, "0x38")))
    ]
    assert len(set(same_function_variables.ordinals_by_lines(observations).values())) == expected


def test_instructions_are_the_same_for_every_parser() -> None:
    several = "".join(report_of_write(0xC000 + 8 * n, f"+0x1{n // 3}4", *FROM, "(*Span).Shift") for n in range(9))
    sightings = deadheat.scan(several, diagnose=False)
    assert {type(s.source) for s in sightings} == {IntactReport, Duplicate}
    instructions = [race_assignment._instructions_of(s.source) for s in sightings]
    assert instructions == [racing_instructions(s.report) for s in sightings]
    # in the order of their names
    assert instructions == [("0x38", f"0x1{n // 3}4") for n in range(9)]
    # read line by line, and with a frame above the site
    stamped = "".join(f"2024-05-01T10:00:00Z {line}\n" for line in several.splitlines())
    assert [racing_instructions(s.report) for s in deadheat.scan(stamped, diagnose=False)] == instructions
    top = "goroutine 7:\n  runtime.memmove()\n      /usr/local/go/src/runtime/a.s:1 +0x0\n"
    (above,) = deadheat.scan(report_of_write(0xC000, "+0x1c4", *FROM).replace("goroutine 7:\n", top, 1), diagnose=False)
    assert race_assignment._instructions_of(above.source) == racing_instructions(above.report) == ("0x38", "")


def test_parts_of_a_document_and_the_lake_agree() -> None:
    both = [report_of_write(0xC000, "+0x1c4", *FROM), report_of_write(0xC008, "+0x1e4", *TO)]
    overwriting = [report_of_write(0xC040, "+0x3c4", *FROM), report_of_write(0xC048, "+0x3c4", *TO)]
    for pair, expected in ((both, 2), (overwriting, 1)):
        assigner = race_assignment.RaceAssigner()
        names = []
        for text in pair:
            batch = race_assignment.group_sightings(deadheat.scan(text, "u", diagnose=False), is_part=True)
            names += [s.verdict.race for s in batch.sightings]
            assigner.add_batch(batch.facts, pickle.loads(pickle.dumps(batch.observations)))  # noqa: S301, made a moment ago
        assigner.close()
        race_ids = assigner.race_ids()
        assert len({race_ids[name] for name in names}) == expected
        variant_rows = sighting_rows.add_variants(
            sighting_rows.sighting_row(s) for s in deadheat.scan("".join(pair), "u", diagnose=False)
        )
        links = [row for one in variant_rows for row in one.row["links"]]
        assert len(links) == 2 - expected


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("one-line-that-sets-two-fields", 2),
        ("one-line-that-overwrites-a-struct", 1),
        ("two-maps-whose-readers-are-hidden", 2),
        ("fields-that-goroutines-started-by-turns-race-for", 3),
        ("two-kinds-of-variable-that-closures-captured", 3),
    ],
)
def test_races_of_recorded_reports(case: str, expected: int) -> None:
    text = (ROOT / "go" / f"{case}.txt").read_text(encoding="utf-8")
    assert len({s.verdict.race for s in deadheat.scan(text, diagnose=False)}) == expected
