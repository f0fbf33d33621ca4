"""`deadheat verify` with a real Go toolchain: the right verdict for right, wrong and empty fixes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.lake import queries, verifications
from tests.racing_module import CART, LOCKED_CART, RacingModule, cart_test, lake_with_report

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    Files = dict[str, str | None]


@pytest.fixture(scope="module")
def often(tmp_path_factory: pytest.TempPathFactory) -> RacingModule:
    """A race in nine of ten runs."""
    module = RacingModule(tmp_path_factory.mktemp("often"), 0.9)
    module.write_report()
    return module


@pytest.fixture(scope="module")
def seldom(tmp_path_factory: pytest.TempPathFactory) -> RacingModule:
    """A race in one of five runs."""
    module = RacingModule(tmp_path_factory.mktemp("seldom"), 0.2)
    module.write_report()
    return module


def verify(module: RacingModule, files: Files, *options: str) -> tuple[int, Any]:
    """Verify a fix: a commit on top of the racy one."""
    module.repository.git("reset", "-q", "--hard", module.racy)
    fix = module.repository.put("cart: fix", files)
    return module.run_json("verify", module.folder / "ci.log", "--fix", fix, "--time", "40s", *options)


def test_right_fix_is_fixed_and_kept_in_the_lake(often: RacingModule, tmp_path: Path) -> None:
    lake = lake_with_report(often, tmp_path)
    status, result = verify(often, {"cart/cart.go": LOCKED_CART}, "--lake", lake.uri)
    assert (status, result["verdict"]) == (0, "fixed"), result
    assert result["old"]["what"].startswith(f"commit {often.racy[:12]}, the parent")
    assert result["new"]["sightings"] == 0
    assert result["statistics"]["error"] <= 0.01 + 1e-9
    assert result["statistics"]["remaining_bound"] <= 0.5
    assert result["statistics"]["unchanged_probability"] <= 0.01
    assert result["racing_lines"]["is_proven"]
    sites = {(site["function"], site["is_line"]) for site in result["racing_lines"]["new"]}
    assert sites == {("(*Cart).Total", True), ("(*Cart).Add", True)}
    (row,) = verifications.read_verifications(lake, queries.find_race(lake, result["race"]))
    fix = often.repository.git("rev-parse", "HEAD").strip()
    assert (row["kind"], row["verdict"], row["old_commit"], row["new_commit"]) == ("verify", "fixed", often.racy, fix)
    assert (row["repo"], row["change"]) == (often.racy, "commit")
    assert json.loads(row["result"]) == result
    assert row["rate_low"] <= row["old_sightings"] / row["old_runs"] <= row["rate_high"]


@pytest.mark.soak
def test_right_fix_of_a_rare_race_is_fixed(seldom: RacingModule) -> None:
    status, result = verify(seldom, {"cart/cart.go": LOCKED_CART}, "--time", "150s")
    assert (status, result["verdict"]) == (0, "fixed"), result
    assert result["old"]["runs"] + result["new"]["runs"] >= 30


@pytest.mark.soak
def test_fixes_of_a_very_rare_race(tmp_path: Path) -> None:
    """One of fifty runs shows it; the wrong fix leaves half of that."""
    module = RacingModule(tmp_path, 0.02)
    module.write_report()
    status, result = verify(module, {"cart/cart.go": LOCKED_CART}, "--time", "400s", "--jobs", "4")
    assert (status, result["verdict"]) == (0, "fixed"), result
    assert result["old"]["runs"] + result["new"]["runs"] >= 300
    status, result = verify(module, {"cart/cart_test.go": cart_test(0.01)}, "--time", "400s", "--jobs", "4")
    assert result["verdict"] != "fixed", result


@pytest.mark.soak
def test_fix_that_only_makes_it_rarer_is_never_fixed(often: RacingModule) -> None:
    status, result = verify(often, {"cart/cart_test.go": cart_test(0.3)})
    assert (status, result["verdict"]) == (1, "still races"), result


@pytest.mark.soak
def test_fix_that_makes_it_much_rarer_is_not_called_fixed_early(often: RacingModule) -> None:
    """At this rate some verifications miss it; then the verdict says that such a share may be left."""
    _, result = verify(often, {"cart/cart_test.go": cart_test(0.05)})
    if result["verdict"] == "fixed":
        assert result["statistics"]["remaining_bound"] >= 0.05 / 0.9
    else:
        assert result["verdict"] == "still races"


def test_fix_that_skips_the_test_is_vacuous(often: RacingModule) -> None:
    status, result = verify(often, {"cart/cart_test.go": cart_test(0.9, 't.Skip("flaky")')})
    assert (status, result["verdict"]) == (4, "vacuous"), result


@pytest.mark.soak
def test_fix_after_which_a_racing_line_does_not_run_is_vacuous(often: RacingModule) -> None:
    status, result = verify(often, {"cart/cart_test.go": cart_test(0.9, "if c := (&Cart{}); c.total == 0 { return }")})
    assert (status, result["verdict"]) == (4, "vacuous"), result
    assert "(*Cart).Add in cart/cart.go" in result["reason"]
    assert {site["state"] for site in result["racing_lines"]["new"]} == {"did not run"}


@pytest.mark.soak
def test_fix_without_a_test_is_vacuous(often: RacingModule) -> None:
    other_test = cart_test(0.9).replace("TestCheckout", "TestOther")
    status, result = verify(often, {"cart/cart_test.go": other_test})
    assert (status, result["verdict"]) == (4, "vacuous"), result


@pytest.mark.soak
def test_fix_that_brings_another_race_is_told(often: RacingModule) -> None:
    counted = LOCKED_CART.replace(
        "type Cart struct {\n", "type Cart struct {\n\tcalls int\n"
    ).replace("\tc.mu.Lock()\n", "\tc.call()\n\tc.mu.Lock()\n") + "\nfunc (c *Cart) call() { c.calls++ }\n"  # fmt: skip
    status, result = verify(often, {"cart/cart.go": counted})
    assert (status, result["verdict"]) == (1, "another race instead"), result
    assert [race["title"] for race in result["new"]["other_races"]] == ["read/write race in cart.(*Cart).call"]


@pytest.mark.soak
def test_race_is_recognised_after_its_lines_moved(often: RacingModule) -> None:
    moved = CART.replace("type Cart", "// Cart counts.\n//\n// It is not safe.\ntype Cart")
    status, result = verify(often, {"cart/cart.go": moved})
    assert (status, result["verdict"], result["new"]["renamed"]) == (1, "still races", []), result


@pytest.mark.soak
def test_race_is_recognised_after_a_function_was_renamed(often: RacingModule) -> None:
    test = cart_test(0.9).replace("c.Total()", "c.Sum()")
    status, result = verify(often, {"cart/cart.go": CART.replace("Total()", "Sum()"), "cart/cart_test.go": test})
    assert (status, result["verdict"]) == (1, "still races"), result
    assert result["new"]["renamed"] == ["(*Cart).Total is now (*Cart).Sum"]


@pytest.mark.soak
def test_patch_and_work_tree_are_verified(often: RacingModule) -> None:
    repository = often.repository
    repository.git("reset", "-q", "--hard", often.racy)
    (repository.path / "cart" / "cart.go").write_text(LOCKED_CART)
    (repository.path / "cart" / "new_file.go").write_text("package cart\n")
    patch = often.folder / "fix.diff"
    patch.write_text(repository.git("diff") + "\n")
    report = often.folder / "ci.log"
    status, result = often.run_json("verify", report, "--worktree", "--time", "60s")
    assert (status, result["verdict"]) == (0, "fixed"), result
    assert repository.git("status", "--porcelain") == "M cart/cart.go\n?? cart/new_file.go"
    repository.git("checkout", "-q", "--", ".")
    status, result = often.run_json("verify", report, "--patch", patch, "--time", "60s")
    assert (status, result["verdict"]) == (0, "fixed"), result
    (repository.path / "cart" / "new_file.go").unlink()


@pytest.mark.soak
def test_renamed_function_is_recognised_in_a_work_tree(often: RacingModule) -> None:
    repository = often.repository
    repository.git("reset", "-q", "--hard", often.racy)
    (repository.path / "cart" / "cart.go").write_text(CART.replace("Total()", "Sum()"))
    (repository.path / "cart" / "cart_test.go").write_text(cart_test(0.9).replace("c.Total()", "c.Sum()"))
    status, result = often.run_json("verify", often.folder / "ci.log", "--worktree", "--time", "60s")
    repository.git("checkout", "-q", "--", ".")
    assert (status, result["new"]["renamed"]) == (1, ["(*Cart).Total is now (*Cart).Sum"]), result


@pytest.mark.soak
def test_too_little_time_is_inconclusive(seldom: RacingModule) -> None:
    status, result = verify(seldom, {"cart/cart.go": LOCKED_CART}, "--time", "2s", "--confidence", "0.9999")
    assert (status, result["verdict"]) == (4, "inconclusive"), result
    assert result["statistics"]["error"] > 0.0001


@pytest.mark.soak
def test_old_code_that_does_not_race_is_inconclusive(often: RacingModule) -> None:
    often.repository.git("reset", "-q", "--hard", often.racy)
    often.repository.put("cart: fix", {"cart/cart.go": LOCKED_CART})
    fix = often.repository.put("cart: comment", {"cart/cart.go": LOCKED_CART + "// done\n"})
    report = often.folder / "ci.log"
    status, result = often.run_json("verify", report, "--fix", fix, "--time", "6s")
    assert (status, result["verdict"], result["old"]["sightings"]) == (4, "inconclusive", 0), result


@pytest.mark.soak
def test_statement_is_markdown_for_a_pull_request(often: RacingModule) -> None:
    often.repository.git("reset", "-q", "--hard", often.racy)
    fix = often.repository.put("cart: fix", {"cart/cart.go": LOCKED_CART})
    where = "--repo", often.repository.path, "--fix", fix, "--format", "markdown", "--time", "60s"
    done = often.run("verify", often.folder / "ci.log", *where)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("### deadheat verify: fixed: at most ")
    assert "The old code showed this race in " in done.stdout
    assert "The racing line of `(*Cart).Add` ran in 8 of 8 instrumented runs of the new code." in done.stdout


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--fix", "0123456789"], 3, "no such revision"),
        (["--patch", "no-such.diff"], 3, "the patch does not apply"),
        (["--fix", "HEAD", "--confidence", "1"], 2, "must be at least 0.5 and below 1"),
        ([], 2, "the new code is missing: --fix COMMIT, --patch FILE or --worktree"),
    ],
)
def test_wrong_use_is_told(often: RacingModule, options: list[str], status: int, message: str) -> None:
    done: subprocess.CompletedProcess[str] = often.run(
        "verify", often.folder / "ci.log", "--repo", often.repository.path, *options
    )
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr.splitlines()[-1]


def test_repository_without_new_or_old_code_is_told(often: RacingModule, tmp_path: Path) -> None:
    often.repository.git("clone", "-q", "--bare", str(often.repository.path), str(tmp_path / "bare"))
    often.repository.git("clone", "-q", str(often.repository.path), str(tmp_path / "unborn"))
    often.repository.git("-C", str(tmp_path / "unborn"), "checkout", "-q", "--orphan", "new")
    often.repository.put("cart: a newer commit", {"note.txt": "new"})
    often.repository.git("clone", "-q", "--depth", "1", f"file://{often.repository.path}", str(tmp_path / "shallow"))

    def last_line(name: str, *options: str) -> str:
        done = often.run("verify", often.folder / "ci.log", "--repo", tmp_path / name, *options)
        assert (done.returncode, done.stdout) == (3, "")
        return done.stderr.splitlines()[-1]

    assert "the repository is bare: it has no work tree" in last_line("bare", "--worktree")
    assert "the branch of the work tree has no commit yet" in last_line("unborn", "--worktree")
    assert "git fetch --unshallow" in last_line("shallow", "--fix", "HEAD")
