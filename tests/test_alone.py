"""What a report alone tells of its cause: addresses, offsets, distances of lines, and names."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any, NamedTuple

import pytest

import deadheat
from deadheat import api, plugins
from deadheat.diagnosis import diagnose
from deadheat.grouping import race_assignment
from deadheat.output import OutputStyle, spill_buffer
from deadheat.text.window import StreamSource

HEAP, ODD, DATA = "00c000092550", "00c000092558", "000000780748"
TEST = "testing.(*T).Run() /usr/local/go/src/testing/testing.go:1851"
SHOP = "example.com/shop/stock."
LOST = "  [failed to restore the stack]\n"


class Side(NamedTuple):
    """An access: the frames from the innermost outwards, `Function file:line`, and who started it."""

    op: str
    stack: tuple[str, ...]
    by: tuple[str, ...] = (TEST,)
    offset: int = 0x45
    state: str = "running"
    called: int = 0  # its callers' offset, if that is another one


def report(first: Side, second: Side, address: str = HEAP) -> str:
    lines = ["==================", "WARNING: DATA RACE"]
    for number, (side, begin) in enumerate(((first, ""), (second, "Previous "))):
        op = f"{begin}{side.op}" if begin else side.op.capitalize()
        lines += [
            f"{op} at 0x{address} by goroutine {7 + number}:",
            *frames(side.stack[:1], side.offset),
            *frames(side.stack[1:], side.called or side.offset),
        ]
        lines.append("")
    for number, side in enumerate((first, second)):
        lines += [f"Goroutine {7 + number} ({side.state}) created at:", *frames(side.by), ""]
    return "\n".join(lines[:-1]) + "\n==================\n"


def frames(told: tuple[str, ...], offset: int = 0x45) -> list[str]:
    found = []
    for frame in told:
        function, _, place = frame.partition(" ")
        known = function.startswith(("testing.", "runtime.", "sync", "os/", "net.", "fmt."))
        whole = function if known else f"{SHOP}{function}()"
        path = place if place.startswith("/") else f"/src/shop/stock/{place}"
        found += [f"  {whole}", f"      {path} +0x{offset:x}"]
    return found


def first(text: str) -> str:
    (sighting,) = deadheat.scan(text, diagnose=False)
    found = diagnose(sighting.report)
    assert not any(finding.crashed for finding in found)
    return found[0].cause


def go(function: str, line: int = 30) -> tuple[str, ...]:
    """Who started a goroutine of the program's own."""
    return (f"{function} shelf.go:{line}", "TestShelf shelf_test.go:9")


CLOSURE = ("(*Shelf).Load.func1 shelf.go:33",)
AROUND = ("(*Shelf).Load shelf.go:38", "TestShelf shelf_test.go:9")
IN_TEST = ("TestShelf shelf_test.go:9",)
READS = ("(*Shelf).Rows shelf.go:60", "TestShelf shelf_test.go:12")


@pytest.mark.parametrize(
    ("address", "expected"), [(HEAP, "error-variable-captured"), (ODD, "local-captured"), ("", "local-captured")]
)
def test_an_error_lies_where_two_words_do(address: str, expected: str) -> None:
    inner = Side("write", CLOSURE, go("(*Shelf).Load"), state="finished")
    text = report(inner, Side("read", AROUND), address or HEAP)
    assert first(text if address else text.replace(f" at 0x{HEAP}", "")) == expected


def test_an_error_that_is_looked_at_while_the_goroutine_goes_on_may_be_anything() -> None:
    """A count or a first result is looked at then; who assigns to it as well uses an error again."""
    inner = Side("write", CLOSURE, go("(*Shelf).Load"))
    assert first(report(inner, Side("read", AROUND))) == "local-captured"
    assert first(report(inner, Side("write", AROUND))) == "error-variable-captured"


@pytest.mark.parametrize(
    ("other", "expected"),
    [("Shelf.Sell", "copied-lock"), ("(*Till).Pay", "missing-lock"), ("Shelf.Buy", "missing-lock")],
)
def test_only_who_is_in_the_same_method_has_a_copy_of_its_lock(other: str, expected: str) -> None:
    by = go("TestShelf")
    sells = ("Shelf.Sell shelf.go:13", "TestShelf.func1 shelf_test.go:17")
    reads = Side("read", (f"{other} shelf.go:13", "TestShelf.func2 shelf_test.go:18"), by, 0x9B)
    assert first(report(Side("write", sells, by, 0x9B), reads)) == expected


