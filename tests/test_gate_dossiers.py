"""`gate` and `run` with `--repo`: races that fail are shown with the code, and nothing else changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat import cli
from deadheat.cli import dossiers
from deadheat.repo.dossier import build_dossier
from tests.repositories import Repository
from tests.test_architecture import BLOCKER
from tests.test_hostile_names import MODULE, REPORT, SOURCE, TEST
from tests.test_output_formats import case_text

if TYPE_CHECKING:
    from typing import Any

Capture = pytest.CaptureFixture[str]
CODE = "func (z *Zork) Close() { z.zork = 0 }"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout in which the race of `zork.log` was found; the current folder."""
    repo = Repository(tmp_path / "relay")
    repo.put("begin", {"go.mod": f"module {MODULE}\n", "zork/zork.go": SOURCE, "zork/zork_test.go": TEST})
    (repo.path / "zork.log").write_text(REPORT)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(repo.path)
    return repo.path


def gate(*options: str) -> int:
    return cli.main(["gate", "--baseline", "known", "--quiet", "--format", "pr-comment", *options, "zork.log"])


def test_races_that_fail_are_shown_with_the_code(checkout: Path, capsys: Capture) -> None:
    assert gate("--repo", ".", "--write", "sarif=r.sarif") == 1
    out, err = capsys.readouterr()
    assert CODE in out
    assert "`Zork.zork`" in out
    assert err == ""
    [result] = json.loads(Path("r.sarif").read_text())["runs"][0]["results"]
    assert "Zork.zork" in result["message"]["text"]
    assert gate() == 1
    assert CODE not in capsys.readouterr().out


def test_run_has_the_same_option(checkout: Path, capsys: Capture) -> None:
    command = ["run", "--repo", ".", "--format", "pr-comment", "--output", "c.md", "--", "cat", "zork.log"]
    assert cli.main(command) == 0
    assert CODE in Path("c.md").read_text()


def test_baseline_does_not_depend_on_the_code(checkout: Path, capsys: Capture) -> None:
    assert gate("--update") == 0
    without = Path("known").read_text()
    Path("known").unlink()
    assert gate("--update", "--repo", ".") == 0
    assert Path("known").read_text() == without


def test_known_races_are_not_looked_up(checkout: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gate("--update") == 0
    monkeypatch.setattr(dossiers, "_make_dossiers", lambda *_: pytest.fail("looked up"))
    assert gate("--repo", ".") == 0


def test_number_of_dossiers_is_limited(checkout: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("zork.log").write_bytes(
        REPORT.encode() + case_text("go/two-goroutines.txt") + case_text("go/method-value.txt")
    )
    monkeypatch.setattr(dossiers, "MAX_DOSSIERS", 1)
    assert cli.main(["gate", "--baseline", "known", "--format", "pr-comment", "--repo", ".", "zork.log"]) == 1
    out, err = capsys.readouterr()
    assert out.count("| **new** |") == 3
    assert "only the first 1 of 3 races that fail were looked up in the code" in err
    assert out.count("**Version**") <= 1


@pytest.mark.parametrize("folder", ["../empty", "../missing"])
def test_what_is_no_clone_is_named_and_the_races_are_shown(folder: str, checkout: Path, capsys: Capture) -> None:
    (checkout.parent / "empty").mkdir()
    assert gate("--repo", folder) == 1
    out, err = capsys.readouterr()
    assert "1 new race" in out
    assert err.count("\n") == 1
    assert folder in err
    assert "1 race shown without the code" in err


def test_failure_of_an_explanation_hides_no_race(
    checkout: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_with_clones(report: Any, clones: Any, hints: Any = None) -> Any:
        if clones:
            raise RuntimeError("defect")
        return build_dossier(report, clones, hints)

    monkeypatch.setattr("deadheat.repo.dossier.build_dossier", fail_with_clones)
    assert gate("--repo", ".") == 1
    out, err = capsys.readouterr()
    assert "1 new race" in out
    assert "is shown without the code" in err


def test_without_tree_sitter_one_line_says_so(checkout: Path) -> None:
    code = f"{BLOCKER}from deadheat.cli import main; sys.exit(main(sys.argv[1:]))"
    arguments = ["gate", "--baseline", "known", "--quiet", "--format", "pr-comment", "--repo", ".", "zork.log"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(deadheat.__file__).parents[1])},
    )
    assert done.returncode == 1
    assert "### 🔴 deadheat: 1 new race\n" in done.stdout
    assert "**What to change**" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "tree-sitter" in done.stderr
    assert "pip install 'deadheat[code]'" in done.stderr
