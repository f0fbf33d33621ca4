"""Pins: the window of commits that fits, in histories that are known."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat.repo.clone import Clone
from deadheat.repo.pinning import find_pin
from tests.repositories import MODULE, Repository, go_report, go_text, line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deadheat.model import Report
    from deadheat.repo.pinning import Pin

HUB = """package hub

import "sync"

type Hub struct {
	mu    sync.Mutex
	count int
}

// Close ends it.
func (h *Hub) Close() error {
	h.count = 0
	return nil
}

func (h *Hub) run() {
	for {
		if h.count > 3 {
			return
		}
	}
}

func Start(h *Hub) {
	go h.run()
	defer h.Close()
}
"""
MOVED = HUB.replace("// Close ends it.", "// Close ends it.\n// It may be called twice.")
FIXED = MOVED.replace("	h.count = 0\n", "	h.mu.Lock()\n	h.count = 0\n	h.mu.Unlock()\n").replace(
    "		if h.count > 3 {", "		h.mu.Lock()\n		n := h.count\n		h.mu.Unlock()\n		if n > 3 {"
)


pytestmark = pytest.mark.usefixtures("cache")


def race_text(source: str, file: str = "/src/relay/hub/hub.go") -> str:
    write, read = line(source, "h.count = 0"), line(source, "if h.count > 3")
    go = line(source, "go h.run()")
    return go_text(
        ("write", [(f"{MODULE}/hub.(*Hub).Close", f"{file}:{write}")]),
        ("read", [(f"{MODULE}/hub.(*Hub).run", f"{file}:{read}")]),
        created=f"Goroutine 8 (running) created at:\n  {MODULE}/hub.Start()\n      {file}:{go} +0x3\n",
    )


def race(source: str, file: str = "/src/relay/hub/hub.go") -> Report:
    (sighting,) = deadheat.scan(race_text(source, file), diagnose=False)
    return sighting.report


def pinned(where: Path, report: Report, candidates: Sequence[str] = ()) -> Pin:
    with Clone(str(where)) as clone:
        found = find_pin(clone, report, candidates)
    assert found is not None
    return found


def ends(found: Pin) -> tuple[str, str, int]:
    return found.window.first, found.window.last, found.window.commit_count


def test_a_window_ends_where_the_lines_move(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    last = repo.put("docs", {"README.md": "hello"})
    repo.put("hub: comment", {"hub/hub.go": MOVED})
    found = pinned(repo.path, race(HUB))
    assert ends(found) == (first, last, 2)
    assert found.is_exact
    assert (found.frame_count, found.ties, found.misfits) == (3, (), ())


def test_a_line_of_the_function_that_is_a_comment_does_not_fit(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    commented = HUB.replace("	h.count = 0\n", "	// begin anew\n	h.count = 0\n")
    after = repo.put("hub: comment", {"hub/hub.go": commented})
    found = pinned(repo.path, race(HUB))
    assert found.window.commit_count == 1
    assert found.window.last != after


def test_the_newer_version_pins_to_the_newer_window(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    moved = repo.put("hub: comment", {"hub/hub.go": MOVED})
    assert ends(pinned(repo.path, race(MOVED))) == (moved, moved, 1)


def test_a_report_that_fits_nowhere_gets_the_best_base(repo: Repository) -> None:
    base = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: another", {"hub/hub.go": "package hub\n"})
    branch = HUB.replace("func Start(", "// a branch\n// of work\n\nfunc Start(")
    found = pinned(repo.path, race(branch))
    assert not found.is_exact
    assert found.window.last == base
    assert [f.function for f in found.misfits] == ["hub.Start"]


def test_a_file_that_moved_is_found_where_it_was(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("mv", "hub", "core")
    repo.put("move it", {})
    assert ends(pinned(repo.path, race(HUB))) == (first, first, 1)
    moved = pinned(repo.path, race(HUB, "/src/relay/core/hub.go"))
    assert moved.window.first != first


def test_of_two_files_of_one_name_the_path_decides(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB, "other/hub.go": MOVED})
    repo.put("other: as hub", {"other/hub.go": HUB, "hub/hub.go": MOVED})
    assert ends(pinned(repo.path, race(HUB))) == (first, first, 1)


def test_a_name_that_two_files_have_is_told(repo: Repository) -> None:
    repo.put("hub: begin", {"a/hub.go": HUB, "b/hub.go": HUB})
    found = pinned(repo.path, race(HUB, "hub.go"))
    assert {f.file for f in found.ambiguous_frames} == {"hub.go"}


def test_a_release_fits_its_tag_and_not_the_main_line(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("checkout", "-q", "-b", "release-1.4")
    released = repo.put("hub: for the release", {"hub/hub.go": MOVED})
    repo.git("tag", "v1.4.1")
    repo.put("hub: mend", {"hub/hub.go": FIXED})
    repo.git("tag", "v1.4.2")
    repo.git("checkout", "-q", "main")
    repo.put("hub: rewrite", {"hub/hub.go": "package hub\n\n" + HUB.replace("count", "number")})
    found = pinned(repo.path, race(MOVED))
    assert ends(found) == (released, released, 1)
    assert (found.window.line_name, found.tags) == ("release-1.4", ("v1.4.1",))


def test_a_window_that_another_ties_with_says_so(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: comment", {"hub/hub.go": MOVED})
    again = repo.put("hub: no comment", {"hub/hub.go": HUB})
    found = pinned(repo.path, race(HUB))
    assert found.window.first == again
    assert [tie.first for tie in found.ties] == [first]
    named = pinned(repo.path, race(HUB), [first])
    assert (named.window.first, named.named_revision) == (first, first)
    assert [tie.first for tie in named.ties] == [again]
    dated = pinned(repo.path, race(HUB), ["2020-09-15"])
    assert dated.window.first == first


def test_a_version_that_the_document_names_is_not_taken_on_trust(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: comment", {"hub/hub.go": MOVED})
    repo.git("tag", "v2.0.0")
    found = pinned(repo.path, race(HUB), ["v2.0.0", "no-such-thing", "deadbeef"])
    assert (found.window.first, found.named_revision) == (first, None)


def grown(source: str, lines: int) -> str:
    """The source with so many more lines in front of each function."""
    return source.replace("func ", "// one more line\n" * lines + "func ")


def test_a_commit_of_a_pull_request_is_found_on_its_ref(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("checkout", "-q", "-b", "topic")
    repo.put("hub: first try", {"hub/hub.go": grown(HUB, 1)})
    wanted = repo.put("hub: second try", {"hub/hub.go": grown(HUB, 2)})
    later = repo.put("docs", {"README.md": "hello"})
    repo.put("hub: mend", {"hub/hub.go": grown(FIXED, 9)})
    repo.git("update-ref", "refs/pull/12/head", "HEAD")
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-q", "-D", "topic")
    repo.git("pack-refs", "--all")
    repo.put("hub: another", {"hub/hub.go": grown(HUB, 5)})
    found = pinned(repo.path, race(grown(HUB, 2)))
    assert found.is_exact
    assert ends(found) == (wanted, later, 2)
    assert found.window.line_name == "refs/pull/12/head"
    assert found.main_line_window is not None


def test_a_commit_of_a_merged_branch_is_found(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("checkout", "-q", "-b", "topic")
    wanted = repo.put("hub: first try", {"hub/hub.go": grown(HUB, 3)})
    repo.put("hub: mend", {"hub/hub.go": grown(HUB, 1)})
    repo.git("checkout", "-q", "main")
    repo.put("docs", {"README.md": "hello"})
    repo.git("merge", "-q", "--no-ff", "-m", "merge it", "topic")
    repo.git("branch", "-q", "-D", "topic")
    found = pinned(repo.path, race(grown(HUB, 3)))
    assert (found.is_exact, ends(found)) == (True, (wanted, wanted, 1))


def test_a_file_that_only_the_branch_has_is_found_if_it_is_checked_out(repo: Repository) -> None:
    repo.put("begin", {"README.md": "hello"})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("checkout", "-q", "-b", "topic")
    wanted = repo.put("hub: begin", {"hub/hub.go": HUB})
    found = pinned(repo.path, race(HUB))
    assert (found.is_exact, ends(found)) == (True, (wanted, wanted, 1))


def with_test(report_text: str, line_number: int) -> str:
    """The report with a frame of a test below its first access."""
    frame = f"  {MODULE}/hub.TestClose()\n      /src/relay/hub/hub_test.go:{line_number} +0x45\n"
    return report_text.replace("\nPrevious", f"{frame}\nPrevious", 1)


def test_a_revision_is_taken_if_only_lines_of_tests_are_missing(repo: Repository) -> None:
    test = "package hub\n\nfunc TestClose(t *testing.T) {\n\tnew(Hub).Close()\n}\n"
    old = repo.put("hub: begin", {"hub/hub.go": HUB, "hub/hub_test.go": test})
    repo.put("hub: comment", {"hub/hub.go": MOVED})
    repo.put("hub: as before", {"hub/hub.go": HUB, "hub/hub_test.go": f"\n\n\n{test}"})
    (sighting,) = deadheat.scan(with_test(race_text(HUB), 7), diagnose=False)
    report = sighting.report
    assert pinned(repo.path, report).window.last != old
    found = pinned(repo.path, report, [old])
    assert (found.window.first, found.window.last, found.named_revision) == (old, old, old)
    assert [frame.function for frame in found.misfits] == ["hub.TestClose"]
    assert found.ties == ()


PEER = """package peer

