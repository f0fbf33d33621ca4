"""Causes found with source code: evidence must concern the variable that races, not its neighbours on the line."""

from __future__ import annotations

import pytest

import deadheat
from deadheat.diagnosis import diagnose
from tests.repositories import MODULE, Repository, at, first, go_report, go_text, line, told_of

pytestmark = pytest.mark.usefixtures("cache")

PRINTED = """package shop

import "fmt"

type Rule struct{ Port string }

type Rules []*Rule

func (r *Rule) clean() {
	r.Port = "any"
}

func (rs Rules) String() string {
	var all []string
	for _, r := range rs {
		all = append(all, fmt.Sprintf("%+v", r))
	}
	return fmt.Sprint(all)
}
"""
PRINTER = [
    ("fmt.(*pp).printValue", "/usr/local/go/src/fmt/print.go:726"),
    ("fmt.Sprintf", "/usr/local/go/src/fmt/print.go:239"),
]


def test_value_printed_into_a_slice_is_not_the_slice(repo: Repository) -> None:
    read = [*PRINTER, at(PRINTED, "Rules.String", "append(all")]
    cause = first(repo, PRINTED, [at(PRINTED, "(*Rule).clean", 'r.Port = "any"')], read)
    assert cause == "missing-lock"


LOGGED = """package shop

import (
	"fmt"
	"sync"
)

type page struct{ text []byte }

var pagePool = sync.Pool{New: func() any { return new(page) }}

type Rule struct{ Port string }

func (r *Rule) clean() {
	r.Port = "any"
}

type shown struct{ v any }

func (s shown) String() string {
	return fmt.Sprintf("%+v", s.v)
}

func log(v any) {
	buf := pagePool.Get().(*page)
	fmt.Fprint(buf, shown{v})
	pagePool.Put(buf)
}
"""


def test_pooled_buffer_of_a_printer_is_not_the_value_printed(repo: Repository) -> None:
    read = [
        *PRINTER,
        at(LOGGED, "shown.String", "fmt.Sprintf"),
        ("fmt.(*pp).handleMethods", "/usr/local/go/src/fmt/print.go:673"),
        ("fmt.Fprint", "/usr/local/go/src/fmt/print.go:254"),
        at(LOGGED, "log", "fmt.Fprint"),
    ]
    cause = first(repo, LOGGED, [at(LOGGED, "(*Rule).clean", 'r.Port = "any"')], read)
    assert cause == "missing-lock"


SUMMED = """package shop

import "sync"

type totals struct {
	mu   sync.Mutex
	used int
}

type Shop struct {
	mu sync.Mutex
	n  int
}

func (s *Shop) Sync() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := totals{}
	for range 4 {
		go s.one(&sum)
	}
	return sum.used
}

func (s *Shop) one(sum *totals) {
	sum.mu.Lock()
	sum.used++
	sum.mu.Unlock()
}
"""


def test_object_with_its_own_lock_is_not_guarded_by_the_lock_of_another_type(repo: Repository) -> None:
    cause = first(
        repo, SUMMED, [at(SUMMED, "(*Shop).one", "sum.used++")], [at(SUMMED, "(*Shop).Sync", "return sum.used")]
    )
    assert cause == "partial-lock"


COMPARED = """package shop

import "sync"

type Cache struct {
	mu   sync.Mutex
	news *sync.Cond
}

func (c *Cache) listen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		c.news.Wait()
	}
}

type Shop struct {
	mu sync.Mutex
	c  *Cache
}

func check(shop *Shop, other *Cache) bool {
	shop.mu.Lock()
	defer shop.mu.Unlock()
	return reflect.DeepEqual(shop.c, other)
}
"""


def test_comparison_holds_the_lock_of_the_object_it_came_from(repo: Repository) -> None:
    write = [
        ("sync.(*Cond).Wait", "/usr/local/go/src/sync/cond.go:71"),
        at(COMPARED, "(*Cache).listen", "c.news.Wait()"),
    ]
    read = [("reflect.DeepEqual", "/usr/local/go/src/reflect/deepequal.go:229"), at(COMPARED, "check", "DeepEqual")]
    assert first(repo, COMPARED, write, read) == "partial-lock"