@pytest.mark.parametrize(
    ("ops", "lines", "address", "expected"),
    [
        (("write", "write"), (33, 33), HEAP, "error-variable-captured"),
        (("read", "write"), (34, 33), HEAP, "error-variable-captured"),
        (("read", "write"), (33, 33), HEAP, "local-captured"),
        (("read", "write"), (33, 34), HEAP, "local-captured"),
        (("write", "write"), (33, 36), HEAP, "error-variable-captured"),
        (("write", "write"), (33, 33), ODD, "local-captured"),
    ],
)
def test_what_goroutines_of_one_closure_only_assign_is_an_error(
    ops: tuple[str, str], lines: tuple[int, int], address: str, expected: str
) -> None:
    by = go("(*Shelf).Load")
    one, two = (Side(op, (f"(*Shelf).Load.func1 shelf.go:{line}",), by) for op, line in zip(ops, lines, strict=True))
    assert first(report(one, two, address)) == expected


def test_what_two_closures_of_a_function_assign_is_an_error() -> None:
    by = go("(*Shelf).Load")
    one = Side("write", ("(*Shelf).Load.func1 shelf.go:33",), by)
    two = Side("write", ("(*Shelf).Load.func2 shelf.go:37",), by)
    assert first(report(one, two)) == "error-variable-captured"


@pytest.mark.parametrize(
    ("behind", "expected"), [(68, "error-variable-captured"), (-24, "local-captured"), (300, "concurrent-slice")]
)
def test_what_one_line_assigns_and_asks_is_an_error(behind: int, expected: str) -> None:
    """`if err = f(); err != nil {` reads behind its write; `n++` does so in front of it."""
    one = Side("write", CLOSURE, go("(*Shelf).Load"), 0x121)
    two = Side("read", CLOSURE, go("(*Shelf).Load"), 0x121 + behind)
    assert first(report(one, two)) == expected


@pytest.mark.parametrize(
    ("line", "address", "expected"),
    [(38, ODD, "named-result-captured"), (38, HEAP, "error-variable-captured"), (28, ODD, "local-captured")],
)
def test_a_return_writes_a_named_result(line: int, address: str, expected: str) -> None:
    inner = Side("write", CLOSURE, go("(*Shelf).Load"))
    around = Side("write", (f"(*Shelf).Load shelf.go:{line}", "TestShelf shelf_test.go:9"))
    assert first(report(inner, around, address)) == expected


@pytest.mark.parametrize(
    ("worker", "expected"),
    [("(*Truck).drive", "loop-variable-captured"), ("(*Shelf).carry", "unknown"), ("carry", "unknown")],
)
def test_a_loop_that_starts_a_goroutine_at_once(worker: str, expected: str) -> None:
    """`go truck.drive()` has the address of the loop's variable; `go s.carry(&job)` need not."""
    stack = (f"{worker} truck.go:7", "(*Shelf).Load.gowrap1 shelf.go:30")
    loop = Side("write", ("(*Shelf).Load shelf.go:29", "TestShelf shelf_test.go:9"))
    assert first(report(Side("read", stack, go("(*Shelf).Load")), loop)) == expected


def test_who_has_a_worker_started_by_another_lends_no_variable_of_a_loop() -> None:
    by = ("(*Shelf).flush shelf.go:40", "(*Shelf).Load shelf.go:30", "TestShelf shelf_test.go:9")
    stack = ("(*Truck).drive truck.go:7", "(*Shelf).flush.func1 shelf.go:41")
    fills = Side("write", ("(*Shelf).Load shelf.go:29", "TestShelf shelf_test.go:9"))
    assert first(report(Side("read", stack, by), fills)) == "unknown"


@pytest.mark.parametrize(
    ("filler", "worker", "expected"),
    [
        ("(*Crate).fill", "(*Shelf).carry", "pooled-object-reused"),
        ("(*Shelf).fill", "carry", "pooled-object-reused"),
        ("(*Shelf).fill", "(*Shelf).carry", "unknown"),
        ("(*Crate).Reset", "(*Shelf).carry", "worker-outlives-owner"),
    ],
)
def test_an_object_that_is_filled_again(filler: str, worker: str, expected: str) -> None:
    stack = (f"{worker} truck.go:7", "(*Shelf).Load.gowrap1 shelf.go:30")
    fills = Side("write", (f"{filler} crate.go:5", "(*Shelf).Load shelf.go:28"))
    assert first(report(Side("read", stack, go("(*Shelf).Load")), fills)) == expected


@pytest.mark.parametrize(("owner", "expected"), [("(*Pool)", "pooled-object-reused"), ("(*Spool)", "missing-lock")])
def test_a_spool_is_no_pool(owner: str, expected: str) -> None:
    takes = Side("write", (f"{owner}.take spool.go:20", "TestShelf.func1 shelf_test.go:8"), IN_TEST)
    assert first(report(takes, Side("read", READS))) == expected


