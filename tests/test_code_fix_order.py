"""Which of several commits is the first fix: what it changes, what merged it, whether the report is older."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat.repo.clone import Clone
from deadheat.repo.document_claims import DocumentHints
from eval.fix_first import choose_races, find_fix, fix_table, without_reports
from eval.real_races import RealRace
from tests.repositories import Repository, go_report, go_text, line, told_of
from tests.test_code_pin import FIXED, HUB, MOVED, race, race_text

if TYPE_CHECKING:
    from deadheat.model import Report

pytestmark = pytest.mark.usefixtures("cache")

# the racing function takes the lock in another one
GUARDED = HUB.replace("	h.count = 0\n	return nil\n", "	defer h.enter()()\n	h.count = 0\n	return nil\n")
ENTER = "\nfunc (h *Hub) enter() func() {\n	return func() {}\n}\n"
LOCKING_ENTER = "\nfunc (h *Hub) enter() func() {\n	h.mu.Lock()\n	return h.mu.Unlock\n}\n"
TEST = "package hub\n\nfunc TestHub(t *testing.T) {\n	h := &Hub{}\n	Start(h)\n	h.Close()\n}\n"


def test_a_lock_in_a_function_that_a_racing_function_calls_is_a_fix(repo: Repository) -> None:
    source = GUARDED + ENTER
    repo.put("hub: begin", {"hub/hub.go": source})
    fix = repo.put("hub: fix data race in Close", {"hub/hub.go": GUARDED + LOCKING_ENTER})
    (found,) = told_of(repo, race(source)).fixed_by
    assert found.commit == fix
    assert "adds a lock in Hub.enter, which Close calls" in found.why


def test_a_moved_line_adds_no_lock(repo: Repository) -> None:
    source = GUARDED + LOCKING_ENTER
    repo.put("hub: begin", {"hub/hub.go": source})
    repo.put(
        "hub: fix data race in logs", {"hub/hub.go": GUARDED + LOCKING_ENTER.replace("	h.mu", "	//\n	h.mu", 1)}
    )
    assert told_of(repo, race(source)).fixed_by == ()


def test_a_fix_that_replaces_the_racing_line_in_place_is_one(repo: Repository) -> None:
    # the line of the report fits both versions, and only the newer one has its very text
    mended = HUB.replace("	h.count = 0\n", "	h.total = 0\n")
    before = repo.put("hub: begin", {"hub/hub.go": HUB})
    fix = repo.put("hub: fix data race in Close", {"hub/hub.go": mended})
    found = told_of(repo, race(HUB))
    assert found.fixed_by[0].commit == fix
    assert found.pin is not None
    assert found.pin.window.last == before


def test_a_fix_with_its_test_is_older_than_the_code_that_the_report_fits_best(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    mended = HUB.replace("	go h.run()", "	h.wait()")
    fix = repo.put(
        "hub: fix data race in run",
        {"hub/hub.go": mended.replace("h.count > 3", "h.count > 4"), "hub/hub_test.go": TEST},
    )
    report = race_in_test(HUB)
    found = told_of(repo, report)
    assert found.pin is not None
    assert found.fixed_by[0].commit == fix
    assert found.fixed_by[0].score < 0.9


def race_in_test(source: str) -> Report:
    place = f"/src/relay/hub/hub.go:{line(source, 'h.count = 0')}"
    other = f"/src/relay/hub/hub.go:{line(source, 'if h.count > 3')}"
    module = "example.com/acme/relay/hub"
    test = (f"{module}.TestHub", f"/src/relay/hub/hub_test.go:{line(TEST, 'h.Close()')}")
    return go_report(("write", [(f"{module}.(*Hub).Close", place), test]), ("read", [(f"{module}.(*Hub).run", other)]))


def test_the_commit_of_a_large_merge_that_is_about_the_race_speaks_for_it(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("checkout", "-q", "-b", "topic")
    inner = repo.put("hub: fix data race in Close", {"hub/hub.go": FIXED})
    for number in range(30):
        repo.put(f"hub: comment {number}", {"hub/hub.go": FIXED + f"\n// {number}\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Release 2", "topic")
    merge = repo.git("rev-parse", "HEAD")
    repo.put("hub: drop the loop, synchronized elsewhere", {"hub/hub.go": MOVED.replace("h.count > 3", "h.done()")})
    best = told_of(repo, race(HUB)).fixed_by[0]
    assert best.commit == merge
    assert f"merges {inner[:11]}" in best.why


def test_a_merge_may_bring_a_race_together_with_its_fix(repo: Repository) -> None:
    repo.put("begin", {"README.md": "x"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: fix data race in run", {"hub/hub.go": HUB.replace("h.count > 3", "h.load() > 3 && h.count > 0")})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge pull request #7 from topic", "topic")
    merge = repo.git("rev-parse", "HEAD")
    assert told_of(repo, race(HUB)).fixed_by[0].commit == merge


GTEST = """#include <gtest/gtest.h>