SERVED = """package shop

import "sync"

type Shop struct {
	mu   sync.Mutex
	name string
}

type buyer struct {
	mu   sync.Mutex
	shop *Shop
}

func Keep(shops map[string]Shop) {}

func (s *Shop) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name = ""
}

func (s *Shop) serve() *buyer {
	b := &buyer{shop: s}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.greet()
	return b
}

func (b *buyer) greet() string {
	return b.shop.name
}
"""


def test_locks_of_two_types_with_one_name_are_different_locks(repo: Repository) -> None:
    """`Keep` copies shops, but the lock of the buyer is no copy of a shop's."""
    cause = first(
        repo,
        SERVED,
        [at(SERVED, "(*Shop).Close", 's.name = ""')],
        [at(SERVED, "(*buyer).greet", "return b.shop.name"), at(SERVED, "(*Shop).serve", "b.greet()")],
    )
    assert cause != "copied-lock"


MATCHED = """package shop

import "example.com/match"

func Serve() {
	failing := match.New()
	for _, who := range []string{"a", "b"} {
		go func() {
			match.Should(who, failing)
		}()
	}
}
"""
MATCH = """package match

type Match struct{ failed string }

func Should(who string, m *Match) {
	m.failed = who
}
"""


def test_target_of_a_captured_pointer_was_not_captured(repo: Repository) -> None:
    vendored = "vendor/example.com/match/match.go"
    repo.put("match", {vendored: MATCH})
    stack = [
        (f"{MODULE}/vendor/example.com/match.Should", f"/src/relay/{vendored}:6"),
        at(MATCHED, "Serve.func1", "Should(who, failing)"),
    ]
    assert first(repo, MATCHED, stack, stack) == "missing-lock"


def test_worker_started_by_a_teardown_is_not_what_it_tears_down() -> None:
    """The write is the teardown's own; its worker lacks a lock."""
    created = (
        "Goroutine 8 (running) created at:\n  example.com/shop.(*Till).sweep()\n"
        "      /src/shop/till.go:28 +0x45\n  example.com/shop.(*Till).Close()\n"
        "      /src/shop/till.go:40 +0x45\n"
    )
    closes = ("example.com/shop.(*Till).Close", "/src/shop/till.go:44")
    sweeps = ("example.com/shop.(*Till).sweep.func1", "/src/shop/till.go:30")
    report = go_report(
        ("write", [("example.com/shop.(*Till).put", "/src/shop/till.go:80"), closes]),
        ("read", [("example.com/shop.(*Till).left", "/src/shop/till.go:12"), sweeps]),
        created=created,
    )
    assert "teardown-vs-worker" not in [finding.cause for finding in diagnose(report)]


def test_test_function_has_no_named_result() -> None:
    created = "Goroutine 7 (running) created at:\n  example.com/shop.TestSell()\n      /src/shop/shop_test.go:9 +0x45\n"
    text = go_text(
        ("write", [("example.com/shop.TestSell.func1", "/src/shop/shop_test.go:10")]),
        ("write", [("example.com/shop.TestSell", "/src/shop/shop_test.go:13")]),
        created=created,
    )
    # an error variable has two words and cannot have this address
    (sighting,) = deadheat.scan(text.replace("12340", "12348"), diagnose=False)
    assert diagnose(sighting.report)[0].cause == "local-captured"


ENTERED = """package shop

import "sync"

type Shop struct {
	mu    sync.RWMutex
	items map[string]*int
}

func (s *Shop) entry(key string) *int {
	s.mu.RLock()
	e, ok := s.items[key]
	s.mu.RUnlock()
	if ok {
		return e
	}
	s.mu.Lock()
	if e, ok = s.items[key]; !ok {
		e = new(int)
		s.items[key] = e
	}
	s.mu.Unlock()
	return e
}

func (s *Shop) Sum() (n int) {
	for _, e := range s.items {
		n += *e
	}
	return n
}
"""


