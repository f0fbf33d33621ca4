"""`--tests-from`: the test that a fix brings also runs with the code before the fix."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.racing_module import CART, LOCKED_CART, RacingModule, cart_test

if TYPE_CHECKING:
    from pathlib import Path

OTHER_TEST = """package cart

import "testing"

func TestEmpty(t *testing.T) {
	if (&Cart{}).Total() != 0 {
		t.Fatal("not empty")
	}
}
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> RacingModule:
    """The fix brings the test, which reads a file; the report is from the test with the old code."""
    test = cart_test(0.9, 'if _, err := os.Stat("testdata/items.txt"); err != nil { t.Fatal(err) }')
    test = test.replace('"testing"', '"testing"\n\t"os"')
    old = {"cart/cart_test.go": OTHER_TEST, "cart/total_test.go": "package cart\n\nvar total = 1\n"}
    module = RacingModule(tmp_path_factory.mktemp("brought"), 0.9, old)
    files = {"cart/cart_test.go": test, "cart/total_test.go": None, "cart/testdata/items.txt": "pear\n"}
    module.repository.put("cart: test", files)
    module.write_report()
    module.repository.git("reset", "-q", "--hard", module.racy)
    module.repository.put("cart: fix", {**files, "cart/cart.go": LOCKED_CART})
    return module


@pytest.mark.soak
def test_fix_that_brings_its_test_is_verified(module: RacingModule) -> None:
    report, fix = module.folder / "ci.log", module.repository.git("rev-parse", "HEAD")
    options = "--fix", fix, "--time", "40s", "--tests-from", fix
    status, result = module.run_json("verify", report, *options)
    assert (status, result["verdict"], result["tests_from"]) == (0, "fixed", fix), result
    assert result["notes"] == [f"the tests are those of commit {fix[:12]}, in all versions"]
    assert result["racing_lines"]["is_proven"]


def test_race_of_a_later_test_is_reproduced(module: RacingModule) -> None:
    report = module.folder / "ci.log"
    status, result = module.run_json("reproduce", report, "--at", module.racy, "--tests-from", "HEAD", "--runs", "6")
    assert (status, result["failures"], result["vacuous"]) == (0, [], 0), result


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["verify", "--fix", "HEAD"], ", the parent of the fix; take the tests of the commit that has it"),
        (["reproduce", "--at", "HEAD^"], "TestCheckout is not in commit "),
        (["reproduce", "--tests-path", "x"], "--tests-path needs a commit"),
        (["reproduce", "--tests-from", "v9"], "--tests-from v9: no such revision"),
        (["reproduce", "--tests-from", "HEAD", "--", "make"], "name the files with --tests-path"),
        (["reproduce", "--tests-from", "HEAD", "--tests-path", "x", "--", "make"], "matches x"),
    ],
)
def test_missing_test_and_wrong_use_are_told(module: RacingModule, words: list[str], message: str) -> None:
    command, *options = words
    done = module.run(command, module.folder / "ci.log", "--repo", module.repository.path, *options)
    assert (done.returncode, done.stdout) == (3, "")
    assert message in done.stderr.splitlines()[-1]


def test_files_of_a_command_are_taken(module: RacingModule, tmp_path: Path) -> None:
    """The replaced files are those of the commit, also ones that are gone in it."""
    script = "ls cart > files; cat cart/cart.go >> files; cp files " + str(tmp_path / "files")
    options = "--tests-from", "HEAD", "--tests-path", "cart/*_test.go", "--runs", "1", "--at", module.racy
    report = module.folder / "ci.log"
    done = module.run("reproduce", report, "--repo", module.repository.path, *options, "--", "sh", "-c", script)
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "files").read_text() == "cart.go\ncart_test.go\n" + CART
    tracked = subprocess.run(["git", "status", "--porcelain"], cwd=module.repository.path, capture_output=True)
    assert tracked.stdout == b""