@pytest.mark.parametrize(
    ("reader", "expected"), [("(*Shelf).Rows", "pooled-object-reused"), ("(*Pool).size", "missing-lock")]
)
def test_a_pool_counts_its_own(reader: str, expected: str) -> None:
    """What one of its methods writes and another reads was lent to nobody."""
    takes = Side("write", ("(*Pool).take pool.go:20", "TestShelf.func1 shelf_test.go:8"), IN_TEST)
    reads = Side("read", (f"{reader} pool.go:60", "TestShelf shelf_test.go:12"))
    assert first(report(takes, reads)) == expected


@pytest.mark.parametrize(
    ("ender", "worker", "expected"),
    [
        ("(*Shelf).Close", "(*Shelf).rows", "teardown-vs-worker"),
        ("(*Shelf).drop", "(*Shelf).rows", "missing-lock"),
        ("(*Shelf).unsubscribe", "(*Shelf).rows", "missing-lock"),
        ("(*Shelf).drop", "(*Crate).rows", "teardown-vs-worker"),
    ],
)
def test_one_of_many_is_taken_out(ender: str, worker: str, expected: str) -> None:
    """Who drops something of its own ends neither itself nor who goes through the rest."""
    ends = Side("write", (f"{ender} shelf.go:13", "TestShelf shelf_test.go:17"))
    stack = (f"{worker} shelf.go:60", "TestShelf.func1 shelf_test.go:12")
    assert first(report(ends, Side("read", stack, IN_TEST))) == expected


@pytest.mark.parametrize(
    ("setter", "expected"),
    [
        ("(*Shelf).configure", "started-before-initialised"),
        ("Open.func2", "started-before-initialised"),
        ("(*Shelf).update", "missing-lock"),
    ],
)
def test_what_is_called_below_a_start_may_be_work(setter: str, expected: str) -> None:
    reads = Side("read", ("(*Shelf).loop shelf.go:60",), go("Open"))
    sets = Side("write", (f"{setter} shelf.go:13", "Open shelf.go:36"))
    assert first(report(reads, sets)) == expected


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
def test_who_started_a_worker_and_has_gone_on(
    op: str, last_frame: str, state: str, worker_first: bool, address: str, expected: str
) -> None:
    """The same function started it on line 30 and is on line 36 by now."""
    stack = ("(*Crate).pack crate.go:5", *filter(None, [last_frame]), "(*Shelf).run shelf.go:50")
    worker = Side("write", stack, go("(*Shelf).Load"), state=state)
    other = Side(op, ("(*Crate).label crate.go:9", "(*Shelf).Load shelf.go:36"))
    one, two = (worker, other) if worker_first else (other, worker)
    assert first(report(one, two, address)) == expected


def test_a_test_that_has_gone_on_runs_things_beside_each_other() -> None:
    worker = Side("write", ("(*Crate).pack crate.go:5",), IN_TEST)
    other = Side("read", ("(*Crate).label crate.go:9", "TestShelf shelf_test.go:12"))
    assert first(report(other, worker)) == "missing-lock"


@pytest.mark.parametrize(
    ("ender", "reader", "expected"),
    [("(*Shelf).Reset", "(*Shelf).Rows", "missing-lock"), ("(*Shelf).Reset", "(*Crate).Rows", "worker-outlives-owner")],
)
def test_a_count_is_set_to_zero_while_others_count(ender: str, reader: str, expected: str) -> None:
    """What a test runs beside each other, by two methods of one type, is no next use."""
    writes = Side("write", (f"{ender} shelf.go:13", "TestShelf shelf_test.go:17"))
    reads = Side("read", (f"{reader} shelf.go:60", "TestShelf.func1 shelf_test.go:12"), IN_TEST)
    assert first(report(writes, reads)) == expected


@pytest.mark.parametrize(
    ("renewal", "expected"), [("(*Shelf).Reset", "worker-outlives-owner"), ("(*Shelf).Init", "unknown")]
)
def test_what_is_made_ready_may_be_so_for_the_first_time(renewal: str, expected: str) -> None:
    """`Init` is the next use only of who comes by again."""
    writes = Side("write", (f"{renewal} shelf.go:13", "(*Store).resume store.go:40"))
    reads = Side("read", ("(*Store).fetch store.go:60",), go("(*Store).Fetch"))
    assert first(report(writes, reads)) == expected


def test_who_gives_a_worker_up_ends_nothing() -> None:
    """`cancel`, called by who started the worker, writes what the worker writes."""
    worker = Side("write", ("(*Crate).pack crate.go:5",), go("(*Shelf).Load"))
    other = Side("write", ("(*Crate).cancel crate.go:9", "(*Shelf).Load shelf.go:36"))
    assert first(report(worker, other)) == "channel-and-shared-memory"


