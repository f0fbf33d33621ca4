"""Causes around initialisation: who creates an object, who configures it, and when others use it."""

from __future__ import annotations

import pytest

import deadheat
from deadheat.diagnosis import diagnose
from tests.repositories import MODULE, Repository, Way, at, first, frame, go_report, go_text, line, told_of

pytestmark = pytest.mark.usefixtures("cache")

COMPUTED_ONCE = """package shop

import "strings"

type Label struct {
	parts []string
	text  string
	phase int
	size  int
}

func (l *Label) Size() int {
	if l.size > 0 {
		return l.size
	}
	size := 0
	for _, part := range l.parts {
		size += len(part)
	}
	l.size = size
	return l.size
}

func (l *Label) Text() string {
	if l.text != "" {
		return l.text
	}
	var all []string
	all = append(all, l.parts...)
	l.text = strings.Join(all, "/")
	return l.text
}

func (l *Label) Advance() {
	if l.phase != 0 {
		return
	}
	l.phase = 2
}
"""


@pytest.mark.parametrize(
    ("method", "write", "read", "expected"),
    [
        ("Text", "l.text = strings", 'l.text != ""', "lazy-initialisation"),
        ("Size", "l.size = size", "l.size > 0", "lazy-initialisation"),
        ("Advance", "l.phase = 2", "l.phase != 0", "check-then-act"),
    ],
)
def test_value_computed_once_is_lazy_initialisation(
    repo: Repository, method: str, write: str, read: str, expected: str
) -> None:
    name = f"(*Label).{method}"
    assert first(repo, COMPUTED_ONCE, [at(COMPUTED_ONCE, name, write)], [at(COMPUTED_ONCE, name, read)]) == expected


PRICED = """package shop

type Terms struct {
	Days int
	Word string
}

func usual() *Terms {
	return &Terms{
		Days: 30,
		Word: "net",
	}
}

type Desk struct {
	terms *Terms
	old   Terms
}

func (d *Desk) ready() {
	if d.terms == nil {
		d.terms = usual()
	}
}

func (d *Desk) Bill(sum int) map[string]int {
	d.ready()
	return map[string]int{
		d.terms.Word: sum,
	}
}

func (d *Desk) Renew(word string) {
	d.old = Terms{
		Word: word,
	}
}

func (d *Desk) Old() string { return d.old.Word }
"""


def test_multiline_literal_creates_an_object(repo: Repository) -> None:
    write = [
        at(PRICED, "usual", 'Word: "net"'),
        at(PRICED, "(*Desk).ready", "d.terms = usual"),
        at(PRICED, "(*Desk).Bill", "d.ready()"),
    ]
    cause = first(repo, PRICED, write, [at(PRICED, "(*Desk).Bill", "d.terms.Word: sum")])
    assert cause == "lazy-initialisation"


def test_value_stored_in_place_creates_no_object(repo: Repository) -> None:
    write = [at(PRICED, "(*Desk).Renew", "Word: word")]
    cause = first(repo, PRICED, write, [at(PRICED, "(*Desk).Old", "return d.old.Word")])
    assert cause == "missing-lock"


