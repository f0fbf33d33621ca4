"""The test that ran each side: from the stacks, and from what `go test` tells, whoever printed last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deadheat
from deadheat.api import read_document, read_opened_documents
from deadheat.model import Sighting
from deadheat.parsing.test_events import EVENT_DISTANCE, GoTestAttributor, GoTestEventParser, GoTestFailures, leaf_tests
from deadheat.sources import file_listing, files
from tests.cases import ROOT
from tests.watchdog import ends

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = ROOT / "go" / "parallel-tests-and-a-subtest.txt"
JSON = ROOT / "go" / "parallel-tests-in-json.txt"


def report(first: str = "", second: str = "", creator: str = "worker.Start") -> str:
    """A report whose sides run in these functions of a test file, if they do."""

    def stack(test: str) -> str:
        own = f"  shop.{test}()\n      /src/shop_test.go:9 +0x1\n" if test else ""
        return f"  shop.(*Cart).Add()\n      /src/shop/cart.go:7 +0x1\n{own}"

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


def blame_of(text: str) -> tuple[str | None, ...]:
    """The report's test, and those of its sides that have another."""
    [sighting] = deadheat.scan(text, diagnose=False)
    return sighting.report.test, *(a.test for a in sighting.report.accesses if a.test)


def events(*told: tuple[str, str] | str) -> str:
    """What `go test -json` prints: actions, and the output of whoever is thought to run."""
    lines, test = [], ""
    for one in told:
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
        (report("TestA", "TestA"), ("TestA",)),
        (report("TestA", "TestB"), ("TestA", "TestB")),
        (report("", "TestB"), ("TestB",)),
        (report("TestA.func1.2", ""), ("TestA",)),
        (report(creator="TestC.func2"), ("TestC",)),
        (report("TestA", "", creator="TestC"), ("TestA", "TestC")),
        (report(), (None,)),
    ],
)
def test_stacks_name_the_test_of_each_side(text: str, expected: tuple[str, ...]) -> None:
    assert blame_of(text) == expected


def test_the_line_before_a_report_names_nobody() -> None:
    assert blame_of("=== RUN   TestOther\n=== PAUSE TestOther\n" + report("TestA", "TestA")) == ("TestA",)


def test_a_side_keeps_its_test_as_json() -> None:
    [sighting] = deadheat.scan(report("TestA", "TestB"), diagnose=False)
    plain = deadheat.sighting_to_wire(sighting)
    assert (plain["test"], plain["accesses"][1]["test"]) == ("TestA", "TestB")
    assert deadheat.sighting_from_wire(plain) == sighting


# -- from go test -----------------------------------------------------------------------------------


def in_order(path_text: bytes) -> list[tuple[str | None, list[str | None]]]:
    found: list[Sighting] = deadheat.scan(path_text, diagnose=False)
    return [(s.report.test, [a.test for a in s.report.accesses]) for s in found]


@pytest.mark.parametrize("path", [PLAIN, JSON], ids=["plain", "json"])
def test_what_go_prints_of_parallel_tests_and_sub_tests(path: Path) -> None:
    assert in_order(path.read_bytes()) == [("TestShelf/busy", [None, None]), ("TestBeta", [None, "TestAlpha"])]


def test_json_puts_a_report_under_another_test_and_is_not_believed() -> None:
    text = events(("run", "TestA"), ("run", "TestB"), report("TestA", "TestA"), RACED)
    assert blame_of(text) == ("TestA",)


def test_a_sub_test_is_found_by_who_was_told_to_be_racing() -> None:
    text = events(
        ("run", "TestA"), ("run", "TestA/one"), ("pass", "TestA/one"), ("run", "TestA/two"),
        report("TestA.func1", "TestA.func1"), ("run", "TestA/two"), RACED, ("fail", "TestA/two"),
    )  # fmt: skip
    assert blame_of(text) == ("TestA/two",)


def test_of_two_sub_tests_that_race_the_one_that_runs_is_blamed() -> None:
    text = events(
        ("run", "TestA"), ("run", "TestA/one"), RACED, ("fail", "TestA/one"),
        ("run", "TestA/two"), report("TestA.func2", "TestA.func2"), RACED, ("fail", "TestA/two"),
    )  # fmt: skip
    assert blame_of(text) == ("TestA/two",)


def test_between_two_that_run_at_once_nobody_guesses() -> None:
    text = events(
        ("run", "TestA"), ("run", "TestA/one"), ("run", "TestA/two"),
        report("TestA.func1", "TestA.func1"), ("cont", "TestA/one"), RACED, ("cont", "TestA/two"), RACED,
    )  # fmt: skip
    assert blame_of(text) == ("TestA",)


def test_without_a_test_on_the_stacks_the_only_one_that_runs_is_blamed() -> None:
    """Go has said that somebody raced; one that has ended cannot have been it."""
    begun: list[tuple[str, str] | str] = [
        ("run", "TestOld"),
        RACED,
        ("fail", "TestOld"),
        ("run", "TestA"),
        ("pause", "TestA"),
    ]
    assert blame_of(events(*begun, ("run", "TestB"), report())) == ("TestB",)
    assert blame_of(events(*begun, ("run", "TestB"), ("cont", "TestA"), report())) == (None,)


def test_packages_are_told_apart() -> None:
    other = events(("run", "TestA"), ("run", "TestA/elsewhere"), RACED).replace("/shop", "/till")
    mine = events(("run", "TestA"), ("run", "TestA/here"), report("TestA.func1", ""), RACED)
    assert blame_of(other + mine) == ("TestA/here",)
    plain = (
        "--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/elsewhere (0.01s)\n    " + RACED
        + "FAIL\nFAIL\texample.com/till\t0.1s\n" + report("TestA.func1", "")
        + "--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/here (0.01s)\n    " + RACED
        + "FAIL\nFAIL\texample.com/shop\t0.1s\n"
    )  # fmt: skip
    assert blame_of(plain) == ("TestA/here",)