@pytest.mark.parametrize(("way", "expected"), [("(*Shelf).Find", "lazy-initialisation"), ("main", "missing-lock")])
def test_main_has_nothing_made_at_first_use(way: str, expected: str) -> None:
    by = go("TestShelf")
    reads = Side("read", ("(*Crate).use crate.go:50", f"{way} shelf.go:20"), by)
    writes = Side("write", ("(*Crate).Open crate.go:70", f"{way} shelf.go:18"), by)
    assert first(report(reads, writes)) == expected


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
def test_who_goes_through_what_others_join(writer: str, reader: str, expected: str) -> None:
    writes = Side("write", (f"{writer} shelf.go:13", "TestShelf.func1 shelf_test.go:17"))
    reads = Side("read", (f"{reader} shelf.go:60", "TestShelf shelf_test.go:12"), go("TestShelf"))
    assert first(report(writes, reads)) == expected


@pytest.mark.parametrize(
    ("atomic", "writer", "expected"),
    [
        ("AddInt64", "(*Shelf).Rotate", "struct-overwritten"),
        ("AddInt64", "(*Shelf).Clear", "mixed-atomic"),
        ("LoadInt64", "(*Shelf).Rotate", "mixed-atomic"),
    ],
)
def test_who_begins_anew_stores_a_whole_struct(atomic: str, writer: str, expected: str) -> None:
    asm = f"sync/atomic.{atomic}() /usr/local/go/src/runtime/race_amd64.s:289"
    counts = Side("read" if "Load" in atomic else "write", (asm, "(*Shelf).Hit shelf.go:9"))
    plain = Side("write", (f"{writer} shelf.go:20", "TestShelf.func1 shelf_test.go:17"), go("A"))
    assert first(report(counts, plain)) == expected


@pytest.mark.parametrize(("end", "expected"), [("8", "copied-lock"), ("c", "mixed-atomic"), ("4", "mixed-atomic")])
def test_a_lock_begins_where_a_word_does(end: str, expected: str) -> None:
    asm = "sync/atomic.CompareAndSwapInt32() /usr/local/go/src/runtime/race_amd64.s:310"
    swaps = Side("write", (asm, "(*Shelf).Serve shelf.go:9"), go("A"))
    plain = Side("read", ("(*Shelf).Peak shelf.go:20", "TestShelf.func1 shelf_test.go:17"), go("B"))
    assert first(report(swaps, plain, HEAP[:-1] + end)) == expected


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
def test_a_second_look_needs_room(maker: str, down: int, expected: str) -> None:
    looks = Side("read", (f"{maker} shelf.go:20", "TestShelf.func1 shelf_test.go:17"), go("A"))
    stack = (f"{maker} shelf.go:{20 + down}", "TestShelf.func1 shelf_test.go:17")
    makes = Side("write", stack, go("B"), 0x145)
    assert first(report(looks, makes)) == expected
    # so little code leads to a variable of a package that this does not tell
    (sighting,) = deadheat.scan(report(looks, makes, DATA), diagnose=False)
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
def test_a_worker_of_main_that_has_ended(state: str, reader: str, expected: str) -> None:
    began = ("main shelf.go:60",)
    worker = Side("write", ("(*Shelf).fill shelf.go:9", "main.gowrap1 shelf.go:60"), began)
    other = Side("read", (f"{reader} shelf.go:20", "main shelf.go:61"))
    text = report(worker._replace(state=state), other)
    text = text.replace(SHOP, "main.").replace("Goroutine 8", "Goroutine 9")
    assert first(text.replace("by goroutine 8", "by main goroutine")) == expected


@pytest.mark.parametrize(
    ("line", "maker", "expected"),
    [
        (54, "(*Shelf).fetch", {"missing-lock", "double-checked-locking"}),
        (51, "(*Shelf).fetch", {"missing-lock"}),
        (54, "(*Shelf).take", {"missing-lock"}),
    ],
)
def test_what_is_made_behind_a_lock_is_made_further_down(line: int, maker: str, expected: set[str]) -> None:
    """Which it may be is told, but not first: on unseen programs it was wrong as often as right."""
    by = go("TestShelf")
    reads = Side("read", ("(*Shelf).current shelf.go:50", "TestShelf.func1 shelf_test.go:17"), by)
    stack = (f"{maker} shelf.go:70", f"(*Shelf).current shelf.go:{line}")
    (sighting,) = deadheat.scan(report(reads, Side("write", stack, by)), diagnose=False)
    found = diagnose(sighting.report)
    assert found[0].cause == "missing-lock"
    assert {finding.cause for finding in found} == expected


