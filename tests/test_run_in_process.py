"""`deadheat run` within this process: where it prints, and how it decides."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from deadheat import cli
from deadheat.cli import run
from deadheat.errors import DeadheatError
from tests.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path

REPORT = ROOT / "go" / "two-goroutines.txt"
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
        ended = run.run_child(["sh", "-c", "echo out; echo err >&2"])
    finally:
        os.dup2(saved_stderr, 2)
        os.close(saved_stderr)
    ended.close()
    assert [stream.name for stream in ended.streams] == ["output"]
    assert capfd.readouterr().out == "out\nerr\n"


def test_signal_mask_is_restored() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    run.run_child(["true"]).close()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_stream_ends_when_its_target_fails() -> None:
    out, into = os.pipe()
    os.close(out)
    stream = run.OutputStream("stdout", into, -1)
    assert not stream.forward_block(memoryview(b"lost"))
    assert not stream.forward_block(memoryview(b"too"))
    os.close(into)
    stream.copy.seek(0)
    assert stream.copy.read() == b"losttoo"
    stream.copy.close()


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
    run._write_all(into, memoryview(data))
    reader.join()
    os.close(out)
    os.close(into)
    assert bytes(received) == data


def test_system_without_posix_spawn_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_spawnp")
    with pytest.raises(DeadheatError, match="scan -"):
        run.run_child([sys.executable])
