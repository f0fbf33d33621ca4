"""Variables: what both racing lines touch, by name, owner and declaration; and frames refuted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from deadheat.model import Access, Frame, Location, Op, Origin, Report
from deadheat.repo.likely_variable import likely_variable
from deadheat.repo.racing_lines import find_racing_lines
from deadheat.repo.syntax.line_accesses import accesses_on_line
from deadheat.repo.variable import find_variable
from eval.program_source import ProgramSource
from tests.repositories import MODULE, Repository, go_report, go_text, line, told_of

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.repo.variable import RaceVariable


pytestmark = pytest.mark.usefixtures("cache")


def found(
    repo: Repository, source: str, write: tuple[str, str], read: tuple[str, str], **more: str
) -> RaceVariable | None:
    """The variable of a race between two lines of hub/hub.go, each as function and text."""
    files: dict[str, str | None] = {"hub/hub.go": source}
    repo.put("hub", files | {name.replace("__", "/") + ".go": text for name, text in more.items()})
    sides = [
        (op, [(f"{MODULE}/hub.{name}", f"/src/relay/hub/hub.go:{line(source, text)}")])
        for op, (name, text) in (("write", write), ("read", read))
    ]
    return told_of(repo, go_report(*sides)).variable


FIELD = """package hub

type Base struct {
	cancel func()
}

type Hub struct {
	Base
	nodes, old []string
	peers map[string]*Peer
}

type Peer struct {
	Since int
}

func (h *Hub) Close() {
	h.cancel = nil
	h.nodes = h.nodes[:0]
	peer := h.peers["a"]
	peer.Since = 3
}

func (h *Hub) run(all []*Peer) {
	if h.cancel != nil {
		scale(3, len(h.nodes))
	}
	for _, p := range all {
		_ = p.Since
	}
	h.peers["b"] = nil
	delete(h.peers, "c")
}
"""


def test_a_field_has_its_owner_and_place(repo: Repository) -> None:
    variable = found(repo, FIELD, ("(*Hub).Close", "h.nodes = "), ("(*Hub).run", "len(h.nodes)"))
    assert variable is not None
    assert (variable.name, variable.owner, variable.kind) == ("nodes", "Hub", "field")
    assert variable.declaration == ("hub/hub.go", line(FIELD, "nodes, old"))
    assert variable.sure


def test_a_field_of_an_embedded_struct_belongs_to_the_struct_that_declares_it(repo: Repository) -> None:
    variable = found(repo, FIELD, ("(*Hub).Close", "h.cancel = nil"), ("(*Hub).run", "h.cancel != nil"))
    assert variable is not None
    assert (variable.name, variable.owner) == ("cancel", "Base")
    assert variable.declaration == ("hub/hub.go", line(FIELD, "cancel func()"))


def test_the_type_of_a_local_variable_is_found_behind_a_map(repo: Repository) -> None:
    variable = found(repo, FIELD, ("(*Hub).Close", "peer.Since = 3"), ("(*Hub).run", "= p.Since"))
    assert variable is not None
    assert (variable.name, variable.owner) == ("Since", "Peer")


def test_a_map_is_named_by_what_holds_it(repo: Repository) -> None:
    variable = found(repo, FIELD, ("(*Hub).run", 'h.peers["b"] = nil'), ("(*Hub).Close", 'h.peers["a"]'))
    assert variable is not None
    assert (variable.name, variable.owner) == ("peers", "Hub")


FAR = """package hub

import "example.com/acme/relay/conf"

func (h *Hub) Close(s *conf.Session) {
	s.Vars().Current.Total = 0
}

func run(cur *conf.Current) int {
	return cur.Total
}
"""
CONF = """package conf

type Session struct{ vars *Vars }

type Vars struct {
	Current *Current
}

type Other struct {
	Total int
}

type Current struct {
	Total int
}

func (s *Session) Vars() *Vars { return s.vars }
"""


def test_a_chain_is_followed_into_another_package(repo: Repository) -> None:
    variable = found(repo, FAR, ("(*Hub).Close", "Total = 0"), ("run", "cur.Total"), conf__conf=CONF)
    assert variable is not None
    assert (variable.name, variable.owner) == ("Total", "Current")
    assert variable.declaration == ("conf/conf.go", line(CONF, "Total int", 2))


CAPTURED = """package hub

import "sync"

var total int

func Sum(all []int) int {
	sum := 0
	var wg sync.WaitGroup
	for _, n := range all {
		wg.Add(1)
		go func() {
			sum += n
			wg.Done()
		}()
	}
	return sum
}

func Count() {
	total++
}

