"""`make soak`: scan huge, hostile and damaged text; stop when a limit on memory or reports is exceeded."""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
from pathlib import Path

import deadheat
from bench import logs
from bench.hostile import LURED_SUFFIX, NEAR_MISS_TEXT, hostile_texts
from bench.measure import run_command
from corpus import store

SCAN = [sys.executable, "-m", "deadheat", "scan", "--format", "jsonl"]
LIMIT_MB = 200


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--gib", type=int, default=5, help="GiB of the large file (default: 5)")
    parser.add_argument("--line", type=int, default=500, help="MiB of the long line (default: 500)")
    parser.add_argument("--hostile", type=int, default=8, help="MiB of each hostile text (default: 8)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deadheat-soak-") as folder:
        scan_large_file(Path(folder) / "large.log", args.gib << 30)
        scan_long_line(Path(folder) / "line.log", args.line << 20)
        scan_hostile_text(Path(folder) / "hostile.log", args.hostile << 20)
    scan_damaged_corpus()


def scan_large_file(path: Path, size: int) -> None:
    count = logs.write_sparse(path, size)
    _check_limits(path, f"{size >> 30} GiB of sparse logs", count)
    path.unlink()


def scan_long_line(path: Path, size: int) -> None:
    logs.write_long_line(path, size)
    _check_limits(path, f"one line of {size >> 20} MiB", 0)
    path.unlink()


def scan_hostile_text(path: Path, size: int) -> None:
    """No hostile text contains a report."""
    for name, make in hostile_texts().items():
        # texts with a lure are parsed line by line
        path.write_bytes(make(size // 8 if name.endswith(LURED_SUFFIX) else size))
        # random sequences of near misses occasionally form a report
        seconds = _check_limits(path, name, 0, max_reports=size >> 23 if name == NEAR_MISS_TEXT else 0)
        print(f"    {path.stat().st_size / seconds / 1e6:.1f} MB per processor second", flush=True)


def _check_limits(path: Path, title: str, count: int, max_reports: int = 0) -> float:
    """Scan a file, check memory and reports; return the processor seconds."""
    before = _child_processor_seconds()
    done = run_command([*SCAN, str(path)])
    seconds = _child_processor_seconds() - before
    print(f"{title}: {seconds:.1f} processor seconds, {done.peak_mb:.0f} MB, {done.lines} reports", flush=True)
    assert count <= done.lines <= max(count, max_reports), f"expected {count} reports"
    assert done.peak_mb < LIMIT_MB, f"more than {LIMIT_MB} MB"
    return seconds


def _child_processor_seconds() -> float:
    """Processor seconds of all child processes so far; independent of other load."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def scan_damaged_corpus() -> None:
    """Print the share of recorded reports that are found with both sites under each damage without loss."""
    from tests.cases import operations_and_sites
    from tests.damage import DAMAGES
    from tests.test_invariants import _is_kept, _undamaged

    paths = sorted(store.unpacked_set("main").glob("go/*/recorded/*.txt"))
    texts = list(dict.fromkeys(t for path in paths for t in _undamaged(path.read_bytes())))
    print(f"{len(texts)} recorded reports", flush=True)
    for damage in DAMAGES:
        if damage.lossy:
            continue
        found_count = 0
        for number, text in enumerate(texts):
            (undamaged,) = deadheat.scan(text, diagnose=False)
            found = deadheat.scan(damage.apply(text, random.Random(number + 1_000)), diagnose=False)
            found_count += _is_kept(undamaged, found)
            assert operations_and_sites(undamaged)
        print(f"{damage.name:50} {found_count / len(texts):7.2%}", flush=True)


if __name__ == "__main__":
    main()
