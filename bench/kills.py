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

from bench import logs
from deadheat.lake import care
from deadheat.lake.tables import Lake
from deadheat.pipeline import session
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
        began = time.monotonic()
        _ingest(folder / "undisturbed", documents).wait()
        usual = time.monotonic() - began
        wanted = content(folder / "undisturbed")
        spark = session.started(small=True)
        for number in range(args.kills):
            lake = folder / str(number)
            after = _killed(lake, documents, rng.uniform(0, usual))
            taken(spark, lake, [documents])
            assert content(lake) == wanted, f"lake {number}, killed after {after:.1f} s"
            assert list(care.faults(Lake(str(lake)))) == []
            print(f"killed after {after:.1f} of {usual:.1f} s: the same lake", flush=True)
        spark.stop()


def _documents(folder: Path) -> Path:
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}.log").write_bytes(
            b"".join(logs.report(n) for n in range(number, number + 30))
        )
    return folder


def _ingest(lake: Path, documents: Path) -> subprocess.Popen[bytes]:
    command = ["ingest", str(documents), "--lake", str(lake), "--quiet"]
    return subprocess.Popen([sys.executable, "-m", "deadheat", *command], start_new_session=True)


def _killed(lake: Path, documents: Path, after: float) -> float:
    process = _ingest(lake, documents)
    time.sleep(after)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return after


if __name__ == "__main__":
    main()