func Total() int {
	return total
}
"""


def test_a_captured_variable(repo: Repository) -> None:
    variable = found(repo, CAPTURED, ("Sum.func1", "sum += n"), ("Sum", "return sum"))
    assert variable is not None
    assert (variable.name, variable.kind) == ("sum", "captured")
    assert variable.declaration == ("hub/hub.go", line(CAPTURED, "sum := 0"))


OWN = """package hub

func Gather(done func(Peer)) {
	var names []string
	walk(func(p Peer) {
		names = append(names, p.Name())
	})
}

func (h *Hub) Print() error {
	sb := buffer()
	_, err := write(h.out, sb.String())
	return err
}
"""


def test_what_a_line_reads_to_write_it_is_read_there(repo: Repository) -> None:
    both = "Gather.func1", "names = append"
    variable = found(repo, OWN, both, both)
    assert variable is not None
    assert (variable.name, variable.kind) == ("names", "captured")


def test_a_local_variable_of_two_calls_is_not_shared(repo: Repository) -> None:
    both = "(*Hub).Print", "_, err := write"
    variable = found(repo, OWN, both, both)
    assert variable is None or variable.name not in ("err", "sb")


def test_a_package_variable(repo: Repository) -> None:
    variable = found(repo, CAPTURED, ("Count", "total++"), ("Total", "return total"))
    assert variable is not None
    assert (variable.name, variable.kind, variable.owner) == ("total", "package", None)
    assert variable.declaration == ("hub/hub.go", line(CAPTURED, "var total"))


HOP = """package hub

type Hub struct {
	state int
}

func (h *Hub) set(n int) {
	h.state = n
}

func (h *Hub) Close() {
	h.set(3)
}

func (h *Hub) run() bool {
	return h.state == 3
}
"""


def test_through_one_call(repo: Repository) -> None:
    variable = found(repo, HOP, ("(*Hub).Close", "h.set(3)"), ("(*Hub).run", "h.state == 3"))
    assert variable is not None
    assert (variable.name, variable.owner) == ("state", "Hub")
    assert "set" in variable.why


WHOLE = """package hub

type Tracker struct {
	used int64
}

type Context struct {
	Name    string
	tracker Tracker
}

type Session struct {
	cached [2]Context
}

func (s *Session) Reset(i int) {
	s.cached[i] = Context{}
}

func (t *Tracker) Consume(n int64) {
	if t.used > 3 {
		return
	}
}
"""


def test_a_struct_that_is_stored_whole(repo: Repository) -> None:
    variable = found(repo, WHOLE, ("(*Session).Reset", "= Context{}"), ("(*Tracker).Consume", "t.used"))
    assert variable is not None
    assert (variable.name, variable.owner, variable.kind) == ("cached", "Session", "struct")
    assert variable.part == "tracker of Context"


PASSED = """package hub

type Config struct {
	Metadata map[string]string
}

func strip(prefix string, metadata map[string]string) {
	delete(metadata, "version")
}

func copied(cfg *Config) {
	strip("x", cfg.Metadata)
}

func set(cfg *Config) {
	cfg.Metadata["level"] = "1"
}
"""


def test_through_a_parameter(repo: Repository) -> None:
    repo.put("hub", {"hub/hub.go": PASSED})

    def at(needle: str) -> str:
        return f"/src/relay/hub/hub.go:{line(PASSED, needle)}"

    report = go_report(
        (
            "write",
            [
                ("runtime.mapdelete_faststr", "/usr/local/go/src/runtime/map_faststr.go:321"),
                (f"{MODULE}/hub.strip", at("delete(")),
                (f"{MODULE}/hub.copied", at('strip("x"')),
            ],
        ),
        (
            "write",
            [
                ("runtime.mapassign_faststr", "/usr/local/go/src/runtime/map_faststr.go:223"),
                (f"{MODULE}/hub.set", at('["level"]')),
            ],
        ),
    )
    variable = told_of(repo, report).variable
    assert variable is not None
    assert (variable.name, variable.owner) == ("Metadata", "Config")
    assert variable.why == "one line touches it as a parameter, which hub.copied passes"


def test_with_no_common_name_each_side_is_told(repo: Repository) -> None:
    source = "package hub\n\nfunc A(a *X) {\n\ta.one = 1\n}\n\nfunc B(b *Y) int {\n\treturn b.two\n}\n"
    repo.put("hub", {"hub/hub.go": source})
    told = told_of(
        repo,
        go_report(
            ("write", [(f"{MODULE}/hub.A", "/src/relay/hub/hub.go:4")]),
            ("read", [(f"{MODULE}/hub.B", "/src/relay/hub/hub.go:8")]),
        ),
    )
    assert told.variable is None
    assert [next(t.path for t in side.possible_accesses) for side in told.racing_lines] == [("a", "one"), ("b", "two")]


C = """struct queue {
	int length;
};

int total;

static void drain(struct queue *q)
{
	q->length = 0;
	total = 0;
}

