"""Reports whose lines fit no commit: their functions are there, and tell where they raced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deadheat.repo.document_claims import DocumentHints
from tests.repositories import MODULE, Repository, go_report, line, told_of

if TYPE_CHECKING:
    from deadheat.repo.dossier import Dossier

pytestmark = pytest.mark.usefixtures("cache")

CONFIDENT = 0.8
LOCKED = """package hub

import "sync"

type Hub struct {
	mu    sync.Mutex
	count int
}

func (h *Hub) Add() {
	h.mu.Lock()
	h.count++
	h.mu.Unlock()
}

func (h *Hub) Count() int {
	return h.count
}
"""


def hub_race(repo: Repository, source: str, shift: int) -> Dossier:
    """A race between `Add` and `Count`; the line of the first as it was in a tree of somebody's own."""
    repo.put("hub", {"hub/hub.go": source})
    added, read = line(source, "h.count++") + shift, line(source, "return h.count")
    return told_of(
        repo,
        go_report(
            ("write", [(f"{MODULE}/hub.(*Hub).Add", f"/src/relay/hub/hub.go:{added}")]),
            ("read", [(f"{MODULE}/hub.(*Hub).Count", f"/src/relay/hub/hub.go:{read}")]),
        ),
    )


def test_a_line_that_fits_is_taken_at_its_word(repo: Repository) -> None:
    told = hub_race(repo, LOCKED, 0)
    assert told.causes[0].cause == "partial-lock"
    assert told.causes[0].confidence >= CONFIDENT


def test_a_line_that_cannot_race_is_looked_for_by_what_it_does(repo: Repository) -> None:
    """Who was at work on the file when it raced had other lines than any commit has."""
    told = hub_race(repo, LOCKED, -9)
    first = told.causes[0]
    assert first.cause == "partial-lock"
    assert first.confidence < CONFIDENT
    assert any(f"it is line {line(LOCKED, 'h.count++')}" in e.text for e in first.evidence)
    assert told.variable is not None
    assert (told.variable.name, told.variable.sure) == ("count", False)


def test_where_several_lines_would_do_none_is_evidence(repo: Repository) -> None:
    """Two things that both functions touch: which of them raced, nobody can tell."""
    both = LOCKED.replace("h.count++", "h.count++\n\th.sum++")
    told = hub_race(repo, both.replace("return h.count", "return h.count + h.sum"), -9)
    assert not any("it is line" in item.text for item in told.causes[0].evidence)
    assert told.causes[0].confidence < CONFIDENT


CALLED = """package hub

import "sync"

type Hub struct {
	mu    sync.Mutex
	count int
}

func (h *Hub) Add() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.grow()
}

func (h *Hub) grow() {
	h.count++
}

func (h *Hub) Count() int {
	return h.count
}
"""


def called_race(repo: Repository, grows: int, adds: int, *, known: bool = False) -> Dossier:
    """`known`: somebody says which commit the report is of."""
    commit = repo.put("hub", {"hub/hub.go": CALLED})
    way = [
        (f"{MODULE}/hub.(*Hub).grow", f"/src/relay/hub/hub.go:{grows}"),
        (f"{MODULE}/hub.(*Hub).Add", f"/src/relay/hub/hub.go:{adds}"),
    ]
    reads = line(CALLED, "return h.count") + grows - line(CALLED, "h.count++")
    read = [(f"{MODULE}/hub.(*Hub).Count", f"/src/relay/hub/hub.go:{reads}")]
    return told_of(repo, go_report(("write", way), ("read", read)), DocumentHints((commit,) * known))


def test_a_caller_that_moved_still_holds_its_lock(repo: Repository) -> None:
    """The racing lines fit, so nothing of the finding is in doubt."""
    told = called_race(repo, line(CALLED, "h.count++"), 900)
    assert told.causes[0].cause == "partial-lock"
    assert told.causes[0].confidence >= CONFIDENT


def test_what_fits_nowhere_is_looked_for_where_it_is_said_to_come_from(repo: Repository) -> None:
    told = called_race(repo, 900, 950, known=True)
    assert told.pin is None
    assert told.causes[0].cause == "partial-lock"
    assert told.causes[0].confidence < CONFIDENT


def test_what_fits_nowhere_and_comes_from_nowhere_is_not_looked_for(repo: Repository) -> None:
    """Today's code may be mended long since."""
    told = called_race(repo, 900, 950)
    assert not told.causes[0].from_source


def test_one_function_on_both_sides_is_not_looked_through(repo: Repository) -> None:
    commit = repo.put("hub", {"hub/hub.go": CALLED})
    way = [(f"{MODULE}/hub.(*Hub).grow", "/src/relay/hub/hub.go:900")]
    told = told_of(repo, go_report(("write", way), ("read", way)), DocumentHints((commit,)))
    assert not told.causes[0].from_source


OPENED = """package hub

import "sync"

type Hub struct {
	mu    sync.Mutex
	plan  string
	ready bool
}

func (h *Hub) Open(plan string) {
	if plan != "" {
		go h.watch(plan)
	}
	h.plan = plan
	h.ready = true
}

func (h *Hub) watch(plan string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.plan == plan
}
"""


@pytest.mark.parametrize(("shift", "expected"), [(1, "plan"), (0, None)])
def test_a_line_that_fits_by_accident_moved_with_its_function(
    repo: Repository, shift: int, expected: str | None
) -> None:
    """It starts a goroutine one line above where the report says so: then it also wrote one above."""
    repo.put("hub", {"hub/hub.go": OPENED})
    opened = f"{MODULE}/hub.(*Hub).Open"
    begun, written = line(OPENED, "go h.watch") + shift, line(OPENED, "h.ready = true")
    report = go_report(
        ("write", [(opened, f"/src/relay/hub/hub.go:{written}")]),
        ("read", [(f"{MODULE}/hub.(*Hub).watch", f"/src/relay/hub/hub.go:{line(OPENED, 'h.plan ==')}")]),
        created=f"Goroutine 8 (running) created at:\n  {opened}()\n      /src/relay/hub/hub.go:{begun} +0x44\n",
    )
    variable = told_of(repo, report).variable
    assert (variable and variable.name) == expected
