"""`deadheat reproduce` with a real Go toolchain: the race of a report is seen, others and failures are told apart."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from deadheat.cli import race_runs
from deadheat.lake import queries, verifications
from deadheat.lake.tables import Lake
from tests.racing_module import CART, PACKAGE_ROOT, RacingModule, cart_test, lake_with_report

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> RacingModule:
    return RacingModule(tmp_path_factory.mktemp("often"), 0.9)


@pytest.fixture(scope="module")
def report(module: RacingModule) -> Path:
    return module.write_report()


def test_race_is_seen_at_its_rate_at_the_pinned_commit(module: RacingModule, report: Path, tmp_path: Path) -> None:
    moved: dict[str, str | None] = {"cart/cart.go": CART.replace("type Cart", "// Cart counts.\ntype Cart")}
    module.repository.put("cart: comment", moved)
    lake = lake_with_report(module, tmp_path)
    race = queries.list_races(lake)[0]
    status, result = module.run_json("reproduce", race["race"], "--lake", lake.uri, "--runs", "20", "--quiet")
    assert (status, result["is_seen"], result["commit"]) == (0, True, module.racy)
    assert result["runs"] == 20
    assert result["sightings"] >= 12  # at a rate of 0.9 fewer have a probability of 1e-5
    assert result["best"]["low"] < 0.95
    assert not result["other_races"]
    assert result["command"] == "go test -race ./cart -run '^TestCheckout$' -vet=off -count=20"
    assert result["configurations"][0]["configuration"] == "default"
    assert "run='^TestCheckout$'" in result["best"]["command"].replace("-run ", "run=")
    (row,) = verifications.read_verifications(lake, race)
    assert (row["kind"], row["verdict"], row["old_commit"]) == ("reproduce", "reproduced", module.racy)
    assert (row["old_runs"], row["old_sightings"]) == (20, result["sightings"])


def test_user_work_tree_is_untouched_and_nothing_is_left_behind(
    module: RacingModule, report: Path, tmp_path: Path
) -> None:
    temporary = module.folder / "tmp"
    temporary.mkdir()
    before = module.repository.git("status", "--porcelain", "--ignored")
    lake = Lake(str(tmp_path / "lake"))
    lake.create_tables()
    options = ("--repo", module.repository.path, "--runs", "2", "--lake", lake.uri)
    done = module.run("reproduce", report, *options, TMPDIR=str(temporary))
    assert done.returncode == 0, done.stderr
    assert "is not in the lake, so the result is not kept" in done.stderr
    assert not lake.has_table("verifications")
    assert module.repository.git("status", "--porcelain", "--ignored") == before
    assert module.repository.git("worktree", "list").count("\n") == 0
    assert [*temporary.iterdir()] == []


@pytest.mark.soak
def test_other_race_is_told_apart(module: RacingModule, report: Path, tmp_path: Path) -> None:
    other = RacingModule(tmp_path, 0.9, {"cart/price.go": PRICE, "cart/cart_test.go": PRICE_TEST})
    status, result = other.run_json("reproduce", report, "--runs", "4", "--at", "HEAD")
    assert (status, result["sightings"], result["runs"]) == (1, 0, 4)
    assert [race["title"] for race in result["other_races"]] == ["read/write race in cart.(*Price): Get / Set"]


PRICE = """package cart

type Price struct{ cents int }

func (p *Price) Set(n int) { p.cents = n }

func (p *Price) Get() int { return p.cents }
"""
PRICE_TEST = """package cart

import "testing"

