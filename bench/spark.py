"""`python -m bench.spark`: compare the pipeline with Spark's text reader, and measure how its cost grows."""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import tempfile
import time
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import logs
from bench.log_shapes import CI_SHAPES, SHAPES, write_shape
from bench.measure import MemoryMonitor, processor_seconds_since, processor_times
from deadheat.api import report_reader
from deadheat.lake.tables import Lake
from deadheat.sources.files import ReusedBufferSource
from deadheat.spark import reduce_spark, session
from deadheat.spark.ingest import ingest_files
from deadheat.spark.input_files import list_work, pack_units
from deadheat.spark.task_output import TaskOutput
from deadheat.spark.tasks import unpack_units
from deadheat.text.window import SlidingWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession

GB = 1_000_000_000
LIMIT_MB = 6_000
# runs before a measurement, so that Java compiles the code
WARM_UP_RUNS = 30
# jobs that take Spark long to plan
WARM_UP_JOBS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description=__doc__)
    parser.add_argument(
        "--only", choices=("sparse", "shapes", "growing", "consolidating"), help="run only one of the measurements"
    )
    parser.add_argument("--shapes", nargs="+", choices=tuple(SHAPES), default=[*SHAPES], help="logs for `shapes`")
    parser.add_argument("--shape-gb", type=int, default=1, help="GB of each of these logs (default: 1)")
    parser.add_argument("--gb", type=int, default=16, help="GB of the largest logs (default: 16)")
    parser.add_argument("--rows", type=int, default=10_000_000, help="sightings to consolidate (default: 10000000)")
    parser.add_argument("--folder", help="folder for logs and lakes (default: the system's temporary folder)")
    args = parser.parse_args()
    spark = session.start_session(driver_memory="3g")
    print("| what | wall, seconds | processor, seconds | rate | against |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-", dir=args.folder) as folder:
        if args.only in (None, "sparse", "shapes", "growing"):
            warm_up(spark, Path(folder))
        if args.only in (None, "sparse"):
            measure_sparse(spark, Path(folder))
        if args.only in (None, "shapes"):
            measure_shapes(spark, Path(folder), args.shapes, args.shape_gb)
        if args.only in (None, "growing"):
            measure_growing(spark, Path(folder), args.gb)
        if args.only in (None, "consolidating"):
            measure_consolidation(spark, args.rows)
    spark.stop()


class TimeSpent(NamedTuple):
    """Wall and processor seconds of all processes."""

    wall: float
    processor: float


def _print_row(what: str, spent: TimeSpent, rate: str = "", against: str = "") -> None:
    print(f"| {what} | {spent.wall:.2f} | {spent.processor:.2f} | {rate} | {against} |", flush=True)


def _best_time(
    work: Callable[[], object], times: int = 3, before: Callable[[int], object] = lambda _: None
) -> TimeSpent:
    """The least wall and processor seconds of some runs; `before` prepares each run and is not measured."""
    spent = []
    for number in range(times):
        before(number)
        spent.append(_measure_once(work))
    return TimeSpent(min(wall for wall, _ in spent), min(processor for _, processor in spent))


def _measure_once(work: Callable[[], object]) -> TimeSpent:
    before, began = processor_times(), time.perf_counter()
    work()
    return TimeSpent(time.perf_counter() - began, processor_seconds_since(before))


