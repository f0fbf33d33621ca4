"""Log records in, reports out: whole if their order is known, and never a race that did not happen."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from bench import logs
from bench.records import ScatteredRecord, scatter_reports
from deadheat import api
from deadheat import records as record_reader
from deadheat import spark as pipeline
from deadheat.errors import DeadheatError
from deadheat.records import MAX_PAUSE, MIXED, UNORDERED, LogRecord, StreamReport, read_stream, settle_records, sort_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

COUNT, STREAMS, FILES = 48, 6, 20


def fingerprints(numbers: Iterable[int]) -> Counter[str]:
    return Counter(api.scan_text(logs.generate_report(n), diagnose=False)[0].verdict.fingerprint for n in numbers)


@pytest.fixture(scope="module")
def scattered() -> list[list[ScatteredRecord]]:
    return scatter_reports(COUNT, STREAMS, FILES)


def found_by(
    contents: list[list[ScatteredRecord]],
    record_of: Callable[[ScatteredRecord, int, int], LogRecord],
    stream_of: Callable[[str], str] = str,
) -> list[StreamReport]:
    """The reports, if each record is converted with its file and position."""
    streams: dict[str, list[LogRecord]] = {}
    for file, content in enumerate(contents):
        for position, record in enumerate(content):
            streams.setdefault(stream_of(record.stream), []).append(record_of(record, file, position))
    return [report for name, content in streams.items() for report in read_stream(sorted(content, key=sort_key), name)]


def races_in(reports: Iterable[StreamReport]) -> Counter[str]:
    return Counter(report.sighting.verdict.fingerprint for report in reports if report.sighting)


# -- the order of records ---------------------------------------------------------------------------


def test_scattered_reports_come_out_whole(scattered: list[list[ScatteredRecord]]) -> None:
    reports = found_by(scattered, lambda r, file, at: LogRecord((r.sequence,), r.line, r.time))
    assert races_in(reports) == fingerprints(range(COUNT))
    assert {report.damage for report in reports} == {()}


def test_times_are_an_order(scattered: list[list[ScatteredRecord]]) -> None:
    reports = found_by(scattered, lambda r, file, at: LogRecord((r.time,), r.line, r.time, False))
    assert races_in(reports) == fingerprints(range(COUNT))


def test_the_place_of_a_report_is_told() -> None:
    lines = ["started", *logs.generate_report(3).decode().splitlines(), "stopped"]
    log_records = [LogRecord((n,), line, 1_000_000 + n) for n, line in enumerate(lines)]
    [report] = read_stream(log_records, "records:cart")
    assert report.sighting is not None
    assert (report.first_time, report.last_time) == (1_000_002, 1_000_000 + len(lines) - 2)
    assert report.record_count == len(lines) - 3  # the first bar is not needed
    assert b"\n".join([*report.text.splitlines()]) in logs.generate_report(3)
    assert report.sighting.uri == "records:cart"


@pytest.mark.parametrize("digits", [1_000, 1_000_000])
def test_records_with_equal_times_make_no_false_race(scattered: list[list[ScatteredRecord]], digits: int) -> None:
    expected = fingerprints(range(COUNT))
    for has_position in (False, True):
        reports = found_by(
            scattered,
            lambda r, file, at: LogRecord(
                (r.time // digits,),
                r.line,
                r.time,
                False,
                False,
                *((str(file), at) if has_position else ()),  # noqa: B023
            ),
        )
        assert races_in(reports) <= expected
        assert {damage for report in reports if not report.sighting for damage in report.damage} <= {UNORDERED, MIXED}
        assert any(report.damage == (UNORDERED,) for report in reports)


@pytest.mark.parametrize(("files", "shuffle"), [(2, 0.0), (1, 5.0), (20, 5.0)], ids=["alternating", "shuffled", "both"])
def test_files_without_order_make_no_false_race(files: int, shuffle: float) -> None:
    contents = scatter_reports(COUNT, STREAMS, files, shuffle_seconds=shuffle, duplicated=0)
    reports = found_by(contents, lambda r, file, at: LogRecord((), r.line, None, False, False, str(file), at))
    assert not races_in(reports)
    assert {report.damage for report in reports} == {(UNORDERED,)}


def test_the_order_in_a_file_decides_between_equal_times() -> None:
    contents = scatter_reports(COUNT, STREAMS, 1, shuffle_seconds=0, duplicated=0)
    reports = found_by(
        contents, lambda r, file, at: LogRecord((r.time // 1_000_000,), r.line, r.time, False, False, "a", at)
    )
    assert races_in(reports) == fingerprints(range(COUNT))


def test_two_exports_of_the_same_records_are_one() -> None:
    contents = scatter_reports(COUNT, STREAMS, 1, shuffle_seconds=0, duplicated=0)
    reports = found_by(
        [*contents, *contents],
        lambda r, file, at: LogRecord((r.time // 1000,), r.line, r.time, False, False, str(file), at),
    )
    assert races_in(reports) == fingerprints(range(COUNT))


def test_a_record_may_be_a_whole_report_or_a_part_of_a_line() -> None:
    report = logs.generate_report(1).decode()
    [whole] = read_stream([LogRecord((), report, None, False), LogRecord((), "another record", None, False)], "s")
    assert whole.damage == ()
    parts = [report[at : at + 50] for at in range(0, len(report), 50)]
    log_records = [LogRecord((n,), part, n, is_partial=True) for n, part in enumerate(parts)]
    assert races_in(read_stream(log_records, "s")) == fingerprints([1])


# -- records of several writers in one stream ---------------------------------------------------------


def test_reports_of_two_writers_in_one_stream_are_marked(scattered: list[list[ScatteredRecord]]) -> None:
    expected = fingerprints(range(COUNT))
    reports = found_by(
        scattered,
        lambda r, file, at: LogRecord((r.time,), r.line, r.time, False),
        stream_of=lambda name: str(name[-1:] < "3"),
    )
    assert races_in(reports) <= expected
    assert any(report.damage == (MIXED,) for report in reports)


@pytest.mark.parametrize("seed", range(6))
def test_interleaved_reports_make_no_false_race(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(8):
        numbers = rng.sample(range(40), rng.choice((2, 2, 3)))
        rest = [logs.generate_report(number).decode().splitlines()[::-1] for number in numbers]
        lines: list[str] = []
        burst = rng.choice((1, 4, 12))
        while writers := [lines_left for lines_left in rest if lines_left]:
            writer = rng.choice(writers)
            lines += [writer.pop() for _ in range(min(len(writer), rng.randint(1, burst)))]
        reports = read_stream([LogRecord((n,), line, n * 1000) for n, line in enumerate(lines)], "s")
        assert races_in(reports) <= fingerprints(numbers)


def test_a_report_that_stands_alone_keeps_its_damage() -> None:
    lines = logs.generate_report(5).decode().splitlines()[:20]
    [report] = read_stream([LogRecord((n,), line, n) for n, line in enumerate(lines)], "s")
    assert report.sighting is not None
    assert "truncated" in report.damage


# -- long streams -------------------------------------------------------------------------------------


def test_a_stream_is_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_reader, "_BLOCK_SIZE", 1 << 16)
    monkeypatch.setattr(record_reader, "_KEPT_BEFORE", 1 << 16)
    lines = [line for number in range(120) for line in logs.generate_report(number).decode().splitlines()]
    longest = 0

    def content() -> Iterable[LogRecord]:
        for number, line in enumerate(lines):
            yield LogRecord((number,), line, number)

    original = record_reader._JoinedRecords.find_candidates

    def find_candidates(self: Any, uri: str, opt_in: bool) -> Any:
        nonlocal longest
        longest = max(longest, len(self.text))
        return original(self, uri, opt_in)

    monkeypatch.setattr(record_reader._JoinedRecords, "find_candidates", find_candidates)
    reports = [*read_stream(content(), "s")]
    assert races_in(reports) == fingerprints(range(120))
    assert longest < 4 * (1 << 16) < sum(map(len, lines))
    offsets = [report.span.offset for report in reports]
    assert offsets == sorted({*offsets})


# -- records that keep arriving -----------------------------------------------------------------------

DELAY = 6_000_000


def settle_in_batches(content: list[LogRecord], batch_size: int) -> tuple[list[StreamReport], list[int]]:
    """The reports of a stream that is read in small batches, and how old the records are that each batch keeps."""
    kept: list[LogRecord] = []
    reports: list[StreamReport] = []
    ages = []
    newest, suspect_until = 0, None
    for start in range(0, len(content) + batch_size, batch_size):
        arrived = content[start : start + batch_size]
        watermark = newest - DELAY if arrived else newest + 10 * MAX_PAUSE
        settled = settle_records([*kept, *arrived], "s", watermark, suspect_until)
        kept, suspect_until = settled.kept, settled.suspect_until
        reports += settled.reports
        ages.append(max([watermark - (record.time or 0) for record in kept], default=0))
        newest = max([newest, *(record.time or 0 for record in arrived)])
    assert kept == []
    return reports, ages


@pytest.mark.parametrize("batch_size", [500, 1700])
def test_arriving_records_give_the_same_reports(batch_size: int) -> None:
    [content] = scatter_reports(60, 1, 1)
    arrived = [LogRecord((r.sequence,), r.line, r.time) for r in content]
    reports, ages = settle_in_batches(arrived, batch_size)
    assert races_in(reports) == fingerprints(range(60))
    # two pauses of a report, and the report itself
    assert 0 < max(ages) < 3 * MAX_PAUSE


def test_arriving_records_of_two_writers_make_no_false_race() -> None:
    contents = scatter_reports(40, 2, 1, shuffle_seconds=0)
    arrived = [LogRecord((r.time, r.stream), r.line, r.time) for r in contents[0]]
    reports, _ = settle_in_batches(arrived, 400)
    assert races_in(reports) <= fingerprints(range(40))
    assert any(report.damage == (MIXED,) for report in reports)


def test_a_full_state_is_emptied_and_told() -> None:
    [content] = scatter_reports(6, 1, 1, shuffle_seconds=0)
    arrived = [LogRecord((r.sequence,), r.line, r.time) for r in content]
    half = arrived[len(arrived) // 2].time or 0
    settled = settle_records(arrived, "s", half, force=True)
    assert settled.kept == []
    assert [report.damage for report in settled.reports] == [
        () if (report.last_time or 0) <= half else (UNORDERED,) for report in settled.reports
    ]
    assert 0 < len(races_in(settled.reports)) < len(settled.reports) == 6


# -- DataFrames ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame(spark: Any, scattered: list[list[ScatteredRecord]]) -> Any:
    rows = [record for content in scattered for record in content]
    frame = spark.createDataFrame(
        [(r.stream, r.sequence, r.time, r.line) for r in rows], "stream string, sequence long, us long, text string"
    )
    return frame.selectExpr("named_struct('pod', stream) kubernetes", "sequence", "timestamp_micros(us) time", "text")


def test_the_reports_of_a_dataframe_are_whole(frame: Any) -> None:
    reports = pipeline.reports(
        frame, stream=["kubernetes.pod"], order=["sequence"], event_time="time"
    ).collect()  # fmt: skip
    assert Counter(row.fingerprint for row in reports) == fingerprints(range(COUNT))
    assert {row.stream for row in reports} == {f"kubernetes.pod=shop/cart-{number}" for number in range(STREAMS)}
    assert all(row.damage == [] and row.first_event_time <= row.last_event_time for row in reports)
    assert all(row.accesses[0].site.line > 0 and row.records >= 20 for row in reports)


def test_a_dataframe_without_order_makes_no_race(frame: Any) -> None:
    rows = pipeline.reports(frame, stream=["kubernetes.pod"]).collect()
    assert {(row.fingerprint, row.damage[0]) for row in rows} == {(None, UNORDERED)}


def test_event_time_must_be_a_time(frame: Any) -> None:
    with pytest.raises(DeadheatError, match="not a timestamp"):
        pipeline.reports(frame, event_time="text")
