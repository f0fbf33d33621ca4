"""`python -m bench.lake_scale`: how the cost of an ingest and of a query grows with what a lake already holds."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench import logs
from bench.measure import processor_seconds_since, processor_times, run_command
from deadheat.lake import queries
from deadheat.lake.tables import Lake
from deadheat.spark import session
from deadheat.spark.ingest import IngestOptions, IngestSummary, ingest_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# distinct races of the repeated logs
_RACES = 40
# ingests that are averaged
_AVERAGED = 5


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.lake_scale", description=__doc__)
    parser.add_argument("--only", choices=("ingests", "grown", "race"), help="run only one measurement")
    parser.add_argument("--ingests", type=int, default=1000, help="earlier small ingests (default: 1000)")
    parser.add_argument("--sightings", type=int, default=1_000_000, help="sightings in that lake (default: 1000000)")
    parser.add_argument("--grown", type=int, default=10_000, help="files that grow at once (default: 10000)")
    parser.add_argument("--race", type=int, default=10_000_000, help="sightings of one race (default: 10000000)")
    parser.add_argument("--folder", help="folder for logs and lakes (default: the system's temporary folder)")
    args = parser.parse_args()
    spark = session.start_session(driver_memory="2g")
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-", dir=args.folder) as name:
        folder = Path(name)
        if args.only in (None, "ingests"):
            measure_small_ingests(spark, folder, args.ingests, args.sightings)
        if args.only in (None, "grown"):
            measure_grown_files(spark, folder, args.grown)
        if args.only in (None, "race"):
            measure_frequent_race(spark, folder, args.race)
    spark.stop()


class Spent:
    """Processor seconds of the driver and of all processes, summed over some ingests."""

    def __init__(self) -> None:
        self.driver = self.all = 0.0
        self.count = 0

    def __str__(self) -> str:
        return f"driver {1000 * self.driver / self.count:.0f} ms, all {1000 * self.all / self.count:.0f} ms"


def _ingest(spark: SparkSession, lake: Path, *paths: Path, spent: Spent | None = None) -> IngestSummary:
    gc.collect()
    before, began = processor_times(), time.process_time()
    summary = ingest_files(lambda small: spark, Lake(str(lake)), [*map(str, paths)], IngestOptions())
    if spent is not None:
        spent.driver += time.process_time() - began
        spent.all += processor_seconds_since(before)
        spent.count += 1
    return summary


def _write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _log(number: int) -> bytes:
    """A small log. Logs of equal content would count once."""
    return b"log %d\n%s" % (number, logs.generate_report(number % _RACES))


def measure_small_ingests(spark: SparkSession, folder: Path, ingests: int, sightings: int) -> None:
    lake, inbox = folder / "ingests-lake", folder / "ingests"
    big = folder / "big.log"
    early, late, grown, fresh = Spent(), Spent(), Spent(), Spent()
    for number in range(ingests):
        path = _write(inbox / f"{number}.log", _log(number))
        spent = early if 9 <= number < 9 + _AVERAGED else late if number >= ingests - _AVERAGED else None
        _ingest(spark, lake, path, spent=spent)
        if number == 20:
            logs.write_repeated(big, sightings, _RACES)
            _ingest(spark, lake, big)
            big.unlink()
        if number % 100 == 99:
            size = sum(file.stat().st_size for file in lake.rglob("*") if file.is_file())
            print(f"after {number + 1} ingests: {size / 1e6:.0f} MB in {_count_files(lake)} files", flush=True)
    print(f"small ingest, the 10th to 14th: {early}")
    print(f"small ingest, the last {_AVERAGED} of {ingests}, {sightings} sightings: {late}")
    for number in range(_AVERAGED):
        path = inbox / f"{number}.log"
        _write(path, path.read_bytes() + b"one more line\n")
        _ingest(spark, lake, path, spent=grown)
        path = _write(inbox / f"new-{number}.log", logs.generate_report(number))
        _ingest(spark, lake, path, spent=fresh)
    print(f"one line appended to a known file there: {grown}; a new small file: {fresh}", flush=True)
    print(f"the last ingest against the 10th: {late.driver / early.driver:.2f} times the driver's processor time (1.5)")
    print(f"an appended line against a new file: {grown.driver / fresh.driver:.2f} times (2)", flush=True)


def _count_files(folder: Path) -> int:
    return sum(len(files) for _, _, files in os.walk(folder))


def measure_grown_files(spark: SparkSession, folder: Path, count: int) -> None:
    for part in (count // 10, count):
        inbox, lake = folder / f"grown-{part}", folder / f"grown-lake-{part}"
        paths = [_write(inbox / f"{n % 100}" / f"{n}.log", _log(n)) for n in range(part)]
        _ingest(spark, lake, inbox)
        for number, path in enumerate(paths):
            _write(path, path.read_bytes() + b"more\n" + logs.generate_report((number + 1) % _RACES))
        spent = Spent()
        summary = _ingest(spark, lake, inbox, spent=spent)
        each = 1000 * spent.all / part
        print(f"{part} grown files: {summary.sightings} sightings more, {spent}, {each:.2f} ms a file", flush=True)


def measure_frequent_race(spark: SparkSession, folder: Path, sightings: int) -> None:
    """`show` and `races` where one race has nearly all sightings."""
    lake = folder / "race-lake"
    per_file = 500_000
    for number in range(max(1, sightings // per_file)):
        path = folder / f"frequent-{number}.log"
        logs.write_repeated(path, min(per_file, sightings) - number, 1)
        _ingest(spark, lake, path)
        path.unlink()
    (race, *_) = queries.list_races(Lake(str(lake)))
    for command in (["races"], ["show", race["race"]]):
        run = run_command([sys.executable, "-m", "deadheat", *command, "--lake", str(lake)])
        print(f"{command[0]} with {race['sightings']} sightings: {run.seconds:.2f} s, {run.peak_mb:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
