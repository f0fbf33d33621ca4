"""Kill `ingest --watch` at random times while logs grow and rotate; every report must be in the lake once."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench import logs
from deadheat.lake import maintenance
from deadheat.lake.tables import Lake
from deadheat.lake.transactions import STAGING_FOLDER

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

# seconds between two changes of the logs, and between two looks of the process
_CHANGE_SECONDS, _POLL_SECONDS = 0.15, 0.3
# a log is rotated after about this many changes
_CHANGES_PER_ROTATION = 80
# seconds after a process has begun to read in which it is killed
_KILL_SECONDS = 6.0
_START_SECONDS = 300.0


class RotatingLogs:
    """Logs that a thread appends reports to and rotates, each in its own way."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self._folder, self._rng = folder, rng
        self._rotations: dict[Path, Callable[[Path], None]] = {
            folder / "renamed.log": self._rename,
            folder / "truncated.log": self._copy_and_truncate,
            folder / "packed.log": self._rename_and_compress,
        }
        self.written = self.rotated = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._change_until_stopped, daemon=True)
        folder.mkdir(parents=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _change_until_stopped(self) -> None:
        while not self._stopped.wait(_CHANGE_SECONDS):
            log, rotate = self._rng.choice([*self._rotations.items()])
            if log.exists() and self._rng.random() < 1 / _CHANGES_PER_ROTATION:
                rotate(log)
                self.rotated += 1
            self._append(log)

    def _append(self, log: Path) -> None:
        """A report in two pieces, with lines around it."""
        text = f"{self.written} request served\n".encode() * 20 + logs.generate_report(self.written)
        half = self._rng.randrange(len(text))
        with log.open("ab", buffering=0) as file:
            file.write(text[:half])
            time.sleep(0.01)
            file.write(text[half:])
        self.written += 1

    def _shift(self, log: Path) -> None:
        """Renames all rotated parts of a log, the oldest first."""
        parts = [path for path in self._folder.glob(f"{log.name}.*") if path.name.split(".")[2].isdigit()]
        for path in sorted(parts, key=lambda path: -int(path.name.split(".")[2])):
            number, *rest = path.name.removeprefix(f"{log.name}.").split(".")
            path.rename(log.with_name(".".join([log.name, str(int(number) + 1), *rest])))

    def _rename(self, log: Path) -> None:
        self._shift(log)
        log.rename(f"{log}.1")

    def _copy_and_truncate(self, log: Path) -> None:
        shutil.copyfile(log, log.with_name(f"{log.name}-20261118T{self.rotated:06}"))
        time.sleep(0.05)
        os.truncate(log, 0)

    def _rename_and_compress(self, log: Path) -> None:
        self._rename(log)
        second = Path(f"{log}.2")
        if second.exists():
            with gzip.open(f"{second}.gz", "wb") as packed:
                for block in second.read_bytes().splitlines(keepends=True):
                    packed.write(block)
            second.unlink()


def kill_watches(folder: Path, kills: int, rng: random.Random) -> None:
    """Start and kill the process again and again, then ingest the rest and compare."""
    source, lake = folder / "logs", folder / "lake"
    writer = RotatingLogs(source, rng)
    try:
        for number in range(kills):
            _watch_and_kill(source, lake, number, rng)
    finally:
        writer.stop()
    assert subprocess.run(_command(source, lake), check=False).returncode == 0
    opened = Lake(str(lake))
    digests = opened.read_rows("sightings", ["report"])["report"]
    distinct = len(digests.unique())
    print(
        f"{writer.written} reports written, {writer.rotated} rotations, {kills} kills:"
        f" {len(digests)} sightings, {distinct} of them distinct, {opened.state_number} commits",
        flush=True,
    )
    assert len(digests) == distinct == writer.written
    counts = opened.read_rows("races", ["sightings"])["sightings"].to_pylist()
    assert counts == [1] * writer.written
    assert list(maintenance.find_faults(opened)) == []


def _command(source: Path, lake: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "deadheat", "ingest", str(source), "--lake", str(lake), "--quiet", *options]


def _watch_and_kill(source: Path, lake: Path, number: int, rng: random.Random) -> None:
    command = _command(source, lake, "--watch", "--every", str(_POLL_SECONDS))
    process = subprocess.Popen(command, start_new_session=True)
    try:
        known = _staged(lake)
        until = time.monotonic() + _START_SECONDS
        # every fourth one is killed while it starts
        while number % 4 != 3 and not _staged(lake) - known and time.monotonic() < until:
            assert process.poll() is None, "the process ended by itself"
            time.sleep(0.002)
        delay = rng.uniform(0, _KILL_SECONDS)
        time.sleep(delay)
        assert process.poll() is None, "the process ended by itself"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    print(f"{number + 1}: killed after {delay:.2f} s", flush=True)


def _staged(lake: Path) -> set[str]:
    """The changes that have begun: their intents, and the log of the table that decides."""
    folders = (lake / STAGING_FOLDER, lake / "_intents", lake / "ingests" / "_delta_log")
    return {str(path) for folder in folders for path in folder.glob("*")}
