"""Causes found from a report alone: addresses, offsets, line distances and function names."""

from __future__ import annotations

import json
from functools import partial
from io import BytesIO
from typing import Any, NamedTuple

import pytest

import deadheat
from deadheat import api, plugins
from deadheat.diagnosis import diagnose
from deadheat.grouping import race_assignment
from deadheat.output import OutputStyle, race_counts
from deadheat.text.window import StreamSource

HEAP, MISALIGNED, DATA = "00c000092550", "00c000092558", "000000780748"
TEST = "testing.(*T).Run() /usr/local/go/src/testing/testing.go:1851"
SHOP = "example.com/shop/stock."
LOST = "  [failed to restore the stack]\n"


class AccessSpec(NamedTuple):
    """An access: its frames (`Function file:line`, innermost first) and the stack that started its goroutine."""

    op: str
    stack: tuple[str, ...]
    by: tuple[str, ...] = (TEST,)
    offset: int = 0x45
    state: str = "running"
    called: int = 0  # offset of the callers, if it differs


write_by, read_by = partial(AccessSpec, "write"), partial(AccessSpec, "read")


def make_report(first: AccessSpec, second: AccessSpec, address: str = HEAP) -> str:
    lines = ["==================", "WARNING: DATA RACE"]
    for number, (side, begin) in enumerate(((first, ""), (second, "Previous "))):
        op = f"{begin}{side.op}" if begin else side.op.capitalize()
        lines += [
            f"{op} at 0x{address} by goroutine {7 + number}:",
            *frame_lines(side.stack[:1], side.offset),
            *frame_lines(side.stack[1:], side.called or side.offset),
        ]
        lines.append("")
    for number, side in enumerate((first, second)):
        lines += [f"Goroutine {7 + number} ({side.state}) created at:", *frame_lines(side.by), ""]
    return "\n".join(lines[:-1]) + "\n==================\n"


def frame_lines(stack: tuple[str, ...], offset: int = 0x45) -> list[str]:
    lines = []
    for frame in stack:
        function, _, place = frame.partition(" ")
        known = function.startswith(("testing.", "runtime.", "sync", "os/", "net.", "fmt."))
        symbol = function if known else f"{SHOP}{function}()"
        path = place if place.startswith("/") else f"/src/shop/stock/{place}"
        lines += [f"  {symbol}", f"      {path} +0x{offset:x}"]
    return lines


def first_cause(text: str) -> str:
    (sighting,) = deadheat.scan(text, diagnose=False)
    findings = diagnose(sighting.report)
    assert not any(finding.crashed for finding in findings)
    return findings[0].cause


def cause_of(first: AccessSpec, second: AccessSpec, address: str = HEAP) -> str:
    return first_cause(make_report(first, second, address))


def creation_stack(function: str, line: int = 30) -> tuple[str, ...]:
    """The creation stack of a goroutine that the program starts."""
    return (f"{function} shelf.go:{line}", "TestShelf shelf_test.go:9")


CLOSURE = ("(*Shelf).Load.func1 shelf.go:33",)
AROUND = ("(*Shelf).Load shelf.go:38", "TestShelf shelf_test.go:9")
IN_TEST = ("TestShelf shelf_test.go:9",)
READS = ("(*Shelf).Rows shelf.go:60", "TestShelf shelf_test.go:12")


@pytest.mark.parametrize(
    ("address", "expected"), [(HEAP, "error-variable-captured"), (MISALIGNED, "local-captured"), ("", "local-captured")]
)
def test_error_variable_needs_an_address_aligned_to_two_words(address: str, expected: str) -> None:
    inner = write_by(CLOSURE, creation_stack("(*Shelf).Load"), state="finished")
    text = make_report(inner, read_by(AROUND), address or HEAP)
    assert first_cause(text if address else text.replace(f" at 0x{HEAP}", "")) == expected


def test_error_variable_is_not_assumed_for_a_read_while_the_goroutine_runs() -> None:
    """Such a read may be of a counter or a first result. A second write reuses an error variable."""
    inner = write_by(CLOSURE, creation_stack("(*Shelf).Load"))
    assert cause_of(inner, read_by(AROUND)) == "local-captured"
    assert cause_of(inner, write_by(AROUND)) == "error-variable-captured"


@pytest.mark.parametrize(
    ("other", "expected"),
    [("Shelf.Sell", "copied-lock"), ("(*Till).Pay", "missing-lock"), ("Shelf.Buy", "missing-lock")],
)
def test_copied_lock_needs_the_same_method_on_both_sides(other: str, expected: str) -> None:
    by = creation_stack("TestShelf")
    sells = ("Shelf.Sell shelf.go:13", "TestShelf.func1 shelf_test.go:17")
    reads = read_by((f"{other} shelf.go:13", "TestShelf.func2 shelf_test.go:18"), by, 0x9B)
    assert cause_of(write_by(sells, by, 0x9B), reads) == expected


@pytest.mark.parametrize(
    ("ops", "lines", "address", "expected"),
    [
        (("write", "write"), (33, 33), HEAP, "error-variable-captured"),
        (("read", "write"), (34, 33), HEAP, "error-variable-captured"),
        (("read", "write"), (33, 33), HEAP, "local-captured"),
        (("read", "write"), (33, 34), HEAP, "local-captured"),
        (("write", "write"), (33, 36), HEAP, "error-variable-captured"),
        (("write", "write"), (33, 33), MISALIGNED, "local-captured"),
    ],
)
def test_variable_only_assigned_by_goroutines_of_one_closure_is_an_error(
    ops: tuple[str, str], lines: tuple[int, int], address: str, expected: str
) -> None:
    by = creation_stack("(*Shelf).Load")
    one, two = (
        AccessSpec(op, (f"(*Shelf).Load.func1 shelf.go:{line}",), by) for op, line in zip(ops, lines, strict=True)
    )
    assert cause_of(one, two, address) == expected