# -- the harness ------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(1, 400), st.sampled_from([PLAIN, JSON]))
def test_it_hears_the_same_whatever_the_blocks(size: int, path: Path) -> None:
    data = path.read_bytes()
    whole, parts = GoTestEventParser(), GoTestEventParser()
    heard = [*whole.feed(data), *whole.finish()]
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert [e for piece in pieces for e in parts.feed(piece)] + [*parts.finish()] == heard
    assert {e.kind for e in heard} >= {"fail", "raced"}


FILLER = "2024/05/01 12:00:00 a line of some log that has nothing to tell\n"


@pytest.mark.parametrize("lines", [0, 10, 1500, 2500, 20000])
def test_a_document_in_parts_gives_what_the_whole_gives(lines: int, tmp_path: Path) -> None:
    text = "".join(
        f"{FILLER * lines}=== RUN   TestA\n=== RUN   TestA/{n}\n{report('TestA.func1', '')}"
        f"{FILLER * (lines // 3)}--- FAIL: TestA (0.0s)\n    --- FAIL: TestA/{n} (0.0s)\n    {RACED}"
        for n in range(3)
    )
    log = tmp_path / "log"
    log.write_text(text)
    whole = [s.report.test for s in deadheat.scan(text, diagnose=False)]
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
    assert parts == ranges == whole
    near = lines * len(FILLER) // 3 < EVENT_DISTANCE - 4000
    assert whole == ([f"TestA/{n}" for n in range(3)] if near else ["TestA"] * 3)


def test_a_report_far_from_any_word_of_go_test_is_left_alone() -> None:
    [sighting] = deadheat.scan(report("TestA", "TestA"), diagnose=False)
    looked: list[int] = []

    def peek(low: int, high: int) -> bytes:
        looked.append(high - low)
        return b""

    assert GoTestAttributor(peek).attribute_tests(sighting) is sighting
    assert len(looked) == 1


def test_what_is_at_hand_is_not_read_again() -> None:
    text = f"{report('TestA', 'TestA')}{FILLER * 3000}".encode()
    [sighting] = deadheat.scan(text, diagnose=False)
    looked: list[tuple[int, int]] = []

    def peek(low: int, high: int) -> bytes:
        looked.append((low, high))
        return text[low:high]

    assert GoTestAttributor(peek, lambda: (text, 0)).attribute_tests(sighting) is sighting
    assert not looked
    assert GoTestAttributor(peek, lambda: (text[10:], 10)).attribute_tests(sighting) is sighting
    assert looked


def test_what_was_overheard_is_not_looked_for() -> None:
    text = f"{FILLER * 3000}{report('TestA', 'TestA')}{FILLER * 3000}".encode()
    [sighting] = deadheat.scan(text, diagnose=False)
    looked: list[tuple[int, int]] = []

    def peek(low: int, high: int) -> bytes:
        looked.append((low, high))
        return text[low:high]

    ear = GoTestAttributor(peek)
    ear.add_phrase_offsets(0, len(text) // 2, [])
    ear.add_phrase_offsets(len(text) // 3, len(text), [])
    assert ear.attribute_tests(sighting) is sighting
    assert not looked
    gap = GoTestAttributor(peek)
    gap.add_phrase_offsets(0, len(text) // 2, [])
    gap.add_phrase_offsets(len(text) // 2 + 1, len(text), [])
    assert gap.attribute_tests(sighting) is sighting
    assert looked


def test_it_knows_what_failed_without_a_race() -> None:
    failures = GoTestFailures()
    failures.feed(PLAIN.read_bytes())
    assert (failures.unexplained_tests(), failures.has_other_failure) == (set(), False)
    failures.feed(b"--- FAIL: TestSum (0.00s)\n    sum_test.go:9: five\n")
    assert failures.unexplained_tests() == {"TestSum"}
    failures.feed(b"FAIL\texample.com/x [build failed]\n")
    assert failures.has_other_failure


def test_it_knows_what_failed_without_a_race_as_json() -> None:
    failures = GoTestFailures()
    failures.feed(JSON.read_bytes())
    assert (failures.unexplained_tests(), failures.has_other_failure) == (set(), False)
    failures.feed(events(("run", "TestSum"), ("fail", "TestSum")).encode())
    assert failures.unexplained_tests() == {"TestSum"}
    failures.feed(events("panic: boom\n").encode())
    assert failures.has_other_failure


@settings(deadline=None)
@given(st.binary(max_size=300) | st.text('{"Action:rnTs=-\n FAIL()', max_size=200).map(str.encode))
def test_no_text_hurts_it(data: bytes) -> None:
    failures = GoTestFailures()
    failures.feed(data)
    failures.finish()
    assert failures.unexplained_tests() is not None


def test_hostile_text_takes_no_longer_than_any_other() -> None:
    for piece in (b'{"Action":"output', b"=== RUN ", b'{"Action":"run"', b"--- FAIL: x", b"\npanic: "):
        data = piece * (500_000 // len(piece))
        failures = GoTestFailures()
        with ends():
            failures.feed(data)
            failures.finish()


def test_a_parent_is_no_leaf() -> None:
    assert leaf_tests({"A", "A/b", "A/b/c", "AB", "D/e"}) == {"A/b/c", "AB", "D/e"}
