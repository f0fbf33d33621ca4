"""`deadheat run` within this process: where it prints, and how it decides."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import sys
import tempfile
import threading
from typing import TYPE_CHECKING

import pytest

from deadheat import cli
from deadheat.cli import child_process, run
from deadheat.errors import DeadheatError
from tests.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path

REPORT = ROOT / "go" / "two-goroutines.txt"
OTHER = ROOT / "go" / "method-value.txt"
TITLE = "read/write race in cart.(*Cart): Total / Add"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _output_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "close_stdout", lambda: None)  # it belongs to pytest


def run_deadheat(*args: str | Path) -> int:
    return cli.main(["run", *map(str, args)])


def test_races_are_printed_on_stderr(capfd: Capture) -> None:
    assert run_deadheat("--", "cat", REPORT) == 0
    out, err = capfd.readouterr()
    assert out == REPORT.read_text()
    assert TITLE in err


def test_races_are_printed_after_the_output_with_output_dash(capfd: Capture) -> None:
    assert run_deadheat("--output", "-", "--brief", "--", "sh", "-c", f"cat {REPORT}; exit 3") == 3
    out, err = capfd.readouterr()
    assert (out.startswith(REPORT.read_text()), err) == (True, "")
    assert TITLE in out.removeprefix(REPORT.read_text())


def test_file_that_cannot_be_written_is_status_3(tmp_path: Path, capfd: Capture) -> None:
    assert run_deadheat("--output", tmp_path / "no" / "file", "--", "true") == 3
    assert run_deadheat("--write", f"html={tmp_path}/no/file", "--", "true") == 3
    assert capfd.readouterr().err.count("cannot be written") == 2


@pytest.mark.parametrize(("command", "status"), [("no-such-command", 127), (str(REPORT), 126)])
def test_command_that_cannot_be_run_is_reported(command: str, status: int, capfd: Capture) -> None:
    assert run_deadheat("--", command) == status
    assert capfd.readouterr().err.startswith(f"deadheat: {command}: ")


def test_gate_decides_by_the_baseline(tmp_path: Path, capfd: Capture) -> None:
    base = ["--gate", "--baseline", str(tmp_path / "races.jsonl")]
    assert run_deadheat(*base, "--", "cat", REPORT) == 1
    assert run_deadheat(*base, "--update", "--", "cat", REPORT) == 0
    assert run_deadheat(*base, "--", "sh", "-c", f"cat {REPORT}; exit 66") == 0
    assert "only known races were found" in capfd.readouterr().err
    failing = f"cat {REPORT}; echo '--- FAIL: TestSum (0.0s)'; exit 1"
    assert run_deadheat(*base, "--", "sh", "-c", failing) == 1
    assert "TestSum failed without a race" in capfd.readouterr().err
    assert run_deadheat(*base, "--", "sh", "-c", f"cat {REPORT}; echo 'panic: x'; exit 2") == 2
    assert "panicked" in capfd.readouterr().err
    assert run_deadheat(*base, "--", "false") == 1
    assert "no race was found" in capfd.readouterr().err


@pytest.mark.parametrize("args", [[], ["--"], ["--gate", "--", "true"], ["--update", "--", "true"]])
def test_wrong_usage_is_status_2(args: list[str], capfd: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        run_deadheat(*args)
    assert ended.value.code == 2
    errors = capfd.readouterr().err
    assert errors.startswith("deadheat run: ")
    assert errors.endswith("; see deadheat run --help\n")


def test_shared_output_uses_one_pipe(capfd: Capture) -> None:
    saved_stderr = os.dup(2)
    os.dup2(1, 2)
    try:
        ended = child_process.run_child(["sh", "-c", "echo out; echo err >&2"])
    finally:
        os.dup2(saved_stderr, 2)
        os.close(saved_stderr)
    ended.close()
    assert [stream.name for stream in ended.streams] == ["output"]
    assert capfd.readouterr().out == "out\nerr\n"


def test_signal_mask_is_restored() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    child_process.run_child(["true"]).close()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_stream_ends_when_its_target_fails() -> None:
    out, into = os.pipe()
    os.close(out)
    stream = child_process.OutputStream("stdout", into, -1)
    assert not stream.forward_block(memoryview(b"lost"))
    assert not stream.forward_block(memoryview(b"too"))
    os.close(into)
    assert [b"".join(part) for part in stream.copy.iter_parts()] == [b"losttoo"]
    stream.copy.close()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENOENT])
def test_race_is_reported_without_a_temporary_file(
    number: int, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    def fail(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "TemporaryFile", fail)
    assert run_deadheat("--brief", "--", "sh", "-c", f"cat {REPORT}; exit 7") == 7
    out, err = capfd.readouterr()
    assert out == REPORT.read_text()
    assert TITLE in err
    assert err.count(os.strerror(number).lower()) == 1


def test_copy_that_fills_its_file_system_is_continued_in_memory() -> None:
    copy = child_process.OutputCopy()
    copy.append(memoryview(b"on disk, "))
    copy.close()
    copy._file = open("/dev/full", "r+b", buffering=0)  # noqa: SIM115
    copy._file_size = 0
    copy.append(memoryview(b"in memory, "))
    copy.append(memoryview(b"and more"))
    assert copy.error is not None
    assert copy.error.errno == errno.ENOSPC
    assert [b"".join(part) for part in copy.iter_parts()] == [b"in memory, and more"]
    copy.close()


def test_end_of_a_long_output_is_kept_in_memory(monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    monkeypatch.setattr(child_process, "_MAX_KEPT_IN_MEMORY", 1 << 14)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # bash, because it writes to no file
    script = f"cat {REPORT}; head -c 200000 /dev/zero; echo; cat {OTHER}; exit 7"
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        assert run_deadheat("--brief", "--", "sh", "-c", script) == 7
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    err = capfd.readouterr().err
    assert "2 races" in err, "one in the file, one in memory"
    lost = re.search(r"file too large; (\d+) bytes of it are not searched", err)
    assert lost is not None
    assert 0 < int(lost[1]) < 200000


def test_command_is_not_started_twice_if_it_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    def replace(file: str, args: list[str]) -> None:
        started.append(args)
        raise OSError(errno.EACCES, "no")

    def fail(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "no processes")

    monkeypatch.setattr(os, "execvp", replace)
    monkeypatch.setattr(os, "posix_spawnp", fail)
    handlers = [(number, signal.getsignal(number)) for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT)]
    try:
        assert run_deadheat("--", "some", "command") == 126
    finally:
        for number, handler in handlers:
            signal.signal(number, handler)
    assert started == [["some", "command"]]


def test_non_blocking_target_is_waited_for() -> None:
    out, into = os.pipe()
    os.set_blocking(into, False)
    data = bytes(1 << 18)
    received = bytearray()

    def read() -> None:
        while len(received) < len(data):
            received.extend(os.read(out, 1 << 14))

    reader = threading.Thread(target=read)
    reader.start()
    child_process._write_all(into, memoryview(data))
    reader.join()
    os.close(out)
    os.close(into)
    assert bytes(received) == data


def test_system_without_posix_spawn_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_spawnp")
    with pytest.raises(DeadheatError, match="scan -"):
        child_process.run_child([sys.executable])