def test_variable_assigned_by_two_closures_of_a_function_is_an_error() -> None:
    by = creation_stack("(*Shelf).Load")
    one = write_by(("(*Shelf).Load.func1 shelf.go:33",), by)
    two = write_by(("(*Shelf).Load.func2 shelf.go:37",), by)
    assert cause_of(one, two) == "error-variable-captured"


@pytest.mark.parametrize(
    ("behind", "expected"), [(68, "error-variable-captured"), (-24, "local-captured"), (300, "concurrent-slice")]
)
def test_variable_assigned_and_checked_on_one_line_is_an_error(behind: int, expected: str) -> None:
    """`if err = f(); err != nil {` reads after its write; `n++` reads before it."""
    one = write_by(CLOSURE, creation_stack("(*Shelf).Load"), 0x121)
    two = read_by(CLOSURE, creation_stack("(*Shelf).Load"), 0x121 + behind)
    assert cause_of(one, two) == expected


@pytest.mark.parametrize(
    ("line", "address", "expected"),
    [
        (38, MISALIGNED, "named-result-captured"),
        (38, HEAP, "error-variable-captured"),
        (28, MISALIGNED, "local-captured"),
    ],
)
def test_return_statement_writes_a_named_result(line: int, address: str, expected: str) -> None:
    inner = write_by(CLOSURE, creation_stack("(*Shelf).Load"))
    around = write_by((f"(*Shelf).Load shelf.go:{line}", "TestShelf shelf_test.go:9"))
    assert cause_of(inner, around, address) == expected


@pytest.mark.parametrize(
    ("worker", "expected"),
    [("(*Truck).drive", "loop-variable-captured"), ("(*Shelf).carry", "unknown"), ("carry", "unknown")],
)
def test_loop_variable_is_captured_by_a_method_started_in_the_loop(worker: str, expected: str) -> None:
    """`go truck.drive()` takes the address of the loop variable; `go s.carry(&job)` need not."""
    stack = (f"{worker} truck.go:7", "(*Shelf).Load.gowrap1 shelf.go:30")
    loop = write_by(("(*Shelf).Load shelf.go:29", "TestShelf shelf_test.go:9"))
    assert cause_of(read_by(stack, creation_stack("(*Shelf).Load")), loop) == expected


def test_loop_variable_is_not_captured_by_a_worker_that_a_callee_starts() -> None:
    by = ("(*Shelf).flush shelf.go:40", "(*Shelf).Load shelf.go:30", "TestShelf shelf_test.go:9")
    stack = ("(*Truck).drive truck.go:7", "(*Shelf).flush.func1 shelf.go:41")
    fills = write_by(("(*Shelf).Load shelf.go:29", "TestShelf shelf_test.go:9"))
    assert cause_of(read_by(stack, by), fills) == "unknown"


@pytest.mark.parametrize(
    ("filler", "worker", "expected"),
    [
        ("(*Crate).fill", "(*Shelf).carry", "pooled-object-reused"),
        ("(*Shelf).fill", "carry", "pooled-object-reused"),
        ("(*Shelf).fill", "(*Shelf).carry", "unknown"),
        ("(*Crate).Reset", "(*Shelf).carry", "worker-outlives-owner"),
    ],
)
def test_object_filled_again_before_the_worker_reads_it(filler: str, worker: str, expected: str) -> None:
    stack = (f"{worker} truck.go:7", "(*Shelf).Load.gowrap1 shelf.go:30")
    fills = write_by((f"{filler} crate.go:5", "(*Shelf).Load shelf.go:28"))
    assert cause_of(read_by(stack, creation_stack("(*Shelf).Load")), fills) == expected


@pytest.mark.parametrize(("owner", "expected"), [("(*Pool)", "pooled-object-reused"), ("(*Spool)", "missing-lock")])
def test_pool_is_recognised_by_a_whole_word(owner: str, expected: str) -> None:
    takes = write_by((f"{owner}.take spool.go:20", "TestShelf.func1 shelf_test.go:8"), IN_TEST)
    assert cause_of(takes, read_by(READS)) == expected


@pytest.mark.parametrize(
    ("reader", "expected"), [("(*Shelf).Rows", "pooled-object-reused"), ("(*Pool).size", "missing-lock")]
)
def test_two_methods_of_a_pool_race_on_its_bookkeeping(reader: str, expected: str) -> None:
    """A field written by one method of the pool and read by another is not a pooled object."""
    takes = write_by(("(*Pool).take pool.go:20", "TestShelf.func1 shelf_test.go:8"), IN_TEST)
    reads = read_by((f"{reader} pool.go:60", "TestShelf shelf_test.go:12"))
    assert cause_of(takes, reads) == expected


@pytest.mark.parametrize(
    ("ender", "worker", "expected"),
    [
        ("(*Shelf).Close", "(*Shelf).rows", "teardown-vs-worker"),
        ("(*Shelf).drop", "(*Shelf).rows", "missing-lock"),
        ("(*Shelf).unsubscribe", "(*Shelf).rows", "missing-lock"),
        ("(*Shelf).drop", "(*Crate).rows", "teardown-vs-worker"),
    ],
)
def test_removing_an_element_is_not_a_teardown_of_the_container(ender: str, worker: str, expected: str) -> None:
    ends = write_by((f"{ender} shelf.go:13", "TestShelf shelf_test.go:17"))
    stack = (f"{worker} shelf.go:60", "TestShelf.func1 shelf_test.go:12")
    assert cause_of(ends, read_by(stack, IN_TEST)) == expected


