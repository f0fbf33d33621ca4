"""`deadheat mine` on Spark, and `explain` with what it found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.cli import main, progress
from deadheat.cli.progress import ProgressLine, format_commits
from deadheat.lake import queries
from deadheat.lake.tables import Lake
from deadheat.repo.git import GitReader
from tests.lakes import taken
from tests.repositories import Repository
from tests.test_mining import ATOMIC, BEGIN, LOCKED, QUOTED, mined

if TYPE_CHECKING:
    from pathlib import Path

REPORT = """WARNING: DATA RACE
Write at 0x00c000012340 by goroutine 7:
  example.com/acme/relay/hub.(*Hub).Close()
      /src/relay/hub/hub.go:12 +0x45

Previous read at 0x00c000012340 by goroutine 8:
  example.com/acme/relay/hub.(*Hub).Add()
      /src/relay/hub/hub.go:8 +0x45
"""


pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "relay")
    made.put("begin", {"hub/hub.go": BEGIN, "go.mod": "module example.com/acme/relay\n"})
    made.put(f"hub: fix data race (#1)\n\n{QUOTED}", {"hub/hub.go": LOCKED})
    made.put("hub: count elsewhere", {"hub/hub.go": BEGIN})
    made.put("hub: count better\n\nclose #77", {"hub/hub.go": ATOMIC})
    made.put('Revert "hub: fix data race (#1)"', {"README.md": "back\n"})
    made.put("hub: begin again", {"hub/hub.go": BEGIN})
    return made


def told(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    status = main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return status, out, err


def test_what_is_mined_is_kept_and_used(
    spark: Any, repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = tmp_path / "lake"
    phases: list[tuple[str, float | None]] = []

    class RecordedLine(ProgressLine):
        def start_phase(self, phase: str, total: float | None = None, format_amount: Any = format_commits) -> None:
            phases.append((phase, total))

    monkeypatch.setattr(progress, "ProgressLine", RecordedLine)
    status, out, err = told(capsys, "mine", repo.path, "--lake", lake)
    assert status == 0
    (line,) = out.splitlines()
    assert "lock-added" in line
    assert "(reverted by " in line
    assert err.startswith("deadheat: 1 fix in 6 commits")

    # an issue in the lake that quotes a report makes the second one a fix as well
    issue = tmp_path / "issue.md"
    issue.write_text(f"ID: 77\nTitle: DATA RACE in Hub\nDescription:\n```\n{REPORT}```\n")
    taken(spark, lake, [issue])
    status, out, _ = told(capsys, "mine", repo.path, "--lake", lake, "--format", "jsonl", "--quiet")
    rows = [json.loads(line) for line in out.splitlines()]
    assert phases.count(("examining commits", 6)) == 2
    assert phases[:2] == [("listing commits", None), ("starting Spark", None)]
    assert [(row["subject"], row["strategy"]) for row in rows] == [
        ("hub: count better", "made-atomic"),
        ("hub: fix data race (#1)", "lock-added"),
    ]
    assert [len(row["reports"]) for row in rows] == [0, 1]
    with GitReader(str(repo.path)) as git:
        first = list(git.output_lines("rev-list", git.head_commit))[-1]
    kept = queries.list_fixes(Lake(str(lake)))
    assert [(row["repo"], row["commit"]) for row in kept] == [(first, row["commit"]) for row in rows]

    # the same road as without Spark
    alone = mined(repo, {"77": ["hub.go"]})
    assert {row["commit"]: tuple(row["variables"]) for row in rows} == {
        fix.commit: fix.variables for fix in alone.values()
    }

    status, out, _ = told(capsys, "explain", issue, "--lake", lake, "--repo", repo.path, "--format", "json")
    ((race),) = json.loads(out)
    (past,) = race["similar_fixes"]
    assert past["commit"] == rows[0]["commit"]
    assert past["strategy"] == "made-atomic"
    assert past["why"][0].startswith(("is about the same variable", "changes the same type"))
    status, out, _ = told(capsys, "explain", issue, "--format", "json")
    assert json.loads(out)[0]["similar_fixes"] == []


def test_a_repository_without_commits(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = Repository(tmp_path / "empty")
    status, _, err = told(capsys, "mine", empty.path, "--lake", tmp_path / "lake")
    assert (status, err) == (3, f"deadheat: {empty.path}: the repository has no commits\n")
    status, _, err = told(capsys, "mine", tmp_path / "nowhere", "--lake", tmp_path / "lake")
    assert status == 3
    assert "not a git repository" in err


def test_another_repository_keeps_its_fixes(
    spark: Any, repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    other = Repository(tmp_path / "other")
    other.put("start", {"a.go": BEGIN})
    other.put("a: fix data race", {"a.go": ATOMIC})
    for where in (repo.path, other.path, other.path):
        assert told(capsys, "mine", where, "--lake", lake, "--quiet")[0] == 0
    assert len(queries.list_fixes(Lake(str(lake)))) == 2


def test_a_lake_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    issue = tmp_path / "issue.md"
    issue.write_text(REPORT)
    status, _, err = told(capsys, "explain", issue, "--lake", tmp_path / "none")
    assert status == 3
    assert "there is no lake; `deadheat mine REPO --lake DIR` makes one" in err


def test_a_lake_without_past_fixes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    issue = tmp_path / "issue.md"
    issue.write_text(REPORT)
    lake = tmp_path / "lake"
    Lake(str(lake)).create_tables()
    status, _, err = told(capsys, "explain", issue, "--lake", lake)
    assert status == 0
    assert err == (f"deadheat: {lake}: has no past fixes; run `deadheat mine REPO --lake DIR` first\n")
    assert told(capsys, "explain", issue, "--lake", lake, "--quiet")[2] == ""
