"""Fixes, origins, owners and commands, in histories that are known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat import cli
from deadheat.codeowners import match_codeowners
from deadheat.grouping.fingerprint import report_title
from deadheat.model import Document, Frame, Origin
from deadheat.repo.clone import Clone, DependencyModule, dependency_of, matching_paths
from deadheat.repo.document_claims import DocumentHints, hints_from_document
from deadheat.repo.dossier import build_dossier, dossier_to_json
from deadheat.repo.owners import parse_approvers
from deadheat.repo.reproduction import find_reproduction
from deadheat.symbols import go
from tests.repositories import MODULE, Repository, go_report, line, told_of
from tests.test_code_pin import FIXED, HUB, MOVED, race, race_text

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Report


pytestmark = pytest.mark.usefixtures("cache")


def test_the_fix_comes_first_with_its_reasons(repo: Repository) -> None:
    came = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("docs: about a data race elsewhere", {"README.md": "x"})
    fix = repo.put("hub: fix data race on count", {"hub/hub.go": FIXED})
    repo.put("hub: tidy up", {"hub/hub.go": FIXED.replace("n > 3", "n > 4")})
    found = told_of(repo, race(HUB))
    assert found.fixed_by[0].commit == fix
    assert {"changes a racing line", "says that it is about a data race"} <= set(found.fixed_by[0].why)
    assert 0.8 < found.fixed_by[0].score < 0.9, "its message does not say that it is about this very race"
    assert found.still_present is False
    assert [c.commit for c in found.introduced_by] == [came]
    assert found.fix_diff[:2] == ("--- a/hub/hub.go", "+++ b/hub/hub.go")
    assert any(line.startswith("+") and "h.mu.Lock()" in line for line in found.fix_diff)


def test_a_commit_that_leaves_the_functions_of_the_race_is_no_fix(repo: Repository) -> None:
    other = "\nfunc (h *Hub) Reset() {\n\th.count = 1\n}\n"
    locked = other.replace("\th.count = 1\n", "\th.mu.Lock()\n\th.count = 1\n\th.mu.Unlock()\n")
    repo.put("hub: begin", {"hub/hub.go": HUB + other})
    repo.put("hub: fix data race on Hub.count", {"hub/hub.go": HUB + locked})
    found = told_of(repo, race(HUB))
    assert (found.fixed_by, found.fix_diff, found.still_present) == ((), (), True)
    fix = repo.put("hub: fix data race in run", {"hub/hub.go": FIXED + locked})
    assert [c.commit for c in told_of(repo, race(HUB)).fixed_by] == [fix]


def test_a_commit_that_added_a_racing_line_is_no_fix(repo: Repository) -> None:
    before = HUB.replace("h.count = 0", "h.reset()")
    repo.put("hub: begin", {"hub/hub.go": before})
    came = repo.put("hub: fix data race on count", {"hub/hub.go": HUB})
    found = told_of(repo, race(HUB))
    assert found.fixed_by == ()
    assert found.introduced_by[0].commit == came


def test_scores_are_in_the_order_of_the_commits(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    half = HUB.replace(
        "		if h.count > 3 {",
        "		h.mu.Lock()\n		n := h.count\n		h.mu.Unlock()\n		if n > 3 {",
    )
    repo.put("hub: fix race in run", {"hub/hub.go": half})
    repo.put("hub: fix data race of Close on count", {"hub/hub.go": FIXED})
    scores = [c.score for c in told_of(repo, race(HUB)).fixed_by]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)


def test_a_race_that_nobody_mended_is_still_there(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("docs", {"README.md": "x"})
    found = told_of(repo, race(HUB))
    assert (found.fixed_by, found.still_present) == ((), True)


def test_a_fix_is_found_behind_a_move(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("mv", "hub", "core")
    repo.put("move everything", {})
    fix = repo.put("core: fix data race in Hub", {"core/hub.go": FIXED})
    found = told_of(repo, race(HUB))
    assert found.fixed_by[0].commit == fix
    assert found.still_present is False


def test_head_is_a_revision(repo: Repository) -> None:
    came = repo.put("hub: begin", {"hub/hub.go": HUB})
    with Clone(str(repo.path)) as clone:
        assert clone.resolve_revision("HEAD") == came


def test_a_move_is_no_fix(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("mv", "hub", "core")
    repo.put("move everything", {})
    found = told_of(repo, race(HUB))
    assert (found.fixed_by, found.still_present) == ((), True)


def test_a_move_that_changes_the_file_is_followed(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("move it", {"hub/hub.go": None, "pkg/hub/hub.go": MOVED})
    assert told_of(repo, race(HUB)).still_present is True


def test_a_line_is_older_than_its_file(repo: Repository) -> None:
    came = repo.put("hub: begin", {"old/hub.go": HUB})
    repo.git("mv", "old", "hub")
    repo.put("move it", {})
    assert [c.commit for c in told_of(repo, race(HUB)).introduced_by] == [came]


def test_a_fix_that_was_reverted_is_none(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: fix data race on count", {"hub/hub.go": FIXED})
    repo.git("revert", "--no-edit", "HEAD")
    found = told_of(repo, race(HUB))
    assert (found.fixed_by, found.still_present) == ((), True)


def test_a_merge_is_the_fix(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("checkout", "-q", "-b", "topic")
    repo.put("hub: guard count", {"hub/hub.go": FIXED})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge pull request #7\n\nhub: fix data race", "topic")
    assert told_of(repo, race(HUB)).fixed_by[0].commit == repo.git("rev-parse", "HEAD")


def test_the_number_of_the_issue_decides(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    mine = repo.put("hub: wait for it\n\nclose acme/relay#41", {"hub/hub.go": MOVED})
    repo.put("hub: fix data race\n\nclose #99", {"hub/hub.go": FIXED})
    assert told_of(repo, race(HUB), DocumentHints(issues=("41",))).fixed_by[0].commit == mine


def test_line_without_a_name_was_not_added_by_a_commit(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    text, write = race_text(HUB), line(HUB, "h.count = 0")
    report = deadheat.scan(text.replace(f"hub.go:{write} ", f"hub.go:{write + 2} "))[0].report
    found = told_of(repo, report)
    assert not any("}" in why for c in found.introduced_by for why in c.why)
    assert not any(owner.why.startswith("wrote the racing line in Close") for owner in found.owners)


@pytest.mark.parametrize(
    ("issue", "message", "is_named"),
    [
        ("41", "close #41", True),
        ("acme/relay#41", "close #41", True),
        ("Acme/Relay#41", "see https://github.com/acme/relay/issues/41", True),
        ("upstream/relay#41", "close #41", True),  # the name of a remote
        ("acme/outbox#41", "close #41", False),
        ("https://github.com/acme/outbox/issues/41", "close #41", False),
        ("acme/relay#41", "close acme/outbox#41", False),
        ("41", "close https://github.com/acme/outbox/issues/41", False),
        ("acme/relay#41", "see other/tracker/issues/41", False),
    ],
)
def test_issue_of_another_tracker_is_not_the_number_of_a_fix(
    repo: Repository, issue: str, message: str, is_named: bool
) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("remote", "add", "upstream", "git@github.com:Upstream/relay.git")
    other = repo.put(f"hub: wait for it\n\n{message}", {"hub/hub.go": MOVED})
    fix = repo.put("hub: fix data race", {"hub/hub.go": FIXED})
    hints = hints_from_document(Document("a.md", "issue", id=issue))
    found = told_of(repo, race(HUB), hints).fixed_by
    assert [c.commit for c in found if "names #41" in c.why] == ([other] if is_named else [])
    assert is_named or found[0].commit == fix


def test_a_fix_that_was_already_out(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("tag", "v1.4.1")
    repo.put("hub: fix data race on count", {"hub/hub.go": FIXED})
    repo.git("tag", "v1.4.2")
    found = told_of(repo, race(HUB), DocumentHints(("v1.4.1",)))
    assert found.pin is not None
    assert (found.pin.named_revision, found.fixed_in) == ("v1.4.1", ("v1.4.2",))


def test_owners_come_from_files_and_from_history(repo: Repository) -> None:
    rules = "* @all\n/hub/ @hub-team @second # why\n"
    repo.put("hub: begin", {"hub/hub.go": HUB, ".github/CODEOWNERS": rules, "hub/OWNERS": OWNERS})
    who = [owner.who for owner in told_of(repo, race(HUB)).owners]
    assert who == ["A Tester <tester@example.com>", "@hub-team", "@second", "alice"]


OWNERS = "reviewers:\n  - bob\napprovers:\n  - alice # since 2020\nlabels:\n  - area/hub\n"


def test_an_owners_file_names_its_approvers() -> None:
    assert parse_approvers(OWNERS) == ["alice"]


@pytest.mark.parametrize(
    ("rule", "path", "hit"),
    [
        ("*", "a/b.go", True),
        ("*.go", "a/b.go", True),
        ("*.c", "a/b.go", False),
        ("/a/", "a/b.go", True),
        ("/a/", "x/a/b.go", False),
        ("a/", "x/a/b.go", True),
        ("x/*", "x/a.go", True),
        ("docs/**/x", "docs/a/b/x", True),
        ("/a", "ab/c.go", False),
        ("*" * 40 + "a", "a", False),
    ],
)
def test_rules_of_code_owners(rule: str, path: str, hit: bool) -> None:
    assert match_codeowners(f"{rule} @me", path)[0] == (["@me"] if hit else [])


VENDORED = "/src/app/vendor/example.com/acme/relay/hub/hub.go"


def test_a_race_in_a_dependency_names_it(repo: Repository, tmp_path: Path) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    app = Repository(tmp_path / "app")
    app.put("begin", {"go.mod": "module example.com/acme/app\n", VENDORED[9:]: HUB})
    report = race(HUB, VENDORED)
    with Clone(str(app.path)) as first, Clone(str(repo.path)) as second:
        alone = build_dossier(report, [first])
        both = build_dossier(report, [first, second])
    assert alone.dependency == both.dependency == DependencyModule("example.com/acme", None, True)
    assert alone.pin is not None
    assert alone.pin.is_exact
    assert both.pin is not None


@pytest.mark.parametrize(
    ("path", "package", "path_of", "version"),
    [
        ("/go/pkg/mod/x.org/grpc@v1.39.0/x/y.go", "x.org/grpc/x", "x.org/grpc", "v1.39.0"),
        ("/m/mod/github.com/!azure/x@v1.0.0/y.go", "github.com/Azure/x", "github.com/Azure/x", "v1.0.0"),
        ("github.com/x/y/v2@v2.1.0/z/a.go", "github.com/x/y/v2/z", "github.com/x/y/v2", "v2.1.0"),
        ("external/com_github_p_errors/s.go", "github.com/p/errors", "github.com/p/errors", None),
        ("/a/vendor/github.com/x/y/z/f.go", "github.com/x/y/z", "github.com/x/y", None),
    ],
)  # fmt: skip
def test_modules(path: str, package: str, path_of: str, version: str | None) -> None:
    found = dependency_of(Frame("x.F", package, path, 1, Origin.USER, path))
    assert found is not None
    assert (found.path, found.version) == (path_of, version)


def test_a_module_that_is_a_folder_of_the_repository_is_none_of_others() -> None:
    path = "x.org/relay-kit@v0.0.0-00010101000000-000000000000/hub/hub.go"
    assert dependency_of(Frame("hub.F", "x.org/relay-kit/hub", path, 1, Origin.USER, path)) is None


@pytest.mark.parametrize(
    ("printed", "known", "expected"),
    [
        ("/go/tidb/executor/x.go", ["executor/x.go", "pkg/executor/x.go"], ["executor/x.go"]),
        ("/b/pkg/executor/x.go", ["executor/x.go", "pkg/executor/x.go"], ["pkg/executor/x.go"]),
        ("store/x.go", ["store/x.go", "util/store/x.go"], ["store/x.go"]),
        ("x.go", ["a/x.go", "b/x.go"], ["a/x.go", "b/x.go"]),
        ("/d/prometheus/tsdb/x.go", ["tsdb/x.go", "vendor/g/prometheus/tsdb/x.go"], ["tsdb/x.go"]),
        ("example.org/etcd/server/v3/api/x.go", ["server/api/x.go", "api/x.go"], ["server/api/x.go"]),
        ("/b/etcd/client/v3/x.go", ["client/v3/x.go", "client/x.go"], ["client/v3/x.go"]),
        ("/a/b/x.go", ["c/x.go"], []),
        ("C:\\src\\hub\\x.go", ["hub/x.go"], ["hub/x.go"]),
    ],
)
def test_paths_match_by_their_longest_suffix(printed: str, known: list[str], expected: list[str]) -> None:
    assert matching_paths(printed, known) == expected


def frames(*told: tuple[str, str]) -> Report:
    return go_report(("write", list(told)), ("read", []))


TEST = (f"{MODULE}/hub.TestHub", "/src/relay/hub/hub_test.go:9")
GOCHECK = ("gopkg.in/check%2ev1.(*suiteRunner).forkTest.func1", "/m/mod/gopkg.in/check.v1@v1/check.go:8")
TESTIFY = ("github.com/stretchr/testify/suite.Run.func1", "/m/mod/x/testify@v1.8.0/suite/suite.go:8")
GINKGO = ("github.com/onsi/ginkgo/v2/internal.(*Suite).runNode.func3", "/m/mod/x@v2.1.0/internal/s.go:8")
RUNNER = ("testing.tRunner", "/usr/local/go/src/testing/testing.go:1259")


@pytest.mark.parametrize(
    ("seen", "framework", "command"),
    [
        ([TEST, RUNNER], "go-test", "go test -race ./hub -run '^TestHub$' -vet=off -count=20"),
        (
            [(f"{MODULE}/hub.TestHub.func1", TEST[1]), RUNNER],
            "go-test",
            "go test -race ./hub -run '^TestHub$' -vet=off -count=20",
        ),
        (
            [(f"{MODULE}/hub.BenchmarkHub", TEST[1])],
            "go-test",
            "go test -race ./hub -run '^$' -bench '^BenchmarkHub$' -vet=off -count=20",
        ),
        (
            [
                (f"{MODULE}/hub.(*suite).TestHub", TEST[1]),
                GOCHECK,
                (f"{MODULE}/hub.TestT", "/src/relay/hub/hub_test.go:4"),
            ],
            "gocheck",
            "go test -race ./hub -run '^TestT$' -check.f 'suite.TestHub$' -vet=off -count=20",
        ),
        (
            [
                (f"{MODULE}/hub.(*suite).TestHub", TEST[1]),
                TESTIFY,
                (f"{MODULE}/hub.TestSuite", "/src/relay/hub/hub_test.go:4"),
            ],
            "testify",
            "go test -race ./hub -run '^TestSuite$' -testify.m '^TestHub$' -vet=off -count=20",
        ),
        (
            [
                (f"{MODULE}/hub.init.func1.2", TEST[1]),
                GINKGO,
                (f"{MODULE}/hub.TestAll", "/src/relay/hub/hub_test.go:4"),
            ],
            "ginkgo",
            "go test -race ./hub -run '^TestAll$' -vet=off -count=20",
        ),
        (
            [
                ("executor/fktest/fktest_test_test.TestX", "executor/fktest/x_test.go:9"),
                ("main.main", "bazel-out/k8-fastbuild/bin/executor/fktest/fktest_test_/testmain.go:17"),
            ],
            "bazel",
            "bazel test --@io_bazel_rules_go//go/config:race //executor/fktest:fktest_test"
            " --test_filter='^TestX$' --runs_per_test=20",
        ),
        ([("main.main", "cmd/relay/main.go:3")], "binary", "go run -race ./cmd/relay"),
    ],
)  # fmt: skip
def test_the_command_of_each_framework(seen: list[tuple[str, str]], framework: str, command: str) -> None:
    found = find_reproduction(frames(*seen))
    assert found is not None
    assert (found.framework, found.command) == (framework, command)


def test_a_suite_is_known_from_its_source(repo: Repository) -> None:
    suite = HUB.replace("Hub", "suite").replace("func (h *suite) Close() error", "func (h *suite) TestIt() error")
    suite = suite.replace('import "sync"', 'import "gopkg.in/check.v1"')
    repo.put("hub: begin", {"hub/hub_test.go": suite})
    place = go.make_frame(f"{MODULE}/hub.(*suite).TestIt", "/src/relay/hub/hub_test.go", 12)
    found = told_of(repo, frames((f"{MODULE}/hub.(*suite).TestIt", f"{place.path}:12")))
    assert found.reproduction is not None
    assert found.reproduction.framework == "gocheck"


SUBTESTS = """package hub