CALLED_BACK = """package shop

import "sync"

type Porter struct {
	mu     sync.Mutex
	seen   map[string]bool
	onDone func(string)
}

func NewPorter() *Porter { return &Porter{seen: map[string]bool{}} }

func (p *Porter) Begin() {
	go func() {
		p.carry()
	}()
}

func (p *Porter) carry() {
	for _, name := range []string{"a", "b"} {
		go func() {
			p.finish(name)
		}()
	}
}

func (p *Porter) finish(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(name)
	p.seen[name] = true
}

func (p *Porter) tell(name string) {
	p.onDone(name)
}

type Desk struct{ porter *Porter }

func NewDesk(p *Porter) *Desk {
	d := &Desk{porter: p}
	p.onDone = d.note
	return d
}

func (d *Desk) note(string) {}

func (d *Desk) Swap(p *Porter) {
	p.onDone = d.note
}

func open() *Desk {
	p := NewPorter()
	p.Begin()
	return NewDesk(p)
}
"""
READER = [
    at(CALLED_BACK, "(*Porter).tell", "p.onDone(name)"),
    at(CALLED_BACK, "(*Porter).finish", "p.tell(name)"),
    at(CALLED_BACK, "(*Porter).carry.func1", "p.finish(name)"),
]


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        ("func (d *Desk) Swap(p *Porter) {\n\tp.onDone = d.note\n}\n", "started-before-initialised"),
        ("", "partial-lock"),  # also stored elsewhere, which needs the lock
    ],
)
def test_lock_held_during_a_callback_does_not_guard_its_field(repo: Repository, left_out: str, expected: str) -> None:
    source = CALLED_BACK.replace(left_out, "\n\n\n" if left_out else "")
    write = [at(source, "NewDesk", "p.onDone = d.note"), at(source, "open", "return NewDesk(p)")]
    assert first(repo, source, write, READER) == expected


SERVED = """package shop

type Hub struct {
	jobs  chan int
	slots chan struct{}
}

type Shop struct {
	hub  Hub
	main *Hub
}

func (s *Shop) open() {
	hub := Hub{jobs: make(chan int)}
	go hub.serve()
	s.hub = hub
}

func (s *Shop) lend() {
	other := &Hub{jobs: make(chan int)}
	go other.serve()
	s.main = other
}

func (s *Shop) wait() {
	last := &Hub{jobs: make(chan int)}
	go last.serve()
	last.slots <- struct{}{}
}

func (h *Hub) serve() {
	h.slots = make(chan struct{}, 4)
	for range h.jobs {
		<-h.slots
	}
}
"""


@pytest.mark.parametrize(
    ("method", "read", "expected"),
    [
        ("open", "s.hub = hub", "started-before-initialised"),
        ("wait", "last.slots <-", "started-before-initialised"),
        ("lend", "s.main = other", "missing-lock"),  # a pointer: its field is not read there
    ],
)
def test_worker_without_a_creation_stack_initialises_a_field(
    repo: Repository, method: str, read: str, expected: str
) -> None:
    write = [at(SERVED, "(*Hub).serve", "h.slots = make")]
    assert first(repo, SERVED, write, [at(SERVED, f"(*Shop).{method}", read)]) == expected


PACED = """package shop

import "example.com/other/pace"

func (s *Shop) serve() {
	p := pace.New()
	ticks := pace.NewTicks(p) // serve
	for range ticks.C {
		p.Reset() // serve
	}
}

func (s *Shop) again() {
	p := pace.New()
	p.Reset()
	ticks := pace.NewTicks(p) // again
	p.Reset() // again
	<-ticks.C
}

func (s *Shop) tune() {
	p := pace.New()
	ticks := pace.NewTicks(p) // tune
	p.Reset() // tune
	<-ticks.C
}
"""
PACE = "/go/pkg/mod/example.com/other/pace@v1.2.0"


def library_report(method: str, began: int, now: int) -> tuple[Way, Way, str]:
    """A goroutine of a library reads what a method called by its starter writes."""
    caller, file = f"{MODULE}/shop.(*Shop).{method}", "/src/relay/shop/shop.go"
    write = [("example.com/other/pace.(*Pace).Reset", f"{PACE}/pace.go:65"), (caller, f"{file}:{now}")]
    read = [
        ("example.com/other/pace.(*Pace).next", f"{PACE}/pace.go:73"),
        ("example.com/other/pace.(*Ticks).run", f"{PACE}/ticks.go:63"),
    ]
    created = (
        "Goroutine 8 (running) created at:\n"
        f"  example.com/other/pace.NewTicks()\n      {PACE}/ticks.go:49 +0x45\n"
        f"  {caller}()\n      {file}:{began} +0x45\n"
    )
    return write, read, created


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("serve", "missing-lock"),  # repeatedly
        ("again", "missing-lock"),  # also called before the start
        ("tune", "started-before-initialised"),
    ],
)
def test_reset_of_a_library_object_is_not_always_initialisation(repo: Repository, method: str, expected: str) -> None:
    began, now = line(PACED, f"(p) // {method}"), line(PACED, f"Reset() // {method}")
    write, read, created = library_report(method, began, now)
    assert first(repo, PACED, write, read, created) == expected


