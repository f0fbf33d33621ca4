"""`deadheat run`: the output, signals and exit status of the command are unchanged."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from deadheat import cli
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SOURCES = Path(deadheat.__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCES)}
RUN = (sys.executable, "-m", "deadheat", "run")
REPORT = ROOT / "go" / "two-goroutines.txt"
OTHER = ROOT / "go" / "method-value.txt"
TITLE = "read/write race in cart.(*Cart): Total / Add"
PATIENCE = 60


def run_deadheat(
    *args: str | Path, cwd: Path | None = None, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*RUN, *map(str, args)], input=stdin, capture_output=True, cwd=cwd,
        env=ENVIRONMENT | (env or {}), timeout=PATIENCE, check=False,
    )  # fmt: skip


def start_deadheat(*args: str | Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*RUN, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
        preexec_fn=_restore_signals,
    )  # fmt: skip


def _restore_signals() -> None:
    """Restore signals that background jobs and `nohup` ignore."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


# -- output -----------------------------------------------------------------------------------------


def test_output_is_unchanged_and_each_race_is_printed_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"\x00\xff\x1b[31m no newline, then\n" + 2 * REPORT.read_bytes() + b"the end")
    done = run_deadheat("--", "cat", log)
    assert (done.returncode, done.stdout) == (0, log.read_bytes())
    assert done.stderr.decode().count(TITLE) == 1
    assert "seen 2 times" in done.stderr.decode()


def test_stdout_and_stderr_stay_separate() -> None:
    done = run_deadheat("--", "sh", "-c", f"cat {REPORT}; cat {OTHER} >&2; exit 66")
    assert done.returncode == 66
    assert done.stdout == REPORT.read_bytes()
    assert done.stderr.startswith(OTHER.read_bytes())
    assert b"2 races" in done.stderr


def test_order_of_lines_is_kept_on_a_shared_output() -> None:
    script = "for i in 1 2 3 4 5 6; do echo out $i; echo err $i >&2; done"
    done = subprocess.run(
        [*RUN, "--", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=ENVIRONMENT, timeout=PATIENCE, check=False,
    )  # fmt: skip
    lines = [f"{name} {n}" for n in range(1, 7) for name in ("out", "err")]
    assert done.stdout.decode().splitlines() == lines


def test_output_is_forwarded_immediately() -> None:
    with start_deadheat("--", "sh", "-c", "echo first; exec sleep 30") as process:
        assert process.stdout
        assert process.stdout.readline() == b"first\n"
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM


def test_output_is_closed_before_the_races_are_written(tmp_path: Path) -> None:
    races = tmp_path / "told"
    os.mkfifo(races)
    with start_deadheat("--output", races, "--", "cat", REPORT) as process:
        assert process.stdout
        assert process.stdout.read() == REPORT.read_bytes()
        assert process.poll() is None, "it waits for somebody to read the races"
        assert TITLE in races.read_text()
        assert process.wait(PATIENCE) == 0


def test_command_reads_standard_input() -> None:
    assert run_deadheat("--", "cat", stdin=b"given\n").stdout == b"given\n"


def test_nothing_is_printed_without_a_race() -> None:
    done = run_deadheat("--", "echo", "all is well")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"all is well\n", b"")


def test_races_are_written_to_files(tmp_path: Path) -> None:
    options = ["--output", "out.txt", "--write", "sarif=r.sarif", "--write", "html=r.html"]
    done = run_deadheat(*options, "--", "cat", REPORT, cwd=tmp_path)
    assert done.stderr == b""
    assert TITLE in (tmp_path / "out.txt").read_text()
    assert json.loads((tmp_path / "r.sarif").read_text())["runs"][0]["results"]
    assert "</html>" in (tmp_path / "r.html").read_text()


def test_closed_output_ends_the_command_with_sigpipe() -> None:
    script = f"'{sys.executable}' -m deadheat run -- yes | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, env=ENVIRONMENT,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (128 + signal.SIGPIPE, b"y\n")


def test_background_processes_are_not_waited_for() -> None:
    done = run_deadheat("--", "sh", "-c", "sleep 300 & echo $!")
    assert done.returncode == 0
    os.kill(int(done.stdout), signal.SIGTERM)  # it is still running
    assert done.stderr.decode().splitlines() == [
        "deadheat: a background process keeps the output open; what it prints from now on is lost"
    ]


