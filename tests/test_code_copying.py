"""Where a value of a type is copied, and with it the lock that is in it; and where it is not."""

from __future__ import annotations

import pytest

from deadheat.repo.syntax import text_search
from deadheat.repo.syntax.text_search import find_go_copy

COPIES = {
    "passed": "func Drive(l Lane, n int) {\n}\n",
    "of a value": "func (l Lane) Pass() {\n}\n",
    "given back": "func (r *Road) Lane() Lane {\n\treturn r.lane\n}\n",
    "kept in a map": "type Road struct {\n\tlanes map[string]Lane\n}\n",
    "sent": "var queue = make(chan Lane, 4)\n",
    "what a pointer leads to": "func (l *Lane) Twin() *Lane {\n\tnext := *l\n\treturn &next\n}\n",
    "in another literal": "func Hire(l *Lane) *Car {\n\treturn &Car{lane: *l}\n}\n",
    "within another type": "type Road struct {\n\tleft, right Lane\n}\n\nfunc (r Road) Close() {\n}\n",
    "within, with a word on it": 'type Road struct {\n\tLane `json:"lane"` // of both\n}\n\n'
    "func (r Road) Close() {\n}\n",
    "in one line": "type Road struct{ lane Lane }\n\nfunc Pave(r Road) {\n}\n",
    "generic": "func Use(l Lane[int]) {\n}\n",
    "gone through": "type Road struct {\n\tlanes []Lane\n}\n\nfunc (r *Road) Run() {\n"
    "\tfor _, l := range r.lanes {\n\t\tl.pass()\n\t}\n}\n",
    "kept as it was made": "func main() {\n\tl := Lane{n: 1}\n\tc := &Car{lane: l}\n}\n",
    "kept as it was given": "func newLane() Lane {\n\treturn Lane{}\n}\n\nfunc main() {\n"
    "\tl := newLane()\n\tdrive(l)\n}\n",
}
KEEPS = {
    "a pointer": "func (l *Lane) Pass(other *Lane) *Lane {\n\treturn l\n}\n",
    "who makes one": "func NewLane() Lane {\n\treturn Lane{}\n}\n",
    "pointers in a map": "type Road struct {\n\tlanes map[string]*Lane\n}\n",
    "another name": "func Drive(l LaneKeeper) {\n}\n",
    "gone through by pointers": "type Road struct {\n\tlanes []*Lane\n}\n\nfunc (r *Road) Run() {\n"
    "\tfor _, l := range r.lanes {\n\t\tl.pass()\n\t}\n}\n",
    "gone through by index": "type Road struct {\n\tlanes []Lane\n}\n\nfunc (r *Road) Run() {\n"
    "\tfor i := range r.lanes {\n\t\tr.lanes[i].pass()\n\t}\n}\n",
    "passed by address": "func main() {\n\tl := Lane{n: 1}\n\tdrive(&l)\n\tl.pass()\n}\n",
    "a field of that name": 'type Road struct {\n\tLane string `json:"lane"`\n}\n\nfunc (r Road) Close() {\n}\n',
    "within, by pointer": "type Road struct {\n\tlane Lane\n}\n\nfunc (r *Road) Close() {\n}\n",
}


@pytest.mark.parametrize("text", COPIES.values(), ids=COPIES)
def test_a_copy_is_found(text: str) -> None:
    assert find_go_copy(f"package road\n\n{text}", "Lane") is not None


@pytest.mark.parametrize("text", KEEPS.values(), ids=KEEPS)
def test_what_is_shared_by_pointer_is_no_copy(text: str) -> None:
    assert find_go_copy(f"package road\n\n{text}", "Lane") is None


def test_the_line_is_told() -> None:
    assert find_go_copy("package road\n\nfunc Drive(l Lane) {\n}\n", "Lane") == 3


NATIVE_COPIES = {
    "what a pointer leads to": "void *run(void *p) {\n\tstruct Lane mine = *(struct Lane *)p;\n}\n",
    "passed": "static void drive(struct Lane lane, int n)\n{\n}\n",
    "by a constructor": "class Lane {\n  Lane(const Lane& o) : n_(o.n_) {}\n};\n",
    "by memcpy": "void f(void) {\n\tmemcpy(&mine, lane, sizeof(struct Lane));\n}\n",
    "in another's braces": "int main(void) {\n\tstruct Lane l = {0};\n\tstruct car c = {l, 4};\n}\n",
    "assigned": "int main(void) {\n\tstruct Lane base;\n\tcopies[i] = base;\n}\n",
    "in a lambda": "int main() {\n  Lane lane;\n  std::thread t([lane] { use(); });\n}\n",
    "gone through": "void f() {\n  for (Lane lane : lanes) lane.pass();\n}\n",
    "of the whole program": "static struct Lane lane;\n\nint f(void)\n{\n}\n\nint main(void)\n{\n\tdrive(lane);\n}\n",
    "within another type": "struct road {\n\tstruct Lane lane;\n};\n\nvoid run(struct road r)\n{\n}\n",
}
NATIVE_KEEPS = {
    "pointers": "void pass(struct Lane *lane, Lane &other)\n{\n\tlane->n++;\n}\n",
    "an address": "int main(void) {\n\tstruct Lane lane = {0};\n\tstart(&lane);\n\tlane.n = 1;\n}\n",
    "forbidden": "class Lane {\n  Lane(const Lane&) = delete;\n};\n",
    "another name": "void drive(LaneKeeper lane)\n{\n}\n",
}


@pytest.mark.parametrize("text", NATIVE_COPIES.values(), ids=NATIVE_COPIES)
def test_a_copy_in_c_is_found(text: str) -> None:
    assert text_search.find_c_copy(f"#include <x.h>\n\n{text}", "Lane") is not None


@pytest.mark.parametrize("text", NATIVE_KEEPS.values(), ids=NATIVE_KEEPS)
def test_what_c_shares_by_pointer_is_no_copy(text: str) -> None:
    assert text_search.find_c_copy(f"#include <x.h>\n\n{text}", "Lane") is None
