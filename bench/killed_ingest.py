"""`python -m bench.killed_ingest`: kill an ingest at a random time, run it again, check that the lake is the same."""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench import logs
from bench.killed_watch import kill_watches
from deadheat.lake import maintenance
from deadheat.lake.storage import LOG_FOLDER
from deadheat.lake.tables import Lake
from deadheat.spark import session
from tests.lakes import content, taken


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.killed_ingest", description=__doc__)
    parser.add_argument("--kills", type=int, default=30, help="number of kills (default: 30)")
    parser.add_argument("--watch", action="store_true", help="kill `--watch` while logs grow and rotate")
    parser.add_argument("--seed", type=int, default=None, help="repeat the times of an earlier run")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.randrange(1 << 30)
    rng = random.Random(seed)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="deadheat-kills-") as name:
        folder = Path(name)
        if args.watch:
            kill_watches(folder, args.kills, rng)
            return
        documents = _write_documents(folder / "documents")
        times = _measure_ingest(folder / "undisturbed", documents)
        expected = content(folder / "undisturbed")
        spark = session.start_session(small=True)
        for number in range(args.kills):
            lake = folder / str(number)
            # every second ingest is killed after Spark has started, which takes most of the time
            tasks_started = number % 2 == 1
            delay = rng.uniform(0, times.total - (times.tasks_started if tasks_started else 0))
            _kill_ingest(lake, documents, delay, tasks_started)
            taken(spark, lake, [documents])
            assert content(lake) == expected, f"lake {number}, killed after {delay:.2f} s"
            assert list(maintenance.find_faults(Lake(str(lake)))) == []
            since = "its tasks began" if tasks_started else "it was started"
            print(f"{number + 1}: killed {delay:.2f} s after {since}: the same lake", flush=True)
        spark.stop()


class IngestTimes(NamedTuple):
    """Seconds until the tasks of an ingest start, and until it ends."""

    tasks_started: float
    total: float


def _measure_ingest(lake: Path, documents: Path) -> IngestTimes:
    began = time.monotonic()
    process = _start_ingest(lake, documents)
    _await_tasks(lake, process)
    tasks_started = time.monotonic() - began
    assert process.wait() == 0
    return IngestTimes(tasks_started, time.monotonic() - began)


def _await_tasks(lake: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until an ingest makes the tables of the lake, which it does while its tasks read, or ends."""
    while process.poll() is None and not any((lake / "files" / LOG_FOLDER).glob("*")):
        time.sleep(0.005)


def _write_documents(folder: Path) -> Path:
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}.log").write_bytes(b"".join(logs.generate_report(n) for n in range(number, number + 30)))
    return folder


def _start_ingest(lake: Path, documents: Path) -> subprocess.Popen[bytes]:
    command = ["ingest", str(documents), "--lake", str(lake), "--quiet"]
    return subprocess.Popen([sys.executable, "-m", "deadheat", *command], start_new_session=True)


def _kill_ingest(lake: Path, documents: Path, delay: float, tasks_started: bool) -> None:
    process = _start_ingest(lake, documents)
    if tasks_started:
        _await_tasks(lake, process)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


if __name__ == "__main__":
    main()
