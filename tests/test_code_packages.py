"""Packages of code for executors: what is in them, limits, and unpacking by several processes at once."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from deadheat.errors import DeadheatError
from deadheat.verification import remote_trials
from deadheat.verification.code_packages import find_code_in, pack_code, unpack_archive
from deadheat.verification.go_tests import GoTest, GoTestBinary
from deadheat.verification.go_toolchain import GoToolchain
from deadheat.verification.processes import run_process
from deadheat.verification.trials import CommandCode, Configuration, GoTestCode, TrialLimits
from tests.cases import ROOT
from tests.racing_module import PACKAGE_ROOT
from tests.standalone_cluster import await_condition

REPORT = ROOT / "go" / "two-goroutines.txt"


def write_tree(folder: Path) -> Path:
    tree = folder / "tree"
    for name in ("go.mod", "a/testdata/x.json", "a/b/b_test.go", "a/b/testdata/y.json", "other/large"):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * (50_000 if name == "other/large" else 100))
    return tree


def go_code(folder: Path) -> GoTestCode:
    tree = write_tree(folder)
    binary = folder / "old.test"
    binary.write_text("#!/bin/sh\n")
    binary.chmod(0o755)
    environment = {"PATH": "/driver/go/bin", "GOROOT": "/driver/go", "GODEBUG": "x=1", "HOME": "/driver/home"}
    toolchain = GoToolchain("/driver/go/bin/go", (1, 24), environment)
    return GoTestCode(GoTestBinary(binary, tree / "a" / "b", toolchain, tree), GoTest("./a/b", "^TestX$"))


def names_in(archive: Path) -> set[str]:
    with tarfile.open(archive) as opened:
        return {member.name for member in opened if member.isfile()}


ALL = {"race.test", "tree/go.mod", "tree/a/testdata/x.json", "tree/a/b/b_test.go", "tree/a/b/testdata/y.json"}


@pytest.mark.parametrize(
    ("limit", "names", "note"),
    [
        (1 << 20, ALL | {"tree/other/large"}, ""),
        (400, ALL - {"tree/go.mod"}, "only the files of a:"),
        (250, {"race.test", "tree/a/b/b_test.go", "tree/a/b/testdata/y.json"}, "only the files of a/b:"),
    ],
)
def test_package_has_the_largest_folder_around_the_test_that_fits(
    tmp_path: Path, limit: int, names: set[str], note: str
) -> None:
    package = pack_code(go_code(tmp_path), tmp_path / "packages", limit)
    assert names_in(package.archive) == names
    assert (note in package.note, bool(note)) == (True, bool(package.note))


def test_code_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeadheatError, match=r"a/b: the test binary and the folder of its package have more than 0 MiB"):
        pack_code(go_code(tmp_path), tmp_path / "packages", 200)
    command = CommandCode(("true",), tmp_path / "tree", {})
    with pytest.raises(DeadheatError, match="the built tree has more than 0 MiB"):
        pack_code(command, tmp_path / "packages", 200)


def test_unpacked_code_has_the_environment_of_its_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = pack_code(go_code(tmp_path), tmp_path / "packages")
    monkeypatch.setenv("HOME", "/executor/home")
    monkeypatch.setenv("GODEBUG", "y=1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.delenv("GOROOT", raising=False)
    root = unpack_archive(package.archive, tmp_path / "executor")
    code = find_code_in(package.code, root)
    task = code.task(Configuration("c", (("GOMAXPROCS", "1"),)), TrialLimits(5, 1 << 30), tmp_path / "scratch")
    assert os.access(task.command[0], os.X_OK)
    assert task.command[0].startswith(str(root))
    assert (Path(task.folder) / "testdata" / "y.json").read_bytes() == b"x" * 100
    environment = task.environment
    assert (environment["PATH"], environment["GODEBUG"], environment["GOMAXPROCS"]) == (os.environ["PATH"], "x=1", "1")
    assert environment["HOME"].startswith(str(tmp_path / "scratch"))  # as for every trial of a Go test
    assert not {"GOROOT", "AWS_SECRET_ACCESS_KEY"} & {*environment}
    assert not any("/driver" in value for value in environment.values())


def test_package_has_links_and_no_pipes_and_never_writes_through_a_link(tmp_path: Path) -> None:
    tree = write_tree(tmp_path)
    (tree / "outside").symlink_to(tmp_path)
    os.mkfifo(tree / "pipe")
    package = pack_code(CommandCode(("true",), tree, {}), tmp_path / "packages")
    root = unpack_archive(package.archive, tmp_path / "executor")
    assert (root / "tree" / "outside").readlink() == tmp_path
    assert not (root / "tree" / "pipe").exists()
    hostile = tmp_path / "deadheat-1.tar.gz"
    with tarfile.open(hostile, "w:gz") as archive:
        archive.add(tree / "outside", "link")
        archive.add(tree / "go.mod", "link/written")
    with pytest.raises(tarfile.FilterError):
        unpack_archive(hostile, tmp_path / "executor")
    assert not (tmp_path / "written").exists()


_UNPACK = """
import sys, time
from pathlib import Path
from deadheat.verification import code_packages
extract = code_packages.tarfile.TarFile.extractall
def count(*arguments, **options):
    Path(sys.argv[3]).open("a").write("unpacked\\n")
    time.sleep(0.3)
    extract(*arguments, **options)
