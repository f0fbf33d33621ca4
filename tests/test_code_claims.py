"""Claims of a document, checked against a clone; release lines; in histories that are known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat import cli
from deadheat.model import Claim, Document, Span
from deadheat.repo.clone import Clone
from deadheat.repo.document_claims import DocumentHints, hints_from_document, revisions_in_log
from deadheat.repo.dossier import build_dossier
from tests.repositories import MODULE, Repository, go_report, line, told_of
from tests.test_code_pin import FIXED, HUB, MOVED, ends, pinned, race, race_text

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Report


pytestmark = pytest.mark.usefixtures("cache")


def claim(kind: str, value: str, role: str = "", **details: str) -> Claim:
    return Claim(kind, value, value, Span(0, 0), role, tuple(details.items()))


def said(*claims: Claim, id: str = "", written: str = "") -> DocumentHints:
    return hints_from_document(Document("issue.md", "form", id=id, written=written, claims=claims))


# -- what a document names ---------------------------------------------------------------------------


def test_versions_come_in_the_order_of_their_worth() -> None:
    hints = said(
        claim("version", "v1.0.0", "mentioned"),
        claim("version", "v1.4.2", "fixed-in"),
        claim("version", "v1.3.0", "affects"),
        claim("version", "v1.4.1", "found-in"),
        claim("version", "1.x", "affects"),
        claim("version", "1.21", "found-in", of="go"),
        claim("version", "v1.12.0", "mentioned", of="grpc"),
        claim("source", "hub/hub.go", "linked", ref="1a2b3c4d5e"),
        claim("source", "hub/hub.go", "linked", ref="master"),
        written="2022-12-08T10:15:00Z",
    )
    assert hints.revisions == ("1a2b3c4d5e", "v1.4.1", "v1.3.0", "v1.0.0", "2022-12-08")


def test_a_mail_says_when_it_was_written() -> None:
    assert said(written="Thu, 8 Dec 2022 10:15:00 +0000").revisions == ("2022-12-08",)
    assert said(written="some day").revisions == ()


def test_a_log_prints_the_commit_that_it_checked_out() -> None:
    log = b"""Checking out Revision %s (origin/PR-12)
HEAD is now at 1a2b3c4 hub: commit abc1234 again
 > git checkout -qf 5e6f7a8b
