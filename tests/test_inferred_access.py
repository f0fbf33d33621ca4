"""The access that Valgrind does not show: inferred between two positions, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

import deadheat
from deadheat.detectors.valgrind_lines import parse_formatted_stack
from deadheat.diagnosis.context import RaceContext
from deadheat.diagnosis.facts.containers import unsafe_type_of
from deadheat.diagnosis.inferred_access import InferredReport, infer_other_side
from eval.program_source import ProgramSource, pinned_code
from tests.test_diagnosis import QueryCounter

CODE = """static void bump(struct dock *d)
{
	d->ships++;
}

static int peek(struct dock *d)
{
	return d->ships;
}

static void *keeper(void *arg)
{
	struct dock *d = arg;
	for (int i = 0; i < 4; i++) {
		usleep(5000);
		bump(d);
	}
	return NULL;
}

static void *clerk(void *arg)
{
	struct dock *d = arg;
	pthread_mutex_lock(&gate);
	d->tons = peek(d);
	pthread_mutex_unlock(&gate);
	return NULL;
}
"""
REPORT = """==1== Possible data race during {op} of size 8 at 0x4A4A048 by thread #3
==1== Locks held: none
==1==    at 0x1091AB: {function} (dock.c:{line})
==1==    by 0x484C7D6: mythread_wrapper (hg_intercepts.c:406)
==1==  This conflicts with a previous access by thread #2, after
==1==    {after}
==1==  but before
==1==    {before}
==1==  Address 0x4a4a048 is 8 bytes inside a block of size 24 alloc'd
==1==    at 0x484862F: calloc (vg_replace_malloc.c:1328)
==1==
"""
START = "(the start of the thread)"
SLEEP = "at 0x4964294: usleep (usleep.c:31)\n==1==    by 0x109251: keeper (dock.c:15)"
LOCK = "at 0x484976E: mutex_lock_WRK (hg_intercepts.c:942)\n==1==    by 0x10A455: clerk (dock.c:24)"
UNLOCK = "at 0x4849C86: mutex_unlock_WRK (hg_intercepts.c:1179)\n==1==    by 0x10A45A: clerk (dock.c:26)"


def infer_report(**fields: Any) -> InferredReport | None:
    (sighting,) = deadheat.scan(REPORT.format(**fields), diagnose=False)
    code = pinned_code(ProgramSource({"dock.c": CODE.encode()}), sighting.report)
    return infer_other_side(RaceContext(sighting.report, code))


def test_access_in_a_callee_of_a_loop_is_inferred() -> None:
    inferred = infer_report(op="read", function="peek", line=8, after=START, before=SLEEP)
    assert inferred is not None
    other = inferred.report.accesses[1]
    assert other.site is not None
    assert (other.op.value, other.actor) == ("write", "thread #2")
    assert [(f.function, f.line) for f in other.stack] == [("bump", 3), ("keeper", 16)]
    assert "line 3" in inferred.reason.text


def test_access_between_lock_and_unlock_is_inferred() -> None:
    inferred = infer_report(op="write", function="bump", line=3, after=LOCK, before=UNLOCK)
    assert inferred is not None
    other = inferred.report.accesses[1]
    assert [(f.function, f.line) for f in other.stack] == [("peek", 8), ("clerk", 25)]
    assert other.op.value == "read"


def test_two_reads_do_not_race() -> None:
    assert infer_report(op="read", function="peek", line=8, after=LOCK, before=UNLOCK) is None


def test_nothing_is_inferred_without_both_positions() -> None:
    assert infer_report(op="read", function="peek", line=8, after=START, before=START) is None


def test_number_of_queries_is_bounded_for_a_long_region() -> None:
    lines = [f"\tcall{n}(d);" for n in range(3_000)]
    text = "\n".join(["static void *keeper(void *d)", "{", *lines, "\treturn 0;", "}", CODE])
    report = REPORT.format(op="read", function="peek", line=3_013, after=START, before=SLEEP)
    (sighting,) = deadheat.scan(report.replace("keeper (dock.c:15)", "keeper (dock.c:2999)"), diagnose=False)
    code: Any = QueryCounter(pinned_code(ProgramSource({"dock.c": text.encode()}), sighting.report))
    assert infer_other_side(RaceContext(sighting.report, code)) is None
    assert code.queries < 200


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("usleep (usleep.c:31) < keeper (dock.c:12)", [("usleep", 31), ("keeper", 12)]),
        ("std::map<int, int>::at(int const&) (a.cc:4)", [("std::map<int, int>::at(int const&)", 4)]),
        ("std::thread::join() < main (main.cc:23)", [("main", 23)]),
        ("(thread finished, call stack no longer available)", []),
    ],
)
def test_formatted_stack_is_parsed(text: str, frames: list[tuple[str, int]]) -> None:
    assert [(f.function, f.line) for f in parse_formatted_stack(text)] == frames


def test_return_type_is_not_the_class_of_a_function() -> None:
    assert unsafe_type_of("std::function<void (int)>& std::vector<int>::at(int)") != "std::function"
    assert unsafe_type_of("std::function<void (int)>::operator()(int) const") == "std::function"
    assert unsafe_type_of("std::ostream& std::ostream::_M_insert<long>(long)") == "std::ostream"
    assert unsafe_type_of("std::ostringstream out_;") == "std::ostringstream"