def warm_up(spark: SparkSession, folder: Path) -> None:
    """Repeat the measured work on a small log, so that Java compiles it."""
    path = folder / "warm.log"
    logs.write_sparse(path, GB // 50)
    for _ in range(WARM_UP_RUNS):
        _filter_text(spark, path)
        _ingest_logs(spark, folder, path)
    path.unlink()


def _filter_text(spark: SparkSession, *paths: Path) -> None:
    lines = spark.read.text([str(path) for path in paths])
    lines.where(lines.value.contains("DATA RACE")).count()


def measure_sparse(spark: SparkSession, folder: Path) -> None:
    """Reading and ingesting, compared with a filter for one literal and with empty tasks."""
    distinct_log, repeated_log = folder / "one.log", folder / "few.log"
    logs.write_sparse(distinct_log, GB)
    logs.write_sparse(repeated_log, GB, races=100)

    def read_log(log: Path) -> None:
        TaskOutput(Lake(str(folder / "staged")), "bench").run_tasks(spark, [*list_work([str(log)])])

    def run_tasks(task: Callable[[Iterable[bytes]], Iterator[int]]) -> None:
        context = spark.sparkContext
        portions = pack_units(list_work([str(distinct_log)]), context.defaultParallelism)
        context.parallelize(portions, len(portions)).mapPartitions(task).collect()

    baseline = _best_time(partial(_filter_text, spark, distinct_log))
    _print_row("1 GB, `spark.read.text(…).filter(contains(…))`", baseline, _format_rate(baseline))
    for what, task in (("empty tasks", do_nothing), ("prefilter only", run_prefilter)):
        floor = _best_time(partial(run_tasks, task))
        _print_row(f"1 GB, {what}", floor, _format_rate(floor), _compare_times(baseline, floor))
    numbers = count(1)

    def write_distinct(_: int) -> None:
        # workers recognise reports of an earlier run
        logs.write_sparse(distinct_log, GB, first=next(numbers) * GB)
        os.sync()

    for what, log, before in (
        ("all distinct", distinct_log, write_distinct),
        ("of 100 races", repeated_log, lambda _: None),
    ):
        ours = _best_time(partial(read_log, log), before=before)
        _print_row(f"1 GB, reports {what}, read in full", ours, _format_rate(ours), _compare_times(baseline, ours))
        ingest = _best_time(partial(_ingest_logs, spark, folder, log), before=before)
        _print_row(f"1 GB, reports {what}, ingested", ingest, _format_rate(ingest), _compare_times(baseline, ingest, 6))
    for log in (distinct_log, repeated_log):
        log.unlink()


def do_nothing(portions: Iterable[bytes]) -> Iterator[int]:
    """The overhead of a task."""
    gc.freeze()  # like our tasks: PySpark collects garbage after each task
    for _ in portions:
        yield 0


def run_prefilter(portions: Iterable[bytes]) -> Iterator[int]:
    """Search the bytes for literals and parse nothing."""
    gc.freeze()
    for unit in chain.from_iterable(map(unpack_units, portions)):
        with open(unit.path, "rb", buffering=0) as raw:
            raw.seek(unit.start)
            windows = SlidingWindow(ReusedBufferSource(raw.readinto, unit.start), report_reader().prefilter)
            at, hits, end = unit.start, 0, unit.end
            while (hit := windows.next_hit(at, end)) and (end is None or hit[0] < end):
                at, hits = hit[0] + 1, hits + 1
            yield hits


def _format_rate(spent: TimeSpent, gigabytes: int = 1) -> str:
    return f"{1000 * gigabytes / spent.wall:.0f} MB/s"


def _compare_times(text: TimeSpent, ours: TimeSpent, goal: int = 0) -> str:
    speed = f"{text.wall / ours.wall:.1f} times as fast"
    cost = f"{text.processor / max(ours.processor, 0.01):.1f} times as cheap"
    return f"{speed}, {cost}{f' (goal {goal})' if goal else ''}"


def _ingest_logs(spark: SparkSession, folder: Path, *paths: Path) -> None:
    root = folder / "lake"
    shutil.rmtree(root, ignore_errors=True)
    ingest_files(lambda small: spark, Lake(str(root)), [str(path) for path in paths])


def measure_shapes(spark: SparkSession, folder: Path, names: Iterable[str], gigabytes: int) -> None:
    """Ingesting logs as CI systems and services print them, compared with a filter for one literal."""
    empty = folder / "empty.log"
    empty.write_text("no report\n")
    _print_row("one file of a line, ingested", _best_time(partial(_ingest_logs, spark, folder, empty)))
    for name in names:
        log = folder / f"{name}.log"
        count = write_shape(log, name, gigabytes * GB)
        text = _best_time(partial(_filter_text, spark, log))
        ingest = _best_time(partial(_ingest_logs, spark, folder, log))
        limit = 0.5 if name in CI_SHAPES else 0.2
        ratio = f"{ingest.processor / text.processor:.2f} x the filter's {text.processor:.2f} s (limit {limit})"
        _print_row(f"{name}, {gigabytes} GB, {count} reports, ingested", ingest, _format_rate(ingest, gigabytes), ratio)
        log.unlink()


def measure_growing(spark: SparkSession, folder: Path, maximum: int) -> None:
    """Cost per GB for a growing number of files with the same races."""
    log = folder / "few.log"
    logs.write_sparse(log, GB, races=100)
    paths = [log]
    first_cost: TimeSpent | None = None
    gigabytes = 1
    while gigabytes <= maximum:
        while len(paths) < gigabytes:  # a hard link takes no space on the disk
            paths.append(folder / f"few{len(paths)}.log")
            paths[-1].hardlink_to(log)
        text = _best_time(partial(_filter_text, spark, *paths), 1)
        spent = _best_time(partial(_ingest_logs, spark, folder, *paths), 2)
        each = TimeSpent(*(value / gigabytes for value in spent))
        first_cost = first_cost or each
        growth = f"{each.wall / first_cost.wall:.2f} and {each.processor / first_cost.processor:.2f} x that of one"
        _print_row(f"{gigabytes} GB, each ingested", each, "", f"{growth}; {_compare_times(text, spent, 6)}")
        gigabytes *= 2
    for path in paths:
        path.unlink()


def measure_consolidation(spark: SparkSession, maximum: int) -> None:
    """Cost per sighting for a tenth, a third and all of the rows."""
    for _ in range(WARM_UP_JOBS):
        _consolidate_rows(spark, maximum // 500)
    first = 0.0
    for rows in (maximum // 10, maximum // 3, maximum):
        watch = MemoryMonitor(interval=0.5)  # reading the memory of a large process is slow
        watch.start()
        before, began = processor_times(), time.perf_counter()
        races = _consolidate_rows(spark, rows)
        spent = TimeSpent(time.perf_counter() - began, processor_seconds_since(before))
        watch.stop()
        each = spent.wall / rows * 1e6
        first = first or each
        memory = f"{watch.peak / 1024:.0f} MB (limit {LIMIT_MB})"
        against = f"{each / first:.2f} x that of a tenth; {memory}"
        _print_row(f"{rows} sightings to {races} races", spent, f"{each:.1f} µs each", against)


def _consolidate_rows(spark: SparkSession, rows: int) -> int:
    sightings, reports = synthetic_tables(spark, rows)
    nodes = reduce_spark.variants_frame(sightings, reports).persist()
    found = reduce_spark.races_frame(nodes).persist()
    # all columns are computed when they are kept
    count = reduce_spark.finish_races(found, reduce_spark.families(found)).persist().count()
    spark.catalog.clearCache()
    return count


def synthetic_tables(spark: SparkSession, count: int) -> tuple[DataFrame, DataFrame]:
    """Sightings and reports of many races, runs, tests and days; some races are linked."""
    races = max(10, count // 500)
    number = f"cast(id * 7919 % {races} as int)"
    node = f"lpad(hex({number}), 16, '0')"
    columns: dict[str, Any] = {
        "node": node,
        "base": f"lpad(hex({number} div 2), 16, 'b')",
        "report": f"concat({node}, id % 3)",
        "uri": "concat('log', id div 1000)",
        "offset": "id % 1000 * 2000",
        "observed_at": "timestamp_seconds(1760000000 + id % 8000000)",
        "repo": "concat('repo', id % 20)",
        "run": "concat('run', id % 997)",
        "test": "concat('Test', id % 101)",
        "damage": "id % 2",
        "split": f"{number} % 10 = 0",
        "links": f"if(id % 1000 = 0, array(lpad(hex({number} + 1), 16, '0')), array())",
        "aliases": "cast(array() as array<string>)",
    }
    sightings = spark.range(count).selectExpr(*(f"{sql} as {name}" for name, sql in columns.items()))
    reports = spark.range(races * 3).selectExpr(
        f"concat(lpad(hex(id % {races}), 16, '0'), id div {races}) as digest",
        "concat('race ', id) as title", "'go' as detector", "'data-race' as kind",
        "array(concat('writer ', id % 1000)) as keys",
        "array('f a.go:1') as sites",
        # the three reports of a race have two causes
        f"array(struct(concat('cause ', id div {races} div 2) as cause, 0.55D as confidence)) as causes",
    )  # fmt: skip
    return sightings, reports


if __name__ == "__main__":
    main()
