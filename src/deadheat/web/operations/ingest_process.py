"""The process that ingests for `deadheat serve --watch`, and the thread that keeps it running.

The process is `deadheat ingest --watch`. It ends when the server does, however that ends: its standard input is a pipe
of the server. What it does is in a file, which every worker process and the metrics read.
"""

from __future__ import annotations

import json
import logging
import os
import runpy
import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any

from deadheat.printable import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LOG = logging.getLogger("deadheat.web.ingest")
_FIRST_DELAY_SECONDS, _MAX_DELAY_SECONDS = 1.0, 300.0
# a process that has run for so long was no failure at its start
_LONG_RUN_SECONDS = 300.0
_STOP_SECONDS = 10
_KEPT_LINES, _MAX_FAULT_LENGTH = 20, 1000


@dataclass(frozen=True, slots=True)
class IngestState:
    """What the process does, as of the last change."""

    is_running: bool = False
    starts: int = 0
    files: int = 0  # documents it has read since the server started
    batch_at: float = 0.0  # when it has read documents last, in seconds since 1970
    retry_at: float = 0.0  # when it is started again
    fault: str = ""  # why it ended last

    def to_json(self) -> dict[str, Any]:
        return {
            "state": "running" if self.is_running else "stopped", "starts": self.starts, "files": self.files,
            "batch_time": _format_time(self.batch_at), "retry_at": _format_time(self.retry_at), "fault": self.fault,
        }  # fmt: skip


def _format_time(seconds: float) -> str | None:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if seconds else None


def read_ingest_state(path: Path) -> IngestState | None:
    """The state in a file; None if there is none."""
    try:
        return IngestState(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


class IngestSupervisor:
    """Starts the process, and starts it again when it has ended, after ever longer pauses."""

    def __init__(self, arguments: Sequence[str], state_path: Path, first_delay: float = _FIRST_DELAY_SECONDS) -> None:
        self._command = [sys.executable, "-m", "deadheat.web.operations.ingest_process", *arguments]
        self._path, self._first_delay = state_path, first_delay
        self.state = IngestState()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._supervise, name="deadheat-ingest", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the process: a batch that is being read is read again by the next one."""
        self._stop.set()
        with self._lock:
            process = self._process
        if process is not None:
            end_process(process)
        self._thread.join(_STOP_SECONDS)

    def _supervise(self) -> None:
        delay = self._first_delay
        while not self._stop.is_set():
            began = time.monotonic()
            fault = self._run()
            if self._stop.is_set():
                break
            if time.monotonic() - began > _LONG_RUN_SECONDS:
                delay = self._first_delay
            _LOG.error("the ingest has ended and is started again in %.0f s: %s", delay, fault)
            self._note(is_running=False, fault=fault, retry_at=time.time() + delay)
            self._stop.wait(delay)
            delay = min(2 * delay, _MAX_DELAY_SECONDS)
        self._note(is_running=False)

    def _run(self) -> str:
        """Runs the process until it ends; returns why it did."""
        with self._lock:
            if self._stop.is_set():
                return ""
            # in a session of its own: Ctrl-C ends the server, which ends the process
            self._process = process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                errors="backslashreplace", start_new_session=True,
            )  # fmt: skip
        self._note(is_running=True, starts=self.state.starts + 1, retry_at=0.0)
        last_lines: deque[str] = deque(maxlen=_KEPT_LINES)
        reader = threading.Thread(target=self._read_errors, args=(process.stderr, last_lines), daemon=True)
        reader.start()
        assert process.stdout is not None
        for line in process.stdout:
            self._note_batch(line)
        status = process.wait()
        reader.join(_STOP_SECONDS)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        lines = [line for line in last_lines if line.strip()]
        return shorten(lines[-1] if lines else f"exit status {status}", _MAX_FAULT_LENGTH)

    @staticmethod
    def _read_errors(stream: IO[str], last_lines: deque[str]) -> None:
        for line in stream:
            text = line.rstrip("\n").removeprefix("deadheat: ")
            last_lines.append(text)
            _LOG.warning("ingest: %s", shorten(text, _MAX_FAULT_LENGTH))

    def _note_batch(self, line: str) -> None:
        try:
            summary = json.loads(line)
            files, sightings, new = summary["files"], summary["sightings"], len(summary["new_races"])
        except (ValueError, KeyError, TypeError):
            return
        _LOG.info("ingested %s documents with %s sightings, %s new races", files, sightings, new)
        self._note(files=self.state.files + files, batch_at=time.time(), fault="")

    def _note(self, **changes: Any) -> None:
        """Replaces the file, so that nobody reads a part of it."""
        self.state = replace(self.state, **changes)
        temporary = self._path.with_suffix(".new")
        try:
            temporary.write_text(json.dumps(asdict(self.state)))
            temporary.replace(self._path)
        except OSError as error:
            _LOG.warning("%s: cannot be written (%s)", self._path, error.strerror)


def end_process(process: subprocess.Popen[str]) -> None:
    """Asks the process to end, and ends it if it does not."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_until_input_ends(arguments: Sequence[str]) -> None:
    """Runs a command of this program; ends it when standard input does."""

    def watch_input() -> None:
        while os.read(0, 4096):
            pass
        # a batch is committed as a whole, so it may end anywhere
        os._exit(0)

    threading.Thread(target=watch_input, daemon=True).start()
    sys.argv = ["deadheat", *arguments]
    runpy.run_module("deadheat", run_name="__main__")


if __name__ == "__main__":
    run_until_input_ends(sys.argv[1:])
