"""`python -m bench.kills`: an ingest that is killed at random, and run again, leaves the same lake."""

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
from deadheat.lake import maintenance
from deadheat.lake.tables import Lake
from deadheat.lake.transactions import STAGING_FOLDER
from deadheat.spark import session
from tests.lakes import content, taken


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=30, help="how many (default: 30)")
    parser.add_argument("--seed", type=int, default=None, help="for the same instants again")
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else random.randrange(1 << 30)
    rng = random.Random(seed)
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="deadheat-kills-") as name:
        folder = Path(name)
        documents = _documents(folder / "documents")
        usual = _undisturbed(folder / "undisturbed", documents)
        wanted = content(folder / "undisturbed")
        spark = session.start_session(small=True)
        for number in range(args.kills):
            lake = folder / str(number)
            # every other one is killed after Spark has started, which takes most of the time
            begun = number % 2 == 1
            after = rng.uniform(0, usual.whole - (usual.begun if begun else 0))
            _killed(lake, documents, after, begun)
            taken(spark, lake, [documents])
            assert content(lake) == wanted, f"lake {number}, killed after {after:.2f} s"
            assert list(maintenance.find_faults(Lake(str(lake)))) == []
            since = "its tasks began" if begun else "it was started"
            print(f"{number + 1}: killed {after:.2f} s after {since}: the same lake", flush=True)
        spark.stop()


class Times(NamedTuple):
    """How long an ingest takes, and how long it takes to begin with its tasks."""

    begun: float
    whole: float


def _undisturbed(lake: Path, documents: Path) -> Times:
    began = time.monotonic()
    process = _ingest(lake, documents)
    _await_tasks(lake)
    begun = time.monotonic() - began
    assert process.wait() == 0
    return Times(begun, time.monotonic() - began)


def _await_tasks(lake: Path) -> None:
    while not any((lake / STAGING_FOLDER).glob("*")):
        time.sleep(0.005)


def _documents(folder: Path) -> Path:
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}.log").write_bytes(b"".join(logs.report(n) for n in range(number, number + 30)))
    return folder


def _ingest(lake: Path, documents: Path) -> subprocess.Popen[bytes]:
    command = ["ingest", str(documents), "--lake", str(lake), "--quiet"]
    return subprocess.Popen([sys.executable, "-m", "deadheat", *command], start_new_session=True)


def _killed(lake: Path, documents: Path, after: float, begun: bool) -> None:
    process = _ingest(lake, documents)
    if begun:
        _await_tasks(lake)
    time.sleep(after)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


if __name__ == "__main__":
    main()