@pytest.mark.parametrize(
    ("setter", "expected"),
    [
        ("(*Shelf).configure", "started-before-initialised"),
        ("Open.func2", "started-before-initialised"),
        ("(*Shelf).update", "missing-lock"),
    ],
)
def test_setup_after_start_is_distinguished_from_work(setter: str, expected: str) -> None:
    reads = read_by(("(*Shelf).loop shelf.go:60",), creation_stack("Open"))
    sets = write_by((f"{setter} shelf.go:13", "Open shelf.go:36"))
    assert cause_of(reads, sets) == expected


DEFERS = "runtime.deferreturn() /usr/local/go/src/runtime/panic.go:605"


@pytest.mark.parametrize(
    ("op", "last_frame", "state", "address", "expected"),
    [
        ("read", "", "running", HEAP, "worker-outlives-owner"),
        ("read", "", "finished", HEAP, "unknown"),
        ("read", DEFERS, "running", HEAP, "done-before-cleanup"),
        ("write", "", "running", HEAP, "channel-and-shared-memory"),
        ("read", "", "running", DATA, "missing-lock"),
    ],
)
@pytest.mark.parametrize("worker_first", [False, True])
def test_starter_that_continues_past_the_start_of_its_worker(
    op: str, last_frame: str, state: str, worker_first: bool, address: str, expected: str
) -> None:
    """The same function starts the worker on line 30 and is on line 36 at the access."""
    stack = ("(*Crate).pack crate.go:5", *filter(None, [last_frame]), "(*Shelf).run shelf.go:50")
    worker = write_by(stack, creation_stack("(*Shelf).Load"), state=state)
    other = AccessSpec(op, ("(*Crate).label crate.go:9", "(*Shelf).Load shelf.go:36"))
    one, two = (worker, other) if worker_first else (other, worker)
    assert cause_of(one, two, address) == expected


def test_test_function_that_continues_past_a_start_lacks_a_lock() -> None:
    worker = write_by(("(*Crate).pack crate.go:5",), IN_TEST)
    other = read_by(("(*Crate).label crate.go:9", "TestShelf shelf_test.go:12"))
    assert cause_of(other, worker) == "missing-lock"


@pytest.mark.parametrize(
    ("ender", "reader", "expected"),
    [("(*Shelf).Reset", "(*Shelf).Rows", "missing-lock"), ("(*Shelf).Reset", "(*Crate).Rows", "worker-outlives-owner")],
)
def test_reset_by_a_method_of_the_same_type_lacks_a_lock(ender: str, reader: str, expected: str) -> None:
    """Two methods of one type that a test runs concurrently are not a next use of the object."""
    writes = write_by((f"{ender} shelf.go:13", "TestShelf shelf_test.go:17"))
    reads = read_by((f"{reader} shelf.go:60", "TestShelf.func1 shelf_test.go:12"), IN_TEST)
    assert cause_of(writes, reads) == expected


@pytest.mark.parametrize(
    ("renewal", "expected"), [("(*Shelf).Reset", "worker-outlives-owner"), ("(*Shelf).Init", "unknown")]
)
def test_init_may_be_the_first_use_but_reset_is_not(renewal: str, expected: str) -> None:
    """`Init` is a next use only on a repeated call."""
    writes = write_by((f"{renewal} shelf.go:13", "(*Store).resume store.go:40"))
    reads = read_by(("(*Store).fetch store.go:60",), creation_stack("(*Store).Fetch"))
    assert cause_of(writes, reads) == expected


def test_cancel_called_by_the_starter_is_not_a_teardown() -> None:
    """The starter calls `cancel`, which writes what the worker writes."""
    worker = write_by(("(*Crate).pack crate.go:5",), creation_stack("(*Shelf).Load"))
    other = write_by(("(*Crate).cancel crate.go:9", "(*Shelf).Load shelf.go:36"))
    assert cause_of(worker, other) == "channel-and-shared-memory"


@pytest.mark.parametrize(("caller", "expected"), [("(*Shelf).Find", "lazy-initialisation"), ("main", "missing-lock")])
def test_lazy_initialisation_is_not_assumed_in_main(caller: str, expected: str) -> None:
    by = creation_stack("TestShelf")
    reads = read_by(("(*Crate).use crate.go:50", f"{caller} shelf.go:20"), by)
    writes = write_by(("(*Crate).Open crate.go:70", f"{caller} shelf.go:18"), by)
    assert cause_of(reads, writes) == expected


@pytest.mark.parametrize(
    ("writer", "reader", "expected"),
    [
        ("(*Shelf).Subscribe", "(*Shelf).emit", "concurrent-slice"),
        ("(*Shelf).Subscribe", "(*Shelf).Rows", "missing-lock"),
        ("(*Shelf).Sell", "(*Shelf).emit", "missing-lock"),
        ("(*Shelf).overwrite", "(*Shelf).each", "concurrent-slice"),
        ("(*Shelf).overwrite", "(*Shelf).each.func1", "missing-lock"),
    ],
)
def test_iteration_races_with_a_method_that_adds_elements(writer: str, reader: str, expected: str) -> None:
    writes = write_by((f"{writer} shelf.go:13", "TestShelf.func1 shelf_test.go:17"))
    reads = read_by((f"{reader} shelf.go:60", "TestShelf shelf_test.go:12"), creation_stack("TestShelf"))
    assert cause_of(writes, reads) == expected


