"""`python -m bench.records`: reports scattered over the records of a log store, and how many come out whole."""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bench import logs
from deadheat import api

if TYPE_CHECKING:
    from collections.abc import Sequence

START = 1_767_225_600_000_000  # 2026-01-01, in microseconds


class ScatteredRecord(NamedTuple):
    """A line as a log store keeps it."""

    stream: str
    sequence: int  # of the line in its stream
    time: int  # microseconds since 1970
    line: str


def scatter_reports(
    count: int,
    streams: int,
    files: int,
    seed: int = 25,
    shuffle_seconds: float = 5.0,
    duplicated: float = 0.01,
    pause: int = 20_000,
) -> list[list[ScatteredRecord]]:
    """Reports of several streams as the records of several files, in the order in which a store delivers them.

    The streams print at the same time, each with lines of its own between its reports. `pause` is the mean time
    between two lines, in microseconds.
    """
    rng = random.Random(seed)
    records: list[ScatteredRecord] = []
    for number in range(streams):
        lines = _stream_lines(rng, range(number, count, streams))
        time = START + rng.randrange(1_000_000)
        for sequence, line in enumerate(lines):
            time += rng.randrange(200, 2 * pause)
            records.append(ScatteredRecord(f"shop/cart-{number}", sequence, time, line))
    records += rng.sample(records, int(len(records) * duplicated))
    # a record arrives up to some seconds after it was written
    records.sort(key=lambda record: record.time + rng.randrange(max(1, int(shuffle_seconds * 1_000_000))))
    contents: list[list[ScatteredRecord]] = [[] for _ in range(files)]
    for record in records:
        contents[rng.randrange(files)].append(record)
    return contents


def _stream_lines(rng: random.Random, numbers: Sequence[int]) -> list[str]:
    lines = []
    for number in numbers:
        lines += [f"request {rng.randrange(1 << 30)} served" for _ in range(rng.randrange(0, 60))]
        lines += logs.generate_report(number).decode().splitlines()
    return lines


SCHEMA = "stream string, sequence long, us long, text string"
COLUMNS = ("stream", "sequence", "timestamp_micros(us) time", "text")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.records", description=__doc__)
    parser.add_argument("--reports", type=int, default=1000)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--files", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deadheat-bench-") as folder:
        Benchmark(Path(folder), args.reports, args.streams, args.files).run()


class Benchmark:
    """Reads the same records in several ways and counts the reports that are as they were printed."""

    def __init__(self, folder: Path, reports: int, streams: int, files: int) -> None:
        from deadheat.spark import start_session

        self._folder, self._streams, self._files = folder, streams, files
        self._contents = scatter_reports(reports, streams, files)
        self._expected = Counter(
            api.scan_text(logs.generate_report(number), diagnose=False)[0].verdict.fingerprint
            for number in range(reports)
        )
        self._spark: Any = start_session("local[2]", {"spark.sql.shuffle.partitions": "4"})

    def run(self) -> None:
        (self._folder / "in").mkdir()
        for number, content in enumerate(self._contents):
            self._write_file("in", number, content)
        count = sum(map(len, self._contents))
        print(f"{count} records in {self._files} files\n")
        print("| what | whole | false races | marked | seconds | state |\n|---|---|---|---|---|---|")
        self._read_batch("batch, ordered by a sequence", ["stream"], ["sequence"], "time")
        self._read_batch("batch, ordered by time", ["stream"], [], "time")
        self._read_batch("batch, without order", ["stream"], [], None)
        self._read_batch("batch, all streams as one", [], ["time"], "time")
        self._read_stream()

    def _write_file(self, folder: str, number: int, content: list[ScatteredRecord]) -> None:
        lines = (
            json.dumps({"stream": r.stream, "sequence": r.sequence, "us": r.time, "text": r.line}) for r in content
        )
        path = self._folder / folder / f"{number}.json"
        path.write_text("\n".join(lines))
        os.utime(path, (number, number))  # a stream reads files in the order of their times

    def _read_batch(self, what: str, stream: list[str], order: list[str], event_time: str | None) -> None:
        from deadheat import spark as pipeline

        frame = self._spark.read.schema(SCHEMA).json(str(self._folder / "in")).selectExpr(*COLUMNS)
        began = time.perf_counter()
        rows = pipeline.reports(frame, stream=stream, order=order, event_time=event_time).collect()
        self._print_row(what, rows, time.perf_counter() - began, "")

    def _read_stream(self) -> None:
        from deadheat import spark as pipeline

        [arrived] = scatter_reports(self._expected.total(), self._streams, 1, pause=200_000)
        (self._folder / "stream").mkdir()
        size = -(-len(arrived) // self._files)
        for number in range(self._files):
            self._write_file("stream", number, arrived[number * size : (number + 1) * size])
        end = arrived[-1].time + 600_000_000
        for number in range(2):  # the watermark passes all reports
            self._write_file("stream", self._files + number, [ScatteredRecord("end", number, end, "end")])
        source = (
            self._spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(self._folder / "stream"))
        )
        reports = pipeline.reports(
            source.selectExpr(*COLUMNS),
            stream=["stream"],
            order=["sequence"],
            event_time="time",
            watermark="10 seconds",
        )
        began = time.perf_counter()
        query = (
            reports.writeStream.format("parquet")
            .option("path", str(self._folder / "out"))
            .option("checkpointLocation", str(self._folder / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        seconds = time.perf_counter() - began
        states = [operator for progress in query.recentProgress for operator in progress.stateOperators]
        largest = max(state.memoryUsedBytes for state in states)
        kept = max(state.numRowsTotal for state in states)
        rows = self._spark.read.parquet(str(self._folder / "out")).collect()
        self._print_row("stream, ordered by a sequence", rows, seconds, f"{kept} streams, {largest / 1e6:.1f} MB")

    def _print_row(self, what: str, rows: list[Any], seconds: float, state: str) -> None:
        found = Counter(row.fingerprint for row in rows if row.fingerprint)
        whole = (found & self._expected).total()
        false = (found - self._expected).total()
        marked = sum(row.fingerprint is None for row in rows)
        share = f"{whole} ({100 * whole / self._expected.total():.1f} %)"
        print(f"| {what} | {share} | {false} | {marked} | {seconds:.1f} | {state} |", flush=True)


if __name__ == "__main__":
    main()