def test_double_checked_locking_needs_the_check_on_the_racing_side(repo: Repository) -> None:
    """`entry` checks again under the lock; `Sum` does not lock."""
    write = [
        ("runtime.mapassign_faststr", "/usr/local/go/src/runtime/map_faststr.go:203"),
        at(ENTERED, "(*Shop).entry", "s.items[key] = e"),
    ]
    read = [
        ("runtime.mapiterinit", "/usr/local/go/src/runtime/map.go:816"),
        at(ENTERED, "(*Shop).Sum", "range s.items"),
    ]
    assert first(repo, ENTERED, write, read) == "partial-lock"


REPORTED = """package shop

type Shop struct{ sum int }

func (s *Shop) Run(span interface{ Done() }) {
	span.Done()
	s.sum++
}

func Open(s *Shop, span interface{ Done() }) {
	go s.Run(span)
}

func Check(s *Shop) int {
	return s.sum
}
"""


def test_early_done_needs_a_reader_that_waits(repo: Repository) -> None:
    created = (
        f"Goroutine 7 (running) created at:\n  {MODULE}/shop.Open()\n"
        f"      /src/relay/shop/shop.go:{line(REPORTED, 'go s.Run')} +0x45\n"
    )
    write = [at(REPORTED, "(*Shop).Run", "s.sum++")]
    read = [at(REPORTED, "Check", "return s.sum")]
    assert first(repo, REPORTED, write, read, created) != "done-before-cleanup"


def test_slice_that_receives_the_result_of_a_call_is_not_its_operand(repo: Repository) -> None:
    source = """package shop

type Bar struct{ n int }

type Shop struct {
	bar  Bar
	left int
}

func (b Bar) Left() int { return b.n }

func (s *Shop) Init() {
	s.left = 3
}

func show(all []*Shop) (bars []int) {
	for _, s := range all {
		bars = append(bars, s.bar.Left())
	}
	return bars
}
"""
    read = [(f"{MODULE}/shop.(*Bar).Left", "<autogenerated>:1"), at(source, "show", "append(bars")]
    write = [at(source, "(*Shop).Init", "s.left = 3")]
    assert first(repo, source, write, read) == "missing-lock"


def test_outer_read_lock_guards_its_own_table(repo: Repository) -> None:
    """Both sides hold the shop's read lock; the till lacks a lock of its own."""
    source = """package shop

import "sync"

type Shop struct {
	mu    sync.RWMutex
	tills map[string]*till
}

type till struct{ d drawer }

type drawer struct{ coins int }

func (s *Shop) Pay(who string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.tills[who].take()
}

func (t *till) take() {
	t.d.add()
}

func (d *drawer) add() {
	d.coins = 3
}
"""
    stack = [
        at(source, "(*drawer).add", "d.coins = 3"),
        at(source, "(*till).take", "t.d.add()"),
        at(source, "(*Shop).Pay", "take()"),
    ]
    assert first(repo, source, stack, stack) != "write-under-rlock"


def test_scanner_over_a_file_is_not_shared() -> None:
    """The library closes the file on the other side."""
    report = go_report(
        (
            "write",
            [
                ("os.(*file).close", "/usr/local/go/src/os/file_unix.go:143"),
                ("os.(*File).Close", "/usr/local/go/src/os/file_unix.go:132"),
                ("os/exec.(*Cmd).Wait", "/usr/local/go/src/os/exec/exec.go:448"),
                ("example.com/shop.run", "/src/shop/run.go:20"),
            ],
        ),
        (
            "read",
            [
                ("os.(*File).Read", "/usr/local/go/src/os/file.go:98"),
                ("bufio.(*Scanner).Scan", "/usr/local/go/src/bufio/scan.go:207"),
                ("example.com/shop.run.func1", "/src/shop/run.go:14"),
            ],
        ),
    )
    assert diagnose(report)[0].cause == "teardown-vs-worker"