@pytest.mark.parametrize(
    ("atomic", "writer", "expected"),
    [
        ("AddInt64", "(*Shelf).Rotate", "struct-overwritten"),
        ("AddInt64", "(*Shelf).Clear", "mixed-atomic"),
        ("LoadInt64", "(*Shelf).Rotate", "mixed-atomic"),
    ],
)
def test_restart_method_overwrites_a_struct_with_atomic_fields(atomic: str, writer: str, expected: str) -> None:
    asm = f"sync/atomic.{atomic}() /usr/local/go/src/runtime/race_amd64.s:289"
    counts = AccessSpec("read" if "Load" in atomic else "write", (asm, "(*Shelf).Hit shelf.go:9"))
    other = write_by((f"{writer} shelf.go:20", "TestShelf.func1 shelf_test.go:17"), creation_stack("A"))
    assert cause_of(counts, other) == expected


@pytest.mark.parametrize(("end", "expected"), [("8", "copied-lock"), ("c", "mixed-atomic"), ("4", "mixed-atomic")])
def test_mutex_address_is_aligned_to_a_word(end: str, expected: str) -> None:
    asm = "sync/atomic.CompareAndSwapInt32() /usr/local/go/src/runtime/race_amd64.s:310"
    swaps = write_by((asm, "(*Shelf).Serve shelf.go:9"), creation_stack("A"))
    other = read_by(("(*Shelf).Peak shelf.go:20", "TestShelf.func1 shelf_test.go:17"), creation_stack("B"))
    assert cause_of(swaps, other, HEAP[:-1] + end) == expected


@pytest.mark.parametrize(
    ("maker", "down", "expected"),
    [
        ("(*Shelf).rows", 3, "check-then-act"),
        ("(*Shelf).rows", 4, "lazy-initialisation"),
        ("(*Shelf).get", 4, "lazy-initialisation"),
        ("(*rowPool).get", 8, "missing-lock"),
        ("(*Shelf).lookup", 3, "missing-lock"),
    ],
)
def test_check_and_write_distance_for_a_second_check(maker: str, down: int, expected: str) -> None:
    looks = read_by((f"{maker} shelf.go:20", "TestShelf.func1 shelf_test.go:17"), creation_stack("A"))
    stack = (f"{maker} shelf.go:{20 + down}", "TestShelf.func1 shelf_test.go:17")
    makes = write_by(stack, creation_stack("B"), 0x145)
    assert cause_of(looks, makes) == expected
    # the code for a package variable is too short for this distance
    (sighting,) = deadheat.scan(make_report(looks, makes, DATA), diagnose=False)
    assert "double-checked-locking" not in {f.cause for f in diagnose(sighting.report)}


@pytest.mark.parametrize(
    ("state", "reader", "expected"),
    [
        ("finished", "(*Shelf).collect", "unknown"),
        ("finished", "(*Shelf).Get", "missing-lock"),
        ("finished", "(*Till).collect", "missing-lock"),
        ("running", "(*Shelf).collect", "missing-lock"),
    ],
)
def test_finished_worker_of_main(state: str, reader: str, expected: str) -> None:
    began = ("main shelf.go:60",)
    worker = write_by(("(*Shelf).fill shelf.go:9", "main.gowrap1 shelf.go:60"), began)
    other = read_by((f"{reader} shelf.go:20", "main shelf.go:61"))
    text = make_report(worker._replace(state=state), other)
    text = text.replace(SHOP, "main.").replace("Goroutine 8", "Goroutine 9")
    assert first_cause(text.replace("by goroutine 8", "by main goroutine")) == expected


@pytest.mark.parametrize(
    ("line", "maker", "expected"),
    [
        (54, "(*Shelf).fetch", {"missing-lock", "double-checked-locking"}),
        (51, "(*Shelf).fetch", {"missing-lock"}),
        (54, "(*Shelf).take", {"missing-lock"}),
    ],
)
def test_double_checked_locking_is_listed_but_not_first(line: int, maker: str, expected: set[str]) -> None:
    """On held-out programs this cause was wrong as often as right."""
    by = creation_stack("TestShelf")
    reads = read_by(("(*Shelf).current shelf.go:50", "TestShelf.func1 shelf_test.go:17"), by)
    stack = (f"{maker} shelf.go:70", f"(*Shelf).current shelf.go:{line}")
    (sighting,) = deadheat.scan(make_report(reads, write_by(stack, by)), diagnose=False)
    findings = diagnose(sighting.report)
    assert findings[0].cause == "missing-lock"
    assert {finding.cause for finding in findings} == expected


@pytest.mark.parametrize(
    ("apart", "expected"),
    [(18, "missing-lock"), (104, "missing-lock"), (117, "concurrent-slice"), (455, "concurrent-slice")],
)
def test_append_is_recognised_by_the_distance_of_its_instructions(apart: int, expected: str) -> None:
    stack = ("(*Shelf).note shelf.go:13", "TestShelf.func1 shelf_test.go:17")
    one = read_by(stack, creation_stack("TestShelf"), 0x100)
    assert cause_of(one, write_by(stack, creation_stack("TestShelf"), 0x100 + apart)) == expected