int waiting(struct queue *q)
{
	return q->length + total;
}
"""


def c_report(write: str, read: str, location: Location | None = None) -> Report:
    def side(op: Op, function: str, needle: str) -> Access:
        place = Frame(function, "", "src/queue.c", line(C, needle), Origin.USER, "/b/src/queue.c")
        return Access(op, "thread T1", (place,), site=place)

    sides = side(Op.WRITE, "drain", write), side(Op.READ, "waiting", read)
    return Report("tsan", "data-race", sides, location=location)


@pytest.mark.parametrize(
    ("needle", "name", "owner"), [("q->length = 0", "length", "queue"), ("total = 0", "total", None)]
)
def test_c_members_and_globals(tmp_path: Path, needle: str, name: str, owner: str | None) -> None:
    repo = Repository(tmp_path / "queue")
    repo.put("begin", {"src/queue.c": C})
    variable = told_of(repo, c_report(needle, "return q->length")).variable
    assert variable is not None
    assert (variable.name, variable.owner) == (name, owner)
    assert variable.declaration is not None


def test_what_the_detector_names_is_believed(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "queue")
    repo.put("begin", {"src/queue.c": C})
    place = Location("global", "total", file="src/queue.c", line=5)
    variable = told_of(repo, c_report("total = 0", "return q", place)).variable
    assert variable is not None
    assert (variable.name, variable.declaration) == ("total", ("src/queue.c", 5))


@pytest.mark.parametrize(
    ("language", "source", "paths"),
    [
        ("go", "x.a.b[i] = y.c()", {("x", "a", "b"): 3, ("y", "c"): 1}),
        ("go", "n := len(m.nodes)", {("n",): 3, ("m", "nodes"): 2}),
        ("go", "s := T{Key: v.f}", {("s",): 3, ("v", "f"): 2}),
        ("go", "*(*int)(p) = i", {("p",): 3, ("i",): 2}),
        ("go", "n := (*T)(p).f", {("n",): 3, ("p", "f"): 2}),
        ("c", "p->q.r += 1;", {("p", "q", "r"): 3}),
        ("cpp", "this->count++;", {}),
        ("rust", "self.total = other.count;", {("self", "total"): 3, ("other", "count"): 2}),
    ],
)
def test_touches(language: str, source: str, paths: dict[tuple[str, ...], int]) -> None:
    wrap = {"go": "func f() {{ {} }}", "rust": "fn f() {{ {} }}"}.get(language, "void f() {{ {} }}")
    got = {t.path: t.rank for t in accesses_on_line(language, wrap.format(source).encode(), 1)}
    assert paths.items() <= got.items()


def test_what_the_detector_names_is_told_where_no_clone_has_its_frames(repo: Repository) -> None:
    repo.put("hub", {"hub/hub.go": STALE})
    at = Frame("count", "", "/src/mill/mill.c", 7, Origin.USER)
    accesses = tuple(Access(Op.WRITE, f"thread T{n}", (at,), site=at) for n in (1, 2))
    place = Location("global", name="grain")
    told = told_of(repo, Report("tsan", "data-race", accesses, location=place))
    assert told.pin is None
    assert told.variable
    assert (told.variable.name, told.variable.kind) == ("grain", "package")


LOGS = """package hub

import "testing"

type writer struct{ t *testing.T }

func (w writer) Write() {
	w.t.Logf("one")
}
"""


def test_what_the_harness_keeps_of_a_test_is_no_variable_of_the_line(repo: Repository) -> None:
    repo.put("hub", {"hub/hub_test.go": LOGS})
    library = "/usr/local/go/src/testing/testing.go"
    report = go_report(
        (
            "read",
            [
                ("testing.(*common).destination", f"{library}:1012"),
                ("testing.(*common).Logf", f"{library}:1098"),
                (f"{MODULE}/hub.writer.Write", f"/src/relay/hub/hub_test.go:{line(LOGS, 'Logf')}"),
            ],
        ),
        ("write", [("testing.tRunner.func1", f"{library}:1766")]),
    )
    told = told_of(repo, report)
    assert told.pin
    assert told.variable is None


def test_a_type_that_is_converted_to_is_no_variable() -> None:
    source = b"func f() {\n\t*(*int)(p) = (*T)(q).n\n}\n"
    assert {t.path for t in accesses_on_line("go", source, 2)} == {("p",), ("q", "n"), ("q",)}


@pytest.mark.parametrize(
    ("text", "paths"), [("return", {("n",): (2, False), ("err",): (2, False)}), ("return 1, e", {("n",): (3, True)})]
)
def test_a_return_touches_the_named_results(text: str, paths: dict[tuple[str, ...], tuple[int, bool]]) -> None:
    source = f"func (t *T) f() (n int, err error) {{\n\t{text}\n}}\n".encode()
    got = {t.path: (t.rank, t.writes) for t in accesses_on_line("go", source, 2)}
    assert paths.items() <= got.items()
    closure = f"func f() (n int) {{\n\tgo func() {{\n\t\t{text}\n\t}}()\n\treturn\n}}\n".encode()
    assert ("n",) not in {t.path for t in accesses_on_line("go", closure, 3)}


STALE = """package hub