downloaded sha256:%s
commit message: deadbeef is no id here, nor is added or 1234567 alone
""" % (b"c" * 40, b"d" * 64)
    assert revisions_in_log(log) == ("c" * 40, "1a2b3c4", "abc1234", "5e6f7a8b", "deadbeef")
    assert revisions_in_log(b"go: added example.com/x 1234567\nran 12345678 cases\n") == ()


def test_explain_tries_the_commit_that_a_log_prints(
    repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: comment", {"hub/hub.go": MOVED})
    repo.put("hub: no comment", {"hub/hub.go": HUB})
    log = tmp_path / "build.log"
    for text, expected in ((f"HEAD is now at {wanted[:9]} hub: begin\n", wanted[:9]), ("", None)):
        log.write_text(f"{text}{race_text(HUB)}")
        cli.main(["explain", str(log), "--repo", str(repo.path), "--format", "json"])
        (dossier,) = json.loads(capsys.readouterr().out)
        assert dossier["pin"]["named"] == expected
        assert (dossier["pin"]["last"] == wanted) is (expected is not None)


def test_numbers_in_the_tracker() -> None:
    assert said(id="30669").issues == ("30669",)
    assert said(id="acme/relay#17").issues == ("acme/relay#17",)
    assert said(id="https://host/acme/relay/issues/17").issues == ("acme/relay#17",)
    assert said(claim("reference", "acme/relay#5", "duplicate-of"), id="7").issues == ("7", "acme/relay#5")
    assert said(id="hub.TestIssue12").issues == ()
    assert said(id="<20221208.abc@host>").issues == ()


# -- and what becomes of it --------------------------------------------------------------------------


def test_a_version_that_holds_and_one_that_does_not(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("tag", "v1.4.1")
    repo.put("hub: comment", {"hub/hub.go": MOVED})
    repo.git("tag", "v1.5.0")
    found = told_of(
        repo,
        race(HUB),
        said(
            claim("version", "v1.5.0", "found-in"),
            claim("version", "v1.4.1", "affects"),
            claim("version", "v9.9.9", "affects"),
        ),
    )
    assert {a.claim.value: (a.holds, a.why) for a in found.answers} == {
        "v1.5.0": (False, "2 of 3 frames fit there, 3 in the window"),
        "v1.4.1": (True, "3 of 3 frames fit there"),
        "v9.9.9": (None, "the clone has no such tag, branch or commit"),
    }
    assert found.pin is not None
    assert found.pin.named_revision == "v1.4.1"


def test_a_named_version_does_not_narrow_the_window(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("tag", "v1.4.1")
    last = repo.put("docs", {"README.md": "hello"})
    found = pinned(repo.path, race(HUB), ["1.4.1"])
    assert ends(found) == (first, last, 2)
    assert (found.named_revision, found.best_window.first, found.best_window.last) == ("1.4.1", first, first)


def test_a_suspect_is_looked_at(repo: Repository) -> None:
    repo.put("hub: begin (#3)", {"hub/hub.go": HUB.replace("	h.count = 0\n", "	h.count--\n")})
    guilty = repo.put("hub: clear it at the end (#12)", {"hub/hub.go": HUB})
    other = repo.put("docs (#14)", {"doc.go": "package relay\n"})
    after = repo.put("hub: comment (#15)", {"hub/hub.go": MOVED})
    suspects = [claim("suspect", f"acme/relay#{n}", "stated") for n in (12, 14, 15, 16)]
    found = told_of(repo, race(HUB), said(*suspects))
    assert [(a.commit, a.holds) for a in found.answers] == [(guilty, True), (other, None), (after, False), (None, None)]
    assert found.introduced_by[0].commit == guilty
    assert "the document says that acme/relay#12 introduced it" in found.introduced_by[0].why
    assert other not in [c.commit for c in found.introduced_by]


def test_a_fix_that_the_document_names(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    fix = repo.put("hub: fix data race on count (#21)", {"hub/hub.go": FIXED})
    repo.git("tag", "v1.4.2")
    repo.put("docs (#22)", {"doc.go": "package relay\n"})
    found = told_of(
        repo,
        race(HUB),
        said(
            claim("reference", "acme/relay#21", "fixed-by"),
            claim("reference", "acme/relay#22", "fixed-by"),
            claim("version", "v1.4.2", "fixed-in"),
            claim("version", "v1.4.0", "fixed-in"),
        ),
    )
    assert [a.holds for a in found.answers] == [True, None, True, None]
    assert found.answers[0].commit == fix


def test_a_bug_report_is_read_for_all_of_this(
    repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("tag", "v1.4.1")
    repo.put("hub: order the two\n\nclose #41", {"hub/hub.go": FIXED})
    repo.git("tag", "v1.4.2")
    write, read = line(HUB, "h.count = 0"), line(HUB, "if h.count > 3")
    (tmp_path / "issue.txt").write_text(
        "ID: 41\nTitle: DATA RACE in the Hub\nDescription:\n## Bug Report\n\n```\n"
        "WARNING: DATA RACE\nWrite at 0x00c000012340 by goroutine 7:\n"
        f"  {MODULE}/hub.(*Hub).Close()\n      /src/relay/hub/hub.go:{write} +0x45\n\n"
        f"Previous read at 0x00c000012340 by goroutine 8:\n  {MODULE}/hub.(*Hub).run()\n"
        f"      /src/relay/hub/hub.go:{read} +0x45\n```\n\n"
        "### 4. What is your version? (Required)\n\nFound in v1.4.1.\n"
    )
    (sighting,) = deadheat.scan((tmp_path / "issue.txt").read_bytes(), diagnose=False)
    assert hints_from_document(sighting.document).revisions == ("v1.4.1",)
    cli.main(["explain", str(tmp_path / "issue.txt"), "--repo", str(repo.path)])
    text = capsys.readouterr().out
    assert "fixed in v1.4.2; you run v1.4.1" in text
    assert "names #41" in text


def cached(version: str) -> Report:
    """The race as another program's build shows it, from the module cache."""
    return race(HUB, f"/home/ci/go/pkg/mod/{MODULE}@{version}/hub/hub.go")