@pytest.mark.parametrize(
    ("apart", "expected"),
    [(18, "missing-lock"), (104, "missing-lock"), (117, "concurrent-slice"), (455, "concurrent-slice")],
)
def test_an_append_takes_more_code_than_a_count(apart: int, expected: str) -> None:
    stack = ("(*Shelf).note shelf.go:13", "TestShelf.func1 shelf_test.go:17")
    one = Side("read", stack, go("TestShelf"), 0x100)
    assert first(report(one, Side("write", stack, go("TestShelf"), 0x100 + apart))) == expected


def test_one_call_of_the_same_code_is_one_copy_of_it() -> None:
    """Two come to it by different ways, and the last call is the same instruction."""
    stack = ("(*Shelf).Load.func1 shelf.go:33", "each shelf.go:8")
    by = go("(*Shelf).Load")
    one = Side("read", (*stack, "old shelf.go:70"), by, 0x91, called=0x37)
    two = Side("write", (*stack, "new shelf.go:80"), by, 0x149, called=0x37)
    assert first(report(one, two)) == "concurrent-slice"


def test_offsets_of_two_copies_of_a_line_are_not_compared() -> None:
    one = Side("read", ("(*Shelf).note shelf.go:13", "(*Shelf).Sell shelf.go:20"), go("TestShelf"))
    two = Side("write", ("(*Shelf).note shelf.go:13", "(*Shelf).Buy shelf.go:25"), go("TestShelf"))
    assert first(report(one, two._replace(offset=0x400))) == "missing-lock"


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
def test_what_the_name_of_the_writer_tells(function: str, expected: str) -> None:
    stack = (f"{function} shelf.go:13", "TestShelf.func1 shelf_test.go:17")
    writes = Side("write", stack, go("TestShelf"), 0x9B)
    assert first(report(writes, Side("read", READS, go("TestShelf")))) == expected


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
def test_a_packages_own_worker(starter: str, reader: str, expected: str) -> None:
    assert first(own_worker(starter, reader, "running")) == expected


@pytest.mark.parametrize(
    ("starter", "reader", "expected"),
    [
        ("Compact", "(*Shelf).Rows", "worker-outlives-owner"),
        ("Start", "(*Shelf).Rows", "unknown"),
        ("Run", "(*Shelf).Rows", "unknown"),
        ("Compact", "(*Shelf).Wait", "done-before-cleanup"),
    ],
)
def test_a_packages_own_worker_that_has_ended(starter: str, reader: str, expected: str) -> None:
    """Its work was bounded: it was not meant to run beside others, and nobody gave it up."""
    assert first(own_worker(starter, reader, "finished")) == expected


def test_who_runs_something_may_have_given_it_up() -> None:
    """`runLimited` looks as if all were done when it returns, and yet its worker goes on."""
    stack = ("(*Crate).fill crate.go:7", "runLimited.gowrap1 shelf.go:30")
    worker = Side("write", stack, go("runLimited"))
    assert first(report(worker, Side("read", READS))) == "unknown"


def own_worker(starter: str, reader: str, state: str) -> str:
    worker = Side("write", (f"{starter}.func1 shelf.go:33",), go(starter), state=state)
    file = "shelf_test.go" if reader.startswith("Test") else "shelf.go"
    return report(worker, Side("read", (f"{reader} {file}:60", "TestShelf shelf_test.go:12")))


@pytest.mark.parametrize(
    ("way", "expected"), [((), "missing-lock"), (("(*Shelf).serve shelf.go:40",), "concurrent-slice")]
)
def test_a_goroutine_that_listens_joins_nobody(way: tuple[str, ...], expected: str) -> None:
    """`go s.listen()` is called like who adds a listener; what a goroutine calls may do so."""
    stack = ("(*Shelf).listen shelf.go:33", *way, "TestShelf.gowrap1 shelf_test.go:9")
    worker = Side("write", stack, IN_TEST)
    assert first(report(worker, Side("read", READS))) == expected


@pytest.mark.parametrize(
    ("op", "began", "expected"),
    [
        ("write", "TestOther", "test-leaves-resource-open"),
        ("read", "TestOther", "test-changes-global"),
        ("write", "TestShelf", "test-changes-global"),
    ],
)
def test_what_another_tests_worker_keeps_is_no_setting(op: str, began: str, expected: str) -> None:
    test = Side("write", ("TestShelf shelf_test.go:12",))
    by = ("Start shelf.go:30", f"{began} shelf_test.go:5", TEST)
    worker = Side(op, ("(*Shelf).loop shelf.go:33", "Start.gowrap1 shelf.go:30"), by)
    assert first(report(test, worker, DATA)) == expected