@pytest.mark.parametrize(("began", "now", "expected"), [(14, 30, "unknown"), (14, 9, "worker-outlives-owner")])
def test_reset_after_the_start_is_not_a_next_use(began: int, now: int, expected: str) -> None:
    write, read, created = library_report("serve", began, now)
    report = go_report(("write", write), ("read", read), created=created)
    assert diagnose(report)[0].cause == expected


HANDED = """package shop

type Crew struct{ quiet bool }

func (c *Crew) Quiet() bool { return c.quiet }

func (c *Crew) Enlist(name string) {
	go func() {
		if !c.Quiet() {
			println(name)
		}
	}()
}

func Voyage(body func(c *Crew)) {
	c := &Crew{}
	c.Enlist("captain")
	body(c)
}
"""
TESTED = """package shop

import "testing"

func TestQuiet(t *testing.T) {
	Voyage(func(c *Crew) {
		c.quiet = true
	})
}

func TestLater(t *testing.T) {
	Voyage(func(c *Crew) {
		c.Enlist("cook")
		c.quiet = true // later
	})
}
"""


@pytest.mark.parametrize(
    ("test", "write", "expected"),
    [
        ("TestQuiet", "c.quiet = true", "started-before-initialised"),
        ("TestLater", "c.quiet = true // later", "missing-lock"),  # already in use
    ],
)
def test_closure_that_first_sets_a_field_of_its_argument(
    repo: Repository, test: str, write: str, expected: str
) -> None:
    repo.put("voyage", {"shop/shop.go": HANDED, "shop/shop_test.go": TESTED})
    stack = [
        (f"{MODULE}/shop.{test}.func1", f"/src/relay/shop/shop_test.go:{line(TESTED, write)}"),
        at(HANDED, "Voyage", "body(c)"),
        (f"{MODULE}/shop.{test}", f"/src/relay/shop/shop_test.go:{line(TESTED, test) + 1}"),
    ]
    read = [at(HANDED, "(*Crew).Quiet", "return c.quiet"), at(HANDED, "(*Crew).Enlist.func1", "!c.Quiet()")]
    diagnosis = told_of(repo, go_report(("write", stack), ("read", read)))
    assert diagnosis.causes[0].cause == expected


@pytest.mark.parametrize(("lost", "expected"), [(False, "started-before-initialised"), (True, "unknown")])
def test_test_that_sets_a_field_for_a_worker_with_a_lost_stack(lost: bool, expected: str) -> None:
    read = [(f"{MODULE}/shop.(*Shop).loop", "/src/relay/shop/shop.go:41")]
    test = f"{MODULE}/shop.TestShop", "/src/relay/shop/shop_test.go:{}"
    text = go_text(
        ("write", [(test[0], test[1].format(34))]),
        ("read", read),
        created=(
            "Goroutine 8 (running) created at:\n"
            f"  {MODULE}/shop.(*Shop).Start()\n      /src/relay/shop/shop.go:30 +0x45\n"
            f"  {test[0]}()\n      {test[1].format(12)} +0x45\n"
        ),
    )
    if lost:
        text = text.replace(frame(*read[0]), "  [failed to restore the stack]\n")
    (sighting,) = deadheat.scan(text, diagnose=False)
    assert diagnose(sighting.report)[0].cause == expected