TEST_F(FeedTest, Opens) {
  feed_.limit = 1;
}

TEST_F(FeedTest, Drops) {
  feed_.limit = 2;
}
"""


def test_the_test_of_a_macro_is_told_from_others_of_its_file(repo: Repository) -> None:
    repo.put("begin", {"feed/feed_test.cc": GTEST})
    other = repo.put("fix data race in Opens", {"feed/feed_test.cc": GTEST.replace("= 1;", "= 1;  // once")})
    fix = repo.put(
        "fix data race", {"feed/feed_test.cc": GTEST.replace("  feed_.limit = 2;", "  feed_.lock(); feed_.limit = 2;")}
    )
    text = (
        "WARNING: ThreadSanitizer: data race (pid=7)\n"
        "  Write of size 4 at 0x7b0400000000 by main thread:\n"
        "    #0 FeedTest_Drops_Test::TestBody() /src/feed/feed_test.cc:8:15 (feed+0x1)\n\n"
        "  Previous write of size 4 at 0x7b0400000000 by thread T1:\n"
        "    #0 FeedTest_Drops_Test::TestBody() /src/feed/feed_test.cc:8:15 (feed+0x1)\n\n"
    )
    report = deadheat.scan(text, diagnose=False)[0].report
    commits = [fix.commit for fix in told_of(repo, report).fixed_by]
    assert commits[0] == fix
    assert other not in commits


def test_messages_without_their_reports_do_not_quote(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    fix = repo.put(f"hub: guard count\n\n{race_text(HUB)}\nSigned-off-by: A", {"hub/hub.go": FIXED})
    real = RealRace("acme/relay", fix, 1, "missing-lock", (), None, "")
    with Clone(str(repo.path)) as clone:
        message = without_reports(clone.messages.message_at(clone.main.last_position))
    assert "DATA RACE" not in message.text
    assert "Signed-off-by" in message.text
    shown, hidden = (find_fix(real, repo.path, hide=hide) for hide in (False, True))
    assert shown is not None
    assert hidden is not None
    assert (shown.grade, hidden.grade) == ("first", "first")
    assert shown.fixes[0].score >= 0.9 > hidden.fixes[0].score
    assert list(fix_table([shown, hidden]))[2] == "| 2 | 2 | 0 | 0 | 0 | 0 | 0 |"
    assert choose_races([real, real], 1, 1) == [real]


def test_a_report_of_other_lines_has_no_earlier_fix(repo: Repository) -> None:
    """The frames fit the newest version only: what was fixed before is another race."""
    repo.put("hub: begin", {"hub/hub.go": HUB.replace("h.count = 0", "h.reset()").replace("h.count > 3", "h.old()")})
    repo.put("hub: fix data race in run", {"hub/hub.go": HUB})
    repo.put("docs", {"README.md": go_text()})
    assert told_of(repo, race(HUB)).fixed_by == ()


@pytest.mark.parametrize(("message", "is_fix"), [("fix data race in CloseAll", True), ("fix data race", False)])
def test_a_commit_in_the_window_names_the_caller_that_it_changes(repo: Repository, message: str, is_fix: bool) -> None:
    source = HUB + "\nfunc (h *Hub) CloseAll() {\n	h.Close()\n	log(h)\n}\n"
    repo.put("hub: begin", {"hub/hub.go": source})
    fix = repo.put(message, {"hub/hub.go": source.replace("log(h)", "log(h.name)")})
    module = "example.com/acme/relay/hub"
    lines = line(source, "h.count = 0"), line(source, "h.Close()", 2), line(source, "if h.count")
    places = [f"/src/relay/hub/hub.go:{number}" for number in lines]
    stack = [(f"{module}.(*Hub).Close", places[0]), (f"{module}.(*Hub).CloseAll", places[1])]
    found = told_of(repo, go_report(("write", stack), ("read", [(f"{module}.(*Hub).run", places[2])])))
    assert [c.commit for c in found.fixed_by] == ([fix] if is_fix else [])


def test_a_fix_that_was_undone_before_the_version_of_the_report_is_none(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: fix data race in Close\n\nclose #41", {"hub/hub.go": FIXED})
    repo.put("hub: begin again", {"hub/hub.go": HUB})
    found = told_of(repo, race(HUB), DocumentHints(issues=("41",)))
    assert (found.fixed_by, found.still_present) == ((), True)
