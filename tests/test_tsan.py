"""ThreadSanitizer: what holds for its reports in addition to all others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deadheat
from deadheat.detectors import tsan_lines
from deadheat.detectors.grammar_parser import LineRole
from tests.cases import all_cases
from tests.test_properties import assert_sound, case_bytes, example_count
from tests.watchdog import time_limit

FRAGMENTS = (
    b"WARNING: ThreadSanitizer: data race (pid=7)", b"SUMMARY: ThreadSanitizer: data race x.c:3 in f",
    b"  Write of size 4 at 0x7b04 by thread T1 (mutexes: write M1, read M2):", b"  and:",
    b"  Previous atomic read of size 8 at 0x7b04 by main thread:", b"    #0 f x.c:3 (shop+0x1)",
    b"    #1 std::vector<int, A<int> >::f() const /src/x y.cc:3:4 (shop+0x1) (BuildId: 79ab)",
    b"    #0 <null> <null> (shop+0x2)", b"    #0 f", b"    #1 f(int,", b"long) x.cc:3 (m+0x1)", b"#0 ",
    b"  Location is global 'x' of size 4 at 0x7b04 (shop+0x3)", b"  Location is TLS of thread T1.",
    b"  Location is heap block of size 8 at 0x7b00 allocated by main thread:", b"(BuildId: 79ab)",
    b"  Location is file descriptor 3 created by thread T1 at:", b"  Mutex M1 (0x7b) created at:",
    b"  Cycle in lock order graph: M1 (0x7b) => M2 (0x7c) => M1", b"  Mutex M1 is already destroyed.",
    b"  Mutex M2 acquired here while holding mutex M1 in main thread:", b"\n", b"\n\n", b"  ", b"=\n",
    b"  Mutex M1 previously acquired by the same thread here:", b"[failed to restore the stack]",
    b"  Thread T1 'a' (tid=9, running) created by main thread at:", b"==================", b"...",
    b"  Thread T2 (tid=9, finished) is a GCD worker thread", b"ThreadSanitizer:DEADLYSIGNAL",
    b"  As if synchronized via sleep:", b"  Signal 9 handler invoked at:", b"> ", b"\x1b[31m", b"&lt;",
    b"FATAL: ThreadSanitizer: unexpected memory mapping", b"WARNING: ThreadSanitizer: thread leak",
)  # fmt: skip


@example_count(300)
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=40))
def test_mixed_lines_of_reports_do_not_raise(fragments: list[bytes]) -> None:
    assert_sound(FRAGMENTS[0] + b"\n" + b"\n".join(fragments))


@example_count(200)
@given(st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=6)), max_size=60))
def test_mixed_fragments_of_reports_do_not_raise(fragments: list[bytes]) -> None:
    assert_sound(b"".join(fragments))


def test_four_spellings_of_a_rust_report_are_one_race() -> None:
    marks = set()
    for name in ("v0-mangling", "v0-mangled", "legacy-mangling", "legacy-mangled"):
        sightings = deadheat.scan(case_bytes(f"tsan/rust-{name}"), diagnose=False)
        marks.add(tuple(sighting.verdict.fingerprint for sighting in sightings))
    assert len(marks) == 1


def test_mangled_and_demangled_reports_are_one_race() -> None:
    names = ("mangled-names", "overloaded-and-conversion-operators", "coloured-by-the-detector")
    sightings = [deadheat.scan(case_bytes(f"tsan/{name}"), diagnose=False)[0] for name in names]
    assert len({sighting.verdict.fingerprint for sighting in sightings}) == 1


def test_go_and_tsan_do_not_read_each_others_reports() -> None:
    for case in all_cases():
        expected = {"tsan": {"tsan"}, "go": {"go", "go-fatal"}}.get(case.path.parent.name)
        if expected is not None:
            assert {s.report.detector for s in case.sightings()} <= expected, case.name


@pytest.mark.parametrize(
    ("line", "role", "name"),
    [
        ("  Location is stack of main thread.", LineRole.SECTION, "area"),
        ("  Thread T1 (tid=5, running) created at:", LineRole.SECTION, "thread"),
        ("  Thread T1 (tid=3D5, running) created by thread T9 at:", LineRole.SECTION, "thread"),
        ("==7==ERROR: ThreadSanitizer: SEGV on unknown address", LineRole.STOP, "stop"),
        ("connecting... SUMMARY: ThreadSanitizer: data race x.c:3 in f", LineRole.CLOSING, "summary"),
        ("    #3 closure #1 in Cart.add(_:) Cart.swift:3 (Shop+0x1)", LineRole.FRAME, "frame"),
        ("    Hint: use TSAN_OPTIONS=second_deadlock_stack=1", LineRole.DETAIL, "hint"),
    ],
)
def test_role_of_a_line(line: str, role: LineRole, name: str) -> None:
    token = tsan_lines.parse_line(line.strip())
    assert token is not None
    assert (token.role, token.name) == (role, name)


@pytest.mark.parametrize(
    "line",
    [
        "Write at 0x00c0000a1238 by goroutine 7:",
        "Previous read at 0x00c0000a1238 by main goroutine:",
        "READ of size 4 at 0x602000000010 thread T1",
        "Possible data race during write of size 4 at 0x4a5f0c8 by thread #1",
        "Ticket #12 was closed by main thread",
        "WARNING: ThreadSanitizer: memory layout is incompatible, possibly due to ASLR.",
    ],
)
def test_line_of_another_detector_has_no_role(line: str) -> None:
    token = tsan_lines.parse_line(line)
    assert token is None or token.role is LineRole.FRAME


FRAMES = {
    "#0 f x.c:3 (m+0x1)": ("f", "x.c", 3),
    "#0 f(int, A<b, c> >) const /a b/x y.cc:3:4 (m+0x1) (BuildId: 79ab)": ("f(int, A<b, c> >) const", "/a b/x y.cc", 3),
    "#0 f <null> (m+0x1)": ("f", "", None),
    "#0 <null> <null> (/usr/lib/m.so+0x1f)": ("m.so+0x1f", "", None),
    "#0 f ??:0 (m+0x1)": ("f", "", None),
    "#0 f x.c:3 (discriminator 2) (m+0x1)": ("f", "x.c", 3),
    "#0 0x55d0 in operator new(unsigned long) (/bin/m+0x1)": ("operator new(unsigned long)", "", None),
    "#0 0x55d0 in f(int) x.c:3:4": ("f(int)", "x.c", 3),
    "#0 f x.c:3:4time=12:00 level=info": ("f", "x.c", 3),
    "#0 main Shop.swift (Shop:x86_64+0x1)": ("main", "Shop.swift", None),
    "#0 f": ("f", "", None),
}


@pytest.mark.parametrize("line", FRAMES)
def test_parts_of_a_frame(line: str) -> None:
    token = tsan_lines.parse_line(line)
    assert token is not None
    frame = tsan_lines.build_frame(token)
    assert (frame.function, frame.path, frame.line) == FRAMES[line]


HOSTILE = (
    "#0 " + "a " * 20_000, "#0 " + "(" * 40_000, "#0 f" + " (a" * 15_000, "#0 " + " x:1" * 10_000,
    "Location is " + "'" * 40_000, "Location is global '" + "' of size 1 at " * 3_000,
    "WARNING: ThreadSanitizer: " + "(pid=" * 9_000, "Cycle in lock order graph: " + "M1 => " * 9_000,
    "Thread T1 '" * 4_000, "SUMMARY: ThreadSanitizer: " + "a-" * 20_000, "Mutex M1 (" * 5_000,
    "Modifying access of " * 3_000 + " by ", "#0 " + ":1" * 20_000, "(" + "a" * 40_000 + ")",
)  # fmt: skip


@pytest.mark.parametrize("line", HOSTILE, ids=lambda line: line[:24])
def test_hostile_lines_take_linear_time(line: str) -> None:
    with time_limit():
        for text in (line, line * 2):
            deadheat.scan(f"WARNING: ThreadSanitizer: data race (pid=7)\n{text}\n" * 3, diagnose=False)