def test_background_process_that_never_stops_printing_is_not_waited_for() -> None:
    script = f"(while :; do echo more; sleep 0.001; done) & cat {REPORT}; head -c 3000000 /dev/zero; exit 3"
    done = run_deadheat("--", "sh", "-c", script)
    assert done.returncode == 3
    assert done.stdout.count(b"\0") == 3000000
    assert b"a background process keeps the output open" in done.stderr
    assert TITLE in done.stderr.decode()


def limited_run(kind: int, limit: int, script: str) -> subprocess.CompletedProcess[bytes]:
    """Runs a command with a limit on its resources."""
    return subprocess.run(
        [*RUN, "--brief", "--", "sh", "-c", script], capture_output=True, env=ENVIRONMENT, timeout=PATIENCE,
        check=False, preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)),
    )  # fmt: skip


@pytest.mark.parametrize("limit", [0, 1, 500, 1 << 20])
def test_limit_on_file_sizes_changes_nothing_for_the_command(limit: int) -> None:
    done = limited_run(resource.RLIMIT_FSIZE, limit, f"cat {REPORT}; exit 7")
    assert (done.returncode, done.stdout) == (7, REPORT.read_bytes())
    assert TITLE in done.stderr.decode()
    assert done.stderr.count(b"the copy of the output cannot be written") == (limit < REPORT.stat().st_size)


@pytest.mark.parametrize("limit", range(6, 18))
def test_few_descriptors_change_nothing_for_the_command(limit: int) -> None:
    done = limited_run(resource.RLIMIT_NOFILE, limit, f"cat {REPORT}; exit 7")
    assert (done.returncode, done.stdout) == (7, REPORT.read_bytes())
    first_line = done.stderr.decode().splitlines()[0]
    assert TITLE in first_line or "too many open files" in first_line
    assert limit < 16 or TITLE in first_line


@pytest.mark.parametrize("started", [0, 1])
def test_command_runs_without_threads(started: int) -> None:
    """As with a limit on the number of processes."""
    code = (
        "import sys, threading\nstart, count = threading.Thread.start, []\n"
        "def limited(thread):\n    count.append(thread)\n"
        f"    if len(count) > {started}: raise RuntimeError('no more threads')\n    start(thread)\n"
        "threading.Thread.start = limited\nfrom deadheat import cli\nsys.exit(cli.main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "--", "sh", "-c", f"cat {REPORT}; kill -TERM $$"],
        capture_output=True, env=ENVIRONMENT, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, REPORT.read_bytes())
    assert done.stderr.decode() == (
        "deadheat: the output of the command cannot be searched: no more threads; the command runs without deadheat\n"
    )


@pytest.fixture
def small_folder(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "deadheat-test", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


def test_full_temporary_folder_changes_nothing_for_the_command(small_folder: Path) -> None:
    script = f"cat {REPORT}; head -c 300000 /dev/zero; echo; cat {OTHER}; exit 7"
    done = run_deadheat("--brief", "--", "sh", "-c", script, env={"TMPDIR": str(small_folder)})
    assert done.returncode == 7
    assert done.stdout == REPORT.read_bytes() + bytes(300000) + b"\n" + OTHER.read_bytes()
    assert b"2 races" in done.stderr
    assert done.stderr.decode().splitlines()[0] == (
        "deadheat: the copy of the output cannot be written: no space left on device;"
        " the rest was kept in memory and is searched"
    )


def test_full_disk_behind_standard_output_ends_no_command() -> None:
    script = f"'{sys.executable}' -m deadheat run --brief -- sh -c 'cat {REPORT}; echo ended >&2' >/dev/full"
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE, check=False
    )
    assert done.returncode == 3
    lines = done.stderr.splitlines()
    assert lines[0] == "ended"
    assert "stdout of the command cannot be written: no space left on device" in lines[1]
    assert TITLE in lines[2]


def test_status_is_that_of_the_command_if_nobody_reads_the_races() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*RUN, "--", "sh", "-c", f"cat {REPORT}; exit 7"], stdout=subprocess.PIPE, stderr=writer, env=ENVIRONMENT,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stdout) == (7, REPORT.read_bytes())


# -- exit status ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["true"], 0),
        (["sh", "-c", "exit 7"], 7),
        (["sh", "-c", "kill -KILL $$"], 128 + 9),
        (["sh", "-c", "kill -SEGV $$"], 128 + 11),
        (["/nowhere/at/all"], 127),
        (["/"], 126),
        (["no-such-command-here"], 127),
        ([""], 127),
        ([REPORT], 126),
    ],
    ids=lambda value: str(value)[-30:],
)
def test_exit_status_is_that_of_the_command(command: Sequence[str | Path], status: int) -> None:
    assert run_deadheat("--", *command).returncode == status