type Peer struct{ sent int }

func (p *Peer) Send() {
	p.sent++
}

func (p *Peer) Sent() int {
	return p.sent
}
"""


def peer_race(source: str) -> Report:
    file = "/src/relay/peer/peer.go"
    return go_report(
        ("write", [(f"{MODULE}/peer.(*Peer).Send", f"{file}:{line(source, 'p.sent++')}")]),
        ("read", [(f"{MODULE}/peer.(*Peer).Sent", f"{file}:{line(source, 'return p.sent')}")]),
    )


def test_the_reports_of_a_log_are_pinned_to_one_build(repo: Repository) -> None:
    build = repo.put("begin", {"hub/hub.go": HUB, "peer/peer.go": PEER})
    repo.put("peer: more", {"peer/peer.go": grown(PEER, 1)})
    repo.put("hub: more", {"hub/hub.go": MOVED})
    last = repo.put("hub: less", {"hub/hub.go": HUB})
    reports = [race(HUB), peer_race(PEER)]
    with Clone(str(repo.path)) as clone:
        alone = find_pin(clone, reports[0])
        together = [find_pin(clone, report, same_log=reports) for report in reports]
        other = find_pin(clone, race(MOVED), same_log=[*reports, race(MOVED)])
    assert alone is not None
    assert alone.window.last == last
    assert [found and (found.window.first, found.window.last, found.is_exact) for found in together] == [
        (build, build, True)
    ] * 2
    assert other is not None
    assert other.is_exact, "a report that fits another commit better keeps its own"


def test_merges_count_as_one_commit(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("checkout", "-q", "-b", "topic")
    repo.put("topic: one", {"a.go": "package relay\n"})
    repo.put("topic: two", {"b.go": "package relay\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge topic", "topic")
    assert pinned(repo.path, race(HUB)).window.commit_count == 2


def test_a_bare_clone_and_a_linked_work_tree_do_as_well(repo: Repository, tmp_path: Path) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    for where in (tmp_path / "bare.git", tmp_path / "linked"):
        assert pinned(where, race(HUB)).window.first == first


def test_a_shallow_clone_says_what_is_missing(repo: Repository, tmp_path: Path) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("docs", {"README.md": "hello"})
    last = repo.put("more docs", {"README.md": "hello again"})
    shallow = tmp_path / "shallow"
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.path}", str(shallow))
    with Clone(str(shallow)) as clone:
        found = find_pin(clone, race(HUB))
        assert found is not None
        assert (found.window.last, found.window.commit_count) == (last, 2)
        assert any("shallow" in m for m in clone.git.missing)


def test_a_partial_clone_goes_on_with_less(repo: Repository, tmp_path: Path) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    repo.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repo.path}", str(partial))
    with Clone(str(partial)) as clone:
        assert find_pin(clone, race(HUB)) is None
        assert any("partial" in m for m in clone.git.missing)


def test_the_history_grows_with_the_clone(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    assert ends(pinned(repo.path, race(HUB))) == (first, first, 1)
    last = repo.put("docs", {"README.md": "hello"})
    assert ends(pinned(repo.path, race(HUB))) == (first, last, 2)
    repo.git("reset", "-q", "--hard", first)
    other = repo.put("hub: comment", {"hub/hub.go": MOVED})
    assert ends(pinned(repo.path, race(MOVED))) == (other, other, 1)


def test_no_cache_folder_is_no_hindrance(repo: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "file" / "below"))
    assert ends(pinned(repo.path, race(HUB))) == (first, first, 1)


def test_a_cache_that_is_no_database_is_made_anew(repo: Repository, tmp_path: Path) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    pinned(repo.path, race(HUB))
    for path in (tmp_path / "cache").iterdir():
        path.write_bytes(b"garbage" * 1000)
    assert ends(pinned(repo.path, race(HUB))) == (first, first, 1)


def test_frames_of_other_repositories_are_not_looked_for(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB, "check.go": "package relay\n"})
    strange = go_report(
        ("write", [("example.org/x/check.Do", "/go/pkg/mod/example.org/x/check@v1.2.3/check.go:1")]),
        ("read", [("sync.(*Mutex).Lock", "/usr/local/go/src/sync/mutex.go:12")]),
    )
    with Clone(str(repo.path)) as clone:
        assert find_pin(clone, strange) is None


def test_a_repository_without_commits_pins_nothing(tmp_path: Path) -> None:
    empty = Repository(tmp_path / "empty")
    with Clone(str(empty.path)) as clone:
        assert find_pin(clone, race(HUB)) is None


C = """#include <pthread.h>

