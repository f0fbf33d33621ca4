"""The side that Valgrind does not show: found between two places, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

import deadheat
from deadheat.detectors.valgrind_lines import parse_formatted_stack
from deadheat.diagnosis.context import RaceContext
from deadheat.diagnosis.facts.containers import unsafe_type_of
from deadheat.diagnosis.inferred_access import InferredReport, infer_other_side
from eval.program_source import ProgramSource, pinned_code

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


def pair(**told: Any) -> InferredReport | None:
    (sighting,) = deadheat.scan(REPORT.format(**told), diagnose=False)
    code = pinned_code(ProgramSource({"dock.c": CODE.encode()}), sighting.report)
    return infer_other_side(RaceContext(sighting.report, code))


def test_a_loop_that_was_gone_round_and_a_call_in_it() -> None:
    found = pair(op="read", function="peek", line=8, after=START, before=SLEEP)
    assert found is not None
    other = found.report.accesses[1]
    assert other.site is not None
    assert (other.op.value, other.actor) == ("write", "thread #2")
    assert [(f.function, f.line) for f in other.stack] == [("bump", 3), ("keeper", 16)]
    assert "line 3" in found.reason.text


def test_what_is_read_between_a_lock_and_its_release() -> None:
    found = pair(op="write", function="bump", line=3, after=LOCK, before=UNLOCK)
    assert found is not None
    other = found.report.accesses[1]
    assert [(f.function, f.line) for f in other.stack] == [("peek", 8), ("clerk", 25)]
    assert other.op.value == "read"


def test_two_reads_do_not_race() -> None:
    assert pair(op="read", function="peek", line=8, after=LOCK, before=UNLOCK) is None


def test_without_the_two_places_nothing_is_supposed() -> None:
    assert pair(op="read", function="peek", line=8, after=START, before=START) is None


class Counted:
    """A source that counts what it is asked, of a function as long as one likes."""

    def __init__(self, code: Any) -> None:
        self.code, self.asked = code, 0

    def __getattr__(self, name: str) -> Any:
        self.asked += name in ("around", "defined")
        return getattr(self.code, name)


def test_a_long_stretch_is_not_read_to_its_end() -> None:
    lines = [f"\tcall{n}(d);" for n in range(3_000)]
    text = "\n".join(["static void *keeper(void *d)", "{", *lines, "\treturn 0;", "}", CODE])
    report = REPORT.format(op="read", function="peek", line=3_013, after=START, before=SLEEP)
    (sighting,) = deadheat.scan(report.replace("keeper (dock.c:15)", "keeper (dock.c:2999)"), diagnose=False)
    code = Counted(pinned_code(ProgramSource({"dock.c": text.encode()}), sighting.report))
    assert infer_other_side(RaceContext(sighting.report, code)) is None
    assert code.asked < 200


@pytest.mark.parametrize(
    ("told", "frames"),
    [
        ("usleep (usleep.c:31) < keeper (dock.c:12)", [("usleep", 31), ("keeper", 12)]),
        ("std::map<int, int>::at(int const&) (a.cc:4)", [("std::map<int, int>::at(int const&)", 4)]),
        ("std::thread::join() < main (main.cc:23)", [("main", 23)]),
        ("(thread finished, call stack no longer available)", []),
    ],
)
def test_a_stack_in_one_line_is_read_back(told: str, frames: list[tuple[str, int]]) -> None:
    assert [(f.function, f.line) for f in parse_formatted_stack(told)] == frames


def test_what_a_function_gives_back_is_not_its_class() -> None:
    assert unsafe_type_of("std::function<void (int)>& std::vector<int>::at(int)") != "std::function"
    assert unsafe_type_of("std::function<void (int)>::operator()(int) const") == "std::function"
    assert unsafe_type_of("std::ostream& std::ostream::_M_insert<long>(long)") == "std::ostream"
    assert unsafe_type_of("std::ostringstream out_;") == "std::ostringstream"
