"""Parts of the runner without a Go toolchain: commands, output of tests, limits of processes, programs in C."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from deadheat.errors import DeadheatError
from deadheat.repo.git import GitReader
from deadheat.repo.syntax.statements import innermost_statement, statements_between
from deadheat.verification.go_output import read_go_output
from deadheat.verification.go_tests import GoTest, parse_go_test
from deadheat.verification.go_toolchain import preferred_version, required_version, version_in_paths
from deadheat.verification.processes import (
    Isolation,
    Limits,
    ProcessResult,
    ProcessTask,
    find_isolation,
    passed_environment,
    run_process,
)
from deadheat.verification.trials import CommandCode, Configuration, TrialLimits, merge_options
from deadheat.verification.worktrees import WorkTrees
from tests.cases import ROOT
from tests.racing_module import PACKAGE_ROOT
from tests.repositories import Repository

ISOLATIONS = (find_isolation(), Isolation((), "none"))


@pytest.mark.parametrize(
    ("command", "test"),
    [
        ("go test -race ./cart -run '^TestX$/^a b$' -vet=off -count=20", GoTest("./cart", "^TestX$/^a b$")),
        ("go test -race . -run=TestX -tags intest", GoTest(".", "TestX", ("-tags=intest",))),
        ("go test -race ./x -check.f 'T.TestX$'", GoTest("./x", "", (), ("-check.f=T.TestX$",))),
        ("go test -race ./x -run '^$' -bench ^BenchmarkX$", GoTest("./x", "^$", (), ("-test.bench=^BenchmarkX$",))),
        ("bazel test --race //a/b:b_test --test_filter=^TestX$ --runs_per_test=20", GoTest("./a/b", "^TestX$")),
        ("go test -race ./...", None),
        ("go test -race ./a ./b", None),
        ("go test -race ../outside", None),
        ("go test -race /etc", None),
        ("go run -race .", None),
        ("./build/tests", None),
    ],
)
def test_go_test_of_a_command(command: str, test: GoTest | None) -> None:
    assert parse_go_test(command) == test


RUN = "=== RUN   TestX\n"


@pytest.mark.parametrize(
    ("output", "pattern", "is_vacuous", "failure"),
    [
        (f"{RUN}--- PASS: TestX (0.00s)\nPASS\n", "^TestX$", False, ""),
        (f"{RUN}    x_test.go:7: flaky\n--- SKIP: TestX (0.00s)\nPASS\n", "^TestX$", True, ""),
        ("testing: warning: no tests to run\nPASS\n", "^TestX$", True, ""),
        ("BenchmarkX\nBenchmarkX-2   \t      20\t     52341 ns/op\nPASS\n", "^$", False, ""),
        (f"{RUN}=== RUN   TestX/a\n    --- SKIP: TestX/a (0.00s)\n--- PASS: TestX (0.00s)\n", "^TestX$/^a$", True, ""),
        (f"{RUN}=== RUN   TestX/a\n    --- PASS: TestX/a (0.00s)\n--- PASS: TestX (0.00s)\n", "^TestX$/^a$", False, ""),
        (f"{RUN}--- FAIL: TestX (0.00s)\n", "^TestX$", False, "TestX failed"),
        (f"{RUN}    testing.go:1: race detected during execution of test\n--- FAIL: TestX (0.00s)\n", "", False, ""),
        (f"{RUN}panic: no cart [recovered]\n", "^TestX$", False, "panic: no cart [recovered]"),
    ],
)
def test_output_of_a_go_test(output: str, pattern: str, is_vacuous: bool, failure: str) -> None:
    read = read_go_output(output.encode())
    assert (read.is_vacuous(pattern), read.failure) == (is_vacuous, failure)


def test_versions_of_go() -> None:
    go_mod = "module x\n\ngo 1.21\n\ntoolchain go1.22.3\n"
    assert required_version(go_mod) == (1, 21)
    assert preferred_version(go_mod) == (1, 22, 3)
    assert required_version("module x\n") == ()
    assert version_in_paths(["/home/ci/sdk/go1.21.3/src/sync/map.go"]) == (1, 21, 3)
    assert version_in_paths(["/mod/golang.org/toolchain@v0.0.1-go1.22.3.linux-amd64/src/a.go"]) == (1, 22, 3)
    assert version_in_paths(["/usr/local/go/src/sync/map.go", "/home/go1.2.3/x.go"]) == ()


def test_options_of_a_sanitizer_are_replaced() -> None:
    assert merge_options("halt_on_error=1:history_size=7", "halt_on_error=0") == "halt_on_error=0 history_size=7"
    assert merge_options("log_path='/a b':x=1", "y=2 z=3") == "log_path='/a b' x=1 y=2 z=3"
    assert merge_options("x=1", 'log_path="/a b:c,d=e/race" y=2') == 'x=1 log_path="/a b:c,d=e/race" y=2'


@pytest.mark.parametrize(
    ("flags", "pattern"),
    [
        ("", r"-Zmiri-seed=\d+"),
        ("-Zmiri-disable-isolation", r"-Zmiri-disable-isolation -Zmiri-seed=\d+"),
        ("-Zmiri-many-seeds=0..16", "-Zmiri-many-seeds=0..16"),
    ],
)
def test_each_trial_of_miri_has_a_seed_of_its_own(tmp_path: Path, flags: str, pattern: str) -> None:
    code = CommandCode(("true",), tmp_path, {"MIRIFLAGS": flags} if flags else {})
    tasks = [code.task(Configuration("c"), TrialLimits(1, 1 << 30), tmp_path / str(number)) for number in range(3)]
    found = [task.environment["MIRIFLAGS"] for task in tasks]
    assert all(re.fullmatch(pattern, each) for each in found), found
    assert len({*found}) == (3 if "seed=" in found[0] else 1)


def test_statements_are_found_inside_closures() -> None:
    source = b"package a\n\nfunc f() {\n\tgo func() {\n\t\tif x {\n\t\t\ty++\n\t\t}\n\t}()\n}\n"
    statements = statements_between(source, 3, 9)
    found = {line: innermost_statement(statements, line) for line in range(3, 10)}
    offsets = {line: statement and source[statement.offset :].split(b"\n")[0] for line, statement in found.items()}
    assert offsets == {3: None, 4: b"go func() {", 5: b"if x {", 6: b"y++", 7: b"if x {", 8: b"go func() {", 9: None}


def test_no_statement_is_put_in_front_of_a_communication() -> None:
    source = b"package a\n\nfunc f() {\n\tselect {\n\tcase c <- 1:\n\t\tx++\n\tcase y = <-d:\n\t}\n}\n"
    statements = statements_between(source, 3, 9)
    lines = {line: found and found.first for line in (5, 6, 7) for found in [innermost_statement(statements, line)]}
    assert lines == {5: 4, 6: 6, 7: 4}


def run_python(folder: Path, code: str, limits: Limits, isolation: Isolation) -> tuple[int, bytes, str]:
    task = ProcessTask((sys.executable, "-c", code), folder, passed_environment(), limits, folder / "scratch")
    result = run_process(task, isolation)
    return result.exit_code, result.output, result.stopped


@pytest.mark.parametrize("isolation", ISOLATIONS, ids=lambda each: each.description)
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import time; time.sleep(60)", "it ran longer than 2 s"),
        ("x = b'x' * (1 << 30)\nimport time; time.sleep(60)", "it used more than 512 MiB of memory"),
        (
            "import os, time\nfor _ in range(40):\n if not os.fork(): time.sleep(2); os._exit(0)\ntime.sleep(60)",
            "it started more than 20 processes",
        ),
        (
            "import os, time\nfor _ in range(40):\n"
            " if not os.fork(): os.setsid(); time.sleep(2); os._exit(0)\ntime.sleep(60)",
            "it started more than 20 processes",
        ),
        (
            "import os, time\nif not os.fork():\n"
            " os.setsid(); x = b'x' * (1 << 30); time.sleep(2); os._exit(0)\ntime.sleep(60)",
            "it used more than 512 MiB of memory",
        ),
        ("import os\nwhile True: os.write(1, b'x' * (1 << 16))", "it printed more than 1 MiB"),
    ],
)
def test_limit_ends_a_process(tmp_path: Path, isolation: Isolation, code: str, reason: str) -> None:
    started = time.monotonic()
    limits = Limits(2, 1 << 29, 1 << 20, 20)
    exit_code, output, stopped = run_python(tmp_path, code, limits, isolation)
    assert (exit_code != 0, stopped) == (True, reason)
    assert len(output) <= 1 << 21
    assert time.monotonic() - started < 6
    while left := [each for each in Path("/proc").glob("[0-9]*") if runs_in(each, tmp_path)]:
        assert time.monotonic() - started < 12, left  # a killed process with much memory needs a moment
        time.sleep(0.05)


def runs_in(process: Path, folder: Path) -> bool:
    try:
        return (process / "cwd").resolve() == folder
    except OSError:
        return False


@pytest.mark.parametrize("isolation", ISOLATIONS, ids=lambda each: each.description)
def test_process_left_behind_ends_too(tmp_path: Path, isolation: Isolation) -> None:
    if "other processes" in isolation.description:
        code = "import os, time\nif not os.fork():\n os.setsid(); time.sleep(2); open('late', 'w')"
    else:  # only its session is killed
        code = "import os, time\nif not os.fork():\n time.sleep(2); open('late', 'w')"
    assert run_python(tmp_path, code, Limits(60, 1 << 30), isolation)[0] == 0
    time.sleep(2.5)
    assert not (tmp_path / "late").exists()


def test_log_that_is_no_file_is_not_read(tmp_path: Path) -> None:
    """A pipe without a writer would block for ever, a link would lead elsewhere."""
    report = (ROOT / "go" / "subtests.txt").read_bytes()
    (tmp_path / "target").write_bytes(report)
    (tmp_path / "race.1").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "race.2")
    (tmp_path / "race.3").mkdir()
    code = CommandCode(("true",), tmp_path, {})
    result = ProcessResult(66, 1.0, b"", 0)
    assert not code.observe(result, tmp_path).sightings
    (tmp_path / "race.4").write_bytes(report)
    assert len(code.observe(result, tmp_path).sightings) == 1
    (tmp_path / "race.0").write_bytes(b"x" * (1 << 25))  # too much to read
    assert not code.observe(result, tmp_path).sightings


def test_status_of_a_command_is_kept(tmp_path: Path) -> None:
    limits = Limits(60, 1 << 30)
    assert run_python(tmp_path, "raise SystemExit(66)", limits, find_isolation())[0] == 66
    task = ProcessTask(("no-such-program",), tmp_path, passed_environment(), limits, tmp_path / "scratch")
    assert run_process(task).exit_code == 127


def test_work_tree_runs_nothing_of_the_clone(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    files: dict[str, str | None] = {".gitattributes": "*.txt filter=evil\n", "a.txt": "a\n", "b.txt": "b\n"}
    commit = repository.put("files", files)
    marker = tmp_path / "ran"
    repository.git("config", "filter.evil.smudge", f"touch {marker}; cat")
    repository.git("config", "filter.evil.clean", f"touch {marker}; cat")
    repository.git("config", "core.fsmonitor", f"touch {marker}")
    hook = repository.path / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    (repository.path / "a.txt").write_text("changed\n")
    (repository.path / "b.txt").unlink()
    (repository.path / "sub").mkdir()
    (repository.path / "sub" / "new.txt").write_text("new\n")
    with GitReader(str(repository.path)) as git, WorkTrees(git) as trees:
        tree = trees.check_out(commit, "new")
        assert (tree / "a.txt").read_text() == "a\n"
        trees.copy_uncommitted("new")
        assert sorted(path.name for path in tree.rglob("*.txt")) == ["a.txt", "new.txt"]
        assert (tree / "a.txt").read_text() == "changed\n"
    assert not marker.exists()
    assert not tree.exists()


def test_uncommitted_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    """The commit has a link where the work tree has a folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    repository = Repository(tmp_path / "repo")
    (repository.path / "data").symlink_to(outside)
    commit = repository.put("link", {"a.txt": "a\n"})
    (repository.path / "data").unlink()
    (repository.path / "data").mkdir()
    (repository.path / "data" / "file").write_text("new\n")
    with GitReader(str(repository.path)) as git, WorkTrees(git) as trees:
        tree = trees.check_out(commit, "new")
        trees.copy_uncommitted("new")
        assert (tree / "data" / "file").read_text() == "new\n"
    assert [*outside.iterdir()] == []