func helper() {
	work()
}

func work() {
	total++
}

func other() {
	tryIt := func() {}
	tryIt()
	dynamic()
}

var dynamic func()

var total int

func Total() int {
	return total
}
"""


@pytest.mark.parametrize(("needle", "stale"), [("	tryIt()", True), ("	dynamic()", False)])
def test_a_line_that_cannot_call_ends_the_trust(repo: Repository, needle: str, stale: bool) -> None:
    repo.put("hub", {"hub/hub.go": STALE})

    def at(text: str) -> str:
        return f"/src/relay/hub/hub.go:{line(STALE, text)}"

    told = told_of(
        repo,
        go_report(
            (
                "write",
                [
                    (f"{MODULE}/hub.work", at("total++")),
                    (f"{MODULE}/hub.helper", at("work()")),
                    (f"{MODULE}/hub.other", at(needle)),
                ],
            ),
            ("read", [(f"{MODULE}/hub.Total", at("return total"))]),
        ),
    )
    assert [f.stale for f in told.report.accesses[0].stack] == [False, False, stale]
    assert [b.caller.function for b in told.refuted_calls] == ["hub.other"] * stale


INLINED = """package hub

import "sync/atomic"

func add() {
	atomic.AddInt64(&total, 1)
}

func count() {
	add()
}

func Enter() {
	count()
}

func serve() {
	Enter()
	Leave()
}

func Leave() {
	leave()
}

func leave() {
	gone++
}

var total, gone int64

func Total() int64 {
	return total
}
"""


def test_what_is_touched_two_calls_away_is_found(repo: Repository) -> None:
    repo.put("hub", {"hub/hub.go": INLINED})

    def at(text: str) -> str:
        return f"/src/relay/hub/hub.go:{line(INLINED, text)}"

    library = ("sync/atomic.AddInt64", "/usr/local/go/src/runtime/race_amd64.s:289")
    told = told_of(
        repo,
        go_report(
            ("write", [library, (f"{MODULE}/hub.Enter", at("	count()"))]),
            ("read", [(f"{MODULE}/hub.Total", at("return total"))]),
        ),
    )
    assert told.variable
    assert told.variable.name == "total"
    assert told.variable.why == "one line touches it through count and add"


@pytest.mark.parametrize(("needle", "stale"), [("	Enter()", False), ("	Leave()", True)])
def test_inlined_functions_have_no_frame_between(repo: Repository, needle: str, stale: bool) -> None:
    repo.put("hub", {"hub/hub.go": INLINED})

    def at(text: str) -> str:
        return f"/src/relay/hub/hub.go:{line(INLINED, text)}"

    for above in (
        ("sync/atomic.AddInt64", "/usr/local/go/src/runtime/race_amd64.s:289"),
        (f"{MODULE}/hub.add", at("atomic.AddInt64")),
    ):
        told = told_of(
            repo,
            go_report(
                ("write", [above, (f"{MODULE}/hub.serve", at(needle))]),
                ("read", [(f"{MODULE}/hub.Total", at("return total"))]),
            ),
        )
        assert [f.stale for f in told.report.accesses[0].stack] == [False, stale]


LENT = """package hub

type Hub struct {
	peers map[string]int
}

func (h *Hub) drop(name string) {
	delete(h.peers, name)
}

func (h *Hub) count() int {
	all := h.peers
	return len(all)
}

func (h *Hub) pair() (int, int) {
	a, b := 1, 2
	return a, b
}
"""


def test_what_the_only_writer_stores_to(repo: Repository) -> None:
    """The other line has it by another name; that is a guess, and said to be one."""
    told = found(repo, LENT, ("(*Hub).drop", "delete(h.peers"), ("(*Hub).count", "return len(all)"))
    assert told is not None
    assert (told.owner, told.name, told.sure) == ("Hub", "peers", False)


def test_a_variable_that_the_writers_line_declares_is_nobody_elses(repo: Repository) -> None:
    lines = ("(*Hub).pair", "a, b := 1, 2"), ("(*Hub).count", "return len(all)")
    assert found(repo, LENT, *lines) is None


CPP_HEADER = """#pragma once
#include <atomic>

class Crowd {
 public:
  void enter() { inside_++; }
  bool is_full() const { return inside_ >= limit_; }

 private:
  int inside_ = 0;
  int limit_ = 9;
};

class Queue {
 public:
  void leave() { inside_--; }

