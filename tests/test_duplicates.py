"""Reports that are recognised without parsing are what the line parsers read.

Documents have repeats of a report with other numbers, prefixes and damage. They are read by the reader that users get
and by one that parses every report line by line.
"""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deadheat
from deadheat import api, plugins
from deadheat.diagnosis import causes_of_report
from deadheat.output.json_formats import JsonLinesCollector
from deadheat.output.race_counts import unpack_lines
from deadheat.parsing.duplicates import Duplicate
from deadheat.parsing.report_reader import ReportReader
from deadheat.text.window import StreamSource
from tests.cases import all_cases
from tests.test_properties import example_count

if TYPE_CHECKING:
    import random

    from deadheat.detectors import Detector
    from deadheat.model import ReportSource
    from deadheat.parsing.active_parsers import LocatedReport

CASES = {
    case.name: case
    for case in all_cases()
    if case.name.startswith(("tsan/", "helgrind/", "go/")) and case.path.stat().st_size < 20_000
}
# what is before each line: a time, with a writer, with a label
PREFIXES = ("", "2024-10-01T10:00:{:02}.1234567Z ", "[2024-10-01T10:00:{:02}.123Z] ", "[linux] ", "node-3 api[4711]: ")
FILLER = (
    "[ RUN      ] CartTest.Adds", "request served 4f2a91c0", "", "I1004 10:00:00.000001 99 x.go:7] lease renewed",
    "the lock at 0x1f was held by thread #2", "12/900 Test #12: cart ....   Passed    0.31 sec",
    "   by 0x4838DFC: worker (cart.c:12)", "==================", '{"level":"info","msg":"cache refreshed"}',
)  # fmt: skip
# the process; addresses of accesses, memory and locks; threads
NUMBER = re.compile(
    r"(?<=pid=)\d+|(?<=tid=)\d+|(?<===)\d+(?===)"
    r"|(?<!\+)(?<=0x)[0-9A-Fa-f]{6,}(?!: )|(?<=hread [T#])\d+|(?<=oroutine )\d+"
)


