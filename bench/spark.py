"""`python -m bench.spark`: the pipeline against Spark's own text reader, and what growing costs."""

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
from bench.measure import Memory, processor_seconds, processors
from deadheat.api import report_reader
from deadheat.lake.schema import NODES
from deadheat.lake.tables import Lake
from deadheat.sources.files import ReusedBufferSource
from deadheat.spark import dataframes, reduce_spark, session
from deadheat.spark.dataframes import MAX_LOCAL_ROWS
from deadheat.spark.ingest import ingest_files
from deadheat.spark.input_files import list_work, pack_units
from deadheat.spark.task_output import TaskOutput
from deadheat.text.window import SlidingWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.spark.input_files import WorkUnit

GB = 1_000_000_000
LIMIT_MB = 6_000
# so often is done what Java has to know by heart
WARM = 30
# and so often what takes Spark long to plan
WARM_JOBS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description=__doc__)
    parser.add_argument("--only", choices=("sparse", "growing", "consolidating"), help="one of the three")
    parser.add_argument("--gb", type=int, default=16, help="GB of the largest logs (default: 16)")
    parser.add_argument("--rows", type=int, default=10_000_000, help="sightings to consolidate (default: 10000000)")
    parser.add_argument("--folder", help="where to write logs and lakes (default: the system's own)")
    args = parser.parse_args()
    spark = session.start_session(driver_memory="3g")
    print("| what | wall, seconds | processor, seconds | rate | against |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-", dir=args.folder) as folder:
        if args.only in (None, "sparse", "growing"):
            warmed(spark, Path(folder))
        if args.only in (None, "sparse"):
            sparse(spark, Path(folder))
        if args.only in (None, "growing"):
            growing(spark, Path(folder), args.gb)
        if args.only in (None, "consolidating"):
            consolidating(spark, args.rows)
    spark.stop()


class Spent(NamedTuple):
    """What some work took: seconds on the wall, and of the processors, by all our processes."""

    wall: float
    processor: float


def _row(what: str, spent: Spent, rate: str = "", against: str = "") -> None:
    print(f"| {what} | {spent.wall:.2f} | {spent.processor:.2f} | {rate} | {against} |", flush=True)


def _timed(work: Callable[[], object], times: int = 3, before: Callable[[int], object] = lambda _: None) -> Spent:
    """The fastest of some runs; `before` each, which does not count, something may be made ready."""
    spent = []
    for number in range(times):
        before(number)
        spent.append(_once(work))
    return min(spent)


def _once(work: Callable[[], object]) -> Spent:
    before, began = processors(), time.perf_counter()
    work()
    return Spent(time.perf_counter() - began, processor_seconds(before))