def test_what_lives_too_short_goes_before_the_slice_in_it() -> None:
    copies = "runtime.slicecopy() /usr/local/go/src/runtime/slice.go:307"
    stack = (copies, "carry truck.go:7", "(*Shelf).Load.gowrap1 shelf.go:30")
    fills = Side("write", (copies, "(*Crate).fill crate.go:5", "(*Shelf).Load shelf.go:28"))
    text = report(Side("read", stack, go("(*Shelf).Load")), fills)
    assert first(text) == "pooled-object-reused"
    assert first(text.replace("shelf.go:28", "shelf.go:38")) == "concurrent-slice"


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
def test_how_far_a_check_is_from_its_write(read: int, written: int, expected: str) -> None:
    by = go("TestShelf")
    one = Side("read", (f"(*Shelf).table shelf.go:{read}", "(*Shelf).Find shelf.go:50"), by)
    two = Side("write", (f"(*Shelf).table shelf.go:{written}", "(*Shelf).Find shelf.go:50"), by)
    assert first(report(one, two)) == expected


@pytest.mark.parametrize(
    ("function", "address", "offsets", "expected"),
    [
        ("table", HEAP, (0x45, 0x92), "lazy-initialisation"),
        ("table", "00c000092551", (0x45, 0x92), "missing-lock"),  # less than a word: a flag
        ("table", HEAP, (0x92, 0x45), "missing-lock"),  # the write lies in front of the check
        ("pick", HEAP, (0x45, 0x92), "missing-lock"),  # takes one after the other
    ],
)
def test_what_is_checked_before_it_is_made(
    function: str, address: str, offsets: tuple[int, int], expected: str
) -> None:
    by, way = go("TestShelf"), "(*Shelf).Find shelf.go:50"
    one = Side("read", (f"(*Shelf).{function} shelf.go:15", way), by, offsets[0], called=0x26)
    two = Side("write", (f"(*Shelf).{function} shelf.go:16", way), by, offsets[1], called=0x26)
    assert first(report(one, two, address)) == expected


@pytest.mark.parametrize(("address", "expected"), [(DATA, "test-changes-global"), (HEAP, "started-before-initialised")])
def test_a_packages_variable_lies_in_the_program(address: str, expected: str) -> None:
    test = Side("write", ("TestShelf shelf_test.go:12",))
    worker = Side("read", ("(*Shelf).loop shelf.go:33", "Start.func1 shelf.go:30"), go("Start"))
    assert first(report(test, worker, address)) == expected


LOOP = ("(*Shelf).loop shelf.go:33", "Start.func1 shelf.go:30")
ROOF = ("roof roof.go:8", "Start.func1 shelf.go:30")


@pytest.mark.parametrize(
    ("way", "other", "address", "expected"),
    [
        (("SetRoof roof.go:9", "TestShelf shelf_test.go:12"), LOOP, DATA, "test-changes-global"),
        (("SetRoof roof.go:9", "prepare shelf_test.go:4"), LOOP, DATA, "test-changes-global"),
        (("SetRoof roof.go:9", "TestShelf shelf_test.go:12"), LOOP, HEAP, "unknown"),
        # the product itself does so, whoever calls it
        (("roof roof.go:9", "TestShelf shelf_test.go:12"), ROOF, DATA, "lazy-initialisation"),
    ],
)
def test_a_setter_that_a_test_calls(way: tuple[str, ...], other: tuple[str, ...], address: str, expected: str) -> None:
    worker = Side("read", other, go("Start"))
    assert first(report(Side("write", way), worker, address)) == expected


@pytest.mark.parametrize(("address", "expected"), [(DATA, "test-changes-global"), (HEAP, "unknown")])
def test_a_test_whose_stack_is_lost(address: str, expected: str) -> None:
    text = report(Side("read", LOOP, go("Start")), Side("write", ("lost shelf.go:1",)), address)
    gone = text.replace("".join(f"{line}\n" for line in frames(("lost shelf.go:1",))), LOST)
    assert LOST in gone
    assert first(gone) == expected


def test_who_goes_the_same_way_ends_nothing() -> None:
    """Two requests in one handler: one renews what the other asks for."""
    by = go("TestShelf")
    one = Side("read", ("(*Shelf).stale shelf.go:24", "(*Shelf).Serve shelf.go:32"), by)
    two = Side("write", ("(*Shelf).renew shelf.go:51", "(*Shelf).Serve shelf.go:33"), by)
    assert first(report(one, two)) == "missing-lock"