def test_same_call_instruction_means_the_same_copy_of_the_code() -> None:
    """The outer callers differ, but the innermost call is the same instruction."""
    stack = ("(*Shelf).Load.func1 shelf.go:33", "each shelf.go:8")
    by = creation_stack("(*Shelf).Load")
    one = read_by((*stack, "old shelf.go:70"), by, 0x91, called=0x37)
    two = write_by((*stack, "new shelf.go:80"), by, 0x149, called=0x37)
    assert cause_of(one, two) == "concurrent-slice"


def test_offsets_of_two_inlined_copies_are_not_compared() -> None:
    one = read_by(("(*Shelf).note shelf.go:13", "(*Shelf).Sell shelf.go:20"), creation_stack("TestShelf"))
    two = write_by(("(*Shelf).note shelf.go:13", "(*Shelf).Buy shelf.go:25"), creation_stack("TestShelf"))
    assert cause_of(one, two._replace(offset=0x400)) == "missing-lock"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("(*Shelf).Append", "concurrent-slice"),
        ("(*Shelf).addRow", "missing-lock"),
        ("(*Shelf).Add", "missing-lock"),
        ("put", "missing-lock"),
        ("Table.put", "missing-lock"),
        ("putRow", "missing-lock"),
        ("(*Shelf).put", "missing-lock"),
        ("(*Shelf).Push", "concurrent-slice"),
        ("(*rowQueue).Push", "missing-lock"),
        ("Shelf.Sell", "missing-lock"),
        ("Shelf.Set", "missing-lock"),
        ("(*Shelf).sellAll", "missing-lock"),
        ("shelf.v2.Sell", "missing-lock"),
    ],
)
def test_cause_from_the_name_of_the_writer(function: str, expected: str) -> None:
    stack = (f"{function} shelf.go:13", "TestShelf.func1 shelf_test.go:17")
    writes = write_by(stack, creation_stack("TestShelf"), 0x9B)
    assert cause_of(writes, read_by(READS, creation_stack("TestShelf"))) == expected


@pytest.mark.parametrize(
    ("starter", "reader", "expected"),
    [
        ("Compact", "(*Shelf).Rows", "worker-outlives-owner"),
        ("Start", "(*Shelf).Rows", "missing-lock"),
        ("Run", "(*Shelf).Rows", "worker-outlives-owner"),
        ("Compact", "TestShelf", "worker-outlives-owner"),
        ("Start", "TestShelf", "missing-lock"),
        ("Refresh", "(*Shelf).Rows", "unknown"),
        ("Compact", "(*Shelf).Report", "unknown"),
        ("Compact", "(*Shelf).Wait", "channel-and-shared-memory"),
    ],
)
def test_running_worker_of_a_package(starter: str, reader: str, expected: str) -> None:
    assert first_cause(package_worker_report(starter, reader, "running")) == expected


@pytest.mark.parametrize(
    ("starter", "reader", "expected"),
    [
        ("Compact", "(*Shelf).Rows", "worker-outlives-owner"),
        ("Start", "(*Shelf).Rows", "unknown"),
        ("Run", "(*Shelf).Rows", "unknown"),
        ("Compact", "(*Shelf).Wait", "done-before-cleanup"),
    ],
)
def test_finished_worker_of_a_package(starter: str, reader: str, expected: str) -> None:
    """Its work was bounded: it was neither meant to run concurrently nor abandoned."""
    assert first_cause(package_worker_report(starter, reader, "finished")) == expected


def test_run_function_may_abandon_its_worker() -> None:
    """`runLimited` looks synchronous, but its worker continues after it returns."""
    stack = ("(*Crate).fill crate.go:7", "runLimited.gowrap1 shelf.go:30")
    worker = write_by(stack, creation_stack("runLimited"))
    assert cause_of(worker, read_by(READS)) == "unknown"


def package_worker_report(starter: str, reader: str, state: str) -> str:
    worker = write_by((f"{starter}.func1 shelf.go:33",), creation_stack(starter), state=state)
    file = "shelf_test.go" if reader.startswith("Test") else "shelf.go"
    return make_report(worker, read_by((f"{reader} {file}:60", "TestShelf shelf_test.go:12")))


@pytest.mark.parametrize(
    ("callers", "expected"), [((), "missing-lock"), (("(*Shelf).serve shelf.go:40",), "concurrent-slice")]
)
def test_listen_as_a_goroutine_does_not_add_a_listener(callers: tuple[str, ...], expected: str) -> None:
    """`go s.listen()` is named like a method that registers a listener; a callee of a goroutine may register one."""
    stack = ("(*Shelf).listen shelf.go:33", *callers, "TestShelf.gowrap1 shelf_test.go:9")
    worker = write_by(stack, IN_TEST)
    assert cause_of(worker, read_by(READS)) == expected


@pytest.mark.parametrize(
    ("op", "began", "expected"),
    [
        ("write", "TestOther", "test-leaves-resource-open"),
        ("read", "TestOther", "test-changes-global"),
        ("write", "TestShelf", "test-changes-global"),
    ],
)
def test_state_of_another_tests_worker_is_not_a_setting(op: str, began: str, expected: str) -> None:
    test = write_by(("TestShelf shelf_test.go:12",))
    by = ("Start shelf.go:30", f"{began} shelf_test.go:5", TEST)
    worker = AccessSpec(op, ("(*Shelf).loop shelf.go:33", "Start.gowrap1 shelf.go:30"), by)
    assert cause_of(test, worker, DATA) == expected


