"""Miri: every wording of a race is parsed."""

from __future__ import annotations

import pytest

import deadheat
from deadheat.model import ActorState, Op, Origin
from deadheat.symbols import rust
from tests.cases import all_cases

CASES = {case.name: case for case in all_cases() if case.name.startswith("miri/")}
PLACES = " --> src/a.rs:7:5\nhelp: and (1) occurred earlier here\n --> src/b.rs:9:5\n"


def parse_operations(first: str, second: str) -> list[tuple[Op, int | None]]:
    line = f"between (1) {first} on thread `a` and (2) {second} on thread `main` at alloc7"
    (sighting,) = deadheat.scan(f"error: Undefined Behavior: Data race detected {line}\n{PLACES}", diagnose=False)
    return [(access.op, access.size) for access in sighting.report.accesses]


@pytest.mark.parametrize(
    ("worded", "op", "size"),
    [
        ("non-atomic read", Op.READ, None),
        ("non-atomic write", Op.WRITE, None),
        ("Read", Op.READ, None),
        ("Write", Op.WRITE, None),
        ("atomic load", Op.ATOMIC_READ, None),
        ("Atomic Load", Op.ATOMIC_READ, None),
        ("atomic store", Op.ATOMIC_WRITE, None),
        ("atomic read-modify-write", Op.ATOMIC_WRITE, None),
        ("2-byte atomic load", Op.ATOMIC_READ, 2),
        ("16-byte atomic store", Op.ATOMIC_WRITE, 16),
        ("retag read of type `&mut [u8; 4]`", Op.READ, None),
        ("retag write of type `u8`", Op.WRITE, None),
        ("creating a new allocation", Op.WRITE, None),
        ("Allocate", Op.WRITE, None),
        ("deallocation", Op.FREE, None),
        ("Deallocate", Op.FREE, None),
    ],
)
def test_operations(worded: str, op: Op, size: int | None) -> None:
    assert parse_operations(worded, "non-atomic write") == [(op, size), (Op.WRITE, None)]
    assert parse_operations("non-atomic read", worded) == [(Op.READ, None), (op, size)]


def test_first_line_may_be_broken_anywhere() -> None:
    (case,) = (c for c in CASES.values() if c.name.endswith("newest-with-numbered-backtrace"))
    text = case.raw.decode()
    (expected,) = case.sightings()
    first, rest = text.split("\n", 1)
    for column in range(20, len(first)):
        for broken in (f"{first[:column]}\n{first[column:]}", f"{first[:column]}=\n{first[column:]}"):
            (sighting,) = deadheat.scan(f"{broken}\n{rest}", diagnose=False)
            assert sighting.report.accesses == expected.report.accesses, broken
            assert sighting.report.location == expected.report.location, broken


def test_threads_with_equal_names_are_distinguished() -> None:
    (sighting,) = CASES["miri/notes-of-2023-with-old-names"].sightings()
    assert len({actor.id for actor in sighting.report.actors}) == 2


def test_main_thread_and_creation_of_the_other() -> None:
    (sighting,) = CASES["miri/newest-without-backtrace"].sightings()
    main, worker = sighting.report.actors
    assert (main.id, main.state, main.created_at) == ("thread main", ActorState.MAIN, ())
    assert [(f.file, f.line) for f in worker.created_at] == [("tests/spool.rs", 20)]


@pytest.mark.parametrize(
    ("function", "parent"),
    [
        ("main::{closure#1}", "main"),
        ("shop::run::{closure#0}::{closure#2}", "shop::run"),
        ("std::option::Option::<shop::Item>::as_ref", "std::option::Option::as_ref"),
        ("<shop::Cart<u8> as std::ops::Drop>::drop", "<shop::Cart as std::ops::Drop>::drop"),
        ("call::<fn() -> Vec<u8>>", "call"),
        ("std::rt::lang_start::h0123456789abcdef", "std::rt::lang_start"),
        ("closure", ""),
        ("??", ""),
        ("a<", "a"),
    ],
)
def test_source_function(function: str, parent: str) -> None:
    assert rust.source_function(function) == parent
    assert rust.source_function(parent) == parent


@pytest.mark.parametrize(
    ("path", "file", "origin"),
    [
        ("src/main.rs", "src/main.rs", Origin.USER),
        ("./src/main.rs", "src/main.rs", Origin.USER),
        (r"C:\work\shop\src\main.rs", "C:/work/shop/src/main.rs", Origin.USER),
        (
            "/home/u/.rustup/toolchains/nightly/lib/rustlib/src/rust/library/core/src/ptr/mod.rs",
            "library/core/src/ptr/mod.rs",
            Origin.STDLIB,
        ),
        ("/rustc/9fc6b43126/library/std/src/thread/mod.rs", "library/std/src/thread/mod.rs",
         Origin.STDLIB),
        ("/rustc/9fc6b43126/library/test/src/lib.rs", "library/test/src/lib.rs", Origin.TEST),
        ("/home/ci/.cargo/registry/src/index-6f17/slab-0.4.9/src/lib.rs", "src/lib.rs", Origin.USER),
    ],
)  # fmt: skip
def test_file_and_origin_of_a_path(path: str, file: str, origin: Origin) -> None:
    frame = rust.make_frame("shop::Cart::add", path, 7)
    assert (frame.file, frame.origin, frame.package) == (file, origin, "shop")


def test_unnamed_frame_is_identified_by_its_file_in_the_crate() -> None:
    frames = [rust.make_frame("??", path, 7) for path in ("src/a.rs", "/ci/shop/src/a.rs", "src/b.rs")]
    keys = [rust.function_key(frame) for frame in frames]
    assert keys[0] == keys[1] != keys[2]