import "testing"

func TestHub(t *testing.T) {
	t.Run("two words", func(t *testing.T) {
		t.Run("a.b", func(t *testing.T) {
			h.Close()
		})
	})
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			h.Close()
		})
	}
}
"""


@pytest.mark.parametrize(
    ("line", "run"), [(8, r"^TestHub$/^two_words$/^a\.b$"), (13, "^TestHub$")], ids=["named", "from a table"]
)
def test_a_sub_test_is_run_alone_if_its_name_is_known(repo: Repository, line: int, run: str) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB, "hub/hub_test.go": SUBTESTS})
    report = go_report(
        (
            "write",
            [
                (f"{MODULE}/hub.(*Hub).Close", "/src/relay/hub/hub.go:12"),
                (f"{MODULE}/hub.TestHub.func1.1", f"/src/relay/hub/hub_test.go:{line}"),
                ("testing.tRunner", "/usr/local/go/src/testing/testing.go:1259"),
            ],
        ),
        ("read", [(f"{MODULE}/hub.(*Hub).run", "/src/relay/hub/hub.go:18")]),
    )
    found = told_of(repo, report).reproduction
    assert found is not None
    assert found.command == f"go test -race ./hub -run '{run}' -vet=off -count=20"


def test_a_merge_says_what_its_commits_say(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("checkout", "-q", "-b", "topic")
    inner = repo.put("hub: fix data race on count", {"hub/hub.go": FIXED})
    repo.git("checkout", "-q", "main")
    repo.put("hub: end", {"hub/end.go": "package hub\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge pull request #7 from topic", "topic")
    best = told_of(repo, race(HUB)).fixed_by[0]
    assert best.commit == repo.git("rev-parse", "HEAD")
    assert {"says that it is about a data race", f"merges {inner[:11]}"} <= set(best.why)


TEXT = """==================
WARNING: DATA RACE
Write at 0x00c000012340 by goroutine 7:
  example.com/acme/relay/hub.(*Hub).Close()
      /src/relay/hub/hub.go:12 +0x45