def test_lifetime_cause_ranks_before_the_slice_cause() -> None:
    copies = "runtime.slicecopy() /usr/local/go/src/runtime/slice.go:307"
    stack = (copies, "carry truck.go:7", "(*Shelf).Load.gowrap1 shelf.go:30")
    fills = write_by((copies, "(*Crate).fill crate.go:5", "(*Shelf).Load shelf.go:28"))
    text = make_report(read_by(stack, creation_stack("(*Shelf).Load")), fills)
    assert first_cause(text) == "pooled-object-reused"
    assert first_cause(text.replace("shelf.go:28", "shelf.go:38")) == "concurrent-slice"


@pytest.mark.parametrize(
    ("read", "written", "expected"),
    [
        (15, 16, "lazy-initialisation"),
        (18, 16, "lazy-initialisation"),
        (15, 17, "lazy-initialisation"),
        (15, 18, "check-then-act"),
        (17, 16, "missing-lock"),
        (15, 30, "missing-lock"),
    ],
)
def test_line_distance_of_a_check_and_its_write(read: int, written: int, expected: str) -> None:
    by = creation_stack("TestShelf")
    one = read_by((f"(*Shelf).table shelf.go:{read}", "(*Shelf).Find shelf.go:50"), by)
    two = write_by((f"(*Shelf).table shelf.go:{written}", "(*Shelf).Find shelf.go:50"), by)
    assert cause_of(one, two) == expected


@pytest.mark.parametrize(
    ("function", "address", "offsets", "expected"),
    [
        ("table", HEAP, (0x45, 0x92), "lazy-initialisation"),
        ("table", "00c000092551", (0x45, 0x92), "missing-lock"),  # smaller than a word: a flag
        ("table", HEAP, (0x92, 0x45), "missing-lock"),  # the write comes before the check
        ("pick", HEAP, (0x45, 0x92), "missing-lock"),  # the function takes elements one after the other
    ],
)
def test_lazy_initialisation_checks_a_pointer_before_its_write(
    function: str, address: str, offsets: tuple[int, int], expected: str
) -> None:
    by, caller = creation_stack("TestShelf"), "(*Shelf).Find shelf.go:50"
    one = read_by((f"(*Shelf).{function} shelf.go:15", caller), by, offsets[0], called=0x26)
    two = write_by((f"(*Shelf).{function} shelf.go:16", caller), by, offsets[1], called=0x26)
    assert cause_of(one, two, address) == expected


@pytest.mark.parametrize(("address", "expected"), [(DATA, "test-changes-global"), (HEAP, "started-before-initialised")])
def test_package_variable_is_recognised_by_its_address(address: str, expected: str) -> None:
    test = write_by(("TestShelf shelf_test.go:12",))
    worker = read_by(("(*Shelf).loop shelf.go:33", "Start.func1 shelf.go:30"), creation_stack("Start"))
    assert cause_of(test, worker, address) == expected


LOOP = ("(*Shelf).loop shelf.go:33", "Start.func1 shelf.go:30")
ROOF = ("roof roof.go:8", "Start.func1 shelf.go:30")


@pytest.mark.parametrize(
    ("setter_stack", "other", "address", "expected"),
    [
        (("SetRoof roof.go:9", "TestShelf shelf_test.go:12"), LOOP, DATA, "test-changes-global"),
        (("SetRoof roof.go:9", "prepare shelf_test.go:4"), LOOP, DATA, "test-changes-global"),
        (("SetRoof roof.go:9", "TestShelf shelf_test.go:12"), LOOP, HEAP, "unknown"),
        # the product writes it by itself, whoever calls it
        (("roof roof.go:9", "TestShelf shelf_test.go:12"), ROOF, DATA, "lazy-initialisation"),
    ],
)
def test_setter_called_by_a_test(
    setter_stack: tuple[str, ...], other: tuple[str, ...], address: str, expected: str
) -> None:
    worker = read_by(other, creation_stack("Start"))
    assert cause_of(write_by(setter_stack), worker, address) == expected


@pytest.mark.parametrize(("address", "expected"), [(DATA, "test-changes-global"), (HEAP, "unknown")])
def test_lost_stack_of_a_test(address: str, expected: str) -> None:
    text = make_report(read_by(LOOP, creation_stack("Start")), write_by(("lost shelf.go:1",)), address)
    gone = text.replace("".join(f"{line}\n" for line in frame_lines(("lost shelf.go:1",))), LOST)
    assert LOST in gone
    assert first_cause(gone) == expected


def test_same_caller_on_both_sides_is_not_a_teardown() -> None:
    """Two requests in one handler: one renews what the other reads."""
    by = creation_stack("TestShelf")
    one = read_by(("(*Shelf).stale shelf.go:24", "(*Shelf).Serve shelf.go:32"), by)
    two = write_by(("(*Shelf).renew shelf.go:51", "(*Shelf).Serve shelf.go:33"), by)
    assert cause_of(one, two) == "missing-lock"


def test_result_is_stored_after_the_call_has_started_a_worker() -> None:
    setter = write_by(("New shelf.go:61", "Dial shelf.go:83", "TestShelf shelf_test.go:9"))
    started = ("(*Poller).poll poller.go:9", "New shelf.go:61", "Dial shelf.go:83")
    worker = read_by(("(*Poller).ask poller.go:20", "(*Poller).poll.func1 poller.go:10"), started)
    assert cause_of(setter, worker) == "started-before-initialised"


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("(*Shelf).sellLocked", "(*Shelf).Rows", "partial-lock"),
        ("(*Shelf).sellLOCKED", "(*Shelf).Rows", "partial-lock"),
        ("(*Shelf).IsLocked", "(*Shelf).Rows", "missing-lock"),
        ("(*Shelf).sellLocked", "(*Shelf).rowsLocked", "missing-lock"),
        ("(*Shelf).Locked", "(*Shelf).Rows", "missing-lock"),
    ],
)
def test_locked_suffix_means_that_the_caller_holds_the_lock(one: str, two: str, expected: str) -> None:
    by = creation_stack("TestShelf")
    first_side = write_by((f"{one} shelf.go:24", "(*Shelf).Serve shelf.go:32"), by)
    second_side = read_by((f"{two} shelf.go:51", "(*Shelf).Show shelf.go:70"), by)
    assert cause_of(first_side, second_side) == expected


