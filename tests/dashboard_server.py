"""A `deadheat serve` of its own process for tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from tests.local_lakes import LogEntry, add_documents

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parent
_START_SECONDS = 60


def make_lake(folder: Path, races: int = 2) -> Path:
    """A lake with some races, made without Spark."""
    texts = sorted((ROOT / "cases" / "go").glob("*.txt"))[:races]
    add_documents(folder, [LogEntry(f"/logs/{text.name}", text.read_bytes()) for text in texts])
    return folder


class DashboardProcess:
    """A server on a free port. `log` is what it has printed."""

    def __init__(self, lake: Path, *options: str, environment: Mapping[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "deadheat", *_global_options(options), "serve", "--lake", str(lake)]
        port = () if "--port" in options else ("--port", "0")
        self._process = subprocess.Popen(
            [*command, *port, *_command_options(options)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}, start_new_session=True,
        )  # fmt: skip
        self.log: list[str] = []
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        timer = threading.Timer(_START_SECONDS, self._process.kill)
        timer.start()
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        timer.cancel()
        match = re.match(r"(http://\S+)/  \(Ctrl-C", line)
        if match is None:
            self._process.wait(10)
            self._reader.join(10)
            raise AssertionError(f"{line} {self.log}")
        self.url = match[1]
        self.pid = self._process.pid
        self.intake = Path()

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.log.append(line.rstrip("\n"))

    def client(self, **options: Any) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=30, trust_env=False, **options)

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    def wait(self, seconds: float = 30) -> int:
        status = self._process.wait(seconds)
        self._reader.join(10)
        return status

    def kill(self) -> None:
        """Ends the server and its worker processes at once."""
        os.killpg(self.pid, signal.SIGKILL)
        self._process.wait(10)

    def __enter__(self) -> DashboardProcess:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.signal(signal.SIGTERM)
            try:
                self.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()


def _global_options(options: tuple[str, ...]) -> tuple[str, ...]:
    return options[:2] if options[:1] == ("--config",) else ("--no-config",)


def _command_options(options: tuple[str, ...]) -> tuple[str, ...]:
    return options[2:] if options[:1] == ("--config",) else options