def test_partial_clone_is_checked_out_without_what_it_lacks(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    commit = repository.put("a", {"a.txt": "a\n", "large.bin": "large\n"})
    blob = repository.git("rev-parse", "HEAD:large.bin")
    (repository.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with GitReader(str(repository.path)) as git, WorkTrees(git) as trees:
        tree = trees.check_out(commit, "new")
        assert (tree / "a.txt").read_text() == "a\n"
        assert trees.notes == ["the clone is partial; not checked out: large.bin"]


@pytest.mark.parametrize("path", ["../outside.txt", "/tmp/outside.txt", ".git/config"])
def test_patch_that_leads_out_of_the_tree_is_refused(tmp_path: Path, path: str) -> None:
    repository = Repository(tmp_path / "repo")
    commit = repository.put("a", {"a.txt": "a\n"})
    patch = tmp_path / "evil.diff"
    patch.write_text(f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+evil\n")
    with GitReader(str(repository.path)) as git, WorkTrees(git) as trees:
        trees.check_out(commit, "new")
        with pytest.raises(DeadheatError, match="the patch does not apply"):
            trees.apply_patch("new", patch)


C_PROGRAM = """#include <pthread.h>
#include <time.h>
int total;
void add(int n) { total += n; }
void *worker(void *unused) { add(1); return 0; }
int main(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    if (now.tv_nsec / 1000 % 2) add(2);
    pthread_join(thread, 0);
    return 0;
}
"""
BUILD = "gcc -g -fsanitize=thread race.c -o race"


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
def test_program_in_c_is_reproduced_and_its_fix_verified(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    repository.put("race", {"race.c": C_PROGRAM})
    built = subprocess.run(["/bin/sh", "-c", BUILD], cwd=repository.path, capture_output=True, check=False)
    if built.returncode:
        pytest.skip("gcc has no ThreadSanitizer")
    log = tmp_path / "tsan.log"
    while "data race" not in (log.read_text() if log.exists() else ""):
        done = subprocess.run([str(repository.path / "race")], capture_output=True, text=True, check=False)
        log.write_text(done.stderr)
    (repository.path / "race").unlink()
    where = "--repo", str(repository.path), "--format", "json", "--build", BUILD, "--time", "30s"
    status, result = run_json("reproduce", str(log), *where, "--runs", "20", "--", "./race")
    assert (status, result["runs"]) == (0, 20)
    assert 2 <= result["sightings"] <= 18
    fix = repository.put("fix", {"race.c": C_PROGRAM.replace("if (now.tv_nsec / 1000 % 2) add(2);\n", "")})
    status, result = run_json("verify", str(log), *where, "--fix", fix, "--", "./race")
    assert (status, result["verdict"], result["racing_lines"]) == (0, "fixed", None)


def run_json(*words: str) -> tuple[int, Any]:
    command = [sys.executable, "-m", "deadheat", *words]
    environment = {**os.environ, "PYTHONPATH": PACKAGE_ROOT}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)
