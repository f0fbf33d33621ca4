"""Races inside of a dependency whose code is not at hand: what its caller's line tells."""

from __future__ import annotations

import pytest

from tests.repositories import MODULE, Repository, go_report, line, told_of

pytestmark = pytest.mark.usefixtures("cache")

SETS = """package hub

import (
	"sync"

	"example.com/bits"
)

type Set struct {
	mu   sync.RWMutex
	rows *bits.Rows
}

func (s *Set) Copy() *bits.Rows {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rows.Copy()
}
"""


def test_what_a_dependency_does_is_done_under_its_callers_lock(repo: Repository) -> None:
    """Its code is not at hand; the line that calls it is, and holds the lock for reading only."""
    repo.put("hub", {"hub/hub.go": SETS})
    way = [
        ("example.com/bits.(*Rows).mark", "/home/ci/go/pkg/mod/example.com/bits@v1.2.0/rows.go:40"),
        ("example.com/bits.(*Rows).Copy", "/home/ci/go/pkg/mod/example.com/bits@v1.2.0/rows.go:31"),
        (f"{MODULE}/hub.(*Set).Copy", f"/src/relay/hub/hub.go:{line(SETS, 'rows.Copy()')}"),
    ]
    told = told_of(repo, go_report(("write", way), ("write", way)))
    assert told.causes[0].cause == "write-under-rlock"
    assert [len(access.stack) for access in told.report.accesses] == [3, 3]
    assert all(a.site and a.site.function == "bits.(*Rows).mark" for a in told.report.accesses)


def test_what_is_vendored_is_others_code_too(repo: Repository) -> None:
    """Its source is at hand, and holds no lock of anybody's."""
    inner = "package bits\n\nfunc (r *Rows) Copy() *Rows {\n\tr.marked = true\n\treturn r\n}\n"
    vendored = "vendor/example.com/bits/rows.go"
    repo.put("hub", {"hub/hub.go": SETS, vendored: inner})
    way = [
        (f"{MODULE}/vendor/example.com/bits.(*Rows).Copy", f"/src/relay/{vendored}:4"),
        (f"{MODULE}/hub.(*Set).Copy", f"/src/relay/hub/hub.go:{line(SETS, 'rows.Copy()')}"),
    ]
    told = told_of(repo, go_report(("write", way), ("write", way)))
    assert told.causes[0].cause == "write-under-rlock"