def test_duplicate_report_with_other_offsets_is_diagnosed_by_its_own() -> None:
    stack = ("(*Shelf).Put shelf.go:12", "(*Shelf).run shelf.go:20")
    texts = [
        make_report(read_by(stack, creation_stack("Fill"), 0x40), write_by(stack, creation_stack("Fill"), offset))
        for offset in (0x60, 0x60, 0x60, 0x99 + 0x60, 0x60)
    ]
    # the third is recognised by its text, the fourth differs from it in one number
    lines = scan_to_json("".join(texts))
    assert [bool(line["facts"]) for line in lines] == [False, False, False, True, False]
    assert len({line["race"] for line in lines}) == 1


def scan_to_json(text: str) -> list[dict[str, Any]]:
    collector = plugins.output_formats()["jsonl"].new_collector(OutputStyle())
    sightings = list(api.read_sightings(StreamSource(BytesIO(text.encode()).read), "a"))
    for sighting in race_assignment.assign_races(sightings):
        collector.add_sighting(sighting)
    lines = b"".join(race_counts.unpack_lines(collector.pack_batch(), {})).splitlines()
    return [json.loads(line) for line in lines]


HEAP_BLOCK = "heap block of size 16 at 0x7b0400000000 allocated by main thread:"
CALL = f"""\
==================
WARNING: ThreadSanitizer: data race (pid=1)
  Read of size 8 at 0x7b0400000000 by main thread:
    #0 Desk::Invoice(Trip const&) /src/shop/trip.cc:16:18 (shop+0xd44b9)
    #1 Desk::Send(int) /src/shop/trip.cc:28:12 (shop+0xd460a)
    #2 main /src/shop/main.cc:10:23 (shop+0xd7858)

  Previous write of size 8 at 0x7b0400000000 by thread T1:
    #0 Desk::Drive(Trip*) /src/shop/trip.cc:10:14 (shop+0xd441f)

  Location is {HEAP_BLOCK}
    #0 operator new(unsigned long) <null> (shop+0xd33f6)
    #1 Desk::Send(int) /src/shop/trip.cc:22:20 (shop+0xd455a)
    #2 main /src/shop/main.cc:10:23 (shop+0xd7858)

  Thread T1 (tid=2, running) created by main thread at:
    #0 pthread_create <null> (shop+0x5344d)
    #1 Desk::Send(int) /src/shop/trip.cc:24:15 (shop+0xd45c0)
    #2 main /src/shop/main.cc:10:23 (shop+0xd7858)

SUMMARY: ThreadSanitizer: data race /src/shop/trip.cc:16:18 in Desk::Invoice(Trip const&)
==================
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", "worker-outlives-owner"),
        # another function started the thread: the memory still belongs to the call
        ("Desk::Send(int) /src/shop/trip.cc:24:15", "run /src/shop/pool.cc:4:9", "unknown"),
        (HEAP_BLOCK, "global 'trip' of size 16 at 0x7b0400000000 (shop+0x1)", "missing-lock"),
    ],
)
def test_memory_of_a_call_that_is_passed_to_a_thread(old: str, new: str, expected: str) -> None:
    assert first_cause(CALL.replace(old, new) if old else CALL) == expected


def test_open_question_asks_whether_the_starter_has_waited() -> None:
    worker = write_by(("(*Crate).pack crate.go:5",), creation_stack("(*Shelf).Load"), state="finished")
    other = read_by(("(*Crate).label crate.go:9", "(*Shelf).Load shelf.go:36"))
    (sighting,) = deadheat.scan(make_report(worker, other), diagnose=False)
    finding = diagnose(sighting.report)[0]
    assert finding.cause == "unknown"
    assert any("`(*Shelf).Load`, which started the worker" in question for question in finding.open_questions)


@pytest.mark.parametrize(("down", "expected"), [(4, "local-captured"), (40, "missing-lock")])
def test_closure_without_a_creation_stack(down: int, expected: str) -> None:
    """Quoted reports often lack the creation stacks."""
    inner = write_by(("(*Shelf).Load.func1 shelf.go:33", "(*Clerk).Run.func1 clerk.go:7"))
    outer = read_by((f"(*Shelf).Load shelf.go:{33 + down}", "TestShelf shelf_test.go:9"))
    text = make_report(outer, inner, MISALIGNED).partition("\n\nGoroutine")[0]
    assert first_cause(f"{text}\n") == expected


def test_struct_copy_is_not_a_slice_access() -> None:
    """Up to Go 1.20, `racereadrange` is shown where more than a word is read."""
    range_ = "runtime.racereadrange() /usr/local/go/src/runtime/race_amd64.s:156"
    reads = read_by((range_, *READS))
    assert cause_of(reads, write_by(("(*Crate).pack crate.go:5",), IN_TEST)) != ("concurrent-slice")


@pytest.mark.parametrize(("line", "expected"), [(9, "started-before-initialised"), (12, "missing-lock")])
def test_second_call_does_not_initialise_the_worker_of_the_first(line: int, expected: str) -> None:
    reads = read_by(("(*Shelf).loop shelf.go:60",), creation_stack("(*Shelf).Turn"))
    sets = write_by(("(*Shelf).Turn shelf.go:36", f"TestShelf shelf_test.go:{line}"))
    assert cause_of(reads, sets) == expected


def test_close_of_a_channel_under_the_name_of_an_inlined_function() -> None:
    """On some platforms the detector names a function that was inlined into `closechan`."""
    put = "runtime.recvDirect() /usr/local/go/src/runtime/chan.go:388"
    send = "runtime.chansend1() /usr/local/go/src/runtime/chan.go:157"
    ends = write_by((put, "(*Pool).Close pool.go:38"))
    sends = read_by((send, "(*Pool).Go pool.go:28"), IN_TEST)
    assert cause_of(ends, sends) == "close-vs-send"


def test_function_that_splits_its_work_is_not_initialisation() -> None:
    """A function that starts itself for one part and continues with the rest is working."""
    stack = ("(*Pool).left shelf.go:60", "(*Pool).sort shelf.go:31", "(*Pool).sort.gowrap1 shelf.go:30")
    reads = read_by(stack, creation_stack("(*Pool).sort"))
    writes = write_by(("(*Pool).sort shelf.go:36", "TestShelf shelf_test.go:9"))
    assert cause_of(reads, writes) != "started-before-initialised"


def with_main_goroutine(text: str) -> str:
    """Make the first access that of the main goroutine, which has no creation stack."""
    head, _, tail = text.replace("by goroutine 7:", "by main goroutine:").partition("Goroutine 7 ")
    return head + tail[tail.index("Goroutine 8 ") :]


NEW_SHELF = ("NewShelf shelf.go:40", "run main.go:20", "main main.go:9")


@pytest.mark.parametrize(
    ("writes", "reads", "expected"),
    [
        (NEW_SHELF, "(*Shelf).Rows", True),
        (("(*Shelf).initLamp lamp.go:8",), "(*Shelf).Rows", True),
        (("(*Shelf).newLamp.func1 lamp.go:8",), "(*Shelf).Rows", False),
        (("(*Shelf).light lamp.go:8",), "(*Shelf).Rows", False),
        (NEW_SHELF, "NewBoard", False),
    ],
)
def test_object_made_by_the_main_goroutine_is_read_too_early(
    writes: tuple[str, ...], reads: str, expected: bool
) -> None:
    """Other goroutines construct objects all the time."""
    one = write_by(writes)
    other = read_by((f"{reads} rows.go:60",), ("(*Rota).Keep rota.go:7",))
    cause = "started-before-initialised"
    assert (first_cause(with_main_goroutine(make_report(one, other))) == cause) is expected
    assert cause_of(one, other) != cause


@pytest.mark.parametrize("closure", ["glob..func1", "init.func1"])
def test_package_level_closure_is_not_initialisation(closure: str) -> None:
    """Only the name places it in the package's `init`; a method `reset` is called repeatedly."""
    worker = read_by(("(*Shelf).Rows shelf.go:60",), ("(*Rota).Keep rota.go:7",))
    for called, expected in ((closure, False), ("(*Shop).reset", True)):
        writes = write_by(("(*Shelf).light lamp.go:8", f"{called} main.go:20"))
        cause = first_cause(with_main_goroutine(make_report(writes, worker)))
        assert (cause == "worker-outlives-owner") is expected