class LineByLine:
    """A detector whose reports are all parsed line by line."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self.volatile_numbers = None

    def __getattr__(self, name: str) -> object:
        return getattr(self._detector, name)


def read(raw: bytes, detectors: tuple[Detector, ...]) -> list[LocatedReport]:
    return list(ReportReader(detectors).read_reports(StreamSource(BytesIO(raw).read)))


def read_in_both_ways(raw: bytes) -> tuple[list[LocatedReport], list[LocatedReport]]:
    detectors = plugins.default_detectors()
    return read(raw, detectors), read(raw, tuple(LineByLine(detector) for detector in detectors))  # type: ignore[misc]


def renumber(text: str, rng: random.Random) -> str:
    """Other numbers, mostly as wide, sometimes equal ones or special ones."""
    numbers: dict[str, str] = {}
    more_digits = rng.random() < 0.2

    def other(match: re.Match[str]) -> str:
        old = match[0]
        if old.lower() not in numbers:
            digits = "0123456789abcdef" if len(old) > 5 and not old.isdecimal() else "0123456789"
            width = len(old) + (more_digits and rng.random() < 0.3)
            new = rng.choice("123456789") + "".join(rng.choices(digits, k=width - 1))
            if len(old) > 5 and rng.random() < 0.8:  # of the same part of the memory, and as aligned
                new = old[:3] + new[3:-1] + old[-1]
            numbers[old.lower()] = rng.choice(("1", "0" * len(old), old)) if rng.random() < 0.03 else new
        new = numbers[old.lower()]
        return new.upper() if old.upper() == old else new

    return NUMBER.sub(other, text)


def damage(lines: list[str], rng: random.Random) -> list[str]:
    at = rng.randrange(len(lines))
    match rng.choice(("delete", "duplicate", "insert", "cut", "swap")):
        case "delete":
            return [*lines[:at], *lines[at + 1 :]]
        case "duplicate":
            return [*lines[:at], lines[at], *lines[at:]]
        case "insert":
            return [*lines[:at], rng.choice(FILLER), *lines[at:]]
        case "cut":
            return [*lines[:at], lines[at][: rng.randrange(len(lines[at]) + 1)], *lines[at + 1 :]]
    return [*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]]


def make_document(name: str, rng: random.Random) -> bytes:
    """Repeats of a case, some damaged, between other lines."""
    text = CASES[name].path.read_text("utf-8", "surrogateescape")
    prefix = rng.choice(PREFIXES)
    lines: list[str] = []
    for _ in range(rng.randrange(2, 6)):
        repeat = renumber(text, rng).splitlines()
        lines += damage(repeat, rng) if rng.random() < 0.3 else repeat
        lines += rng.choices(FILLER, k=rng.choice((0, 1, 5, 40)))
    return "".join(f"{prefix.format(i % 60)}{line}\n" for i, line in enumerate(lines)).encode(
        "utf-8", "surrogateescape"
    )


@pytest.mark.long
@example_count(300)
@given(st.sampled_from([*CASES]), st.randoms(use_true_random=False))
def test_repeats_are_what_the_line_parsers_read(name: str, rng: random.Random) -> None:
    fast, slow = read_in_both_ways(make_document(name, rng))
    assert [(found.span, found.source.report()) for found in fast] == [
        (found.span, found.source.report()) for found in slow
    ]
    for found in fast:  # and what is derived from the first one
        report, original, rename = found.source.report(), found.source.original, found.source.rename_in_text
        assert api.verdict_for(original) == api.verdict_for(report)
        causes = [c._replace(evidence=tuple(map(rename, c.evidence))) for c in causes_of_report(original)]
        assert causes == [*causes_of_report(report)]


def read_after(first: str, second: str) -> tuple[ReportSource, ReportSource]:
    """Two reports in one document: the second may be a duplicate of the first."""
    filler = "lease renewed\n" * 30
    fast, slow = read_in_both_ways(f"{first}{filler}{second}{filler}".encode())
    assert [found.span for found in fast] == [found.span for found in slow]
    assert [found.source.report() for found in fast] == [found.source.report() for found in slow]
    return fast[0].source, fast[1].source


TSAN = """\
==================
WARNING: ThreadSanitizer: data race (pid=12311)
  Write of size 4 at 0x7b0400000008 by thread T2 (mutexes: write M0):
    #0 Cart::add(int) /src/cart.cc:31:9 (shop+0xd4764) (BuildId: 797481433e87)

  Previous read of size 4 at 0x7b0400000008 by main thread:
    #0 Cart::total() /src/cart.cc:40:12 (shop+0xd4388) (BuildId: 797481433e87)

  Location is heap block of size 16 at 0x7b0400000000 allocated by main thread:
    #0 operator new(unsigned long) <null> (shop+0xd3386) (BuildId: 797481433e87)
    #1 main /src/main.cc:9:16 (shop+0xd4441) (BuildId: 797481433e87)

  Mutex M0 (0x55b9a397d080) created at:
    #0 pthread_mutex_lock <null> (shop+0x533dd) (BuildId: 797481433e87)

  Thread T2 (tid=12313, running) created by main thread at:
    #0 pthread_create <null> (shop+0x533dd) (BuildId: 797481433e87)
    #1 main /src/main.cc:12:3 (shop+0xd447f) (BuildId: 797481433e87)

SUMMARY: ThreadSanitizer: data race /src/cart.cc:31:9 in Cart::add(int)
==================
"""
HELGRIND = """\
==4711== ---Thread-Announcement------------------------------------------
==4711==
==4711== Thread #3 was created
==4711==    at 0x496CB3F: clone (clone.S:76)
==4711==    by 0x109299: main (cart.c:34)
==4711==
==4711== ----------------------------------------------------------------
==4711==
==4711== Possible data race during write of size 8 at 0x10C080 by thread #1
==4711== Locks held: none
==4711==    at 0x10923D: cart_add (cart.c:24)
==4711==    by 0x1092A0: main (cart.c:36)
==4711==
==4711== This conflicts with a previous read of size 8 by thread #3
==4711== Locks held: none
==4711==    at 0x1091CA: cart_sum (cart.c:13)
==4711==    by 0x48ED1F4: start_thread (pthread_create.c:442)
==4711==  Address 0x10c080 is 0 bytes inside data symbol "cart_total"
==4711==
"""


@pytest.mark.parametrize(
    ("text", "changes", "is_duplicate"),
    [
        (TSAN, {"12311": "90911", "12313": "90913", "T2": "T5"}, True),
        (TSAN, {"7b04000000": "7b0c124564", "55b9a397": "56b9a390"}, True),
        # the offset in the block, and a block without an address
        (TSAN, {"0x7b0400000000": "0x7b0400000004"}, False),
        (TSAN, {"0x7b0400000000": "0x000000000000"}, False),
        # two threads that were one
        (TSAN, {"thread T2 (mut": "thread T3 (mut"}, False),
        (HELGRIND, {"4711": "92", "10C080": "20F1A0", "10c080": "20f1a0"}, True),
        # the main thread
        (HELGRIND, {"#3": "#1", "#1": "#3"}, False),
    ],
)
def test_only_names_may_differ(text: str, changes: dict[str, str], is_duplicate: bool) -> None:
    other = re.sub("|".join(map(re.escape, changes)), lambda match: changes[match[0]], text)
    _, second = read_after(text, other)
    assert isinstance(second, Duplicate) is is_duplicate


def test_memory_without_an_address() -> None:
    unlock = """\
