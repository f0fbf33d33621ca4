"""Reports of a side branch are pinned to it where the main line fits by accident, or as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deadheat.repo.clone import Clone
from deadheat.repo.pinning import find_pin
from tests.repositories import MODULE, Repository, go_report, line

if TYPE_CHECKING:
    from deadheat.repo.pinning import Pin

pytestmark = pytest.mark.usefixtures("cache")

HUB = """package hub

import "sync"

type Hub struct {
	mu                 sync.Mutex
	count, size, other int
}

// Close ends it.
func (h *Hub) Close() error {
	h.size = 0
	h.count = 0
	return nil
}

func (h *Hub) run() {
	if h.size > 3 {
		h.other++
	}
}
"""


def test_lines_of_a_branch_that_share_a_name_are_preferred_to_lines_that_fit_by_accident(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("checkout", "-q", "-b", "topic")
    own = HUB.replace("package hub\n", "package hub\n// moved\n")
    tip = repo.put("hub: comment", {"hub/hub.go": own})
    repo.git("checkout", "-q", "main")
    write, read = line(own, "h.size = 0"), line(own, "if h.size")
    main_lines = HUB.splitlines()
    assert (main_lines[write - 1], main_lines[read - 1]) == ("\th.count = 0", "\t\th.other++")
    pin = pin_of(repo, write, read)
    assert pin is not None
    assert (pin.best_window.last, pin.is_exact) == (tip, True)


def test_the_side_branch_that_is_checked_out_is_preferred_where_the_main_line_fits_as_well(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("checkout", "-q", "-b", "topic")
    tip = repo.put("hub: more", {"hub/hub.go": HUB + "\nfunc more() {}\n"})
    pin = pin_of(repo, line(HUB, "h.size = 0"), line(HUB, "if h.size"))
    assert pin is not None
    assert pin.best_window.last == tip
    repo.git("checkout", "-q", "main")
    pin = pin_of(repo, line(HUB, "h.size = 0"), line(HUB, "if h.size"))
    assert pin is not None
    assert pin.best_window.last != tip


def pin_of(repo: Repository, write: int, read: int) -> Pin | None:
    report = go_report(
        ("write", [(f"{MODULE}/hub.(*Hub).Close", f"/src/relay/hub/hub.go:{write}")]),
        ("read", [(f"{MODULE}/hub.(*Hub).run", f"/src/relay/hub/hub.go:{read}")]),
    )
    with Clone(str(repo.path)) as clone:
        return find_pin(clone, report)
