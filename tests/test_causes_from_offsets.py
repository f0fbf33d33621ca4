"""Evidence from code offsets and stacks: whether a lock fits before an access, and which call it belongs to."""

from __future__ import annotations

import re

import pytest

import deadheat
from deadheat.diagnosis import diagnose
from deadheat.diagnosis.context import RaceContext
from deadheat.diagnosis.facts import addresses, captures

TEXT = """==================
WARNING: DATA RACE
Read at 0x00c000012345 by goroutine 7:
  example.com/shop.(*Till).Total()
      /src/shop/till.go:40 +0x2c
  example.com/shop.TestTill()
      /src/shop/till_test.go:20 +0x90

Previous write at 0x00c000012345 by goroutine 8:
  example.com/shop.(*Till).Sell()
      /src/shop/till.go:30 +{own}
  example.com/shop.TestTill.func1()
      /src/shop/till_test.go:15 +{caller}

Goroutine 7 (running) created at:
  testing.(*T).Run()
      /usr/local/go/src/testing/testing.go:1648 +0x845
  main.main()
      _testmain.go:47 +0x2bd

Goroutine 8 (running) created at:
  example.com/shop.TestTill()
      /src/shop/till_test.go:13 +0x8b
  testing.tRunner()
      /usr/local/go/src/testing/testing.go:1595 +0x261
==================
"""


def make_context(text: str) -> RaceContext:
    (sighting,) = deadheat.scan(text, diagnose=False)
    return RaceContext(sighting.report)


@pytest.mark.parametrize(
    ("offset", "caller", "fits"),
    [
        ("0x15a", "0x44", True),  # a lock fits before it, and the call is in another function
        ("0x15a", "0x200", True),  # the call offset is larger than that of the access: a function of its own
        ("0x15a", "0x140", False),  # inlined into the test, which takes no lock
        ("0x15a", "0x10a", False),  # farther after the call: ambiguous
        ("0x3c", "0x44", False),  # the first instructions of the function
        ("0x158", "0x44", False),  # multiples of four, as on arm64
    ],
)
def test_room_for_a_lock_before_a_write(offset: str, caller: str, fits: bool) -> None:
    """Room for a lock is weak evidence: its absence ranks first."""
    findings = diagnose(make_context(TEXT.format(own=offset, caller=caller)).report)
    assert findings[0].cause == "missing-lock"
    assert any(finding.cause == "partial-lock" for finding in findings) == fits


def test_offsets_are_the_same_for_every_parser() -> None:
    text = TEXT.format(own="0x15a", caller="0x44")
    accesses = make_context(text).report.accesses
    stamped = make_context(re.sub("^", "2026-01-02T03:04:05Z ", text, flags=re.MULTILINE)).report.accesses
    offsets = [(access.instruction, access.called_from) for access in accesses]
    assert offsets == [("0x2c", "0x90"), ("0x15a", "0x44")]
    assert [(access.instruction, access.called_from) for access in stamped] == offsets


@pytest.mark.parametrize("offset", ["", "0x", "zz", "-0x10", "0x" + "f" * 4000])
def test_malformed_offset_is_ignored(offset: str) -> None:
    report = make_context(TEXT.format(own="0x15a", caller="0x44")).report
    read, write = report.accesses
    broken = write._replace(instruction=offset, called_from=offset)
    side = RaceContext(report._replace(accesses=(read, broken))).race_sides[1]
    assert addresses.code_offset(side) is None or offset.startswith(("-", "0xf"))
    assert isinstance(addresses.may_follow_lock(side), bool)
    addresses.frame_of_offset(side)


CLOSURES = """==================
WARNING: DATA RACE
Read at 0x00c000012348 by goroutine 9:
  example.com/shop.(*Crew).Submit.func1()
      /src/shop/crew.go:31 +0xa4

Previous write at 0x00c000012348 by goroutine 8:
  example.com/shop.(*Crew).Submit.func1()
      /src/shop/crew.go:31 +0xbc

Goroutine 9 (running) created at:
  example.com/shop.(*Crew).Submit()
      /src/shop/crew.go:27 +0x8b
  main.main()
      /src/shop/main.go:{line} +0x61

Goroutine 8 (running) created at:
  example.com/shop.(*Crew).Submit()
      /src/shop/crew.go:27 +0x8b
  main.main()
      /src/shop/main.go:12 +0x4f
==================
"""


@pytest.mark.parametrize(("line", "two"), [(12, False), (13, True)])
def test_closures_of_two_calls_share_no_variable(line: int, two: bool) -> None:
    context = make_context(CLOSURES.format(line=line))
    a, b = context.race_sides
    assert captures.are_different_calls(a, b, a.function) == captures.are_different_calls(b, a, a.function) == two
    causes = {finding.cause for finding in diagnose(context.report)}
    assert ("local-captured" in causes) == (not two)


REGION = """==12== Possible data race during read of size 8 at 0x4A4A040 by thread #1
==12== Locks held: none
==12==    at 0x109321: loss (uplink.c:54)
==12==    by 0x109405: main (uplink.c:70)
==12==
==12== This conflicts with a previous access by thread #2, after
==12==    the start of the thread
==12==  but before
==12==    at 0x48512DC: {ends} (hg_intercepts.c:1179)
==12==    by 0x1092AA: count_frame (uplink.c:32)
==12==    by 0x109301: link_main (uplink.c:47)
==12==    by 0x4855396: mythread_wrapper (hg_intercepts.c:406)
==12==    by 0x4900AC2: start_thread (pthread_create.c:442)
==12==
"""


@pytest.mark.parametrize(
    ("ends", "expected"), [("mutex_unlock_WRK", "partial-lock"), ("pthread_rwlock_unlock_WRK", "unknown")]
)
def test_region_that_ends_with_an_unlock_was_locked(ends: str, expected: str) -> None:
    assert diagnose(make_context(REGION.format(ends=ends)).report)[0].cause == expected


CUT = """==12== Possible data race during write of size 8 at 0x4D77C88 by thread #1
==12== Locks held: none
==12==    at 0x109321: Mast::dismantle() (mast.cc:24)
==12==    by 0x109405: main (main.cc:11)
==12==
==12== This conflicts with a previous read of size 8 by thread #2
==12== Locks held: none
==12==    at 0x1092AA: Mast::blink() (mast.cc:16)
==12==    by 0x109301: Mast::Mast(long)::{{lambda()#1}}::operator()() const (mast.cc:8)
==12==    by 0x109355: {outermost} (std_thread.h:259)
==12==
"""


@pytest.mark.parametrize(
    ("outermost", "expected"),
    [
        ("void std::thread::_Invoker<std::tuple<int> >::_M_invoke<0ul>()", "teardown-vs-worker"),
        ("void std::function<void ()>::operator()()", "missing-lock"),
    ],
)
def test_truncated_stack_shows_the_start_of_a_thread(outermost: str, expected: str) -> None:
    assert diagnose(make_context(CUT.format(outermost=outermost)).report)[0].cause == expected


@pytest.mark.parametrize(("name", "expected"), [("give_up", "unknown"), ("look", "missing-lock")])
def test_give_up_function_does_not_run_concurrently_with_the_worker(name: str, expected: str) -> None:
    text = CUT.format(outermost="void std::thread::_Invoker<std::tuple<int> >::operator()()")
    text = text.replace("Mast::dismantle()", f"Mast::{name}()").replace("write of", "read of", 1)
    text = text.replace("previous read", "previous write")
    assert diagnose(make_context(text).report)[0].cause == expected
