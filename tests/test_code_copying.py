"""Where a value of a type is copied, and with it the lock that is in it; and where it is not."""

from __future__ import annotations

import pytest

from deadheat.code.copying import copied

COPIES = {
    "passed": "func Drive(l Lane, n int) {\n}\n",
    "of a value": "func (l Lane) Pass() {\n}\n",
    "given back": "func (r *Road) Lane() Lane {\n\treturn r.lane\n}\n",
    "kept in a map": "type Road struct {\n\tlanes map[string]Lane\n}\n",
    "sent": "var queue = make(chan Lane, 4)\n",
    "what a pointer leads to": "func (l *Lane) Twin() *Lane {\n\tnext := *l\n\treturn &next\n}\n",
    "in another literal": "func Hire(l *Lane) *Car {\n\treturn &Car{lane: *l}\n}\n",
    "within another type": "type Road struct {\n\tleft, right Lane\n}\n\nfunc (r Road) Close() {\n}\n",
    "in one line": "type Road struct{ lane Lane }\n\nfunc Pave(r Road) {\n}\n",
    "generic": "func Use(l Lane[int]) {\n}\n",
}
KEEPS = {
    "a pointer": "func (l *Lane) Pass(other *Lane) *Lane {\n\treturn l\n}\n",
    "who makes one": "func NewLane() Lane {\n\treturn Lane{}\n}\n",
    "pointers in a map": "type Road struct {\n\tlanes map[string]*Lane\n}\n",
    "another name": "func Drive(l LaneKeeper) {\n}\n",
    "within, by pointer": "type Road struct {\n\tlane Lane\n}\n\nfunc (r *Road) Close() {\n}\n",
}


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES)
def test_a_copy_is_found(text: str) -> None:
    assert copied(f"package road\n\n{text}", "Lane") is not None


@pytest.mark.parametrize("text", KEEPS.values(), ids=KEEPS)
def test_what_is_shared_by_pointer_is_no_copy(text: str) -> None:
    assert copied(f"package road\n\n{text}", "Lane") is None


def test_the_line_is_told() -> None:
    assert copied("package road\n\nfunc Drive(l Lane) {\n}\n", "Lane") == 3