def test_what_a_call_gives_back_is_stored_after_it_has_started_a_worker() -> None:
    setter = Side("write", ("New shelf.go:61", "Dial shelf.go:83", "TestShelf shelf_test.go:9"))
    started = ("(*Poller).poll poller.go:9", "New shelf.go:61", "Dial shelf.go:83")
    worker = Side("read", ("(*Poller).ask poller.go:20", "(*Poller).poll.func1 poller.go:10"), started)
    assert first(report(setter, worker)) == "started-before-initialised"


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
def test_a_function_that_is_called_with_the_lock_held(one: str, two: str, expected: str) -> None:
    by = go("TestShelf")
    first_side = Side("write", (f"{one} shelf.go:24", "(*Shelf).Serve shelf.go:32"), by)
    second_side = Side("read", (f"{two} shelf.go:51", "(*Shelf).Show shelf.go:70"), by)
    assert first(report(first_side, second_side)) == expected


def test_a_repetition_with_other_offsets_is_told_by_its_own() -> None:
    stack = ("(*Shelf).Put shelf.go:12", "(*Shelf).run shelf.go:20")
    told = [
        report(Side("read", stack, go("Fill"), 0x40), Side("write", stack, go("Fill"), offset))
        for offset in (0x60, 0x60, 0x60, 0x99 + 0x60, 0x60)
    ]
    # the third is known by its text, the fourth differs from it in one number
    lines = scanned("".join(told))
    assert [bool(line["facts"]) for line in lines] == [False, False, False, True, False]
    assert len({line["race"] for line in lines}) == 1


def scanned(text: str) -> list[dict[str, Any]]:
    gatherer = plugins.output_formats()["jsonl"].new_collector(OutputStyle())
    found = list(api.read_sightings(StreamSource(BytesIO(text.encode()).read), "a"))
    for sighting in race_assignment.assign_races(found):
        gatherer.add_sighting(sighting)
    lines = b"".join(spill_buffer.unpack_lines(gatherer.pack_batch(), {})).splitlines()
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
        # who started the thread is another: the memory is still that of a call
        ("Desk::Send(int) /src/shop/trip.cc:24:15", "run /src/shop/pool.cc:4:9", "unknown"),
        (HEAP_BLOCK, "global 'trip' of size 16 at 0x7b0400000000 (shop+0x1)", "missing-lock"),
    ],
)
def test_memory_of_a_call_that_lends_it_to_a_thread(old: str, new: str, expected: str) -> None:
    assert first(CALL.replace(old, new) if old else CALL) == expected


def test_what_would_settle_whether_a_starter_has_waited() -> None:
    worker = Side("write", ("(*Crate).pack crate.go:5",), go("(*Shelf).Load"), state="finished")
    other = Side("read", ("(*Crate).label crate.go:9", "(*Shelf).Load shelf.go:36"))
    (sighting,) = deadheat.scan(report(worker, other), diagnose=False)
    found = diagnose(sighting.report)[0]
    assert found.cause == "unknown"
    assert any("`(*Shelf).Load`, which started the worker" in told for told in found.open_questions)


@pytest.mark.parametrize(("down", "expected"), [(4, "local-captured"), (40, "missing-lock")])
def test_a_closure_whose_start_was_left_out(down: int, expected: str) -> None:
    """Who quotes a report often leaves out who started whom."""
    inner = Side("write", ("(*Shelf).Load.func1 shelf.go:33", "(*Clerk).Run.func1 clerk.go:7"))
    outer = Side("read", (f"(*Shelf).Load shelf.go:{33 + down}", "TestShelf shelf_test.go:9"))
    told = report(outer, inner, ODD).partition("\n\nGoroutine")[0]
    assert first(f"{told}\n") == expected


def test_who_copies_a_struct_copies_no_slice() -> None:
    """Until Go 1.20 the detector's own function showed where more than a word was read."""
    range_ = "runtime.racereadrange() /usr/local/go/src/runtime/race_amd64.s:156"
    reads = Side("read", (range_, *READS))
    assert first(report(reads, Side("write", ("(*Crate).pack crate.go:5",), IN_TEST))) != ("concurrent-slice")


@pytest.mark.parametrize(("line", "expected"), [(9, "started-before-initialised"), (12, "missing-lock")])
def test_a_second_call_sets_up_no_worker_of_the_first(line: int, expected: str) -> None:
    reads = Side("read", ("(*Shelf).loop shelf.go:60",), go("(*Shelf).Turn"))
    sets = Side("write", ("(*Shelf).Turn shelf.go:36", f"TestShelf shelf_test.go:{line}"))
    assert first(report(reads, sets)) == expected


def test_a_close_under_the_name_of_what_was_put_into_it() -> None:
    """On some machines the detector names a function that the compiler has put into `closechan`."""
    put = "runtime.recvDirect() /usr/local/go/src/runtime/chan.go:388"
    send = "runtime.chansend1() /usr/local/go/src/runtime/chan.go:157"
    ends = Side("write", (put, "(*Pool).Close pool.go:38"))
    sends = Side("read", (send, "(*Pool).Go pool.go:28"), IN_TEST)
    assert first(report(ends, sends)) == "close-vs-send"