 private:
  int inside_ = 0;
};
"""
CPP_HOOKS = """#include "hooks.h"

void fire_all(Hook *hook, int now) {
  hook->fire(now);
}
"""


def cpp_side(op: Op, function: str, path: str, number: int) -> Access:
    place = Frame(function, "", path, number, Origin.USER, f"/b/{path}")
    return Access(op, "thread T1", (place,), site=place)


def test_a_member_that_methods_name_without_an_object(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "crowd")
    repo.put("begin", {"src/crowd.h": CPP_HEADER})
    # a compiler that looks for headers in "." prints the path so
    sides = (
        cpp_side(Op.WRITE, "town::Crowd::enter()", "src/./crowd.h", 6),
        cpp_side(Op.READ, "town::Crowd::is_full() const", "src/./crowd.h", 7),
    )
    variable = told_of(repo, Report("tsan", "data-race", sides)).variable
    assert variable is not None
    assert (variable.name, variable.owner, variable.kind) == ("inside_", "Crowd", "field")
    assert variable.declaration == ("src/crowd.h", 10)


def test_what_is_called_through_a_pointer_does_not_change_the_pointer(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "hooks")
    repo.put("begin", {"src/hooks.cc": CPP_HOOKS})
    lone = cpp_side(Op.WRITE, "fire_all(Hook*, int)", "src/hooks.cc", 4)
    other = cpp_side(Op.READ, "std::count(int)", "count.h", 9)
    assert told_of(repo, Report("tsan", "data-race", (lone, other))).variable is None


def test_what_a_call_gives_back_did_not_race_in_it(repo: Repository) -> None:
    """`row, err := store.Open(…)` races inside of the store, whose code is not at hand."""
    source = """package hub

import "example.com/store"

func Load(names []string) {
	for _, name := range names {
		go func() {
			row, err := store.Open(name)
			use(row, err)
		}()
	}
}
"""
    repo.put("hub", {"hub/hub.go": source})
    way = [
        ("example.com/store.Open", "/home/ci/go/pkg/mod/example.com/store@v1.0.0/open.go:40"),
        (f"{MODULE}/hub.Load.func1", f"/src/relay/hub/hub.go:{line(source, 'store.Open')}"),
    ]
    assert told_of(repo, go_report(("write", way), ("write", way))).variable is None


HIDDEN = """package hub

// Settle runs f, which is called as in
// func(b *Batch) error { return b.Take(3) }
type step func(b *Batch) error

type Batch struct {
	left *int
}

func Settle(f step) {
	b := Batch{left: new(int)}
	go func() {
		defer func() {
			b = Batch{}
		}()
		_ = f(&b)
	}()
}

func Take(b *Batch) bool {
	return b.left != nil
}
"""


def test_what_a_function_is_given_is_no_variable_of_the_package(repo: Repository) -> None:
    """Neither a comment nor the type of a function declares one by that name."""
    told = found(repo, HIDDEN, ("Settle.func1.1", "b = Batch{}"), ("Take", "b.left != nil"))
    assert told is not None
    assert (told.owner, told.name, told.kind) == ("Batch", "left", "struct")


FILLED = """package hub

import "sync"

type Tuning struct {
	Label string
	limit int
}

type Hub struct {
	mu     sync.Mutex
	tuning *Tuning
}

func usual() *Tuning {
	return &Tuning{
		Label: "usual",
		limit: 3,
	}
}

func (h *Hub) tune() {
	if h.tuning == nil {
		h.tuning = usual()
	}
}

func (h *Hub) guarded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tuning = usual()
}

func (h *Hub) tell(port int) {
	say(map[string]any{
		"port": port,
		h.tuning.Label: port,
	})
}

func say(all map[string]any) {}
"""
TELLS = ("(*Hub).tell", "h.tuning.Label: port")


def test_a_line_of_a_literal_fills_a_field(repo: Repository) -> None:
    """And a key of a map is read, though that of a struct is only a name."""
    variable = found(repo, FILLED, ("usual", 'Label: "usual"'), TELLS)
    assert variable is not None
    assert (variable.name, variable.owner, variable.kind) == ("Label", "Tuning", "field")
    assert variable.declaration == ("hub/hub.go", line(FILLED, "Label string"))


@pytest.mark.parametrize(
    ("caller", "row", "cause"),
    [
        ("(*Hub).tune", line(FILLED, "= usual()"), "lazy-initialisation"),
        ("(*Hub).guarded", line(FILLED, "= usual()", 2), "partial-lock"),
    ],
)
def test_who_has_an_object_made(repo: Repository, caller: str, row: int, cause: str) -> None:
    """What is raced for is new: what its makers check or hold is about where it is kept."""
    repo.put("hub", {"hub/hub.go": FILLED})
    made = [("usual", line(FILLED, 'Label: "usual"')), (caller, row)]
    sides = [
        (op, [(f"{MODULE}/hub.{name}", f"/src/relay/hub/hub.go:{at}") for name, at in way])
        for op, way in (("write", made), ("read", [(TELLS[0], line(FILLED, TELLS[1]))]))
    ]
    assert told_of(repo, go_report(*sides)).causes[0].cause == cause


KEPT = """package hub