def test_worker_of_the_first_call_does_not_renew_for_the_second() -> None:
    began = (
        "  example.com/shop.(*Shop).open()\n      /src/shop/shop.go:{} +0x45\n"
        "  example.com/shop.Run()\n      /src/shop/shop.go:9 +0x45\n"
    )
    created = (
        "Goroutine 7 (running) created at:\n"
        "  example.com/shop.(*Shop).initTill()\n      /src/shop/till.go:68 +0x45\n"
        f"{began.format(22)}\nGoroutine 8 (running) created at:\n"
        "  example.com/shop.(*Shop).watch()\n      /src/shop/watch.go:46 +0x45\n"
        f"{began.format(39)}"
    )
    report = go_report(
        (
            "write",
            [
                ("example.com/shop.(*Shop).dial.func1", "/src/shop/till.go:127"),
                ("example.com/shop.(*Shop).initTill", "/src/shop/till.go:56"),
                ("example.com/shop.(*Shop).initTill.func1", "/src/shop/till.go:68"),
            ],
        ),
        (
            "read",
            [
                ("example.com/shop.(*Shop).till", "/src/shop/till.go:32"),
                ("example.com/shop.(*Shop).watch.func1", "/src/shop/watch.go:46"),
            ],
        ),
        created=created,
    )
    assert "worker-outlives-owner" not in [finding.cause for finding in diagnose(report)]


def test_struct_copy_hides_no_function(repo: Repository) -> None:
    """`runtime.racereadrange` stands above the line that copies."""
    source = """package shop

import "sync"

type Item struct{ name, place string }

type Shop struct {
	mu   sync.Mutex
	best *Item
}

func (s *Shop) Set(name string) {
	s.mu.Lock()
	s.best.name = name
	s.mu.Unlock()
}

func (s *Shop) Best() Item {
	return *s.best
}
"""
    copied = ("runtime.racereadrange", "<autogenerated>:1")
    read = [copied, at(source, "(*Shop).Best", "return *s.best")]
    assert first(repo, source, [at(source, "(*Shop).Set", "s.best.name = name")], read) == "partial-lock"


def test_two_spellings_may_name_one_lock(repo: Repository) -> None:
    """`find` returns a till as far as is known: `t.mu` and `Till.mu` may be the same lock."""
    source = """package shop

import "sync"

type Till struct {
	mu    sync.Mutex
	coins int
}

type Shop struct{ tills map[string]*Till }

func (s *Shop) pay(who string) {
	t, ok := s.find(who)
	if !ok {
		return
	}
	t.mu.Lock()
	t.coins = 3
	t.mu.Unlock()
}

func (t *Till) Coins() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.coins
}
"""
    repo.put("shop", {"shop/shop.go": source})
    write = [at(source, "(*Shop).pay", "t.coins = 3")]
    read = [at(source, "(*Till).Coins", "return t.coins")]
    causes = told_of(repo, go_report(("write", write), ("read", read))).causes
    assert all(one.confidence < 0.6 for one in causes if one.cause == "different-locks")


LET_GO = """package shop

import "sync"

type Till struct {
	mu   sync.Mutex
	desk *int
}

func (t *Till) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.desk = nil
}

func (t *Till) Open() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.greet()
}

func (t *Till) greet() {
	if t.desk != nil {
		t.mu.Unlock()
		print(*t.desk)
		t.mu.Lock()
	}
}
"""


def test_lock_released_before_the_line_is_not_held_for_the_caller(repo: Repository) -> None:
    cause = first(
        repo,
        LET_GO,
        [at(LET_GO, "(*Till).Close", "t.desk = nil")],
        [at(LET_GO, "(*Till).greet", "print("), at(LET_GO, "(*Till).Open", "t.greet()")],
    )
    assert cause == "partial-lock"


MEASURED = """package shop

import "sync"

type Order struct {
	mu    sync.Mutex
	parts []string
}

func (o *Order) list() []string {
	return o.parts
}

func (o *Order) join(more []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(more) == 0 {
		return
	}
	o.parts = merged(o.parts, more)
}

func (o *Order) Follow(args []string) *Order {
	next := &Order{parts: o.list()}
	if len(args) > 9 {
		return nil
	}
	next.join(args)
	return next
}
"""


