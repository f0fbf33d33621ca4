"""Measures the dashboard: `python -m bench.web [LAKE]`. Needs `wrk` (Debian's package).

Without a lake one is generated: 20,000 races with 2,000,000 sightings. The load generator runs on the same machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote
from urllib.request import urlopen

from bench.measure import MemoryMonitor
from bench.web_lake import generate_lake

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOAD_SECONDS, _CONNECTIONS = 15, 16
# pages of the list, and races, that the load asks for in turn
_LIST_PAGES, _RACES = 60, 400
# "Requests/sec:    812.34", "     99%   41.20ms"
_RATE, _P99 = re.compile(r"Requests/sec:\s+([\d.]+)"), re.compile(r"99%\s+([\d.]+)(us|ms|s)")
_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
_SCRIPT = """
local paths = {}
for line in io.lines("%s") do paths[#paths + 1] = line end
local number = 0
request = function() number = number + 1; return wrk.format("GET", paths[(number * 7919) %% #paths + 1]) end
done = function(summary) if summary.errors.status > 0 then print("errors: " .. summary.errors.status) end end
"""


class Dashboard(NamedTuple):
    """A server in a process of its own."""

    address: str
    process: subprocess.Popen[str]
    monitor: MemoryMonitor
    seconds: float  # from its start until it answered
    processor_seconds: float

    def get(self, path: str) -> bytes:
        with urlopen(f"{self.address.rstrip('/')}{path}") as response:
            content: bytes = response.read()
            return content

    def json(self, path: str) -> Any:
        return json.loads(self.get(f"/api/v1{path}"))

    def time_of(self, path: str) -> float:
        """Milliseconds until an answer is complete."""
        began = time.perf_counter()
        self.get(path)
        return 1000 * (time.perf_counter() - began)


@contextmanager
def serving(lake: Path, cache: Path, workers: int) -> Iterator[Dashboard]:
    command = [sys.executable, "-m", "deadheat", "serve", "--lake", str(lake), "--port", "0", "--workers", str(workers),
               "--decisions", str(cache / "triage.sqlite")]  # fmt: skip
    environment = os.environ | {"DEADHEAT_CACHE": str(cache)}
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    monitor = MemoryMonitor(process.pid, 0.1)
    monitor.start()
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        seconds, used = time.perf_counter() - began, processor_seconds(process.pid)
        yield Dashboard(address, process, monitor, seconds, used)
    finally:
        monitor.stop()
        process.send_signal(signal.SIGINT)
        process.wait(60)


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.web", description=__doc__)
    parser.add_argument("lake", nargs="?", help="a lake that bench.web_lake has generated")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=_LOAD_SECONDS)
    args = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is not here: apt-get install wrk")
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as name:
        folder = Path(name)
        lake = Path(args.lake) if args.lake else folder / "lake"
        if not args.lake:
            generate_lake(lake, 20_000, 2_000_000)
        print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        measure_first_start(lake, folder, args.workers)
        with serving(lake, folder, args.workers) as dashboard:
            print(
                f"start with an index: {dashboard.seconds:.1f} s, {dashboard.processor_seconds:.1f} s of processor time"
            )
            measure_single_pages(dashboard)
            measure_load(dashboard, folder, args.seconds)
            print(f"memory at most: {dashboard.monitor.peak / 1024:.0f} MB")


def measure_first_start(lake: Path, folder: Path, workers: int) -> None:
    """The start without an index, which is built meanwhile."""
    with serving(lake, folder, workers) as dashboard:
        first = dashboard.time_of("/races")
        print(
            f"first start: {dashboard.seconds:.1f} s until it answers ({dashboard.processor_seconds:.1f} s of processor"
            f" time), first list {first:.0f} ms"
        )
        race = dashboard.json("/races?sort=sightings")["races"][0]["race"]
        print(f"race page without an index: {dashboard.time_of(f'/races/{race}'):.0f} ms")
        began = time.perf_counter()
        while not dashboard.json("/runs")["is_indexed"]:
            time.sleep(0.5)
        print(f"index complete after {time.perf_counter() - began:.0f} s more")
        print(f"memory at most while it was built: {dashboard.monitor.peak / 1024:.0f} MB")


def measure_single_pages(dashboard: Dashboard) -> None:
    """Pages that were not asked for before; the frequent race has ten thousands of sightings, the rare one has one."""
    races = [dashboard.json(f"/races?sort=sightings&page={page}")["races"] for page in (1, 400)]
    for name, listed in zip(("frequent", "rare"), races, strict=True):
        times = sorted(dashboard.time_of(f"/races/{race['race']}") for race in listed[:20])
        counts = [race["sightings"] for race in listed[:20]]
        print(
            f"{name} races, {min(counts)} to {max(counts)} sightings, not kept: {times[10]:.1f} to {times[-1]:.1f} ms"
        )
    for path in (
        "/",
        "/races",
        "/races?q=lookup",
        "/races?detector=go&activity=quiet&sort=sightings",
        "/runs",
        "/lake",
    ):
        print(f"{path}: {dashboard.time_of(path):.1f} ms, kept {dashboard.time_of(path):.1f} ms")


def measure_load(dashboard: Dashboard, folder: Path, seconds: int) -> None:
    draw = random.Random(1)
    lists = ["/races", "/"]
    lists += [f"/races?page={page}" for page in range(1, _LIST_PAGES // 2)]
    lists += [
        f"/races?q={quote(word)}&sort=sightings" for word in ("lookup", "snapshot", "close", "broker", "cache") * 6
    ]
    pages = [dashboard.json(f"/races?page={draw.randrange(1, 400)}")["races"] for _ in range(_RACES // 50)]
    races = [f"/races/{race['race']}" for page in pages for race in page]
    for name, paths in (
        ("list", lists),
        ("race", races),
        ("list and race", [*lists * (len(races) // len(lists)), *races]),
    ):
        for path in {*paths}:
            dashboard.get(path)
        rate, p99, errors = load(dashboard.address, paths, folder, seconds)
        print(f"{name} pages, warm: {rate:.0f} requests/s, p99 {p99:.0f} ms{errors}", flush=True)


def load(address: str, paths: list[str], folder: Path, seconds: int) -> tuple[float, float, str]:
    (folder / "paths").write_text("\n".join(paths))
    script = folder / "load.lua"
    script.write_text(_SCRIPT % (folder / "paths"))
    command = ["wrk", "-t1", f"-c{_CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", str(script), address]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rate, p99 = _RATE.search(out), _P99.search(out)
    assert rate is not None, out
    assert p99 is not None, out
    errors = "".join(f", {line}" for line in out.splitlines() if line.startswith(("errors", "  Socket errors")))
    return float(rate[1]), float(p99[1]) * _UNITS[p99[2]], errors


if __name__ == "__main__":
    main()