def warmed(spark: SparkSession, folder: Path) -> None:
    """What is measured has been done before: Java compiles what is done often, and for long."""
    path = folder / "warm.log"
    logs.sparse(path, GB // 50)
    for _ in range(WARM):
        _filtered(spark, path)
        _ingested(spark, folder, path)
    path.unlink()


def _filtered(spark: SparkSession, *paths: Path) -> None:
    lines = spark.read.text([str(path) for path in paths])
    lines.where(lines.value.contains("DATA RACE")).count()


def sparse(spark: SparkSession, folder: Path) -> None:
    """The map side and the whole of an ingest, against a filter for one literal; and their floors."""
    path, few = folder / "one.log", folder / "few.log"
    logs.sparse(path, GB)
    logs.sparse(few, GB, races=100)

    def read(path: Path) -> None:
        TaskOutput(Lake(str(folder / "staged")), "bench").run_tasks(
            spark, [*list_work([str(path)])], max_rows=MAX_LOCAL_ROWS
        )

    def through(task: Callable[[Iterable[list[WorkUnit]]], Iterator[int]]) -> None:
        context = spark.sparkContext
        portions = pack_units(list_work([str(path)]), context.defaultParallelism)
        context.parallelize(portions, len(portions)).mapPartitions(task).collect()

    text = _timed(partial(_filtered, spark, path))
    _row("1 GB, `spark.read.text(…).filter(contains(…))`", text, _rate(text))
    for what, task in (("nothing done with it", nothing), ("sifted only", sifted)):
        floor = _timed(partial(through, task))
        _row(f"1 GB, {what}, in as many tasks", floor, _rate(floor), _times(text, floor))
    numbers = count(1)

    def unseen(_: int) -> None:
        # workers recognise reports that they have met in an earlier run
        logs.sparse(path, GB, first=next(numbers) * GB)
        os.sync()

    for what, log, before in (("all distinct", path, unseen), ("of 100 races", few, lambda _: None)):
        ours = _timed(partial(read, log), before=before)
        _row(f"1 GB, reports {what}, read in full", ours, _rate(ours), _times(text, ours))
        whole = _timed(partial(_ingested, spark, folder, log), before=before)
        _row(f"1 GB, reports {what}, ingested", whole, _rate(whole), _times(text, whole, 6))
    for log in (path, few):
        log.unlink()


def nothing(portions: Iterable[list[WorkUnit]]) -> Iterator[int]:
    """The least that a task does."""
    gc.freeze()  # as ours do, since PySpark collects garbage after each task
    for _ in portions:
        yield 0


def sifted(portions: Iterable[list[WorkUnit]]) -> Iterator[int]:
    """Looks through the bytes, and reads nothing."""
    gc.freeze()
    for unit in chain.from_iterable(portions):
        with open(unit.path, "rb", buffering=0) as raw:
            raw.seek(unit.start)
            windows = SlidingWindow(ReusedBufferSource(raw.readinto, unit.start), report_reader().prefilter)
            at, hits, end = unit.start, 0, unit.end
            while (hit := windows.next_hit(at, end)) and (end is None or hit[0] < end):
                at, hits = hit[0] + 1, hits + 1
            yield hits


def _rate(spent: Spent) -> str:
    return f"{1000 / spent.wall:.0f} MB/s"


def _times(text: Spent, ours: Spent, goal: int = 0) -> str:
    told = f"{text.wall / ours.wall:.1f} times as fast"
    cheap = f"{text.processor / max(ours.processor, 0.01):.1f} times as cheap"
    return f"{told}, {cheap}{f' (goal {goal})' if goal else ''}"


def _ingested(spark: SparkSession, folder: Path, *paths: Path) -> None:
    root = folder / "lake"
    shutil.rmtree(root, ignore_errors=True)
    ingest_files(lambda small: spark, Lake(str(root)), [str(path) for path in paths])


def growing(spark: SparkSession, folder: Path, most: int) -> None:
    """What a GB costs, from one to many: the same few races under more and more names."""
    first = folder / "few.log"
    logs.sparse(first, GB, races=100)
    paths = [first]
    one: Spent | None = None
    much = 1
    while much <= most:
        while len(paths) < much:  # another name is another file, and the disk need not hold it
            paths.append(folder / f"few{len(paths)}.log")
            paths[-1].hardlink_to(first)
        text = _timed(partial(_filtered, spark, *paths), 1)
        spent = _timed(partial(_ingested, spark, folder, *paths), 2)
        each = Spent(*(value / much for value in spent))
        one = one or each
        flat = f"{each.wall / one.wall:.2f} and {each.processor / one.processor:.2f} x that of one"
        _row(f"{much} GB, each ingested", each, "", f"{flat}; {_times(text, spent, 6)}")
        much *= 2
    for path in paths:
        path.unlink()


def consolidating(spark: SparkSession, most: int) -> None:
    """What a sighting costs, from a tenth to all, once Spark has planned such jobs before."""
    for _ in range(WARM_JOBS):
        _consolidated(spark, most // 500)
    first = 0.0
    for rows in (most // 10, most // 3, most):
        watch = Memory(every=0.5)  # to ask how much a large process holds takes its time
        watch.start()
        before, began = processors(), time.perf_counter()
        races = _consolidated(spark, rows)
        spent = Spent(time.perf_counter() - began, processor_seconds(before))
        watch.stop()
        each = spent.wall / rows * 1e6
        first = first or each
        memory = f"{watch.peak / 1024:.0f} MB (limit {LIMIT_MB})"
        against = f"{each / first:.2f} x that of a tenth; {memory}"
        _row(f"{rows} sightings to {races} races", spent, f"{each:.1f} µs each", against)


def _consolidated(spark: SparkSession, rows: int) -> int:
    sightings, reports = synthetic(spark, rows)
    nodes = reduce_spark.variants_frame(sightings, reports, dataframes.empty_frame(spark, NODES)).localCheckpoint()
    found = reduce_spark.races_frame(nodes).localCheckpoint()
    return reduce_spark.finish_races(found, reduce_spark.families(found)).localCheckpoint().count()


def synthetic(spark: SparkSession, count: int) -> tuple[DataFrame, DataFrame]:
    """Sightings of many races, in many runs, tests and days; some of them linked."""
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
        # the three texts of a race say two causes
        f"array(struct(concat('cause ', id div {races} div 2) as cause, 0.55D as confidence)) as causes",
    )  # fmt: skip
    return sightings, reports


if __name__ == "__main__":
    main()