var (
	plans = newPlans()
	notes = &Notes{}
)

const most = 3

type Plans struct{ first, last string }

func (p *Plans) Find(key string) bool { return key == "" }

type Notes struct{ text string }

func newPlans() *Plans { return &Plans{} }

func look(key string) bool {
	if plans.Find(key) && key != "" {
		return true
	}
	found, n := plans.Find(key), most
	return found && plans.first != notes.text && n > 0
}

func (p *Plans) copy() (Plans, string) {
	c, last := *p, p.last
	c.first = p.last
	return c, last
}
"""


@pytest.mark.parametrize(
    ("function", "text", "address", "expected"),
    [
        ("look", "if plans.Find", "000000780748", "plans"),
        ("look", "found, n := plans", "000000780748", "plans"),  # a constant is nobody's variable
        ("look", "if plans.Find", "00c000012340", None),  # its key may be meant
        ("look", "return found", "000000780748", None),  # two of the package's
        ("(*Plans).copy", "c.first = p.last", "00c000012340", "last"),
        ("(*Plans).copy", "*p, p.last", "00c000012340", None),  # all of it is read
    ],
)
def test_what_the_only_line_that_is_known_is_about(
    repo: Repository, function: str, text: str, address: str, expected: str | None
) -> None:
    repo.put("hub", {"hub/hub.go": KEPT})
    place = f"/src/relay/hub/hub.go:{line(KEPT, text)}"
    lost = go_text(("read", [(f"{MODULE}/hub.{function}", place)]), ("write", []))
    told = lost.replace("goroutine 8:\n", "goroutine 8:\n  [failed to restore the stack]\n")
    (sighting,) = deadheat.scan(told.replace("00c000012340", address), diagnose=False)
    variable = told_of(repo, sighting.report).variable
    assert (variable and variable.name) == expected


def searched(
    files: dict[str, str], *accesses: tuple[Op, list[tuple[str, str, int]]], user_files: tuple[str, ...] = ()
) -> RaceVariable | None:
    """The variable in the sources, without a search for their version: each frame as function, path and line."""
    tree: Any = ProgramSource({path: text.encode() for path, text in files.items()})
    sides: list[Access] = []
    for op, frames in accesses:
        origins = [Origin.USER if path in (*files, *user_files) else Origin.STDLIB for _, path, _ in frames]
        stack = tuple(Frame(f, "", p, n, o, p) for (f, p, n), o in zip(frames, origins, strict=True))
        sides.append(Access(op, f"goroutine {len(sides)}", stack, site=stack[-1]))
    report = Report("go", "data-race", tuple(sides))
    racing_lines = find_racing_lines(tree, tree, report)
    return find_variable(tree, racing_lines, report) or likely_variable(tree, racing_lines)


EDITED = """package hub

type Hub struct {
	size  int
	names []string
	other *Hub
}

func (h *Hub) Grow() {
	// the line numbers of the report are those of another version
	h.size = 3
}

func (h *Hub) Reset() {
	// two fields
	h.size = 0



	h.names = nil
}

func (h *Hub) Size() int {
	// comment
	if h.other == nil {
		return h.size
	}
	return len(h.names)
}

func (h *Hub) Fill() {
	_ = Hub{size: h.other.size, names: h.other.names}
}
"""


def test_lines_of_another_version_leave_what_both_functions_access() -> None:
    comment = line(EDITED, "// the line numbers")
    write = (Op.WRITE, [("x/hub.(*Hub).Grow", "hub/hub.go", comment)])
    read = (Op.READ, [("x/hub.(*Hub).Size", "hub/hub.go", line(EDITED, "// comment"))])
    told = searched({"hub/hub.go": EDITED}, write, read)
    assert told is not None
    assert (told.owner, told.name, told.sure, told.alternatives) == ("Hub", "size", False, ())


@pytest.mark.parametrize(("shift", "expected"), [(0, "size"), (3, "names")])
def test_of_several_fields_the_one_with_equal_shifts_is_named(shift: int, expected: str) -> None:
    write = (Op.WRITE, [("x/hub.(*Hub).Reset", "hub/hub.go", line(EDITED, "// two fields") + shift)])
    read = (Op.READ, [("x/hub.(*Hub).Size", "hub/hub.go", line(EDITED, "if h.other"))])
    told = searched({"hub/hub.go": EDITED}, write, read)
    assert told is not None
    assert {told.name, *(other.name for other in told.alternatives)} == {"size", "names"}
    assert told.name == expected


SPREAD = """package hub