code_packages.tarfile.TarFile.extractall = count
root = code_packages.unpack_archive(Path(sys.argv[1]), Path(sys.argv[2]))
assert (root / "race.test").is_file()
"""


def test_processes_of_an_executor_unpack_once(tmp_path: Path) -> None:
    package = pack_code(go_code(tmp_path), tmp_path / "packages")
    # what a process left behind that was killed
    (tmp_path / "executor" / package.archive.name.partition(".")[0] / "tree").mkdir(parents=True)
    command = [sys.executable, "-c", _UNPACK, str(package.archive), str(tmp_path / "executor"), str(tmp_path / "log")]
    environment = {**os.environ, "PYTHONPATH": PACKAGE_ROOT}
    processes = [subprocess.Popen(command, env=environment) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert (tmp_path / "log").read_text() == "unpacked\n"


_RUN = """
import json, os, signal, sys
from pathlib import Path
from deadheat.verification.remote_trials import PackedTrial, TrialBatch, run_batch
from deadheat.verification.processes import run_process
from deadheat.verification.trials import CommandCode, Configuration, TrialLimits
archive, folder = map(Path, sys.argv[1:])
code = CommandCode(("sh", "-c", "echo $TMPDIR > ../name; sleep 60"), Path("tree"), {})
batch = TrialBatch((PackedTrial(archive.name, code, Configuration("c")),), TrialLimits(100, 0))
run_batch(batch, "1", folder, lambda name: str(archive))
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="finds processes in /proc")
def test_nothing_is_left_of_a_process_that_is_killed(tmp_path: Path) -> None:
    package = pack_code(CommandCode(("true",), write_tree(tmp_path), {}), tmp_path / "packages")
    command = [sys.executable, "-c", _RUN, str(package.archive), str(tmp_path / "executor")]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": PACKAGE_ROOT})
    name = tmp_path / "executor" / package.archive.name.partition(".")[0] / "name"
    await_condition(lambda: name.exists() and bool(name.read_text().strip()), "a trial")
    scratch = Path(name.read_text().strip()).parents[1]
    assert scratch.is_dir()
    process.kill()
    process.wait()
    await_condition(lambda: not scratch.exists(), "the end of its folder")
    needle = f"TMPDIR={scratch}".encode()
    await_condition(lambda: not _processes_with(needle), "the end of the trial")


def _processes_with(text: bytes) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            found += [file.parent.name] if text in file.read_bytes() else []
        except OSError:
            continue
    return found


def run_here(tmp_path: Path, script: str, count: int = 1, **limits: Any) -> remote_trials.BatchResult:
    tree = write_tree(tmp_path)
    (tree / "report").write_bytes(REPORT.read_bytes())
    package = pack_code(CommandCode(("sh", "-c", script), tree, {}), tmp_path / "packages")
    trial = remote_trials.PackedTrial(package.archive.name, package.code, Configuration("c"))
    batch = remote_trials.TrialBatch((trial,) * count, TrialLimits(20, 0), **limits)
    return remote_trials.run_batch(batch, "1", tmp_path / "executor", lambda _: str(package.archive))


def test_observations_are_those_of_the_computer_itself(tmp_path: Path) -> None:
    script = 'log="${GORACE#*log_path=?}"; log="${log%%\\"*}"; cat report > "$log.1"; cat report; exit 66'
    result = run_here(tmp_path, script, 2)
    first, second = remote_trials.unpack_observations(result)
    code = CommandCode(("sh", "-c", script), tmp_path / "tree", dict(os.environ))
    scratch = tmp_path / "scratch"
    local = code.observe(run_process(code.task(Configuration("c"), TrialLimits(20, 1 << 30), scratch)), scratch)
    assert len(local.sightings) == 2  # in the log and in the output
    assert first.sightings == second.sightings == local.sightings
    assert first[1:4] == local[1:4]
    assert (first.host, bool(result.isolation)) == (result.host, True)
    assert len(result.observations) < 20_000


def test_other_architecture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeadheatError, match="the code was built for vax"):
        run_here(tmp_path, "true", machine="vax")
