"""What the code around a line shows: what leads to it, and what its function gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deadheat.model import Frame, Origin
from deadheat.repo.code_diagnosis import PinnedCode
from deadheat.repo.syntax.function_facts import function_facts_at
from eval.program_source import ProgramSource

if TYPE_CHECKING:
    from deadheat.diagnosis.facts.code_facts import FunctionFacts


def seen(tongue: str, text: str, line: int) -> FunctionFacts:
    found = function_facts_at(tongue, text.encode(), "a", line)
    assert found is not None
    return found


GO = """package p

func (s *S) Get() *T {
	if s.t != nil { // there already
		return s.t // as it is
		// nothing more
	}
	switch s.state {
	case closed:
		return nil
	}
	switch s.mode {
	case quiet:
		s.n++
	}
	out := make([]int, 3)
	go func() {
		out[0] = s.n
		return
	}()
	s.t = build(out)
	return s.wrap(out)
}
"""


def test_what_would_have_left_is_a_guard_whatever_is_said_beside_it() -> None:
    told = [(c.text, c.line) for c in seen("go", GO, 21).guard_clauses]
    assert told == [("s.t != nil", 4), ("switch s.state", 8)]


def test_the_names_that_a_function_gives_back() -> None:
    found = seen("go", GO, 21)
    assert {"out", "wrap"} <= found.returned_names
    assert "n" not in found.returned_names


C = """int job_run(struct job *j)
{
	switch (j->phase) {
	case RUNNING:
		return -1;
	default:
		break;
	}
	j->phase = RUNNING;
	return 0;
}
"""


@pytest.mark.parametrize("tongue", ["c", "cpp"])
def test_a_switch_of_c_that_leaves(tongue: str) -> None:
    assert [c.line for c in seen(tongue, C, 9).guard_clauses] == [3]


HELPERS = """package p

func (s *S) begin() {
	s.mu.Lock()
}

func (s *S) finish() {
	s.mu.Unlock()
}

func (s *S) Both(k string) {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *S) work() {
	for job := range s.jobs {
		select {
		case <-s.bell:
		case <-job.ctx.Done():
		}
	}
}
"""


def test_a_lock_that_is_let_go_without_having_been_taken_is_the_callers() -> None:
    assert seen("go", HELPERS, 9).locks_released == ("S.mu",)
    assert seen("go", HELPERS, 5).locks_released == ()
    assert seen("go", HELPERS, 15).locks_released == ()


@pytest.mark.parametrize(
    ("above", "asked", "told"),
    [
        ("v, ok := s.m[k]", "ok", "v, ok := s.m[k]; ok"),
        ("var v = s.v", "nil == v", "v = s.v; nil == v"),
        ("v := s.load()", "v == nil", "v == nil"),
        ("v := s.v; v = other()", "v == nil", "v == nil"),
        ("v := s.v", "v.n > w", "v.n > w"),
    ],
)
def test_a_condition_is_about_what_its_local_was_read_from(above: str, asked: str, told: str) -> None:
    text = f"package p\n\nfunc (s *S) F(k int) {{\n\t{above}\n\tif {asked} {{\n\t\ts.n++\n\t}}\n}}\n"
    assert [c.text for c in seen("go", text, 6).conditions] == [told]


ONCE = """package p

func (c *C) Get() int {
	c.once.Do(func() {
		c.n = 1
		each(func() { c.n++ })
		c.update = func() int {
			return c.n
		}
		go func() {
			c.n = 2
		}()
	})
	return c.n
}
"""


@pytest.mark.parametrize(("line", "held"), [(5, ["c.once"]), (6, ["c.once"]), (8, []), (11, []), (14, [])])
def test_what_is_kept_for_later_does_not_run_once(line: int, held: list[str]) -> None:
    assert [lock.name for lock in seen("go", ONCE, line).locks_held] == held


def test_a_lock_that_a_call_gives() -> None:
    text = "package p\n\nfunc (c *C) Get() int {\n\tc.owner.Guard().RLock()\n\treturn c.n\n}\n"
    assert [lock.name for lock in seen("go", text, 5).locks_held] == ["C.owner.Guard()"]


TRIED = """package p

func (d *Door) Shut(n int) {
	if n > 3 && d.mu.TryLock() {
		d.tries = n
		defer d.mu.Unlock()
	}
	d.open = false
	if !d.outer.TryLock() {
		return
	}
	d.seen = n
}
"""


@pytest.mark.parametrize(("line", "held"), [(5, ["Door.mu"]), (8, []), (12, ["Door.outer"])])
def test_a_lock_that_is_tried_is_held_where_that_went_well(line: int, held: list[str]) -> None:
    assert [lock.name for lock in seen("go", TRIED, line).locks_held] == held


def test_a_lock_of_cpp_that_is_tried_is_held_in_the_branch_only() -> None:
    text = "void f(Door *d) {\n\tif (d->mu.try_lock())\n\t\td->n = 1;\n\td->n = 2;\n}\n"
    assert seen("cpp", text, 3).locks_held
    assert not seen("cpp", text, 4).locks_held


RETURNED = """package p

func (d *Door) swing() {
	d.turn()
	if d.stuck {
		d.mu.Unlock()
		return
	}
	d.n++
	d.mu.Unlock()
	d.bell.Ring()
	d.mu.Lock()
	d.n++
}
"""


@pytest.mark.parametrize(("line", "gone"), [(9, ()), (11, ("Door.mu",)), (13, ())])
def test_a_lock_that_others_took_is_gone_once_it_is_let_go(line: int, gone: tuple[str, ...]) -> None:
    assert seen("go", RETURNED, line).locks_released_above == gone


DRAINED = """package p

func (s *S) Close() {
	s.cancel()
	for range s.out {
	}
	for range 3 {
		s.n++
	}
	for v := range s.all {
		v.Close()
	}
	<-s.done
}
"""


def test_a_loop_that_drains_a_channel_waits_for_its_senders() -> None:
    assert seen("go", DRAINED, 4).receive_lines == (5, 13)


TYPES = {
    "a.go": "package p\n\ntype Guarded struct {\n\tmu sync.RWMutex\n\tn  int\n}\n\ntype Plain struct {\n\tn int\n}\n",
    "a.cc": "class Cache : public Base {\n  mutable std::mutex lock_;\n  int n;\n};\nstruct Row {\n  int n;\n};\n",
    "a.c": "struct dock {\n\tpthread_mutex_t gate;\n\tint ships;\n};\n",
}


@pytest.mark.parametrize(
    ("file", "name", "lock"),
    [
        ("a.go", "Guarded", "mu"),
        ("a.go", "Plain", ""),
        ("a.go", "Absent", None),
        ("a.cc", "Cache", "lock_"),
        ("a.cc", "Row", ""),
        ("a.c", "dock", "gate"),
    ],
)
def test_the_lock_of_a_type(file: str, name: str, lock: str | None) -> None:
    program = ProgramSource({path: text.encode() for path, text in TYPES.items()})
    code = PinnedCode(lambda _: (file, program.files[file]), program.files.get, program, [], None)
    assert code.find_lock_of_type(name, Frame("f", "", file, 1, Origin.USER)) == lock
