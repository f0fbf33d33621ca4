"""What offsets and stacks of a Go report tell: what fits in front of an access, and whose call it is."""

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


def scene(text: str) -> RaceContext:
    (sighting,) = deadheat.scan(text, diagnose=False)
    return RaceContext(sighting.report)


@pytest.mark.parametrize(
    ("own", "caller", "fits"),
    [
        ("0x15a", "0x44", True),  # a lock fits in front, and it is called from outside
        ("0x15a", "0x200", True),  # further down than the access: a function of its own
        ("0x15a", "0x140", False),  # put into the test, which takes no lock
        ("0x15a", "0x10a", False),  # farther behind the call: it may be either
        ("0x3c", "0x44", False),  # the first thing that it does
        ("0x158", "0x44", False),  # all are multiples of four, as on arm64
    ],
)
def test_what_fits_in_front_of_a_write(own: str, caller: str, fits: bool) -> None:
    """That a lock fits says that there may be one, and no more: its lack is said first."""
    found = diagnose(scene(TEXT.format(own=own, caller=caller)).report)
    assert found[0].cause == "missing-lock"
    assert any(finding.cause == "partial-lock" for finding in found) == fits


def test_offsets_are_read_however_a_report_is_read() -> None:
    text = TEXT.format(own="0x15a", caller="0x44")
    plain = scene(text).report.accesses
    stamped = scene(re.sub("^", "2026-01-02T03:04:05Z ", text, flags=re.MULTILINE)).report.accesses
    told = [(access.instruction, access.called_from) for access in plain]
    assert told == [("0x2c", "0x90"), ("0x15a", "0x44")]
    assert [(access.instruction, access.called_from) for access in stamped] == told


@pytest.mark.parametrize("own", ["", "0x", "zz", "-0x10", "0x" + "f" * 4000])
def test_an_offset_that_is_none_tells_nothing_and_never_raises(own: str) -> None:
    report = scene(TEXT.format(own="0x15a", caller="0x44")).report
    read, write = report.accesses
    broken = write._replace(instruction=own, called_from=own)
    side = RaceContext(report._replace(accesses=(read, broken))).race_sides[1]
    assert addresses.code_offset(side) is None or own.startswith(("-", "0xf"))
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
def test_two_calls_share_no_variable(line: int, two: bool) -> None:
    seen = scene(CLOSURES.format(line=line))
    a, b = seen.race_sides
    assert captures.are_different_calls(a, b, a.function) == captures.are_different_calls(b, a, a.function) == two
    said = {finding.cause for finding in diagnose(seen.report)}
    assert ("local-captured" in said) == (not two)


STRETCH = """==12== Possible data race during read of size 8 at 0x4A4A040 by thread #1
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
    ("ends", "said"), [("mutex_unlock_WRK", "partial-lock"), ("pthread_rwlock_unlock_WRK", "unknown")]
)
def test_a_stretch_that_ends_with_an_unlock_was_under_a_lock(ends: str, said: str) -> None:
    assert diagnose(scene(STRETCH.format(ends=ends)).report)[0].cause == said


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
    ("outermost", "said"),
    [
        ("void std::thread::_Invoker<std::tuple<int> >::_M_invoke<0ul>()", "teardown-vs-worker"),
        ("void std::function<void ()>::operator()()", "missing-lock"),
    ],
)
def test_a_stack_that_is_cut_off_shows_that_a_thread_began(outermost: str, said: str) -> None:
    assert diagnose(scene(CUT.format(outermost=outermost)).report)[0].cause == said


@pytest.mark.parametrize(("name", "said"), [("give_up", "unknown"), ("look", "missing-lock")])
def test_who_gives_up_does_not_run_beside_the_worker(name: str, said: str) -> None:
    text = CUT.format(outermost="void std::thread::_Invoker<std::tuple<int> >::operator()()")
    text = text.replace("Mast::dismantle()", f"Mast::{name}()").replace("write of", "read of", 1)
    text = text.replace("previous read", "previous write")
    assert diagnose(scene(text).report)[0].cause == said
