"""Log records into a lake: from exported files, and from a streaming query."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bench import logs
from bench.records import START, ScatteredRecord, scatter_reports
from deadheat import api, cli
from deadheat import spark as pipeline
from deadheat.lake import maintenance
from deadheat.lake.tables import Lake
from deadheat.sources.record_files import RecordOptions
from deadheat.spark.records.ingest import ingest_records
from deadheat.spark.records.tasks import NO_RECORDS_FAULT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deadheat.spark.ingest import IngestSummary

COUNT, STREAMS = 24, 4
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def races_of(numbers: range) -> Counter[str]:
    return Counter(api.scan_text(logs.generate_report(n), diagnose=False)[0].verdict.fingerprint for n in numbers)


def fluent_bit_line(record: ScatteredRecord) -> str:
    when = (EPOCH + timedelta(microseconds=record.time)).strftime("%Y-%m-%dT%H:%M:%S.%f") + "123Z"
    kubernetes = {"pod_name": record.stream, "container_name": "cart"}
    return json.dumps(
        {"date": record.time / 1e6, "time": when, "stream": "stderr", "log": record.line, "kubernetes": kubernetes}
    )


def write_files(folder: Path, contents: list[list[ScatteredRecord]]) -> None:
    folder.mkdir(exist_ok=True)
    for number, content in enumerate(contents):
        data = "".join(f"{fluent_bit_line(record)}\n" for record in content).encode()
        path = folder / f"part-{number}.json{'.gz' if number % 2 else ''}"
        path.write_bytes(gzip.compress(data) if number % 2 else data)


def without_last_reports(
    contents: list[list[ScatteredRecord]], content: list[ScatteredRecord]
) -> list[ScatteredRecord]:
    """The records of a file before the last report of each stream."""
    ends: dict[str, list[int]] = {}
    for record in (record for other in contents for record in other):
        if record.line.startswith("====="):
            ends.setdefault(record.stream, []).append(record.sequence)
    return [record for record in content if record.sequence < sorted({*ends[record.stream]})[-2]]


def ingested(spark: Any, lake: Path, folder: Path, *fields: Any) -> IngestSummary:
    return ingest_records(lambda small: spark, Lake(str(lake)), [str(folder)], RecordOptions(*fields))


def fingerprints_in(lake: Path) -> Counter[str]:
    return Counter(Lake(str(lake)).read_rows("sightings", ["fingerprint"])["fingerprint"].to_pylist())


def test_files_of_records(spark: Any, tmp_path: Path) -> None:
    lake, folder = tmp_path / "lake", tmp_path / "export"
    complete = scatter_reports(COUNT + STREAMS, STREAMS, 6)
    write_files(folder, [without_last_reports(complete, content) for content in complete])
    (folder / "notes.txt").write_text("nothing here\n")
    summary = ingested(spark, lake, folder)
    assert (summary.files, summary.sightings, summary.races) == (7, COUNT, len(races_of(range(COUNT))))
    assert summary.rejects == ((str(folder / "notes.txt"), NO_RECORDS_FAULT),)
    assert fingerprints_in(lake) == races_of(range(COUNT))
    opened = Lake(str(lake))
    assert [*maintenance.find_faults(opened)] == []
    row = opened.read_rows("sightings").to_pylist()[0]
    assert row["uri"].startswith("records:kubernetes.pod_name=shop/cart-")
    assert EPOCH + timedelta(microseconds=row["offset"]) == row["observed_at"]
    assert row["observed_at"] >= EPOCH + timedelta(microseconds=START)
    texts = opened.read_rows("reports", ["text"])["text"].to_pylist()
    assert all(text.startswith(b"WARNING: DATA RACE") for text in texts)

    # the same command changes nothing; an export that overlaps adds what is new
    again = ingested(None, lake, folder)
    assert (again.files, again.known_files, again.sightings, again.new_races) == (0, 7, 0, ())
    state = Lake(str(lake)).state_number
    write_files(tmp_path / "later", complete)
    later = ingested(spark, lake, tmp_path / "later")
    assert later.sightings == STREAMS
    assert fingerprints_in(lake) == races_of(range(COUNT + STREAMS))
    os.utime(tmp_path / "later" / "part-0.json", (1e9, 1e9))
    assert ingested(spark, lake, tmp_path / "later").sightings == 0
    assert Lake(str(lake)).state_number > state
    assert [*maintenance.find_faults(Lake(str(lake)))] == []


def test_records_that_have_no_order(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    contents = scatter_reports(6, 1, 2, shuffle_seconds=0, duplicated=0)
    for number, content in enumerate(contents):
        lines = [json.dumps({"said": record.line, "pod": "cart"}) for record in content]
        (folder / f"{number}.json").write_text("\n".join(lines))
    assert ingested(spark, tmp_path / "lake", folder).rejects[0][1] == NO_RECORDS_FAULT
    summary = ingested(spark, tmp_path / "lake", folder, "said", ("pod",))
    assert summary.sightings == 0
    assert {uri for uri, _ in summary.rejects} == {"records:pod=cart"}
    assert all("order is not known" in what for _, what in summary.rejects)


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as usage:
        cli.main(["ingest", "x", "--lake", str(tmp_path / "lake"), "--record-text", "m"])
    assert usage.value.code == cli.EXIT_USAGE
    assert "need --records" in capfd.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["ingest", "x", "--lake", str(tmp_path / "lake"), "--records", "--watch"])
    assert "--watch" in capfd.readouterr().err


# -- streams ------------------------------------------------------------------------------------------

SOURCE_COLUMNS = "stream string, sequence long, us long, text string"


def add_file(folder: Path, name: str, content: list[ScatteredRecord]) -> None:
    lines = (json.dumps({"stream": r.stream, "sequence": r.sequence, "us": r.time, "text": r.line}) for r in content)
    (folder / f".{name}").write_text("\n".join(lines))
    when = START / 1_000_000 + int(name)  # files are read in the order of their times
    os.utime(folder / f".{name}", (when, when))
    (folder / f".{name}").rename(folder / f"{name}.json")


@pytest.fixture
def one_partition(spark: Any) -> Iterator[None]:
    """State in one partition, which is faster for a few streams."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "1")
    yield
    spark.conf.set("spark.sql.shuffle.partitions", before)


