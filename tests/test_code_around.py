"""What the code around a line shows: what leads to it, and what its function gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deadheat.code.around import around

if TYPE_CHECKING:
    from deadheat.diagnose.source import Around


def seen(tongue: str, text: str, line: int) -> Around:
    found = around(tongue, text.encode(), "a", line)
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
    told = [(c.text, c.line) for c in seen("go", GO, 21).guards]
    assert told == [("s.t != nil", 4), ("switch s.state", 8)]


def test_the_names_that_a_function_gives_back() -> None:
    found = seen("go", GO, 21)
    assert {"out", "wrap"} <= found.returned
    assert "n" not in found.returned


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
    assert [c.line for c in seen(tongue, C, 9).guards] == [3]