RUNS = "os/exec.(*Cmd).Wait() /usr/local/go/src/os/exec/exec.go:502"
PRINTS = "fmt.Sprintf() /usr/local/go/src/fmt/print.go:239"
LOCKS = "sync.(*Mutex).Lock() /usr/local/go/src/sync/mutex.go:81"
SWAPS = "sync/atomic.CompareAndSwapInt32() /usr/local/go/src/runtime/race_amd64.s:361"


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        (RUNS, True),
        ("net.(*Dialer).Dial() /usr/local/go/src/net/dial.go:80", False),  # safe for concurrent use
        ("fmt.(*pp).printValue() /usr/local/go/src/fmt/print.go:726", False),  # walks through objects of others
    ],
)
def test_type_whose_own_methods_race_is_not_safe_for_concurrent_use(above: str, expected: bool) -> None:
    inner = write_by((above, *CLOSURE), creation_stack("(*Shelf).Load"))
    outer = read_by((above, *AROUND))
    assert (cause_of(outer, inner) == "unsafe-type-shared") is expected


@pytest.mark.parametrize("lock", [LOCKS, SWAPS])
def test_printing_a_lock_does_not_copy_it(lock: str) -> None:
    """The lock that is printed guards the values printed with it."""
    takes = write_by((lock, "(*Shelf).Put shelf.go:40"), creation_stack("(*Rota).Keep"))
    prints = read_by((PRINTS, "(*Rota).Report rota.go:60"))
    assert cause_of(prints, takes) == "partial-lock"


def test_lost_stack_that_read_a_lock_may_have_printed_it() -> None:
    takes = write_by((LOCKS, "(*Shelf).Put shelf.go:40"), creation_stack("(*Rota).Keep"))
    text = make_report(takes, read_by(("lost shelf.go:1",)))
    assert first_cause(text) == "copied-lock"
    gone = text.replace("".join(f"{line}\n" for line in frame_lines(("lost shelf.go:1",))), LOST)
    assert first_cause(gone) == "unknown"