def test_length_checks_of_different_variables_are_not_compared(repo: Repository) -> None:
    cause = first(
        repo,
        MEASURED,
        [at(MEASURED, "(*Order).join", "o.parts = merged"), at(MEASURED, "(*Order).Follow", "next.join")],
        [at(MEASURED, "(*Order).list", "return o.parts"), at(MEASURED, "(*Order).Follow", "next :=")],
    )
    assert cause == "partial-lock"


SET_SOURCE = """package marks

type Set struct{ first *int }

func (s *Set) Add(n int) {
	s.first = &n
}

func (s *Set) Empty() bool {
	return s.first == nil
}
"""
SET_OWNER = """package shop

import (
	"sync"

	"example.com/relay/marks"
)

type Shelf struct {
	mu   sync.Mutex
	sold marks.Set
}

func (s *Shelf) Sell(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sold.Add(n)
}

func (s *Shelf) Fresh() bool {
	return s.sold.Empty()
}
"""


def test_set_is_guarded_by_the_lock_of_its_struct(repo: Repository) -> None:
    repo.put("marks", {"marks/marks.go": SET_SOURCE})
    adds, asks = (
        (f"{MODULE}/marks.(*Set).{name}", f"/src/relay/marks/marks.go:{line(SET_SOURCE, text)}")
        for name, text in (("Add", "s.first = &n"), ("Empty", "s.first == nil"))
    )
    cause = first(
        repo,
        SET_OWNER,
        [adds, at(SET_OWNER, "(*Shelf).Sell", "s.sold.Add(n)")],
        [asks, at(SET_OWNER, "(*Shelf).Fresh", "return s.sold")],
    )
    assert cause == "partial-lock"


OUTSIDE = """package shop

import "sync"

type Line struct {
	sync.Mutex
	label string
	calls int
}

func (l *Line) connect(label string) {
	l.Lock()
	l.label = label
	l.calls = 0
	l.Unlock()
}

type Board struct {
	sync.Mutex
	lines map[string]*Line
}

func (b *Board) sweep() {
	b.Lock()
	defer b.Unlock()
	for _, l := range b.lines {
		print(l.label)
	}
}

func (b *Board) count() {
	b.Lock()
	defer b.Unlock()
	for _, l := range b.lines {
		if l.calls < 9 {
			l.calls++
		}
	}
}
"""


@pytest.mark.parametrize(
    ("write", "reader", "read", "expected"),
    [
        ("l.label = label", "(*Board).sweep", "print(l.label)", "partial-lock"),
        # counting under its own lock shows that this lock guards the counter
        ("l.calls = 0", "(*Board).count", "if l.calls < 9", "different-locks"),
    ],
)
def test_lock_of_the_container_is_not_the_lock_of_the_element(
    repo: Repository, write: str, reader: str, read: str, expected: str
) -> None:
    cause = first(repo, OUTSIDE, [at(OUTSIDE, "(*Line).connect", write)], [at(OUTSIDE, reader, read)])
    assert cause == expected


RETURNED_MAP = """package shop

import (
	"sync"

	"example.com/lists"
)

type Desk struct {
	mu   sync.RWMutex
	open lists.Bag[string]
}

func (d *Desk) all() lists.Bag[string] {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.open
}

func (d *Desk) run() {
	for name := range d.names {
		d.mu.Lock()
		d.open.Drop(name)
		d.mu.Unlock()
	}
}

func check(t *testing.T, d *Desk) {
	assert.Equal(t, wanted, d.all())
}
"""


