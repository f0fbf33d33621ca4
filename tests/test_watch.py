"""`ingest --watch`, and the streaming source: every report once, whatever happens to the files."""

from __future__ import annotations

import gzip
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from bench import logs
from deadheat.lake import maintenance
from deadheat.lake.tables import Lake
from deadheat.spark import ingest, session, tasks
from deadheat.spark.ingest import IngestOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from deadheat.spark.ingest import IngestSummary
    from tests.object_store import S3Store

    Step = Sequence[Callable[[], object]]  # what happens between two batches


def lines(first: int, count: int = 40) -> bytes:
    """Log lines that are nowhere else, so that no two logs begin or end alike."""
    return b"".join(b"%06d request served\n" % number for number in range(first, first + count))


class LogWriter:
    """A log with reports, each of a race of its own, in the format of a service that rotates its log."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.log = folder, folder / "app.log"
        self.written = 0

    def append(self, reports: int = 1) -> None:
        with self.log.open("ab") as log:
            for _ in range(reports):
                log.write(
                    lines(100 * self.written) + logs.generate_report(self.written) + lines(100 * self.written + 50)
                )
                self.written += 1

    def append_half(self) -> None:
        with self.log.open("ab") as log:
            log.write(logs.generate_report(self.written)[:300])

    def append_rest(self) -> None:
        with self.log.open("ab") as log:
            log.write(logs.generate_report(self.written)[300:])
        self.written += 1

    def rename(self) -> None:
        if (first := self.folder / "app.log.1").exists():
            first.rename(self.folder / "app.log.2")
        self.log.rename(first)

    def copy(self) -> None:
        shutil.copyfile(self.log, self.folder / "app.log.1")

    def truncate(self) -> None:
        self.log.write_bytes(b"")

    def compress(self, size: int | None = None) -> None:
        """Begin to compress the second log, or do it completely."""
        data = gzip.compress((self.folder / "app.log.2").read_bytes(), 1)
        (self.folder / "app.log.2.gz").write_bytes(data[:size])
        if size is None:
            (self.folder / "app.log.2").unlink()

    def remove(self) -> None:
        (self.folder / "app.log.2.gz").unlink()


def watch(spark: Any, lake: str, paths: Sequence[str], steps: Sequence[Step]) -> list[IngestSummary]:
    """Watch files while they change: one step after each batch."""
    pending, summaries = iter(steps), []

    def after_batch(summary: IngestSummary) -> None:
        summaries.append(summary)
        step = next(pending, None)
        if step is None:
            raise KeyboardInterrupt
        for change in step:
            change()

    with pytest.raises(KeyboardInterrupt):
        ingest.watch_paths(lambda small: spark, Lake(lake), paths, IngestOptions(), 0.01, after_batch)
    return summaries


def assert_once(lake: Lake, count: int) -> None:
    rows = lake.read_rows("sightings", ["report"])
    assert (rows.num_rows, len(rows["report"].unique())) == (count, count)
    assert [race["sightings"] for race in lake.read_rows("races", ["sightings"]).to_pylist()] == [1] * count
    assert list(maintenance.find_faults(lake)) == []


ROTATIONS: dict[str, Callable[[LogWriter], list[Step]]] = {
    "grows": lambda log: [[log.append], [log.append_half], [log.append_rest], [], [log.append]],
    "renamed": lambda log: [[log.rename], [log.append], [log.rename], [log.append], [log.append]],
    "renamed and grown": lambda log: [
        [log.append, log.rename, log.append],
        [log.append, log.rename, log.append, log.append],
        [log.append],
    ],
    "renamed without a new log for a while": lambda log: [[log.append, log.rename], [log.append], [log.append]],
    "copied and truncated": lambda log: [[log.append, log.copy, log.truncate, log.append], [log.append]],
    "copied, then truncated": lambda log: [[log.append, log.copy], [log.append], [log.truncate], [log.append]],
    "truncated at once": lambda log: [[log.copy], [log.truncate], [log.append], [log.append]],
    "compressed": lambda log: [
        [log.append, log.rename, log.append],
        [log.append, log.rename, log.append],
        [partial(log.compress, 120)],
        [log.compress, log.append],
        [log.append],
        [log.remove],
    ],
    "compressed at once": lambda log: [
        [log.append, log.rename, log.append, log.rename, log.append, log.compress],
        [log.append],
    ],
}


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_reports_of_a_rotated_log_are_ingested_once(spark: Any, rotation: str, tmp_path: Path) -> None:
    log, lake = LogWriter(tmp_path / "logs"), str(tmp_path / "lake")
    log.append(2)
    steps = ROTATIONS[rotation](log)
    # the process is restarted in between
    half = len(steps) // 2
    watch(spark, lake, [str(log.folder)], steps[:half])
    watch(spark, lake, [str(log.folder)], steps[half:])
    assert_once(Lake(lake), log.written)


def test_a_log_that_grows_has_one_row_after_compaction(spark: Any, tmp_path: Path) -> None:
    log, lake = LogWriter(tmp_path / "logs"), str(tmp_path / "lake")
    log.append()
    watch(spark, lake, [str(log.folder)], [[log.append], [log.append]])
    assert Lake(lake).row_count("files") == 3
    maintenance.compact_lake(Lake(lake))
    assert Lake(lake).row_count("files") == 1
    watch(spark, lake, [str(log.folder)], [[log.append]])
    assert_once(Lake(lake), log.written)


def test_a_lake_and_logs_on_an_object_store_are_watched(spark: Any, s3: S3Store) -> None:
    session.pass_store_access(spark)
    report = [logs.generate_report(number) for number in range(3)]
    s3.put("logs/a.log", report[0])
    steps: list[Step] = [
        [partial(s3.put, "logs/b.log", report[1])],
        [partial(s3.put, "logs/a.log", report[0] + report[2])],
        [partial(s3.delete, "logs/b.log")],
    ]
    summaries = watch(spark, s3.uri("lake"), [s3.uri("logs")], steps)
    assert [summary.sightings for summary in summaries] == [1, 1, 1, 0]
    assert_once(Lake(s3.uri("lake")), 3)


def test_the_streaming_source_continues_from_its_checkpoint(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    tasks.register(spark)
    for name in ("a.log", "b.log", "c.log"):
        (folder / name).write_bytes(logs.generate_report(ord(name[0])))
        if name == "a.log":
            continue  # the first batch has two files
        stream = spark.readStream.format("deadheat").load(str(folder))
        query = stream.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
        query.trigger(availableNow=True).format("parquet").start(str(tmp_path / "found")).awaitTermination()
    uris = [row.uri for row in spark.read.parquet(str(tmp_path / "found")).collect()]
    assert sorted(uri.rpartition("/")[2] for uri in uris) == ["a.log", "b.log", "c.log"]
