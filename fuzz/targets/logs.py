"""Lines and records of logs: encodings, prefixes, JSON and other records, streams of records, test events."""

from __future__ import annotations

import io
import json
from itertools import groupby
from typing import TYPE_CHECKING

from deadheat import records
from deadheat.arriving_records import settle_within
from deadheat.parsing.test_events import GoTestEventParser, GoTestFailures
from deadheat.sources.record_files import RecordOptions, read_records
from deadheat.text import decoding
from deadheat.text.prefixes import LineNumbering, split_prefixes
from deadheat.text.streams import StreamSplitter
from deadheat.text.window import OpenedDocument
from fuzz.mutations import mutate_json, mutate_lines
from fuzz.seeds import case_texts, clean_reports
from fuzz.targets import FuzzTarget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.sources.record_files import StreamRecord

_SECOND = 1_000_000
_NANOSECONDS = 1_760_000_000_000_000_000


def decode_text(data: bytes) -> None:
    """No control character is left, and the layout is decoded in any blocks."""
    lines, _ = decoding.decode_lines(data)
    assert not any("\n" in line or "\0" in line or "\x1b" in line for line in lines)
    layout = decoding.detect_layout(data[: decoding.HEAD_SIZE])
    if layout is not decoding.SINGLE_BYTE:
        assert _narrow(layout, data, 5) == _narrow(layout, data, 1 << 16)
    decoding.is_binary(data)


def _narrow(layout: decoding.ByteLayout, data: bytes, size: int) -> bytes:
    read = layout.narrow_reader(io.BytesIO(data).read)
    parts = []
    while part := read(max(size, layout.unit_size)):
        parts.append(part)
    return b"".join(parts)


def split_lines(data: bytes) -> None:
    """What is left of a line without its prefixes is not much longer than the line."""
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    splitter = StreamSplitter(lines[0])
    splitter.observe_report(lines[0], lines[1:9])
    splitter.learn_prefix(lines[0][:20], lines[1:9])
    size = 0
    for line in lines:
        for numbering in (LineNumbering.COUNT, LineNumbering.TAGGED):
            pieces = split_prefixes(line, numbering)
            assert sum(len(piece.text) for piece in pieces) <= 2 * len(line) + 16, line
        size += sum(len(inner) for _, inner in splitter.split_line(line))
    size += sum(len(inner) for _, inner in splitter.flush_pending())
    assert size <= 2 * len(text) + 16, size


def _read_file(data: bytes, size: int) -> list[StreamRecord]:
    file = io.BytesIO(data[16:])
    document = OpenedDocument("a.json", data[:16], lambda _: file.read(size))
    return list(read_records(document, "a", RecordOptions()))


def read_record_file(data: bytes) -> None:
    """Blocks do not change the records; streams are read whatever order their records have."""
    found = _read_file(data, 1 << 16)
    assert _read_file(data, 7) == found
    by_stream = sorted(found, key=lambda one: one.stream)
    for stream, group in groupby(by_stream, lambda one: one.stream):
        ordered = sorted((one.record for one in group), key=records.sort_key)
        for report in records.read_stream(ordered, stream):
            assert report.record_count > 0
            assert report.text or report.span.length == 0


def settle_arriving(data: bytes) -> None:
    """Records that arrive in two parts: none is kept and read at once, and the memory is bounded."""
    found = [one.record for one in _read_file(data, 1 << 16)]
    half = len(found) // 2
    watermark = max((record.time or 0 for record in found[:half]), default=0)
    first = settle_within(found[:half], "a", watermark, 10 * _SECOND)
    watermark = max((record.time or 0 for record in found), default=0) + 100 * _SECOND
    second = settle_within([*first.kept, *found[half:]], "a", watermark, 10 * _SECOND, first.suspect_until, 1000)
    assert all(record.time is not None for record in second.kept)


def parse_test_events(data: bytes) -> None:
    """Events do not depend on the blocks, are in order and lie within the text."""
    whole = GoTestEventParser()
    events = [*whole.feed(data), *whole.finish()]
    parser = GoTestEventParser()
    parts = [event for at in range(0, len(data), 11) for event in parser.feed(data[at : at + 11])]
    assert [*parts, *parser.finish()] == events
    end = 0
    for event in events:
        assert end <= event.offset + 1
        assert event.offset < event.end <= len(data) + 1
        end = event.offset
    failures = GoTestFailures()
    failures.feed(data)
    failures.finish()
    failures.unexplained_tests()


def _record_seeds() -> Iterable[bytes]:
    for report in clean_reports()[:4]:
        lines = report.decode("utf-8", "replace").split("\n")
        times = [str(_NANOSECONDS + number) for number in range(len(lines))]
        pairs = [*zip(times, lines, strict=True)]
        yield "\n".join(
            json.dumps({"log": f"{line}\n", "stream": "stderr", "time": time}) for time, line in pairs
        ).encode()
        yield json.dumps({"streams": [{"stream": {"pod": "a"}, "values": pairs}]}).encode()
        yield "\n".join(f"2026-11-18T10:00:00.{time[-9:]}Z stderr F {line}" for time, line in pairs).encode()
        yield json.dumps(
            {
                "resourceLogs": [
                    {"scopeLogs": [{"logRecords": [{"timeUnixNano": t, "body": {"stringValue": x}} for t, x in pairs]}]}
                ]
            }
        ).encode()


def _event_seeds() -> Iterable[bytes]:
    yield b"=== RUN   TestX\n    a.go:1: race detected during execution of test\n--- FAIL: X (0s)\nFAIL\ta\t0.1s\n"
    yield b"=== RUN   X/a\n=== PAUSE TestX/a\n=== CONT  TestX/a\n--- PASS: TestX/a (0.01s)\nok  \ta\t0.1s\npanic: x\n"
    for action in ("run", "pass", "fail", "skip", "pause", "cont", "build-fail"):
        event = {
            "Time": "2024-05-01T12:00:00.1Z",
            "Action": action,
            "Package": "example.com/p",
            "Test": "TestX",
            "Elapsed": 0.1,
        }
        yield json.dumps(event, separators=(",", ":")).encode() + b"\n"


TARGETS = (
    FuzzTarget("encodings", decode_text, case_texts, (mutate_lines,), 3),
    FuzzTarget("log-lines", split_lines, case_texts, (mutate_lines, mutate_json), 4, 2048),
    FuzzTarget("record-files", read_record_file, _record_seeds, (mutate_json, mutate_lines), 4, 1 << 14),
    FuzzTarget("arriving-records", settle_arriving, _record_seeds, (mutate_json, mutate_lines), 3, 1 << 14),
    FuzzTarget("test-events", parse_test_events, _event_seeds, (), 6, 1024),
)