func TestCheckout(t *testing.T) {
	p, done := &Price{}, make(chan bool)
	go func() {
		p.Set(1)
		close(done)
	}()
	p.Get()
	<-done
}
"""


def with_start(folder: Path, start: str, imports: str = "") -> RacingModule:
    """A module whose test begins with a statement."""
    test = cart_test(0.9, start).replace('"testing"', f'"testing"\n{imports}')
    return RacingModule(folder, 0.9, {"cart/cart_test.go": test})


@pytest.mark.soak
@pytest.mark.parametrize(
    ("start", "imports", "failure"),
    [
        ("select {}", "", "panic: test timed out after 3s"),
        ('for { os.Stdout.WriteString(strings.Repeat("x", 1<<20)) }', '"os"\n"strings"', "it printed more than 64 MiB"),
        ("syscall.Kill(syscall.Getppid(), syscall.SIGKILL); syscall.Kill(0, syscall.SIGKILL)", '"syscall"', "signal 9"),
        ('t.Fatal("no cart")', "", "TestCheckout failed"),
        ('panic("no cart")', "", "panic: no cart"),
    ],
)
def test_failure_is_told_and_the_rest_goes_on(
    report: Path, tmp_path: Path, start: str, imports: str, failure: str
) -> None:
    failing = with_start(tmp_path, f"if rand.Float64() < 0.5 {{ {start} }}", imports)
    options = "--runs", "10", "--timeout", "3s", "--at", "HEAD"
    status, result = failing.run_json("reproduce", report, *options)
    failures = {each["failure"]: each["trials"] for each in result["failures"]}
    assert any(failure in text for text in failures), failures
    # one in a thousand times all ten trials have the same half
    assert (status, result["runs"] + result["incomplete"]) == (0, 10)


@pytest.mark.soak
def test_skipped_test_is_no_run(report: Path, tmp_path: Path) -> None:
    skipped = with_start(tmp_path, 't.Skip("later")')
    status, result = skipped.run_json("reproduce", report, "--runs", "3", "--at", "HEAD")
    assert (status, result["runs"], result["vacuous"]) == (1, 0, 3)


def test_network_is_taken_away_but_not_the_loopback(report: Path, tmp_path: Path) -> None:
    start = (
        'if l, err := net.Listen("tcp", "127.0.0.1:0"); err != nil { t.Fatal("no loopback") } else { l.Close() }\n'
        'if c, err := net.Dial("udp", "192.0.2.1:9"); err == nil { c.Close(); t.Fatal("network") }'
    )
    networked = with_start(tmp_path, start, '"net"')
    _, result = networked.run_json("reproduce", report, "--runs", "4", "--at", "HEAD")
    if "no network" not in result["isolation"]:
        pytest.skip("no namespaces here")
    assert result["failures"] == []


def test_secrets_of_the_environment_are_not_passed_on(report: Path, tmp_path: Path) -> None:
    guarded = with_start(tmp_path, 'if os.Getenv("GITHUB_TOKEN") != "" { t.Fatal("a token") }', '"os"')
    arguments = "reproduce", report, "--repo", guarded.repository.path, "--runs", "2", "--at", "HEAD"
    done = guarded.run(*arguments, GITHUB_TOKEN="secret")
    assert "failure" not in done.stdout
    assert done.returncode in (0, 1)


@pytest.mark.soak
def test_command_of_the_user_is_run(module: RacingModule, report: Path) -> None:
    command = "--", "go", "test", "-race", "-count=1", "./cart/..."
    status, result = module.run_json("reproduce", report, "--runs", "4", *command)
    assert (status, result["command"]) == (0, "go test -race -count=1 ./cart/...")


def test_second_signal_does_not_disturb_the_first() -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    def work() -> int:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        return 7

    assert race_runs.run_interruptibly(work) == 7
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_race_is_seen_if_the_temporary_folder_has_a_blank_in_its_name(
    module: RacingModule, report: Path, tmp_path: Path
) -> None:
    """A separator of the detector's options, as in the name of a user's folder."""
    (tmp_path / "a b:c").mkdir()
    words = "reproduce", report, "--repo", module.repository.path, "--runs", "8"
    done = module.run(*words, TMPDIR=str(tmp_path / "a b:c"))
    assert done.returncode == 0, done.stdout
    assert not [*tmp_path.glob("a b:c/*")]


def test_command_that_is_not_found_is_told(module: RacingModule, report: Path) -> None:
    words = "reproduce", report, "--repo", module.repository.path, "--runs", "2", "--", "./no-such-program"
    done = module.run(*words)
    assert done.returncode == 1
    assert "the command, or one that it runs, was not found" in done.stdout


def test_build_leaves_no_temporary_files_beside_ours(module: RacingModule, report: Path, tmp_path: Path) -> None:
    """A build that is killed leaves them behind, so they are in the folder of the runs."""
    build = "echo $TMPDIR > $TMPDIR/left; cat $TMPDIR/left; exit 1"
    words = "reproduce", report, "--repo", module.repository.path, "--build", build, "--", "true"
    done = module.run(*words, TMPDIR=str(tmp_path))
    assert done.returncode == 3
    assert f"{tmp_path}/deadheat-runs-" in done.stderr.splitlines()[-1]
    assert not [*tmp_path.iterdir()]


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interruption_prints_what_was_learnt(
    module: RacingModule, report: Path, tmp_path: Path, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "deadheat", "reproduce", str(report), "--repo", str(module.repository.path)]
    environment = {**module.environment, "PYTHONPATH": PACKAGE_ROOT, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    while process.poll() is None and not [*tmp_path.glob("deadheat-runs-*/trials/trial-1?")]:
        time.sleep(0.05)
    process.send_signal(number)
    process.send_signal(signal.SIGINT)  # does not disturb the cleaning up
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert not [*tmp_path.iterdir()]
    assert re.search(r"seen in \d+ runs of \d+ \(interrupted\)", out)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("go_mod", "message"),
    [
        ("module example.com/shop\n\ngo 1.99\n", "the module needs go 1.99, but this computer has only go"),
        ("module example.com/shop\n\ngo 1.20\n\nrequire example.com/till v1.0.0\n", "example.com/till"),
    ],
)
def test_missing_toolchain_or_dependency_is_named(report: Path, tmp_path: Path, go_mod: str, message: str) -> None:
    files = {"go.mod": go_mod}
    if "require" in go_mod:
        files["cart/till.go"] = 'package cart\n\nimport _ "example.com/till"\n'
    broken = RacingModule(tmp_path, 0.9, files)
    done = broken.run("reproduce", report, "--repo", broken.repository.path, "--at", "HEAD")
    assert (done.returncode, done.stdout) == (3, "")
    assert message in done.stderr.splitlines()[-1]


@pytest.mark.soak
@pytest.mark.parametrize("go_version", ["go 1.20\n", "go 1.12\n", ""])
def test_vendored_dependency_is_used(report: Path, tmp_path: Path, go_version: str) -> None:
    """Go itself uses it only if go.mod names version 1.14 or a later one."""
    files = {
        "go.mod": f"module example.com/shop\n\n{go_version}\nrequire example.com/till v1.0.0\n",
        "cart/till.go": 'package cart\n\nimport _ "example.com/till"\n',
        "vendor/modules.txt": "# example.com/till v1.0.0\n## explicit\nexample.com/till\n",
        "vendor/example.com/till/till.go": "package till\n",
    }
    vendored = RacingModule(tmp_path, 0.9, files)
    status, result = vendored.run_json("reproduce", report, "--runs", "6", "--at", "HEAD")
    assert (status, result["failures"]) == (0, [])
