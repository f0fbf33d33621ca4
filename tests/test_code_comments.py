"""What a comment above a function says of the lock; and what rules make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deadheat.repo.syntax.line_context import comment_requires_lock
from tests.repositories import at, first, go_report, told_of

if TYPE_CHECKING:
    from tests.repositories import Repository

pytestmark = pytest.mark.usefixtures("cache")

WANTS = [
    "// Lock should be held.",
    "// turn turns it.\n// The caller must hold d.mu.",
    "/* Called with door->lock held */",
    "/*\n * Counts them. It assumes that\n * the mutex is already held.\n */",
    "// turn requires doorMu to be held; see Open.",
    "// The keys' lock is held on entry, and let go for a while.",
]
SAYS_NOTHING = [
    "// turn turns it.",
    "// Lock should not be held.",
    "// It holds the lock while it turns.",
    "// Must be called without holding d.mu.",
    "// Callers must not turn it too often. It takes the lock.",
    "// The lock must be oiled, and the door held.\n",
]


@pytest.mark.parametrize("text", WANTS)
def test_a_comment_that_says_who_has_the_lock(text: str) -> None:
    source = f"package p\n\n{text}\nfunc turn() {{}}\n"
    assert comment_requires_lock(source.encode(), source.count("\n"))


@pytest.mark.parametrize("text", SAYS_NOTHING)
def test_a_comment_that_does_not(text: str) -> None:
    source = f"package p\n\n// Lock should be held.\nvar n int\n\n{text}\nfunc turn() {{}}\n"
    assert not comment_requires_lock(source.encode(), source.count("\n"))


KEPT = """package shop

import "sync"

type Shelf struct {
	mu   sync.Mutex
	used int
}

// add counts one more.
// Lock must be held.
func (s *Shelf) add(n int) {
	s.used += n
}

// full tells whether nothing more fits.
// Lock must be held.
func (s *Shelf) full() bool {
	return 9 < s.used
}

func (s *Shelf) Used() int {
	return s.used
}

func show(s *Shelf) bool {
	return s.full()
}
"""
ADDS = [at(KEPT, "(*Shelf).add", "s.used += n")]


def test_who_says_nothing_of_the_lock_lacks_it(repo: Repository) -> None:
    said = first(repo, KEPT, ADDS, [at(KEPT, "(*Shelf).Used", "return s.used")])
    assert said == "partial-lock"


def test_who_is_called_without_it_lacks_it_whatever_its_comment_says(repo: Repository) -> None:
    read = [at(KEPT, "(*Shelf).full", "return 9 < s.used"), at(KEPT, "show", "return s.full()")]
    assert first(repo, KEPT, ADDS, read) == "partial-lock"


def test_two_who_both_want_the_lock_do_not_tell_which_of_them_has_it(repo: Repository) -> None:
    read = [at(KEPT, "(*Shelf).full", "return 9 < s.used")]
    repo.put("shop", {"shop/shop.go": KEPT})
    assert told_of(repo, go_report(("write", ADDS), ("read", read))).causes[0].confidence < 0.8