def test_who_splits_its_work_sets_nothing_up() -> None:
    """A function that starts itself for one half goes on with the other: that is work."""
    half = ("(*Pool).left shelf.go:60", "(*Pool).sort shelf.go:31", "(*Pool).sort.gowrap1 shelf.go:30")
    reads = Side("read", half, go("(*Pool).sort"))
    writes = Side("write", ("(*Pool).sort shelf.go:36", "TestShelf shelf_test.go:9"))
    assert first(report(reads, writes)) != "started-before-initialised"


def by_main(text: str) -> str:
    """The first side is the main goroutine's, which nobody started."""
    head, _, tail = text.replace("by goroutine 7:", "by main goroutine:").partition("Goroutine 7 ")
    return head + tail[tail.index("Goroutine 8 ") :]


SHELF = ("NewShelf shelf.go:40", "run main.go:20", "main main.go:9")


@pytest.mark.parametrize(
    ("writes", "reads", "expected"),
    [
        (SHELF, "(*Shelf).Rows", True),
        (("(*Shelf).initLamp lamp.go:8",), "(*Shelf).Rows", True),
        (("(*Shelf).newLamp.func1 lamp.go:8",), "(*Shelf).Rows", False),
        (("(*Shelf).light lamp.go:8",), "(*Shelf).Rows", False),
        (SHELF, "NewBoard", False),
    ],
)
def test_what_the_main_goroutine_makes_is_read_too_early(writes: tuple[str, ...], reads: str, expected: bool) -> None:
    """On other goroutines things are made all the time."""
    one = Side("write", writes)
    other = Side("read", (f"{reads} rows.go:60",), ("(*Rota).Keep rota.go:7",))
    cause = "started-before-initialised"
    assert (first(by_main(report(one, other))) == cause) is expected
    assert first(report(one, other)) != cause


@pytest.mark.parametrize("closure", ["glob..func1", "init.func1"])
def test_a_closure_that_a_package_holds_makes_nothing_ready(closure: str) -> None:
    """It lies in the package's `init` by its name only; a method `reset` is called again."""
    worker = Side("read", ("(*Shelf).Rows shelf.go:60",), ("(*Rota).Keep rota.go:7",))
    for called, expected in ((closure, False), ("(*Shop).reset", True)):
        writes = Side("write", ("(*Shelf).light lamp.go:8", f"{called} main.go:20"))
        told = first(by_main(report(writes, worker)))
        assert (told == "worker-outlives-owner") is expected


RUNS = "os/exec.(*Cmd).Wait() /usr/local/go/src/os/exec/exec.go:502"
PRINTS = "fmt.Sprintf() /usr/local/go/src/fmt/print.go:239"
LOCKS = "sync.(*Mutex).Lock() /usr/local/go/src/sync/mutex.go:81"
SWAPS = "sync/atomic.CompareAndSwapInt32() /usr/local/go/src/runtime/race_amd64.s:361"


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        (RUNS, True),
        ("net.(*Dialer).Dial() /usr/local/go/src/net/dial.go:80", False),  # many may use those
        ("fmt.(*pp).printValue() /usr/local/go/src/fmt/print.go:726", False),  # walks through others'
    ],
)
def test_a_type_whose_own_methods_race_is_for_one_at_a_time(above: str, expected: bool) -> None:
    inner = Side("write", (above, *CLOSURE), go("(*Shelf).Load"))
    outer = Side("read", (above, *AROUND))
    assert (first(report(outer, inner)) == "unsafe-type-shared") is expected


@pytest.mark.parametrize("lock", [LOCKS, SWAPS])
def test_who_prints_a_lock_has_not_taken_it(lock: str) -> None:
    """Nothing is copied there; and the lock that is printed guards what is printed with it."""
    takes = Side("write", (lock, "(*Shelf).Put shelf.go:40"), go("(*Rota).Keep"))
    prints = Side("read", (PRINTS, "(*Rota).Report rota.go:60"))
    assert first(report(prints, takes)) == "partial-lock"


def test_who_read_a_lock_and_left_no_stack_may_have_printed_it() -> None:
    takes = Side("write", (LOCKS, "(*Shelf).Put shelf.go:40"), go("(*Rota).Keep"))
    text = report(takes, Side("read", ("lost shelf.go:1",)))
    assert first(text) == "copied-lock"
    gone = text.replace("".join(f"{line}\n" for line in frames(("lost shelf.go:1",))), LOST)
    assert first(gone) == "unknown"