func (h *Hub) Load() {
	// reported
	h.near = 1



	h.far = 2
}
"""


@pytest.mark.parametrize(("other", "expected"), [("near + h.far", "near"), ("far + h.near", "near"), ("none", None)])
def test_of_several_fields_the_one_clearly_nearer_is_named(other: str, expected: str | None) -> None:
    declared = "package hub\n\ntype Hub struct {\n\tnear int\n\tfar int\n}\n\n"
    reads = declared + f"func (h *Hub) Sum() int {{\n\t// reported\n\treturn h.{other}\n}}\n"
    write = (Op.WRITE, [("x/hub.(*Hub).Load", "hub/load.go", line(SPREAD, "// reported"))])
    read = (Op.READ, [("x/hub.(*Hub).Sum", "hub/sum.go", line(reads, "// reported"))])
    told = searched({"hub/load.go": SPREAD, "hub/sum.go": reads}, write, read)
    assert (told and told.name) == expected


def test_a_line_that_stores_to_another_field_is_not_moved() -> None:
    """The other function reads `names`, which only the function of the store writes."""
    write = (Op.WRITE, [("x/hub.(*Hub).Reset", "hub/hub.go", line(EDITED, "h.size = 0"))])
    source = EDITED + "\nfunc (h *Hub) Names() []string {\n\t// first\n\treturn h.names\n}\n"
    read = (Op.READ, [("x/hub.(*Hub).Names", "hub/hub.go", line(source, "return h.names"))])
    assert searched({"hub/hub.go": source}, write, read) is None


def test_code_of_another_module_accesses_its_own_variables() -> None:
    source = "package hub\n\nfunc (h *Hub) save(all []int) error {\n\treturn h.client.Create(all)\n}\n"
    stack = [("example.com/api.(*Client).Create", "api.go", 40), ("x/hub.(*Hub).save", "hub/hub.go", 4)]
    tree_files = {"hub/hub.go": source}
    assert searched(tree_files, (Op.WRITE, stack), (Op.WRITE, stack), user_files=("api.go",)) is None


CHAINED = """package hub

type Labels map[string]int

type Hub struct {
	labels Labels
	peers  peersByName
}

type peersByName map[string]*Peer

type Peer struct {
	uses int
}

func (l Labels) put(name string) {
	l[name] = 1
}

func store(into Labels, name string) {
	into.put(name)
}

func (h *Hub) Set(name string) {
	store(h.labels, name)
}

func (h *Hub) Get(name string) int {
	return h.labels[name]
}

func (h *Hub) Use(name string) func() bool {
	peer := h.peers[name]
	peer.uses++
	return func() bool { return peer.uses > 0 }
}

func (h *Hub) Mark(name string) {
	labels := h.labels
	labels[name] = 2
}
"""


def test_a_receiver_is_followed_through_several_callers() -> None:
    calls = [("Labels.put", "l[name]"), ("store", "into.put"), ("(*Hub).Set", "store(h.labels")]
    write = (Op.WRITE, [(f"x/hub.{name}", "hub/hub.go", line(CHAINED, text)) for name, text in calls])
    read = (Op.READ, [("x/hub.(*Hub).Get", "hub/hub.go", line(CHAINED, "return h.labels"))])
    told = searched({"hub/hub.go": CHAINED}, write, read)
    assert told is not None
    assert (told.owner, told.name) == ("Hub", "labels")


def test_recursive_calls_are_followed_a_few_times_only() -> None:
    source = "package hub\n\nfunc walk(all []int) {\n\tall[0] = 1\n\twalk(all)\n}\n"
    stack = [("x/hub.walk", "hub/hub.go", 4), *[("x/hub.walk", "hub/hub.go", 5)] * 3]
    assert searched({"hub/hub.go": source}, (Op.WRITE, stack), (Op.WRITE, stack)) is None


def test_a_local_name_of_a_map_is_the_field() -> None:
    write = (Op.WRITE, [("x/hub.(*Hub).Mark", "hub/hub.go", line(CHAINED, "labels[name] = 2"))])
    read = (Op.READ, [("x/hub.(*Hub).Get", "hub/hub.go", line(CHAINED, "return h.labels"))])
    told = searched({"hub/hub.go": CHAINED}, write, read)
    assert told is not None
    assert (told.owner, told.name, told.sure) == ("Hub", "labels", True)


def test_an_element_of_a_named_map_type_has_its_own_owner() -> None:
    write = (Op.WRITE, [("x/hub.(*Hub).Use", "hub/hub.go", line(CHAINED, "peer.uses++"))])
    read = (Op.READ, [("x/hub.(*Hub).Use.func1", "hub/hub.go", line(CHAINED, "peer.uses > 0"))])
    told = searched({"hub/hub.go": CHAINED}, write, read)
    assert told is not None
    assert (told.owner, told.name) == ("Peer", "uses")


OPTIONS = """package option

