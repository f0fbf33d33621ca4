"""`reproduce` and `verify` on a Spark standalone cluster whose executors have no Go, no git and no repository."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deadheat.errors import DeadheatError
from deadheat.spark import session
from tests import standalone_cluster
from tests.racing_module import LOCKED_CART, PACKAGE_ROOT, RacingModule
from tests.standalone_cluster import SETTINGS, StandaloneCluster, kill_executor

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.soak,
    pytest.mark.xdist_group("cluster"),
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds processes in /proc"),
]

_CONF = [argument for name, value in SETTINGS.items() for argument in ("--conf", f"{name}={value}")]

# deadheat, which renames the clone and all that it has built when executors have as many versions as they need
_WITHOUT_REPOSITORY = """
import os, sys
from pathlib import Path
from deadheat.cli import main
from deadheat.spark.trials import TrialCluster

clone, versions = sys.argv.pop(1), int(sys.argv.pop(1))
package = TrialCluster.package
packed = []

def package_and_rename(self, code):
    found = package(self, code)
    if code not in packed:
        packed.append(code)
        if len(packed) == versions:
            for each in packed:
                each.binary.path.rename(f"{each.binary.path}-away")
                each.binary.tree.rename(f"{each.binary.tree}-away")
            os.rename(clone, f"{clone}-away")
            print("away", file=sys.stderr, flush=True)
    return found

TrialCluster.package = package_and_rename
status = main()
os.rename(f"{clone}-away", clone)
sys.exit(status)
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> RacingModule:
    """A race in about half of the runs; the test reads a file beside its package."""
    start = 'if _, err := os.ReadFile("../prices.json"); err != nil { t.Fatal(err) }'
    made = RacingModule(tmp_path_factory.mktemp("module"), 0.5, {"prices.json": "{}"})
    test = (made.repository.path / "cart" / "cart_test.go").read_text()
    test = test.replace('"math/rand"\n', '"math/rand"\n\t"os"\n').replace(
        "\tc := &Cart{}", f"\t{start}\n\tc := &Cart{{}}"
    )
    made.racy = made.repository.put("cart: read prices", {"cart/cart_test.go": test})
    made.write_report()
    return made


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    try:
        session.check_java()
    except DeadheatError as error:
        pytest.skip(str(error))
    # the programs of this computer but Go, git and compilers
    programs = tmp_path_factory.mktemp("programs")
    for folder in ("/usr/bin", "/bin"):
        for program in Path(folder).iterdir():
            link = programs / program.name
            if (
                not program.name.startswith(("go", "git", "gcc", "cc", "clang", "x86_64-linux-gnu"))
                and not link.exists()
            ):
                link.symlink_to(program)
    assert shutil.which("git", path=str(programs)) is None
    with standalone_cluster.started_cluster(
        tmp_path_factory.mktemp("cluster"), {"PATH": str(programs), "GOROOT": "/nowhere"}
    ) as started:
        yield started


def start_command(module: RacingModule, versions: int, *words: str | Path) -> subprocess.Popen[str]:
    report, clone = module.folder / "ci.log", module.repository.path
    command, *options = words
    arguments = [clone, versions, command, report, "--repo", clone, "--at", module.racy, "--format", "json", *options]
    return subprocess.Popen(
        [sys.executable, "-c", _WITHOUT_REPOSITORY, *map(str, arguments), *_CONF],
        env={
            **os.environ, **module.environment, "PYTHONPATH": PACKAGE_ROOT, "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": standalone_cluster.HOST,
        },
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=module.folder,
    )  # fmt: skip


def run_command(module: RacingModule, versions: int, *words: str | Path) -> tuple[int, Any]:
    with start_command(module, versions, *words) as process:
        output, errors = process.communicate()
    assert "away" in errors.split(), errors
    return process.returncode, json.loads(output)


def test_reproduce_on_executors_without_repository_and_toolchain(
    cluster: StandaloneCluster, module: RacingModule
) -> None:
    cluster.await_idle()
    status, result = run_command(module, 1, "reproduce", "--runs", "40", "--master", cluster.master)
    assert (status, result["is_seen"], result["runs"], result["incomplete"]) == (0, True, 40, 0), result
    assert (result["master"], result["executors"], result["jobs"]) == (cluster.master, 2, 2)
    assert (sum(host["runs"] for host in result["hosts"]), result["failures"]) == (40, [])
    # a local session would not have used executors
    assert cluster.imported_packages == {"./deadheat.zip/deadheat/__init__.py"}


def test_verify_has_the_verdict_of_this_computer(cluster: StandaloneCluster, module: RacingModule) -> None:
    racy_test = (module.repository.path / "cart" / "cart_test.go").read_text()
    fixes: dict[str, dict[str, str | None]] = {
        "fixed": {"cart/cart.go": LOCKED_CART},
        "still races": {"cart/cart_test.go": racy_test.replace("chance = 0.5", "chance = 0.3")},
    }
    for verdict, files in fixes.items():
        module.repository.git("reset", "-q", "--hard", module.racy)
        fix = module.repository.put("cart: fix", files)
        options = ("--fix", fix, "--time", "120s")
        local = module.run_json("verify", module.folder / "ci.log", *options)
        cluster.await_idle()
        remote = run_command(module, 2, "verify", *options, "--master", cluster.master)
        for status, result in (local, remote):
            assert (status, result["verdict"]) == (0 if verdict == "fixed" else 1, verdict), result


def test_killed_executors_change_no_verdict_and_no_trial_counts_twice(
    cluster: StandaloneCluster, module: RacingModule
) -> None:
    module.repository.git("reset", "-q", "--hard", module.racy)
    fix = module.repository.put("cart: fix", {"cart/cart.go": LOCKED_CART})
    cluster.await_idle()
    killed = []

    def kill_some(process: subprocess.Popen[str]) -> None:
        """Kill an executor while both versions run, and another one later."""
        for line in process.stderr or ():
            if line.strip() == "away":
                break
        for _ in range(2):
            time.sleep(2)
            if process.poll() is None and (pids := cluster.executor_pids()):
                kill_executor(pids[0])
                killed.append(pids[0])

    with start_command(module, 2, "verify", "--fix", fix, "--time", "150s", "--master", cluster.master) as process:
        killer = threading.Thread(target=kill_some, args=(process,))
        killer.start()
        assert process.stdout
        output = process.stdout.read()
        killer.join()
    assert (process.returncode, len(killed)) == (0, 2), output
    result = json.loads(output)
    # a slot that were counted twice would have ended the command with an error
    assert (result["verdict"], result["new"]["sightings"]) == ("fixed", 0), result
    for side in ("old", "new"):
        assert sum(host["runs"] for host in result[side]["hosts"]) == result[side]["runs"]


def test_interruption_prints_what_was_learnt_and_ends_the_trials(
    cluster: StandaloneCluster, module: RacingModule
) -> None:
    cluster.await_idle()
    with start_command(module, 1, "reproduce", "--time", "200s", "--master", cluster.master) as process:
        assert process.stderr
        assert any(line.strip() == "away" for line in process.stderr)
        time.sleep(10)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert (process.returncode, errors) == (0, "")
    result = json.loads(output)
    assert result["is_interrupted"]
    assert result["runs"] > 0
    cluster.await_idle()
