"""Run commands and measure wall time, processor time and the memory of all their processes."""

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
class CommandRun:
    seconds: float
    peak_mb: float
    status: int
    lines: int


def best_run(command: Sequence[str], times: int = 3, memory: bool = False) -> CommandRun:
    """The fastest of some runs: other load on the machine has the least effect on it."""
    return min((run_command(command, memory) for _ in range(times)), key=lambda r: r.seconds)


def run_command(command: Sequence[str], memory: bool = True) -> CommandRun:
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout
    assert output is not None
    watch = MemoryMonitor(process.pid)
    if memory:
        watch.start()
    lines = 0
    while block := output.read(1 << 20):
        lines += block.count(b"\n")
    status = process.wait()
    seconds = time.perf_counter() - began
    watch.stop()
    return CommandRun(seconds, watch.peak / 1024, status, lines)


def best_processor_seconds(commands: Sequence[Sequence[str]], times: int = 5) -> list[float]:
    """Least processor seconds of each command and its children; the commands run in turns, so that load affects all."""
    seconds: list[list[float]] = [[] for _ in commands]
    for _ in range(times):
        for command, measured in zip(commands, seconds, strict=True):
            before = os.times()
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            after = os.times()
            user, system = after.children_user - before.children_user, after.children_system - before.children_system
            measured.append(user + system)
    return [*map(min, seconds)]


def best_output_seconds(command: Sequence[str], size: int, times: int = 3) -> float:
    """Least seconds from a command's start until it has printed `size` bytes."""
    return min(_output_seconds(command, size) for _ in range(times))


def _output_seconds(command: Sequence[str], size: int) -> float:
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        output = process.stdout.fileno()
        while size > 0 and (block := os.read(output, 1 << 20)):
            size -= len(block)
        seconds = time.perf_counter() - began
        while os.read(output, 1 << 20):
            pass
    assert size == 0, "output is incomplete"
    return seconds


class MemoryMonitor(threading.Thread):
    """Samples the memory of a process and its children; shared pages count once (PSS)."""

    def __init__(self, pid: int | None = None, interval: float = 0.02) -> None:
        super().__init__(daemon=True)
        self._pid, self._every = pid or os.getpid(), interval
        self._over = threading.Event()
        self.peak = 0

    def run(self) -> None:
        while not self._over.wait(self._every):
            self.peak = max(self.peak, sum(map(_pss_kilobytes, _process_tree(self._pid))))

    def stop(self) -> None:
        self._over.set()
        if self.is_alive():
            self.join()


def processor_times() -> dict[int, float]:
    """Processor seconds of this process and of each of its descendants so far, by process id."""
    times = {}
    for pid in _process_tree(os.getpid()):
        with contextlib.suppress(OSError):
            # after the command's name: state, parent, …; fields 11 to 14 include ended children
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            times[pid] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return times


def processor_seconds_since(before: dict[int, float]) -> float:
    """Processor seconds since an earlier result, without processes that have ended meanwhile."""
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in processor_times().items())


def _process_tree(pid: int) -> list[int]:
    tree = [pid]
    for member in tree:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{member}/task"):
                children = Path(f"/proc/{member}/task/{task}/children").read_text()
                tree += map(int, children.split())
    return tree


def _pss_kilobytes(pid: int) -> int:
    """The proportional set size."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def processor_total() -> float:
    """Processor seconds of this process and of all its descendants so far."""
    return sum(processor_times().values())