def test_compared_value_is_an_argument_of_the_line_in_the_test(repo: Repository) -> None:
    """A map type is returned by reference, not as a copy."""
    testify = "/home/ci/go/pkg/mod/github.com/stretchr/testify@v1.8.4/assert/assertions.go"
    write = [
        ("runtime.mapdelete_faststr", "/usr/local/go/src/runtime/map_faststr.go:301"),
        ("example.com/lists.Bag[go.shape.string].Drop", "/go/pkg/mod/example.com/lists@v1.0.0/b.go:6"),
        at(RETURNED_MAP, "(*Desk).run", "d.open.Drop(name)"),
    ]
    read = [
        ("reflect.maplen", "/usr/local/go/src/runtime/map.go:1411"),
        ("reflect.DeepEqual", "/usr/local/go/src/reflect/deepequal.go:237"),
        ("github.com/stretchr/testify/assert.Equal", f"{testify}:414"),
        at(RETURNED_MAP, "check", "assert.Equal"),
    ]
    assert first(repo, RETURNED_MAP, write, read) == "partial-lock"


POOLED = """package shop

import "sync"

type page struct{ text []byte }

var (
	pages = sync.Pool{New: func() any { return new(page) }}
	clerk = &Clerk{}
)

type Clerk struct{ name string }

func (c *Clerk) Name() string { return c.name }

func open(name string) {
	clerk = &Clerk{name}
}

func list(all []string) {
	p := pages.Get().(*page)
	go func() {
		for range all {
			sign(p)
		}
	}()
	pages.Put(p)
}

func sign(p *page) {
	p.text = append(p.text, clerk.Name()...)
}
"""


@pytest.mark.parametrize(
    ("address", "expected"), [("00c000012340", "pooled-object-reused"), ("000000780748", "missing-lock")]
)
def test_package_variable_is_not_a_pooled_object(repo: Repository, address: str, expected: str) -> None:
    """Its address lies in the program's data, not on the heap."""
    repo.put("shop", {"shop/shop.go": POOLED})
    read = [at(POOLED, "sign", "p.text = append"), at(POOLED, "list.func1", "\tsign(p)")]
    started = at(POOLED, "list", "go func()")
    began = f"Goroutine 8 (running) created at:\n  {started[0]}()\n      {started[1]} +0x44\n"
    write = [at(POOLED, "open", "clerk = &Clerk{name}")]
    text = go_text(("write", write), ("read", read), created=began)
    (sighting,) = deadheat.scan(text.replace("00c000012340", address), diagnose=False)
    assert told_of(repo, sighting.report).causes[0].cause == expected


LOCKED_ELSEWHERE = """package shop

import "sync"

type Shop struct {
	mu, turn sync.Mutex
	turns    int
	spare    int
}

func NewShop() *Shop {
	s := &Shop{}
	s.turns = 1
	return s
}

func (s *Shop) Next() int {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.turns++
	return s.spare
}

func (s *Shop) Back() {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.turns--
}

func (s *Shop) Turns() int {
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.turns
}

func (s *Shop) Peek() int { return s.turns }

func (s *Shop) Reopen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = 7
	s.spare = 7
}

func (s *Shop) Close() {
	s.mu.Lock()
	s.turn.Lock()
	s.turns = 0
	s.turn.Unlock()
	s.mu.Unlock()
}
"""


@pytest.mark.parametrize(
    ("function", "text", "expected"),
    [
        ("(*Shop).Reopen", "s.turns = 7", "partial-lock"),
        ("(*Shop).Reopen", "s.spare = 7", "unknown"),  # one other method is weak evidence
        ("(*Shop).Close", "s.turns = 0", "unknown"),  # it holds the lock that the others hold
        ("NewShop", "s.turns = 1", "unknown"),  # the object is not shared yet
    ],
)
def test_field_that_other_methods_lock(repo: Repository, function: str, text: str, expected: str) -> None:
    """The stack of the other side is lost, but its source is available."""
    repo.put("shop", {"shop/shop.go": LOCKED_ELSEWHERE})
    report_text = go_text(("write", [at(LOCKED_ELSEWHERE, function, text)]), ("read", []))
    lost = report_text.replace("goroutine 8:\n", "goroutine 8:\n  [failed to restore the stack]\n")
    (sighting,) = deadheat.scan(lost, diagnose=False)
    assert told_of(repo, sighting.report).causes[0].cause == expected
