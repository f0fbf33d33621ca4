"""`python -m bench.spark`: the pipeline against Spark's own text reader, and what growing costs."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import logs
from bench.measure import Memory
from deadheat.lake.schema import NODES
from deadheat.lake.tables import Lake
from deadheat.pipeline import consolidate, families, frames, session, works
from deadheat.pipeline.ingest import ingest
from deadheat.pipeline.staged import Staged

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

GB = 1_000_000_000
LIMIT_MB = 6_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description=__doc__)
    parser.add_argument(
        "--only", choices=("sparse", "growing", "consolidating"), help="one of the three"
    )
    parser.add_argument("--gb", type=int, default=16, help="GB of the largest logs (default: 16)")
    parser.add_argument(
        "--rows", type=int, default=10_000_000, help="sightings to consolidate (default: 10000000)"
    )
    args = parser.parse_args()
    spark = session.started(driver_memory="3g")
    print("| what | seconds | rate | against |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as folder:
        if args.only in (None, "sparse"):
            sparse(spark, Path(folder))
        if args.only in (None, "growing"):
            growing(spark, Path(folder), args.gb)
        if args.only in (None, "consolidating"):
            consolidating(spark, args.rows)
    spark.stop()


def _row(what: str, seconds: float, rate: str = "", against: str = "") -> None:
    print(f"| {what} | {seconds:.2f} | {rate} | {against} |", flush=True)


def _timed(work: Callable[[], object], times: int = 3) -> float:
    """The fastest of some runs, the first of which warms everything up."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        spent.append(time.perf_counter() - began)
    return min(spent)


def sparse(spark: SparkSession, folder: Path) -> None:
    """The map side and the whole of an ingest, against a filter for one literal."""
    path, few = folder / "one.log", folder / "few.log"
    logs.sparse(path, GB)
    logs.sparse(few, GB, races=100)

    def filtered() -> None:
        lines = spark.read.text(str(path))
        lines.where(lines.value.contains("DATA RACE")).count()

    def read(path: Path) -> None:
        Staged(Lake(str(folder / "staged")), "bench").write(spark, [*works([str(path)])])

    text = _timed(filtered)
    _row("1 GB, `spark.read.text(…).filter(contains(…))`", text, f"{1000 / text:.0f} MB/s")
    for what, log in (("all distinct", path), ("of 100 races", few)):
        ours = _timed(partial(read, log))
        _row(f"1 GB, reports {what}, sifted and read in full", ours, f"{1000 / ours:.0f} MB/s",
             _times(text, ours))  # fmt: skip
        whole = _timed(partial(_ingested, spark, folder, log))
        _row(f"1 GB, reports {what}, ingested into a lake", whole, f"{1000 / whole:.0f} MB/s",
             _times(text, whole))  # fmt: skip


def _times(text: float, ours: float) -> str:
    return f"{text / ours:.1f} times as fast (goal 6)"


def _ingested(spark: SparkSession, folder: Path, *paths: Path) -> None:
    root = folder / "lake"
    shutil.rmtree(root, ignore_errors=True)
    ingest(lambda small: spark, Lake(str(root)), [str(path) for path in paths])


def growing(spark: SparkSession, folder: Path, most: int) -> None:
    """What a GB costs, from one to many."""
    paths = []
    first = 0.0
    for count in range(1, most + 1):
        path = folder / f"{count}.log"
        logs.sparse(path, GB)
        paths.append(path)
        if count & (count - 1) and count != most:
            continue  # one, two, four, …
        spent = _timed(lambda: _ingested(spark, folder, *paths), times=1) / count
        first = first or spent
        _row(f"{count} GB ingested, per GB", spent, "", f"{spent / first:.2f} x that of one")
    for path in paths:
        path.unlink()


def consolidating(spark: SparkSession, most: int) -> None:
    """What a sighting costs, from a tenth to all."""
    first = 0.0
    for count in (most // 10, most // 3, most):
        sightings, reports = synthetic(spark, count)
        watch = Memory(every=0.5)  # to ask how much a large process holds takes its time
        watch.start()
        began = time.perf_counter()
        nodes = consolidate.nodes(sightings, reports, frames.empty(spark, NODES)).localCheckpoint()
        found = consolidate.races(nodes).localCheckpoint()
        races = consolidate.finished(found, families(found)).localCheckpoint().count()
        spent = time.perf_counter() - began
        watch.stop()
        each = spent / count * 1e6
        first = first or each
        memory = f"{watch.peak / 1024:.0f} MB (limit {LIMIT_MB})"
        against = f"{each / first:.2f} x that of a tenth; {memory}"
        _row(f"{count} sightings to {races} races", spent, f"{each:.1f} µs each", against)


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
    sightings = spark.range(count).selectExpr(
        *(f"{sql} as {name}" for name, sql in columns.items())
    )
    reports = spark.range(races * 3).selectExpr(
        f"concat(lpad(hex(id % {races}), 16, '0'), id div {races}) as digest",
        "concat('race ', id) as title", "'go' as detector", "'data-race' as kind",
        "array(concat('writer ', id % 1000)) as keys",
        "array('f a.go:1') as sites",
        "cast(array() as array<struct<cause:string>>) as causes",
    )  # fmt: skip
    return sightings, reports


if __name__ == "__main__":
    main()
