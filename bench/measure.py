"""Runs a command and measures it: wall time, and the memory of all its processes together."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Run:
    seconds: float
    peak_mb: float
    status: int
    lines: int


def best(command: Sequence[str], times: int = 3, memory: bool = False) -> Run:
    """The fastest of some runs, so that a neighbour's load does not count."""
    return min((run(command, memory) for _ in range(times)), key=lambda r: r.seconds)


def run(command: Sequence[str], memory: bool = True) -> Run:
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout
    assert output is not None
    watch = Memory(process.pid)
    if memory:
        watch.start()
    lines = 0
    while block := output.read(1 << 20):
        lines += block.count(b"\n")
    status = process.wait()
    seconds = time.perf_counter() - began
    watch.stop()
    return Run(seconds, watch.peak / 1024, status, lines)


def passed(command: Sequence[str], size: int, times: int = 3) -> float:
    """Seconds from a command's start until so many bytes have come out of it, at its best."""
    return min(_passed(command, size) for _ in range(times))


def _passed(command: Sequence[str], size: int) -> float:
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        output = process.stdout.fileno()
        while size > 0 and (block := os.read(output, 1 << 20)):
            size -= len(block)
        seconds = time.perf_counter() - began
        while os.read(output, 1 << 20):
            pass
    assert size == 0, "not everything came"
    return seconds


class Memory(threading.Thread):
    """Samples what a process and its children hold, shared pages counted once (PSS)."""

    def __init__(self, pid: int | None = None, every: float = 0.02) -> None:
        super().__init__(daemon=True)
        self._pid, self._every = pid or os.getpid(), every
        self._over = threading.Event()
        self.peak = 0

    def run(self) -> None:
        while not self._over.wait(self._every):
            self.peak = max(self.peak, sum(map(_pss, _family(self._pid))))

    def stop(self) -> None:
        self._over.set()
        if self.is_alive():
            self.join()


def processors() -> dict[int, float]:
    """What this process and each that it has started have taken of the processors so far."""
    taken = {}
    for pid in _family(os.getpid()):
        with contextlib.suppress(OSError):
            # behind the command's name: state, parent, …; then what its dead children took
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            taken[pid] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return taken


def processor_seconds(before: dict[int, float]) -> float:
    """What they have taken since; those that have ended meanwhile are not heard any more."""
    return sum(taken - before.get(pid, 0.0) for pid, taken in processors().items())


def _family(pid: int) -> list[int]:
    family = [pid]
    for member in family:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{member}/task"):
                children = Path(f"/proc/{member}/task/{task}/children").read_text()
                family += map(int, children.split())
    return family


def _pss(pid: int) -> int:
    """Kilobytes, without the pages of mapped files: the kernel can drop those at any time."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def processor() -> float:
    """Processor seconds of this process and of all that it has started, those that ended included."""
    ticks = sum(map(_ticks, _family(os.getpid())))
    return ticks / os.sysconf("SC_CLK_TCK")


def _ticks(pid: int) -> int:
    with contextlib.suppress(OSError):
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(int(number) for number in told[11:15])
    return 0