==================
WARNING: ThreadSanitizer: unlock of an unlocked mutex (or by a wrong thread) (pid=12311)
    #0 pthread_mutex_unlock <null> (shop+0x42f2d)
    #1 leave /src/lock.c:10 (shop+0xd4764)

  Location is global 'gate' of size 40 at 0x55d502502380 (shop+0x4020)

  Mutex M1 (0x55d502502380) created at:
    #0 main /src/main.c:4 (shop+0xd4000)

SUMMARY: ThreadSanitizer: unlock of an unlocked mutex (or by a wrong thread) /src/lock.c:10 in leave
==================
"""
    assert isinstance(read_after(unlock, unlock.replace("55d502", "56d502"))[1], Duplicate)
    assert not isinstance(read_after(unlock, unlock.replace("55d502502380", "000000000000"))[1], Duplicate)


def test_number_of_a_thread_with_a_name_is_part_of_the_report() -> None:
    named = TSAN.replace("Thread T2 (tid", "Thread T2 'worker' (tid")
    assert not isinstance(read_after(named, named.replace("T2", "T3"))[1], Duplicate)
    assert isinstance(read_after(named, named.replace("12311", "90911"))[1], Duplicate)


def test_causes_of_a_duplicate_are_those_of_its_address() -> None:
    text = CASES["go/two-goroutines"].path.read_text()
    address = re.search(r" at 0x([0-9a-f]+)", text)
    assert address is not None
    heap = f"{0xC000000000 + 0x1238:0{len(address[1])}x}"
    for other, is_duplicate in ((0xC000000000 + 0x5678, True), (0xC000000000 + 0x123C, False), (0xA01238, False)):
        first, second = text.replace(address[1], heap), text.replace(address[1], f"{other:0{len(address[1])}x}")
        assert isinstance(read_after(first, second)[1], Duplicate) is is_duplicate


def test_lines_after_a_block_decide_whether_it_is_over() -> None:
    """Up to a dozen foreign lines may be inside a report of Valgrind."""
    late = "==4711==  Block was alloc'd by thread #1\n"
    for count in (0, 5, 11, 12, 13, 24, 40):
        fast, slow = read_in_both_ways((HELGRIND + "lease renewed\n" * count + late).encode())
        assert [(found.span, found.source.report()) for found in fast] == [
            (found.span, found.source.report()) for found in slow
        ], count


def test_json_of_a_duplicate_has_its_own_numbers() -> None:
    copies = [TSAN, TSAN.replace("12311", "90911").replace("T2", "T5").replace("7b04000000", "7b0c124564")]
    copies += [HELGRIND, HELGRIND.replace("10C080", "20F1A0").replace("10c080", "20f1a0")]
    filler = "lease renewed\n" * 30
    sightings = deadheat.scan(filler.join([*copies, *copies, ""]), diagnose=False)
    assert sum(isinstance(sighting.source, Duplicate) for sighting in sightings) == 6
    collector = JsonLinesCollector()
    for sighting in sightings:
        collector.add_sighting(sighting)
    lines = b"".join(unpack_lines(collector.pack_batch(), {})).splitlines()
    diagnosed = [sighting._replace(causes=tuple(causes_of_report(sighting.report))) for sighting in sightings]
    assert [*map(json.loads, lines)] == [*map(deadheat.sighting_to_wire, diagnosed)]