Previous read at 0x00c000012340 by goroutine 8:
  example.com/acme/relay/hub.(*Hub).run()
      /src/relay/hub/hub.go:18 +0x45
==================
"""
# the contract's fields beyond those of scan
FIELDS = {
    "variable", "pin", "still_present", "fixed_by", "introduced_by", "cause", "similar_fixes",
    "reproduce", "owners", "related", "narrative",
}  # fmt: skip


def test_explain_prints_the_contract(repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    fix = repo.put("hub: fix data race on count", {"hub/hub.go": FIXED})
    (tmp_path / "log").write_text(TEXT)
    args = ["explain", str(tmp_path / "log"), "--repo", str(repo.path)]
    assert cli.main([*args, "--format", "json"]) == 0
    (race,) = json.loads(capsys.readouterr().out)
    assert race.keys() >= FIELDS | {"fingerprint", "race", "accesses", "document"}
    assert race["variable"]["name"] == "count"
    assert race["pin"].keys() >= {"first", "last", "commits", "frames_fit", "frames", "tags", "misfits"}
    assert race["fixed_by"][0]["commit"] == fix
    assert cli.main(args) == 0
    text = capsys.readouterr().out
    assert "count of Hub, declared at hub/hub.go:7" in text
    assert fix[:11] in text


def test_explain_without_a_repository_says_what_the_report_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_text(TEXT)
    assert cli.main(["explain", str(tmp_path / "log")]) == 0
    assert "no frame is in one of the given repositories" in capsys.readouterr().out


def test_explain_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log").write_text("all is well\n")
    assert cli.main(["explain", str(tmp_path / "log")]) == 0
    assert cli.main(["explain", str(tmp_path / "none")]) == 3
    assert cli.main(["explain", str(tmp_path / "log"), "--repo", str(tmp_path)]) == 3
    assert "not a git repository" in capsys.readouterr().err


def test_a_revision_that_no_clone_has_is_told(
    repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_text("all is well\n")
    args = ["explain", str(tmp_path / "log"), "--repo", str(repo.path), "--at"]
    for known in ("2026-05-01", repo.put("a: begin", {"a.go": "package a\n"})):
        assert cli.main([*args, known]) == 0
        assert capsys.readouterr().err == ""
    assert cli.main([*args, "v9.9.9"]) == 0
    assert capsys.readouterr().err.startswith("deadheat: --at v9.9.9: not a date and not a revision")
    assert cli.main([*args, "v9.9.9", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_the_test_runner_is_no_function_of_the_race(repo: Repository) -> None:
    source = HUB.replace("if h.count > 3 {", 'h.t.Logf("n")\n		if h.n {')
    repo.put("hub: begin", {"hub/hub.go": source})
    library, logging = "/usr/local/go/src/testing/testing.go", f"/src/relay/hub/hub.go:{line(source, 'Logf')}"
    report = go_report(
        ("read", [("testing.(*common).Logf", f"{library}:9"), (f"{MODULE}/hub.(*Hub).run", logging)]),
        ("write", [("testing.tRunner.func1", f"{library}:7"), ("runtime.deferreturn", f"{library}:4")]),
    )
    narrative = dossier_to_json(told_of(repo, report))["narrative"]
    assert "`hub.(*Hub).run` and the test runner access" in narrative["expected"]
    assert "writes in the test runner" in narrative["saw"]
    assert "deferreturn" not in json.dumps(narrative)
    assert report_title(report) == "read/write race: hub.(*Hub).run / the test runner"