def test_nothing_is_lost_when_the_command_crashes() -> None:
    done = run_deadheat("--", "sh", "-c", f"cat {REPORT}; printf unfinished; kill -KILL $$")
    assert done.returncode == 128 + 9
    assert done.stdout == REPORT.read_bytes() + b"unfinished"
    assert TITLE in done.stderr.decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_signals_are_forwarded_to_the_command(number: signal.Signals) -> None:
    name = number.name.removeprefix("SIG")
    script = f"trap 'cat {REPORT}; exit 5' {name}; echo ready; while :; do sleep 0.05; done"
    with start_deadheat("--", "sh", "-c", script) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait(PATIENCE) == 5
        assert process.stdout.read() == REPORT.read_bytes()
        assert TITLE in process.stderr.read().decode()


def test_ctrl_c_at_the_terminal_reaches_the_command_once(tmp_path: Path) -> None:
    """The terminal signals the whole process group; deadheat must not signal the command again."""
    signals = tmp_path / "heard"
    script = f"trap 'echo x >> {signals}' INT; echo ready; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done"
    pid, terminal = os.forkpty()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execve(sys.executable, [*RUN, "--", "sh", "-c", script], ENVIRONMENT)
    try:
        printed = b""
        while b"ready" not in printed:
            printed += os.read(terminal, 1024)
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert signals.read_text() == "x\n"


@pytest.mark.parametrize("option", ["--output=", "--write=sarif="])
def test_file_that_cannot_be_written_hides_no_race(tmp_path: Path, option: str) -> None:
    file = tmp_path / "no" / "races"
    done = run_deadheat(f"{option}{file}", "--write", f"junit={tmp_path / 'junit.xml'}", "--", "cat", REPORT)
    assert done.returncode == 3
    assert TITLE in done.stderr.decode()
    assert done.stderr.decode().splitlines()[-1].startswith(f"deadheat: {file}: cannot be written")
    assert TITLE in (tmp_path / "junit.xml").read_text()


# -- with a gate ------------------------------------------------------------------------------------

RACED = r"--- FAIL: TestCart (0.00s)\n    testing.go:14: race detected during execution of test\nFAIL\n"
OTHERWISE = r"--- FAIL: TestSum (0.00s)\n    sum_test.go:9: five\nFAIL\n"


@pytest.mark.parametrize(
    ("after", "status", "expected"),
    [
        (RACED, 1, 0),  # it failed for the known race
        (RACED + OTHERWISE, 1, 1),  # and for another reason
        (r"FAIL\texample.com/x [build failed]\n", 2, 2),
        ("", 66, 0),
    ],
)
def test_gate_forgives_only_known_races(tmp_path: Path, after: str, status: int, expected: int) -> None:
    base = ["--gate", "--baseline", str(tmp_path / "races.jsonl")]
    assert cli.main(["gate", *base[1:], "--update", "--quiet", str(REPORT)]) == 0
    script = f"cat {REPORT}; printf '%b' '{after}'; exit {status}"
    done = run_deadheat(*base, "--", "sh", "-c", script)
    assert done.returncode == expected
    assert b"known  " in done.stderr


def test_race_accepted_by_update_is_known_in_the_same_run(tmp_path: Path) -> None:
    base = ["--baseline", str(tmp_path / "races.jsonl"), "--update", "--quiet"]
    script = f"cat {REPORT}; exit 66"
    assert run_deadheat(*base, "--", "sh", "-c", script).returncode == 66
    assert run_deadheat("--gate", *base, "--", "sh", "-c", script).returncode == 0


def test_command_that_fails_without_a_race_fails(tmp_path: Path) -> None:
    done = run_deadheat("--gate", "--baseline", tmp_path / "races.jsonl", "--", "sh", "-c", "exit 9")
    assert done.returncode == 9
    assert b"no race was found" in done.stderr


def test_race_in_a_test_that_passed_on_retry_fails(tmp_path: Path) -> None:
    script = f"cat {REPORT}; echo '--- FAIL: TestCart'; echo 'ok  \tcart\t0.1s'"
    done = run_deadheat("--gate", "--baseline", tmp_path / "b", "--", "sh", "-c", script)
    assert done.returncode == 1


def test_github_annotations_and_job_summary(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    environment = {"GITHUB_STEP_SUMMARY": str(summary)}
    done = run_deadheat("--format", "github", "--", "cat", REPORT, env=environment)
    assert done.stderr.startswith(b"::error file=cart/cart.go,line=31,title=read/write race")
    output: Any = summary.read_text()
    assert output.startswith("before\n## deadheat: 1 race\n")
