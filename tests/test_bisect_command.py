"""`deadheat bisect` with a real Go toolchain: the commits that introduced and fixed a race, in histories of our own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.racing_module import CART, LOCKED_CART, PACKAGE_ROOT, RacingModule, cart_test

if TYPE_CHECKING:
    from pathlib import Path

    Files = dict[str, str | None]

BROKEN: Files = {"cart/broken.go": "package cart\n\nfunc broken( {\n"}
REPAIRED: Files = {"cart/broken.go": None}


def renamed(source: str) -> str:
    return source.replace("Total()", "Sum()")


class RacingHistory:
    """A module whose race is introduced, and later fixed."""

    def __init__(self, folder: Path, chance: float, filler: int = 1) -> None:
        first = {"cart/cart.go": LOCKED_CART, "cart/cart_test.go": cart_test(chance)}
        self.module = RacingModule(folder, chance, first)
        self._filler = filler
        self.cache = folder / "cache"
        self.put_docs()
        self.put_broken()
        self.put_docs()
        self.origin = self.put("cart: faster", {"cart/cart.go": CART})
        self.put_docs()
        self.put("cart: rename", {"cart/cart.go": renamed(CART), "cart/cart_test.go": renamed(cart_test(chance))})
        skipped = renamed(cart_test(chance, 't.Skip("slow")'))
        self.skipped = self.put("cart: skip", {"cart/cart_test.go": skipped})
        self.racy = self.put("cart: no skip", {"cart/cart_test.go": renamed(cart_test(chance))})
        self.report = self.module.write_report()
        self.put_docs()
        self.put_broken()
        self.fix = self.put("cart: lock", {"cart/cart.go": renamed(LOCKED_CART)})
        self.put_docs()

    def put(self, subject: str, files: Files) -> str:
        return self.module.repository.put(subject, files)

    def put_docs(self) -> None:
        for _ in range(self._filler):
            self.put("docs", {"README": f"{time.monotonic_ns()}\n"})

    def put_broken(self) -> None:
        self.put("cart: broken", BROKEN)
        self.put("cart: repaired", REPAIRED)

    def command(self, *options: str | Path) -> tuple[str | Path, ...]:
        return ("bisect", self.report, "--repo", self.module.repository.path, "--format", "json", "--quiet", *options)

    def bisect(self, *options: str | Path) -> tuple[int, Any]:
        done = self.module.run(*self.command(*options), DEADHEAT_CACHE=str(self.cache))
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def often(tmp_path_factory: pytest.TempPathFactory) -> RacingHistory:
    """A race in nine of ten runs."""
    return RacingHistory(tmp_path_factory.mktemp("often"), 0.9)


def found_commits(result: Any) -> list[str]:
    return [each["commit"] for each in result["answer"]["commits"]]


@pytest.mark.soak
def test_introducing_commit_is_found_before_a_renaming(often: RacingHistory) -> None:
    status, result = often.bisect("--introduced", "--no-cache")
    assert (status, result["verdict"], found_commits(result)) == (0, "found", [often.origin]), result
    assert 0.95 <= result["answer"]["probability"] <= 1
    # the newest commit that fits the report
    assert result["range"]["racing"] == often.module.repository.git("rev-parse", f"{often.fix}~1")
    assert all(each["runs"] == 0 for each in result["tried"] if each["commit"] == often.skipped)
    seen = {each["commit"]: each for each in result["tried"] if each["sightings"]}
    assert "(*Cart).Sum is now (*Cart).Total" in {each["renamed"] for each in seen.values()}
    assert result["cache"] is None


def test_fixing_commit_is_found_and_a_second_call_runs_nothing(often: RacingHistory) -> None:
    before = often.module.repository.git("status", "--porcelain", "--ignored")
    status, result = often.bisect("--fixed")
    assert (status, found_commits(result)) == (0, [often.fix]), result
    assert often.module.repository.git("status", "--porcelain", "--ignored") == before
    status, again = often.bisect("--fixed")
    assert (status, found_commits(again)) == (0, [often.fix])
    assert again["trials"] == again["trials_from_cache"] == result["trials"]
    assert again["builds"] == result["builds"]
    assert again["seed"] == result["seed"]


def test_race_that_is_still_there_ends_with_1(often: RacingHistory) -> None:
    last = often.module.repository.git("rev-parse", f"{often.fix}~1")
    status, result = often.bisect("--fixed", "--from", often.racy, "--to", last)
    assert (status, result["verdict"], result["answer"]["commits"]) == (1, "no commit of the range", [])


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--from", "0123456789"], 3, "--from 0123456789: no such revision"),
        (["--introduced", "--fixed"], 2, "not allowed with argument"),
        (["--confidence", "1"], 2, "must be at least 0.5 and below 1"),
        (["--fixed", "--from", "HEAD"], 3, "no commit comes after the one that shows the race"),
    ],
)
def test_wrong_use_is_told(often: RacingHistory, options: list[str], status: int, message: str) -> None:
    done = often.module.run("bisect", often.report, "--repo", often.module.repository.path, *options)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr.splitlines()[-1]


@pytest.mark.soak
@pytest.mark.parametrize("chance", [0.2, 0.05])
def test_commits_are_found_for_rare_races(tmp_path: Path, chance: float) -> None:
    history = RacingHistory(tmp_path, chance, filler=4)
    for option, expected in (("--fixed", history.fix), ("--introduced", history.origin)):
        status, result = history.bisect(option, "--time", "8m")
        assert (status, found_commits(result)) == (0, [expected]), result
        # it skips neither too much nor builds everything
        assert result["builds"] <= 12


@pytest.mark.soak
def test_search_that_is_killed_goes_on_and_loses_no_trial(tmp_path: Path) -> None:
    """It is killed at random points until it has the answer; each call continues with all that was written."""
    history = RacingHistory(tmp_path, 0.2, filler=3)
    random, known = Random(11), 0
    for attempt in range(40):
        command = [sys.executable, "-m", "deadheat", *map(str, history.command("--introduced"))]
        environment = {**history.module.environment, "PYTHONPATH": PACKAGE_ROOT, "DEADHEAT_CACHE": str(history.cache)}
        process = subprocess.Popen(
            command, env=environment | {"TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            out, _ = process.communicate(timeout=random.uniform(3, 8 + attempt))  # a busy computer needs longer
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            recorded = recorded_trials(history.cache)
            assert recorded >= known
            known = recorded
            continue
        result = json.loads(out)
        assert result["trials_from_cache"] == known
        assert (process.returncode, found_commits(result)) == (0, [history.origin]), result
        return
    pytest.fail("it did not end")


def recorded_trials(cache: Path) -> int:
    """The trials in whole lines of the only file."""
    total = 0
    for path in cache.glob("bisect/*.jsonl"):
        for line in path.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n") and line.strip():
                record = json.loads(line)
                total += sum(record.get(name, 0) for name in ("runs", "vacuous", "incomplete"))
    return total


@pytest.mark.soak
def test_interruption_prints_what_was_learnt(tmp_path: Path) -> None:
    history = RacingHistory(tmp_path, 0.2, filler=4)
    command = [sys.executable, "-m", "deadheat", "bisect", str(history.report), "--repo"]
    command += [str(history.module.repository.path), "--introduced"]
    environment = {**history.module.environment, "PYTHONPATH": PACKAGE_ROOT, "DEADHEAT_CACHE": str(history.cache)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    while process.poll() is None and recorded_trials(history.cache) < 4:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 4
    assert "not known which commit introduced it: it was interrupted" in out
    assert re.search(r"^trials: \d+, \d+ builds?$", out, re.MULTILINE)


@pytest.mark.soak
def test_markdown_of_a_repository_with_hostile_names(tmp_path: Path) -> None:
    folder = tmp_path / "sh'op $(touch x) |`\x1b[31m"
    history = RacingHistory(folder, 0.9)
    repository = history.module.repository
    repository.put("``` | <img src=x> \x1b]0;x\x07 ::error::x @everyone", {"README": "x\n"})
    status, _ = history.bisect("--fixed")
    assert status == 0
    done = history.module.run(
        "bisect", history.report, "--repo", repository.path, "--fixed", "--format", "markdown",
        DEADHEAT_CACHE=str(history.cache),
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith("### Bisection of race `")
    assert f"| 99 % | `{history.fix[:12]}` | `cart: lock` |" in done.stdout or history.fix[:12] in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    assert not [*tmp_path.rglob("x")]


@pytest.mark.soak
def test_tests_of_the_fix_run_in_all_commits(tmp_path: Path) -> None:
    """The fix brings the test that shows the race, so no commit before it has one."""
    module = RacingModule(tmp_path, 0.9, {"cart/cart.go": LOCKED_CART, "cart/cart_test.go": "package cart\n"})
    repository, report = module.repository, tmp_path / "ci.log"
    docs: list[Files] = [{"README": f"{number}\n"} for number in range(8)]
    for files in docs[:3]:
        repository.put("docs", files)
    origin = repository.put("cart: faster", {"cart/cart.go": CART})
    for files in docs[3:6]:
        repository.put("docs", files)
    (repository.path / "cart" / "cart_test.go").write_text(cart_test(0.9))
    module.write_report()
    fix = repository.put("cart: lock", {"cart/cart.go": LOCKED_CART})
    repository.put("docs", docs[6])
    where = "--tests-from", fix, "--no-cache"
    first = repository.git("rev-list", "--max-parents=0", "HEAD")
    at = repository.git("rev-parse", f"{fix}~1")
    status, result = module.run_json("bisect", report, "--fixed", "--from", at, *where)
    assert (status, found_commits(result), result["tests_from"]) == (0, [fix], fix), result
    status, result = module.run_json("bisect", report, "--from", first, "--to", at, *where)
    assert (status, found_commits(result)) == (0, [origin]), result
    done = module.run("bisect", report, "--repo", repository.path, "--from", first, "--to", at)
    assert done.returncode == 3
    assert "TestCheckout is not in commit" in done.stderr
    assert "--tests-from COMMIT" in done.stderr