def test_the_module_cache_names_the_version(repo: Repository, tmp_path: Path) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("tag", "v1.4.1")
    second = repo.put("docs", {"README.md": "hello"})
    user = Repository(tmp_path / "user")
    user.put("begin", {"go.mod": "module example.com/acme/user\n", "hub/hub.go": MOVED})
    with Clone(str(user.path)) as other, Clone(str(repo.path)) as clone:
        for version, commit in (
            ("v1.4.1", first),
            ("v1.4.1+incompatible", first),
            (f"v1.4.2-0.20210903195433-{second[:12]}", second),
            ("v9.9.9", None),
        ):
            found = build_dossier(cached(version), [other, clone])
            assert found.pin is not None
            assert found.repo_path == str(repo.path)
            assert found.dependency is not None
            assert (found.dependency.path, found.dependency.version) == (MODULE, version)
            named = found.pin.best_window.last if found.pin.named_revision else None
            assert named == commit


# -- lines beside the main one -----------------------------------------------------------------------

BRANCHED = MOVED.replace("func Start(", "// Start begins\n// it,\n// at once.\nfunc Start(")


def test_the_middle_of_a_release_branch_that_has_no_tag(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": "package hub\n\n" + HUB})
    repo.git("checkout", "-q", "-b", "release-1.4")
    middle = repo.put("hub: for the release", {"hub/hub.go": MOVED})
    repo.put("hub: more", {"hub/hub.go": BRANCHED})
    repo.git("checkout", "-q", "main")
    repo.put("hub: gone on", {"hub/hub.go": "package hub\n// a\n// b\n" + HUB})
    found = pinned(repo.path, race(MOVED))
    assert (found.window.line_name, ends(found)) == ("release-1.4", (middle, middle, 1))
    assert found.is_exact


def test_a_release_branch_that_was_merged_back(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": "package hub\n\n" + HUB})
    repo.git("checkout", "-q", "-b", "release-1.4")
    released = repo.put("hub: for the release", {"hub/hub.go": MOVED})
    repo.git("tag", "-a", "-m", "1.4.0", "v1.4.0")
    repo.git("checkout", "-q", "main")
    kept = "package hub\n// a\n// b\n" + HUB
    repo.put("hub: gone on", {"hub/hub.go": kept})
    repo.git("merge", "-q", "-s", "ours", "--no-ff", "-m", "Merge release-1.4", "release-1.4")
    found = pinned(repo.path, race(MOVED))
    assert (found.window.line_name, ends(found)) == ("release-1.4", (released, released, 1))
    assert found.tags == ("v1.4.0",)
    assert found.main_line_window is not None


def test_a_fix_reaches_releases_in_two_ways(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("tag", "v1.4.1")
    repo.git("checkout", "-q", "-b", "release-1.4")
    repo.put("hub: fix data race on count (backport)", {"hub/hub.go": FIXED + "// backported\n"})
    repo.git("tag", "-a", "-m", "1.4.2", "v1.4.2")
    repo.git("checkout", "-q", "main")
    repo.git("mv", "hub", "core")
    repo.put("move it", {})
    repo.put("hub: fix data race on count", {"core/hub.go": FIXED})
    repo.put("hub: again otherwise", {"core/hub.go": FIXED.replace("n > 3", "n > 4")})
    repo.git("tag", "v1.10.0")
    repo.git("tag", "v1.9.0")
    found = told_of(repo, race(HUB), DocumentHints(("v1.4.1",)))
    assert found.fixed_in == ("v1.4.2", "v1.9.0", "v1.10.0")


CALLS = """package hub

func (h *Hub) loop() {
	h.step()
	h.step()
	h.step()
}
"""


def test_racing_lines_that_share_a_name_outweigh_callers(repo: Repository) -> None:
    """The caller fits a later version better, but there the racing lines have nothing in common."""
    right = repo.put("hub: begin", {"hub/hub.go": HUB, "hub/loop.go": CALLS})
    wrong = HUB.replace("	h.count = 0\n	return nil", "	h.mu.Lock()\n	return nil")
    repo.put(
        "hub: no count",
        {"hub/hub.go": wrong, "hub/loop.go": CALLS.replace("	h.step()\n	h.step()", "	h.Close()", 1)},
    )
    report = go_report(
        (
            "write",
            [
                (f"{MODULE}/hub.(*Hub).Close", f"/src/relay/hub/hub.go:{line(HUB, 'h.count = 0')}"),
                (f"{MODULE}/hub.(*Hub).loop", "/src/relay/hub/loop.go:4"),
            ],
        ),
        ("read", [(f"{MODULE}/hub.(*Hub).run", f"/src/relay/hub/hub.go:{line(HUB, 'if h.count > 3')}")]),
    )
    assert ends(pinned(repo.path, report)) == (right, right, 1)
