"""`python -m bench.many_files`: what planning and ingesting many small files costs."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench import logs
from deadheat.lake.tables import Lake
from deadheat.model import CiRun
from deadheat.spark import input_files, session
from deadheat.spark.ingest import ingest_files

# one file in this many has a report
_FILES_PER_REPORT = 100
_FILES_PER_FOLDER = 1000
_SLOTS = 2
_SAMPLE_SECONDS = 0.05


class Cost(NamedTuple):
    """Processor seconds of a command by kind of process, and the largest memory of its Python driver."""

    driver: float
    java: float
    workers: float
    driver_mb: float

    @property
    def total(self) -> float:
        return self.driver + self.java + self.workers


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.many_files", description=__doc__)
    parser.add_argument("--files", type=int, default=100_000, help="number of files (default: 100000)")
    parser.add_argument("--run", choices=("plan", "ingest"), help=argparse.SUPPRESS)
    parser.add_argument("--arguments", nargs="*", default=[], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        (_measure_plan if args.run == "plan" else _ingest)(*args.arguments)
        return
    with tempfile.TemporaryDirectory(prefix="deadheat-files-") as name:
        folder = Path(name)
        _write_files(folder / "one", 1)
        _write_files(folder / "many", args.files)
        plan = json.loads(_start("plan", str(folder / "many")).communicate()[0])
        print("| files | planning: CPU seconds | bytes of memory per file | tasks |\n|---|---|---|---|")
        print(f"| {args.files:,} | {plan['seconds']:.1f} | {plan['bytes'] / args.files:,.0f} | {plan['tasks']} |\n")
        print("| files | CPU seconds: driver | Java | Python workers | all | driver, MB |\n|---|---|---|---|---|---|")
        costs = [_measure_ingest(folder, name) for name in ("one", "many")]
        for count, cost in zip((1, args.files), costs, strict=True):
            print(
                f"| {count:,} | {cost.driver:.1f} | {cost.java:.1f} | {cost.workers:.1f} | {cost.total:.1f} |"
                f" {cost.driver_mb:.0f} |"
            )
        print(f"\n{costs[1].total - costs[0].total:.1f} CPU seconds more than for one file")


def _write_files(folder: Path, count: int) -> None:
    report = logs.generate_report(1)
    line = b"--- PASS: TestStore (0.01s)\n"
    for number in range(count):
        below = folder / str(number // _FILES_PER_FOLDER)
        if number % _FILES_PER_FOLDER == 0:
            below.mkdir(parents=True)
        content = line * 20 + (report if number % _FILES_PER_REPORT == 0 else b"") + b"ok %d\n" % number
        (below / f"{number}.log").write_bytes(content)


def _start(what: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "bench.many_files", "--run", what, "--arguments", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _measure_plan(path: str) -> None:
    before, times = _memory_kilobytes(os.getpid(), "VmRSS"), os.times()
    plan = input_files.plan_ingest(Lake(f"{path}-lake"), [path], lambda _: CiRun())
    portions = input_files.pack_units(plan.work_list, _SLOTS)
    spent = os.times()
    seconds = spent.user + spent.system - times.user - times.system
    used = _memory_kilobytes(os.getpid(), "VmHWM") - before
    print(json.dumps({"seconds": seconds, "bytes": used * 1024, "tasks": len(portions)}))


def _ingest(path: str) -> None:
    ingest_files(lambda small: session.start_session(small=small), Lake(f"{path}-lake"), [path])


def _measure_ingest(folder: Path, name: str) -> Cost:
    process = _start("ingest", str(folder / name))
    seconds: dict[tuple[int, str], float] = {}
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory_kilobytes(process.pid, "VmHWM"))
        for pid, kind in _processes(process.pid):
            seconds[pid, kind] = _processor_seconds(pid) or seconds.get((pid, kind), 0.0)
        time.sleep(_SAMPLE_SECONDS)
    assert process.returncode == 0
    sums = {kind: sum(s for (_, k), s in seconds.items() if k == kind) for kind in ("driver", "java", "worker")}
    return Cost(sums["driver"], sums["java"], sums["worker"], peak / 1024)


def _processes(pid: int, kind: str = "driver") -> list[tuple[int, str]]:
    """A process and its descendants: the driver, its Java, and the Python workers of that."""
    found = [(pid, kind)]
    try:
        children = "".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
        names = {int(child): Path(f"/proc/{child}/comm").read_text().strip() for child in children.split()}
    except OSError:
        return found
    for child, name in names.items():
        found += _processes(child, "worker" if kind != "driver" and name.startswith("python") else "java")
    return found


def _processor_seconds(pid: int) -> float:
    try:
        # after the command's name: state, parent, …; fields 11 and 12 are user and system time
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_kilobytes(pid: int, field: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)


if __name__ == "__main__":
    main()