struct queue {
	int length;
};

static struct queue jobs;

static void drain(struct queue *q)
{
	q->length = 0;
}

int waiting(struct queue *q)
{
	return q->length;
}
"""


def test_c_pins_by_its_functions(tmp_path: Path) -> None:
    from deadheat.model import Access, Frame, Op, Origin, Report

    repo = Repository(tmp_path / "queue")
    first = repo.put("begin", {"src/queue.c": C})
    repo.put("more", {"src/queue.c": C.replace("struct queue {", "/* jobs\n   to do */\nstruct queue {")})

    def side(op: Op, function: str, needle: str) -> Access:
        place = Frame(function, "", "src/queue.c", line(C, needle), Origin.USER, "/b/src/queue.c")
        return Access(op, "thread T1", (place,), site=place)

    sides = side(Op.WRITE, "drain", "q->length = 0"), side(Op.READ, "waiting", "return q->length")
    report = Report("tsan", "data-race", sides)
    assert ends(pinned(repo.path, report)) == (first, first, 1)


def test_git_is_never_asked_to_write(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    before = {p: p.stat().st_mtime_ns for p in repo.path.rglob("*")}
    pinned(repo.path, race(HUB))
    assert {p: p.stat().st_mtime_ns for p in repo.path.rglob("*")} == before
    assert subprocess.run(["git", "-C", repo.path, "fsck"], capture_output=True).returncode == 0


def test_two_at_once_share_one_history(repo: Repository, tmp_path: Path) -> None:
    for number in range(30):
        repo.put(f"hub: {number}", {"hub/hub.go": HUB + f"// {number}\n"})
    code = "import sys; from deadheat.repo.clone import Clone; Clone(sys.argv[1]).close()"
    running = [subprocess.Popen([sys.executable, "-c", code, str(repo.path)]) for _ in range(4)]
    assert [process.wait() for process in running] == [0] * 4
    assert pinned(repo.path, race(HUB)).window.commit_count == 30
