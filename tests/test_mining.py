"""Past fixes: what is one and what is not, how it mended, and which of them a race is like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat.repo import mining as repo_mining
from deadheat.repo.git import GitReader
from deadheat.repo.git.history import find_trunk
from deadheat.repo.mining import RaceFix, commit_changes, message_classifier, similar_fixes, synchronization_changes
from deadheat.repo.mining.commit_changes import compute_edits
from deadheat.repo.mining.message_classifier import MessageWeight
from eval import mining
from tests.cases import ROOT
from tests.repositories import Repository, go_report
from tests.watchdog import time_limit

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HEAD = "package hub\n\ntype Hub struct {\n\tcount int\n}\n\n"
BEGIN = HEAD + "func (h *Hub) Add() {\n\th.count++\n}\n\nfunc (h *Hub) Close() {\n\th.count = 0\n}\n"
LOCKED = (
    'package hub\n\nimport "sync"\n\ntype Hub struct {\n\tmu sync.Mutex\n\tcount int\n}\n\n'
    "func (h *Hub) Add() {\n\th.mu.Lock()\n\tdefer h.mu.Unlock()\n\th.count++\n}\n\n"
    "func (h *Hub) Close() {\n\th.mu.Lock()\n\tdefer h.mu.Unlock()\n\th.count = 0\n}\n"
)
ATOMIC = (
    "package hub\n\ntype Hub struct {\n\tcount atomic.Int64\n}\n\n"
    "func (h *Hub) Add() {\n\th.count.Add(1)\n}\n\nfunc (h *Hub) Close() {\n\th.count.Store(0)\n}\n"
)
QUOTED = (ROOT / "go" / "two-goroutines.txt").read_text()


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "relay")
    made.put("begin", {"hub/hub.go": BEGIN, "go.mod": "module example.com/acme/relay\n"})
    return made


def mined(repo: Repository, racy: Mapping[str, list[str]] | None = None) -> dict[str, RaceFix]:
    """The fixes in a repository by the first line of their message."""
    with GitReader(str(repo.path)) as git:
        found = list(repo_mining.detect_fixes(git, commit_changes.list_commits(git, find_trunk(git)[1]), racy))
        fixes = [one for one in found if isinstance(one, RaceFix)]
        reverts = [one for one in found if not isinstance(one, RaceFix)]
        told = repo_mining.resolve_fixes(fixes, reverts, repo_mining.commits_in_merges(git, fixes))
    return {fix.subject: fix for fix in told}


def worker(body: str, before: str = "", after: str = "") -> str:
    """A function that starts a worker, for changes that are about no field."""
    return (
        f"package hub\n\nfunc Run(all []string, cfg *Config) error {{\n\tvar err error\n{before}"
        f"\tgo func() {{\n{body}\t}}()\n{after}\treturn err\n}}\n"
    )


WAYS = {
    "lock-added": (BEGIN, LOCKED),
    "made-atomic": (BEGIN, ATOMIC),
    "copy-made": (
        worker("\t\tsend(cfg.Labels)\n"),
        worker("\t\tsend(labels)\n", before="\tlabels := cfg.Clone().Labels\n"),
    ),
    "joined-before-teardown": (
        worker("\t\tsend(all)\n"),
        worker("\t\tsend(all)\n\t\tclose(done)\n", "\tdone := make(chan struct{})\n", "\t<-done\n"),
    ),
    "removed-sharing": (
        worker("\t\terr = send(all[0])\n\t\tlog(err)\n"),
        worker("\t\terr := send(all[0])\n\t\tlog(err)\n"),
    ),
    "order-changed": (
        worker("\t\tsend(all)\n", after="\tcfg.Register(all)\n\tcfg.Verify(all)\n"),
        worker("\t\tsend(all)\n", before="\tcfg.Register(all)\n\tcfg.Verify(all)\n"),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_strategy_is_told(way: str, repo: Repository) -> None:
    before, after = WAYS[way]
    repo.put("hub: another way", {"hub/hub.go": before})
    repo.put("hub: fix data race (#7)", {"hub/hub.go": after})
    fix = mined(repo)["hub: fix data race (#7)"]
    assert fix.strategy == way, fix.strategies
    assert fix.pull == "7"
    assert fix.files == ("hub/hub.go",)
    assert fix.why[0] == "its subject says “data race”"


@pytest.mark.parametrize("after", [LOCKED, ATOMIC], ids=["locked", "atomic"])
def test_what_it_is_about_is_told(after: str, repo: Repository) -> None:
    repo.put("hub: fix data race on Hub.count", {"hub/hub.go": after})
    (fix,) = mined(repo).values()
    assert fix.variables[0] == "count"
    assert fix.types == ("Hub",)
    assert set(fix.functions) == {"(*Hub).Add", "(*Hub).Close"}


def test_tests_are_told_from_the_product(repo: Repository) -> None:
    repo.put("hub: a test", {"hub/hub_test.go": BEGIN})
    repo.put("hub: fix data race in TestHub", {"hub/hub_test.go": LOCKED})
    (fix,) = mined(repo).values()
    assert (fix.strategy, fix.strategies[0]) == ("test-only", "lock-added")


def test_another_version_of_a_dependency(repo: Repository) -> None:
    repo.put("*: update client-go to fix data race", {"go.mod": "module example.com/b\n"})
    (fix,) = mined(repo).values()
    assert fix.strategy == "dependency-updated"


def test_functions_of_other_languages() -> None:
    before = b"void close(struct hub *h)\n{\n\th->count = 0;\n}\n"
    after = b"void close(struct hub *h)\n{\n\tWRITE_ONCE(h->count, 0);\n}\n"
    (edit,) = compute_edits("hub.c", before, after)
    assert edit.unit.name == "close"
    assert edit.added_lines == [b"WRITE_ONCE(h->count, 0);"]
    done = synchronization_changes.SynchronizationChanges()
    synchronization_changes.add_file_changes(done, "hub.c", before, after)
    assert done.strategies[0] == "made-atomic"
    assert list(done.variables) == ["count"]


@pytest.mark.parametrize(
    "subject",
    [
        "hub: make Add thread safe",
        "hub: add a mutex to Hub",
        "hub: fix concurrent map writes in Add",
        "hub: avoid concurrently updating count",
        "hub: fix unstable test TestHub",
        "hub: lock before reading count",
        "hub: fix panic in Close",
    ],
)
def test_fewer_words_and_a_plain_deed(subject: str, repo: Repository) -> None:
    repo.put(subject, {"hub/hub.go": LOCKED})
    assert list(mined(repo)) == [subject]


@pytest.mark.parametrize(
    "subject",
    [
        "Makefile: enable race for more packages",
        "hub: speed up race tests",
        "hub: skip TestHub when race is enabled",
        "ci: set timeout for make race",
        "hub: add stack trace to errors",
        "hub: braces",
        "hub: fix deadlock in Close",
        "hub: use RWMutex instead of Mutex",
        "hub: support table locks",
        "hub: fix flaky test TestHub",
        "hub: fix panic on empty name",
        "hub: rename count",
    ],
)
def test_what_is_no_fix(subject: str, repo: Repository) -> None:
    repo.put(subject, {"hub/hub.go": BEGIN.replace("count", "number")})
    assert mined(repo) == {}


def test_words_alone_are_not_enough(repo: Repository) -> None:
    repo.put("docs: how to fix a data race", {"README.md": "lock it\n"})
    repo.put("hub: fix data race", {})
    assert mined(repo) == {}


def test_a_race_in_the_list_of_a_branch_was_of_its_own_making(repo: Repository) -> None:
    message = "hub: support labels (#9)\n\n* first try\n\n* fix data race\n"
    repo.put(message, {"hub/hub.go": LOCKED, "hub/labels.go": WAYS["copy-made"][1]})
    assert mined(repo) == {}


def test_a_race_in_prose_counts(repo: Repository) -> None:
    repo.put("hub: guard the count\n\nAdd and Close had a data race.\n", {"hub/hub.go": LOCKED})
    (fix,) = mined(repo).values()
    assert fix.why[0] == "its message says “data race”"


def test_a_linked_issue_counts_if_it_is_about_these_files(repo: Repository) -> None:
    repo.put("hub: count better\n\ncloses #31965\n", {"hub/hub.go": LOCKED})
    assert mined(repo, {"31965": ["other.go"]}) == {}
    (fix,) = mined(repo, {"31965": ["hub.go"]}).values()
    assert fix.issues == ("31965",)
    assert "it closes #31965, which is about a race" in fix.why


def test_reports_in_a_message_are_read(repo: Repository) -> None:
    repo.put(f"hub: count better\n\n{QUOTED}", {"hub/hub.go": LOCKED})
    (fix,) = mined(repo).values()
    (report,) = fix.reports
    (scanned,) = deadheat.scan(QUOTED, diagnose=False)
    assert report.verdict.fingerprint == scanned.verdict.fingerprint
    assert "its message quotes a report" in fix.why


# -- the history as a whole ------------------------------------------------------------------------


def test_a_fix_that_was_taken_back_is_said_to_be(repo: Repository) -> None:
    fixed = repo.put("hub: fix data race (#7)", {"hub/hub.go": LOCKED})
    repo.git("revert", "--no-edit", fixed)
    back = repo.git("rev-parse", "HEAD")
    assert mined(repo)["hub: fix data race (#7)"].reverted_by == back
    repo.git("revert", "--no-edit", back)
    assert mined(repo)["hub: fix data race (#7)"].reverted_by is None


@pytest.mark.parametrize("subject", ['Revert "hub: fix data race" (#8)', "hub: revert the fix of a race (#7)"])
def test_a_revert_without_an_id(subject: str, repo: Repository) -> None:
    repo.put("hub: fix data race (#7)", {"hub/hub.go": LOCKED})
    back = repo.put(subject, {"hub/hub.go": BEGIN})
    (fix,) = mined(repo).values()
    assert fix.reverted_by == back


def test_a_merge_tells_what_it_brought(repo: Repository) -> None:
    repo.git("checkout", "-q", "-b", "fix")
    inner = repo.put("hub: fix data race", {"hub/hub.go": LOCKED})
    repo.git("checkout", "-q", "main")
    repo.put("readme", {"README.md": "hub\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge pull request #5 from acme/fix-race", "fix")
    merge = mined(repo)["Merge pull request #5 from acme/fix-race"]
    assert (merge.brings, merge.pull, merge.is_merge) == ((inner,), "5", True)
    assert [one.fix.commit for one in similar_fixes.find_similar(asked(), list(mined(repo).values()))] == [inner]


def test_a_merge_that_keeps_a_branch_up_to_date_is_none(repo: Repository) -> None:
    repo.git("checkout", "-q", "-b", "race-work")
    repo.put("labels", {"hub/labels.go": "package hub\n"})
    repo.git("checkout", "-q", "main")
    repo.put("hub: count better", {"hub/hub.go": LOCKED})
    repo.git("checkout", "-q", "race-work")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'main' into race-work", "main")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'race-work'", "race-work")
    assert mined(repo) == {}


# -- hostile histories -----------------------------------------------------------------------------


def test_huge_messages_and_odd_bytes(repo: Repository) -> None:
    (repo.path / "hub" / "hub.go").write_text(LOCKED)
    repo.git("add", "-A")
    message = repo.path.parent / "message"
    message.write_bytes(b"hub: fix data race \xff\xfe\x1b[31m\n\n" + b"race lock concurrently " * 100_000)
    repo.git("commit", "-q", "--cleanup=verbatim", "-F", str(message))
    with time_limit():
        (fix,) = mined(repo).values()
    assert repo_mining.fix_from_row(repo_mining.fix_to_row(fix)) == fix


def test_odd_files_and_times(repo: Repository) -> None:
    (repo.path / "hub" / "link.go").symlink_to("/etc/passwd")
    (repo.path / "hub" / "new\nline.go").write_text(LOCKED)
    (repo.path / "hub" / "raw.go").write_bytes(bytes(range(256)) * 64)
    repo.put("hub: fix data race", {"hub/hub.go": LOCKED})
    repo.git("commit", "-q", "--amend", "--no-edit", "--date", "@9999999999999 +0000")
    (fix,) = mined(repo).values()
    assert "hub/hub.go" in fix.files
    assert "hub/link.go" not in fix.files
    assert repo_mining.fix_to_row(fix)["fixed_at"].year <= 9999


def test_a_version_that_is_missing_is_left_out(repo: Repository) -> None:
    repo.put("labels", {"hub/labels.go": BEGIN.replace("Hub", "Label")})
    blob = repo.git("rev-parse", "HEAD:hub/labels.go")
    files: dict[str, str | None] = {"hub/hub.go": LOCKED, "hub/labels.go": LOCKED.replace("Hub", "Label")}
    repo.put("hub: fix data race", files)
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    (fix,) = mined(repo).values()
    assert fix.files == ("hub/hub.go",)


def test_a_commit_of_many_megabytes_is_read_in_part(repo: Repository) -> None:
    body = "".join(f"\tx{n} := h.y{n}(h.count)\n" for n in range(9_000))
    old = {f"p{n}/a.go": f"package p\n\nfunc F() {{\n{body}}}\n" for n in range(6)}
    new = {path: source.replace("h.count", "h.count.Load()") for path, source in old.items()}
    repo.put("p: begin", {**old})
    repo.put("p: fix data race", {**new})
    with time_limit():
        (fix,) = mined(repo).values()
    assert len(fix.files) < 6


def test_a_commit_of_a_thousand_files_is_no_fix(repo: Repository) -> None:
    repo.put("*: fix data race", {f"p{n}/x.go": LOCKED for n in range(450)})
    assert mined(repo) == {}


@pytest.mark.parametrize(
    "piece", ["add a lock ", "concurrently ", "use `x` ", "race ", "fix ", "make ", "#1, ", "goroutine ", "- "]
)
def test_words_take_linear_time(piece: str) -> None:
    text = piece * (message_classifier.MAX_MESSAGE_LENGTH // len(piece) + 1)
    with time_limit():
        message_classifier.classify_message(text, f"{text}\n{text}")


def test_lines_take_linear_time() -> None:
    rows = [b"x := x.y(" * 100, b"a.b" * 300, b"f(" * 400 + b"&a.b.c", b'"' * 900, b"a[" * 400]
    source = b"package p\n\nfunc F() {\n" + b"\n".join(rows * 200) + b"\n}\n"
    with time_limit():
        done = synchronization_changes.SynchronizationChanges()
        synchronization_changes.add_file_changes(done, "p/p.go", b"package p\n\nfunc F() {\n}\n", source)
        synchronization_changes.add_overall_points(done)


def test_what_is_said_has_its_weight() -> None:
    said = {
        "hub: fix data race": MessageWeight.RACE_IN_SUBJECT,
        "hub: add lock for count": MessageWeight.REMEDY,
        "hub: add lock time to the log": MessageWeight.NOTHING,
        "hub: fix unstable test": MessageWeight.SYMPTOM,
        "hub: update docs": MessageWeight.NOTHING,
    }
    assert {subject: message_classifier.classify_message(subject, subject).weight for subject in said} == said


# -- retrieval -------------------------------------------------------------------------------------


def asked(**known: str) -> similar_fixes.SimilarityQuery:
    where = "/go/src/example.com/acme/relay/hub/hub.go"
    report = go_report(
        ("write", [("example.com/acme/relay/hub.(*Hub).Close", f"{where}:10")]),
        ("read", [("example.com/acme/relay/hub.(*Hub).Add", f"{where}:7")]),
    )
    named = [known["variable"]] if "variable" in known else []
    return similar_fixes.build_query(report, named, known.get("owner"), known.get("cause"))


def a_fix(commit: str, **told: object) -> RaceFix:
    shared = {
        "subject": commit, "time": 1_600_000_000, "strategy": "lock-added",
        "strategies": ("lock-added",), "why": (), "files": ("other/other.go",), "functions": (),
        "types": (), "variables": (), "issues": (), "pull": None, "is_merge": False,
    }  # fmt: skip
    return RaceFix(commit, **{**shared, **told})  # type: ignore[arg-type]


def test_the_nearest_comes_first_and_says_why() -> None:
    fixes = [
        a_fix("shape", functions=("(*Pool).Close",)),
        a_fix("cause", files=("hub/x.go",), causes=("missing-lock",), strategy="copy-made"),
        a_fix("type", types=("Hub",), strategy="made-atomic"),
        a_fix("variable", variables=("count",), strategy="order-changed"),
        a_fix("none", variables=("other",)),
    ]
    shown = similar_fixes.find_similar(asked(variable="count", cause="missing-lock"), fixes)
    assert [one.fix.commit for one in shown] == ["variable", "type", "cause", "shape"]
    assert [one.why[0] for one in shown] == [
        "is about the same variable, count",
        "changes the same type, Hub",
        "fixes the same cause in the same package: missing-lock in hub",
        "similar: one access is in a teardown function",
    ]


def test_its_own_fix_and_reverted_ones_are_left_out() -> None:
    fixes = [a_fix("own", types=("Hub",)), a_fix("back", types=("Hub",), reverted_by="x")]
    assert similar_fixes.find_similar(asked(), fixes, ["own"]) == []


def test_each_way_is_shown_once_before_one_is_shown_twice() -> None:
    fixes = [a_fix(f"lock{n}", types=("Hub",), time=n) for n in range(3)]
    fixes += [a_fix("atomic", files=("hub/x.go",), strategy="made-atomic")]
    fixes += [a_fix(f"far{n}") for n in range(60)]
    shown = [one.fix.commit for one in similar_fixes.find_similar(asked(), fixes)]
    assert shown == ["lock2", "lock1", "lock0", "atomic"]
    fixes += [a_fix(f"more{n}", types=("Hub",), time=n) for n in range(3)]
    fixes += [a_fix(f"wide{n}") for n in range(60)]
    assert "atomic" in [one.fix.commit for one in similar_fixes.find_similar(asked(), fixes)]


def test_names_that_everybody_uses_say_nothing() -> None:
    fixes = [a_fix(f"n{n}", types=("Hub",)) for n in range(50)]
    assert similar_fixes.find_similar(asked(), fixes) == []


# -- the measurement -------------------------------------------------------------------------------


def test_the_sample_is_whole() -> None:
    read = mining.read_sample()
    drawn = {one.commit for one in read if one.drawn != mining.FROM_LISTING}
    assert sum(one.fix for one in read if one.drawn != mining.FROM_LISTING) >= 50
    assert len([one for one in read if one.drawn == mining.FROM_LISTING]) == 50
    assert len(drawn) == len([one for one in read if one.drawn != mining.FROM_LISTING])


def test_the_measurement_counts(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(2):
        repo.put(f"hub: begin {n}", {"hub/hub.go": BEGIN})
        repo.put(f"hub: fix data race {n}\n\n{QUOTED}", {"hub/hub.go": LOCKED})
    count = mining.count_retrieved(str(repo.path))
    assert count["pairs"] == 2
    assert count["newest"] == 1
    monkeypatch.setenv("DEADHEAT_TIDB", str(repo.path))
    assert "0 of 53 are found" in mining.detection_table(str(repo.path))


def test_nothing_of_a_repository_runs(repo: Repository, tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    repo.put("hub: fix data race", {"hub/hub.go": LOCKED, ".gitattributes": "*.go diff=evil\n"})
    repo.git("config", "diff.evil.textconv", f"touch {sprung};cat")
    assert len(mined(repo)) == 1
    assert not sprung.exists()
    repo.git("diff", "HEAD~1")
    assert sprung.exists(), "the trap would have worked"
