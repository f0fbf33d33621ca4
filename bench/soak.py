"""`make soak`: long runs on hostile and huge input; stops at the first broken promise."""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
from pathlib import Path

import deadheat
from bench import logs
from bench.hostile import LURED, NEAR, shapes
from bench.measure import run
from corpus import store

SCAN = [sys.executable, "-m", "deadheat", "scan", "--format", "jsonl"]
LIMIT_MB = 200


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--gib", type=int, default=5, help="size of the large file (default: 5)")
    parser.add_argument("--line", type=int, default=500, help="MiB of the long line (default: 500)")
    parser.add_argument("--hostile", type=int, default=8, help="MiB of each shape (default: 8)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deadheat-soak-") as folder:
        large(Path(folder) / "large.log", args.gib << 30)
        long_line(Path(folder) / "line.log", args.line << 20)
        hostile(Path(folder) / "hostile.log", args.hostile << 20)
    damaged_corpus()


def large(path: Path, size: int) -> None:
    count = logs.sparse(path, size)
    _within(path, f"{size >> 30} GiB of sparse logs", count)
    path.unlink()


def long_line(path: Path, size: int) -> None:
    logs.long_line(path, size)
    _within(path, f"one line of {size >> 20} MiB", 0)
    path.unlink()


def hostile(path: Path, size: int) -> None:
    """What an enemy would send: nothing in it is a report."""
    for name, make in shapes().items():
        # those with a lure are read line by line
        path.write_bytes(make(size // 8 if name.endswith(LURED) else size))
        # of near misses without end, now and then two or three happen to read like a report
        taken = _within(path, name, 0, most=size >> 23 if name == NEAR else 0)
        print(f"    {path.stat().st_size / taken / 1e6:.1f} MB per processor second", flush=True)


def _within(path: Path, what: str, count: int, most: int = 0) -> float:
    """Checks the promises; the processor seconds that it took."""
    before = _children()
    done = run([*SCAN, str(path)])
    taken = _children() - before
    print(f"{what}: {taken:.1f} processor seconds, {done.peak_mb:.0f} MB, {done.lines} reports", flush=True)
    assert count <= done.lines <= max(count, most), f"expected {count} reports"
    assert done.peak_mb < LIMIT_MB, f"more than {LIMIT_MB} MB"
    return taken


def _children() -> float:
    """Processor seconds of all commands so far: others may use the machine at the same time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def damaged_corpus() -> None:
    """Every recorded report under every damage: what share comes out with both sites right."""
    from tests.cases import sides
    from tests.damage import DAMAGES
    from tests.test_laws import _is_kept, _undamaged

    paths = sorted(store.unpacked_set("main").glob("go/*/recorded/*.txt"))
    texts = list(dict.fromkeys(t for path in paths for t in _undamaged(path.read_bytes())))
    print(f"{len(texts)} recorded reports", flush=True)
    for damage in DAMAGES:
        if damage.lossy:
            continue
        kept = 0
        for number, text in enumerate(texts):
            (whole,) = deadheat.scan(text, diagnose=False)
            found = deadheat.scan(damage.apply(text, random.Random(number + 1_000)), diagnose=False)
            kept += _is_kept(whole, found)
            assert sides(whole)
        print(f"{damage.name:50} {kept / len(texts):7.2%}", flush=True)


if __name__ == "__main__":
    main()