def run_query(spark: Any, root: Path, sink: Any) -> list[Any]:
    """Read the new files, one per batch. Returns the progress of the batches."""
    source = spark.readStream.schema(SOURCE_COLUMNS).option("maxFilesPerTrigger", 1).json(str(root / "in"))
    frame = source.selectExpr("stream", "sequence", "timestamp_micros(us) time", "text")
    reports = pipeline.reports(frame, stream=["stream"], order=["sequence"], event_time="time", watermark="10 seconds")
    query = (
        reports.writeStream.foreachBatch(sink)
        .option("checkpointLocation", str(root / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return list(query.recentProgress)


@pytest.mark.usefixtures("one_partition")
def test_a_query_is_stopped_and_goes_on(spark: Any, tmp_path: Path) -> None:
    lake, folder = tmp_path / "lake", tmp_path / "in"
    folder.mkdir()
    [content] = scatter_reports(COUNT, STREAMS, 1)
    write_batch = pipeline.lake_sink(str(lake))
    batches: list[tuple[str, int]] = []
    rewritten: list[int] = []

    def write_twice(reports: Any, number: int) -> None:
        batches.append((reports.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId"), number))
        before = Lake(str(lake)).state_number if batches[1:] else 0
        write_batch(reports, number)
        if (written := Lake(str(lake)).state_number) > before:
            pipeline.lake_sink(str(lake))(reports, number)  # a batch that Spark runs again
            assert Lake(str(lake)).state_number == written
            rewritten.append(number)

    half = len(content) // 2
    add_file(folder, "1", content[:half])
    run_query(spark, tmp_path, write_twice)
    # the rest, with a record by which the watermark passes all reports; then records that are too late
    end = content[-1].time + 120_000_000
    add_file(folder, "2", [*content[half:], ScatteredRecord("last", 0, end, "last")])
    add_file(folder, "3", [*content[: half // 2], ScatteredRecord("last", 1, end, "last")])
    progress = run_query(spark, tmp_path, write_twice)
    assert len({query for query, _ in batches}) == 1
    assert rewritten
    assert progress[-1].stateOperators[0].numRowsTotal <= 2  # all streams but the last are gone
    assert fingerprints_in(lake) == races_of(range(COUNT))
    assert [*maintenance.find_faults(Lake(str(lake)))] == []
    opened = Lake(str(lake))
    assert opened.row_count("races") == len(races_of(range(COUNT)))