type Options struct {
	Debug bool
}

var Config = &Options{}

func (o *Options) Verbose() bool {
	return o.Debug
}
"""
USES_OPTIONS = """package hub

import "example.com/x/option"

func start() {
	option.Config.Debug = true
}

func stop() {
	say(option.Config.Verbose())
}
"""


def test_a_field_of_a_package_variable_of_another_package() -> None:
    files = {"option/option.go": OPTIONS, "hub/hub.go": USES_OPTIONS}
    write = (Op.WRITE, [("x/hub.start", "hub/hub.go", line(USES_OPTIONS, "Debug = true"))])
    read = (Op.READ, [("x/option.(*Options).Verbose", "option/option.go", line(OPTIONS, "return o.Debug"))])
    inlined = (Op.READ, [("x/hub.stop", "hub/hub.go", line(USES_OPTIONS, "Config.Verbose"))])
    # the frame of the inlined method is missing
    for told in (searched(files, write, read), searched(files, read, write), searched(files, write, inlined)):
        assert told is not None
        assert (told.owner, told.name, told.kind) == ("Options", "Debug", "field")
        assert told.declaration == ("option/option.go", line(OPTIONS, "Debug bool"))


BUFFERED = """package hub

import (
	"bytes"
	"io"
)

type Log struct {
	out io.Writer
}

func (l *Log) Print(text []byte) {
	l.out.Write(text)
}

func TestLog(t *testing.T) {
	var text bytes.Buffer
	check(t, text.String())
}
"""


def test_the_object_whose_library_method_made_the_access() -> None:
    """The field of the other side is an interface: it only holds the object."""
    lines = line(BUFFERED, "text.String"), line(BUFFERED, "l.out.Write")
    read = (Op.READ, [("bytes.(*Buffer).String", "buffer.go", 65), ("x/hub.TestLog", "hub/hub.go", lines[0])])
    write_frames = [("bytes.(*Buffer).grow", "buffer.go", 117), ("bytes.(*Buffer).Write", "buffer.go", 170)]
    write = (Op.WRITE, [*write_frames, ("x/hub.(*Log).Print", "hub/hub.go", lines[1])])
    told = searched({"hub/hub.go": BUFFERED}, write, read)
    assert told is not None
    assert (told.owner, told.name, told.sure) == (None, "text", False)


def test_a_method_that_has_no_frame_is_not_a_write_of_its_receiver(repo: Repository) -> None:
    """`s.backend.SetError(&Error{…})` writes the new object."""
    source = "package hub\n\nfunc (h *Hub) fail() {\n\th.backend.SetError(&Error{Name: 3})\n}\n"
    lone = (Op.WRITE, [("x/hub.(*Hub).fail", "hub/hub.go", 4)])
    other = (Op.READ, [("example.com/bus.(*Conn).send", "conn.go", 9)])
    assert searched({"hub/hub.go": source}, lone, other) is None


CPP_COUNTED = """#include <atomic>
#include <pthread.h>

class CondVar {
 public:
  ~CondVar() { pthread_cond_destroy(&cv_); }
  void Signal() { pthread_cond_broadcast(&cv_); }
 private:
  pthread_cond_t cv_;
};

class Family {
 public:
  void Unref() {
    int old = refs_.fetch_sub(1);
  }
  long number() const { return number_; }
 private:
  std::atomic<int> refs_;
  long number_;
};

void Parse(long *number) {
  *number = 3;
}

void Drop(Family *family) {
  delete family;
}
"""


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((Op.FREE, "Drop(Family*)", "delete family"), (Op.ATOMIC_WRITE, "Family::Unref()", "fetch_sub"), "refs_"),
        ((Op.WRITE, "Parse(long*)", "*number = 3"), (Op.READ, "Family::number() const", "return number_"), "number_"),
        # the variable is the condition variable of the class that uses it
        (
            (Op.WRITE, "CondVar::~CondVar()", "pthread_cond_destroy"),
            (Op.READ, "CondVar::Signal()", "pthread_cond_broadcast"),
            None,
        ),
    ],
)
def test_a_member_of_an_object_that_the_other_line_frees_or_points_to(
    first: tuple[Op, str, str], second: tuple[Op, str, str], expected: str | None
) -> None:
    sides = []
    for op, function, text in (first, second):
        inner = [("pthread_cond_broadcast", "interceptors.inc", 9)] if "CondVar" in function else []
        sides.append((op, [*inner, (function, "src/family.cc", line(CPP_COUNTED, text))]))
    told = searched({"src/family.cc": CPP_COUNTED}, *sides)
    assert (told and told.name) == expected
