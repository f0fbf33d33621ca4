"""The test of each access: from the stacks, and from the events of `go test`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deadheat
from deadheat.api import read_document, read_opened_documents
from deadheat.model import Sighting
from deadheat.parsing.test_attribution import EVENT_DISTANCE, GoTestAttributor
from deadheat.parsing.test_events import GoTestEventParser, GoTestFailures, leaf_tests
from deadheat.sources import file_listing, files
from tests.cases import ROOT
from tests.watchdog import time_limit

if TYPE_CHECKING:
    from pathlib import Path

PLAIN_OUTPUT = ROOT / "go" / "parallel-tests-and-a-subtest.txt"
JSON_OUTPUT = ROOT / "go" / "parallel-tests-in-json.txt"


def make_report(first: str = "", second: str = "", creator: str = "worker.Start") -> str:
    """A report whose accesses run in these functions of a test file."""

    def stack(test: str) -> str:
        test_frame = f"  shop.{test}()\n      /src/shop_test.go:9 +0x1\n" if test else ""
        return f"  shop.(*Cart).Add()\n      /src/shop/cart.go:7 +0x1\n{test_frame}"

    where = "/src/shop_test.go:5" if creator.startswith("Test") else "/src/shop/worker.go:5"
    created = f"  shop.{creator}()\n      {where} +0x1\n"
    return (
        "==================\nWARNING: DATA RACE\n"
        f"Read at 0x00c000012345 by goroutine 7:\n{stack(first)}\n"
        f"Previous write at 0x00c000012345 by goroutine 8:\n{stack(second)}\n"
        f"Goroutine 7 (running) created at:\n{created}\n"
        f"Goroutine 8 (running) created at:\n{created}"
        "==================\n"
    )


def attributed_tests(text: str) -> tuple[str | None, ...]:
    """The test of the report, and those of accesses with another one."""
    [sighting] = deadheat.scan(text, diagnose=False)
    return sighting.report.test, *(a.test for a in sighting.report.accesses if a.test)


def go_test_json(*events: tuple[str, str] | str) -> str:
    """Output of `go test -json`: events, and output attributed to the current test."""
    lines, test = [], ""
    for one in events:
        if isinstance(one, tuple):
            test = one[1] or test
            lines.append({"Action": one[0], "Package": "example.com/shop", "Test": test})
        else:
            for line in one.splitlines(keepends=True):
                output = {"Package": "example.com/shop", "Test": test, "Output": line}
                lines.append({"Action": "output", **output})
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


RACED = "    testing.go:1490: race detected during execution of test\n"


# -- from the stacks --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (make_report("TestA", "TestA"), ("TestA",)),
        (make_report("TestA", "TestB"), ("TestA", "TestB")),
        (make_report("", "TestB"), ("TestB",)),
        (make_report("TestA.func1.2", ""), ("TestA",)),
        (make_report(creator="TestC.func2"), ("TestC",)),
        (make_report("TestA", "", creator="TestC"), ("TestA", "TestC")),
        (make_report(), (None,)),
    ],
)
def test_stacks_name_the_test_of_each_access(text: str, expected: tuple[str, ...]) -> None:
    assert attributed_tests(text) == expected


def test_line_before_a_report_names_no_test() -> None:
    assert attributed_tests("=== RUN   TestOther\n=== PAUSE TestOther\n" + make_report("TestA", "TestA")) == ("TestA",)


def test_test_of_an_access_is_serialized() -> None:
    [sighting] = deadheat.scan(make_report("TestA", "TestB"), diagnose=False)
    row = deadheat.sighting_to_wire(sighting)
    assert (row["test"], row["accesses"][1]["test"]) == ("TestA", "TestB")
    assert deadheat.sighting_from_wire(row) == sighting


# -- from go test -----------------------------------------------------------------------------------


def attributed_tests_of_all(path_text: bytes) -> list[tuple[str | None, list[str | None]]]:
    sightings: list[Sighting] = deadheat.scan(path_text, diagnose=False)
    return [(s.report.test, [a.test for a in s.report.accesses]) for s in sightings]


@pytest.mark.parametrize("path", [PLAIN_OUTPUT, JSON_OUTPUT], ids=["plain", "json"])
def test_parallel_tests_and_subtests_are_attributed(path: Path) -> None:
    assert attributed_tests_of_all(path.read_bytes()) == [
        ("TestShelf/busy", [None, None]),
        ("TestBeta", [None, "TestAlpha"]),
    ]


def test_stack_overrides_the_test_of_a_json_event() -> None:
    text = go_test_json(("run", "TestA"), ("run", "TestB"), make_report("TestA", "TestA"), RACED)
    assert attributed_tests(text) == ("TestA",)


def test_subtest_is_found_by_its_race_message() -> None:
    text = go_test_json(
        ("run", "TestA"), ("run", "TestA/one"), ("pass", "TestA/one"), ("run", "TestA/two"),
        make_report("TestA.func1", "TestA.func1"), ("run", "TestA/two"), RACED, ("fail", "TestA/two"),
    )  # fmt: skip
    assert attributed_tests(text) == ("TestA/two",)


def test_running_subtest_is_preferred() -> None:
    text = go_test_json(
        ("run", "TestA"), ("run", "TestA/one"), RACED, ("fail", "TestA/one"),
        ("run", "TestA/two"), make_report("TestA.func2", "TestA.func2"), RACED, ("fail", "TestA/two"),
    )  # fmt: skip
    assert attributed_tests(text) == ("TestA/two",)


def test_two_running_subtests_are_ambiguous() -> None:
    text = go_test_json(
        ("run", "TestA"), ("run", "TestA/one"), ("run", "TestA/two"),
        make_report("TestA.func1", "TestA.func1"), ("cont", "TestA/one"), RACED, ("cont", "TestA/two"), RACED,
    )  # fmt: skip
    assert attributed_tests(text) == ("TestA",)


def test_only_running_test_is_used_if_the_stacks_have_none() -> None:
    """A test that has ended cannot have raced."""
    begun: list[tuple[str, str] | str] = [
        ("run", "TestOld"),
        RACED,
        ("fail", "TestOld"),
        ("run", "TestA"),
        ("pause", "TestA"),
    ]
    assert attributed_tests(go_test_json(*begun, ("run", "TestB"), make_report())) == ("TestB",)
    assert attributed_tests(go_test_json(*begun, ("run", "TestB"), ("cont", "TestA"), make_report())) == (None,)


def test_packages_are_distinguished() -> None:
    other = go_test_json(("run", "TestA"), ("run", "TestA/elsewhere"), RACED).replace("/shop", "/till")
    same_package = go_test_json(("run", "TestA"), ("run", "TestA/here"), make_report("TestA.func1", ""), RACED)
    assert attributed_tests(other + same_package) == ("TestA/here",)
    plain_output = (
        "--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/elsewhere (0.01s)\n    " + RACED
        + "FAIL\nFAIL\texample.com/till\t0.1s\n" + make_report("TestA.func1", "")
        + "--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/here (0.01s)\n    " + RACED
        + "FAIL\nFAIL\texample.com/shop\t0.1s\n"
    )  # fmt: skip
    assert attributed_tests(plain_output) == ("TestA/here",)


# -- events -----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(1, 400), st.sampled_from([PLAIN_OUTPUT, JSON_OUTPUT]))
def test_events_do_not_depend_on_block_sizes(size: int, path: Path) -> None:
    data = path.read_bytes()
    at_once, parts = GoTestEventParser(), GoTestEventParser()
    events = [*at_once.feed(data), *at_once.finish()]
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert [e for piece in pieces for e in parts.feed(piece)] + [*parts.finish()] == events
    assert {e.kind for e in events} >= {"fail", "raced"}


FILLER = "2024/05/01 12:00:00 a line of some log that has nothing to tell\n"


@pytest.mark.parametrize("lines", [0, 10, 1500, 2500, 20000])
def test_parts_of_a_document_give_the_tests_of_the_whole(lines: int, tmp_path: Path) -> None:
    text = "".join(
        f"{FILLER * lines}=== RUN   TestA\n=== RUN   TestA/{n}\n{make_report('TestA.func1', '')}"
        f"{FILLER * (lines // 3)}--- FAIL: TestA (0.0s)\n    --- FAIL: TestA/{n} (0.0s)\n    {RACED}"
        for n in range(3)
    )
    log = tmp_path / "log"
    log.write_text(text)
    expected = [s.report.test for s in deadheat.scan(text, diagnose=False)]
    step = max(1000, len(text) // 5)
    with log.open("rb") as raw:
        parts = [
            one.report.test
            for start in range(0, len(text), step)
            for one in read_document(files.open_range(raw, "log", start, start + step))
            if isinstance(one, Sighting)
        ]
    entry = file_listing.FileEntry(str(log), len(text), is_explicit=True)
    ranges = [
        one.report.test
        for start in range(0, len(text), step)
        for one in read_opened_documents(files.open_documents(files.FileRange(entry, start, start + step)))
        if isinstance(one, Sighting)
    ]
    assert parts == ranges == expected
    near = lines * len(FILLER) // 3 < EVENT_DISTANCE - 4000
    assert expected == ([f"TestA/{n}" for n in range(3)] if near else ["TestA"] * 3)


def test_report_far_from_any_event_is_unchanged() -> None:
    [sighting] = deadheat.scan(make_report("TestA", "TestA"), diagnose=False)
    reads: list[int] = []

    def peek(low: int, high: int) -> bytes:
        reads.append(high - low)
        return b""

    assert GoTestAttributor(peek).attribute_tests(sighting) is sighting
    assert len(reads) == 1


def test_text_in_memory_is_not_read_again() -> None:
    text = f"{make_report('TestA', 'TestA')}{FILLER * 3000}".encode()
    [sighting] = deadheat.scan(text, diagnose=False)
    reads: list[tuple[int, int]] = []

    def peek(low: int, high: int) -> bytes:
        reads.append((low, high))
        return text[low:high]

    assert GoTestAttributor(peek, lambda: (text, 0)).attribute_tests(sighting) is sighting
    assert not reads
    assert GoTestAttributor(peek, lambda: (text[10:], 10)).attribute_tests(sighting) is sighting
    assert reads


def test_searched_regions_are_not_read_again() -> None:
    text = f"{FILLER * 3000}{make_report('TestA', 'TestA')}{FILLER * 3000}".encode()
    [sighting] = deadheat.scan(text, diagnose=False)
    reads: list[tuple[int, int]] = []

    def peek(low: int, high: int) -> bytes:
        reads.append((low, high))
        return text[low:high]

    attributor = GoTestAttributor(peek)
    attributor.add_phrase_offsets(0, len(text) // 2, [])
    attributor.add_phrase_offsets(len(text) // 3, len(text), [])
    assert attributor.attribute_tests(sighting) is sighting
    assert not reads
    gap = GoTestAttributor(peek)
    gap.add_phrase_offsets(0, len(text) // 2, [])
    gap.add_phrase_offsets(len(text) // 2 + 1, len(text), [])
    assert gap.attribute_tests(sighting) is sighting
    assert reads


@pytest.mark.parametrize(
    ("races", "failure", "crash"),
    [
        (PLAIN_OUTPUT, "--- FAIL: TestSum (0.00s)\n    sum_test.go:9: five\n", "FAIL\texample.com/x [build failed]\n"),
        (JSON_OUTPUT, go_test_json(("run", "TestSum"), ("fail", "TestSum")), go_test_json("panic: boom\n")),
    ],
    ids=["plain", "json"],
)
def test_failures_without_a_race_are_collected(races: Path, failure: str, crash: str) -> None:
    failures = GoTestFailures()
    failures.feed(races.read_bytes())
    assert (failures.unexplained_tests(), failures.has_other_failure) == (set(), False)
    failures.feed(failure.encode())
    assert failures.unexplained_tests() == {"TestSum"}
    failures.feed(crash.encode())
    assert failures.has_other_failure


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text('{"Action:rnTs=-\n FAIL()', max_size=200).map(str.encode))
def test_arbitrary_text_does_not_raise(data: bytes) -> None:
    failures = GoTestFailures()
    failures.feed(data)
    failures.finish()
    assert failures.unexplained_tests() is not None


def test_hostile_text_takes_linear_time() -> None:
    for piece in (b'{"Action":"output', b"=== RUN ", b'{"Action":"run"', b"--- FAIL: x", b"\npanic: "):
        data = piece * (500_000 // len(piece))
        failures = GoTestFailures()
        with time_limit():
            failures.feed(data)
            failures.finish()


def test_leaf_tests_exclude_parents() -> None:
    assert leaf_tests({"A", "A/b", "A/b/c", "AB", "D/e"}) == {"A/b/c", "AB", "D/e"}
