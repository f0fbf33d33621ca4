"""Reads log records from files with JSON objects, one per line, and from the log files of Kubernetes."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.records import LogRecord
from deadheat.sources.record_fields import FORMATS, PARTIAL_MARKS, RecordFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deadheat.text.window import OpenedDocument

_BLOCK_SIZE = 1 << 20
# a file that is one JSON value is read at once
MAX_VALUE_SIZE = 1 << 28
# 2026-11-18T10:00:00.123456789Z stderr F text
_CRI_LINE = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\dT\S+) (?P<stream>stdout|stderr) (?P<tag>[FP])(?::\S*)? ?(?P<text>[^\n]*)"
)
# digits after the sixth are cut off, because `datetime` has microseconds
_ISO_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?\s?(Z|[+-]\d\d:?\d\d)?$")
# from which number of digits on a number is milliseconds, microseconds, nanoseconds
_EPOCH_UNITS = ((18, 1), (15, 1_000), (12, 1_000_000), (0, 1_000_000_000))
_KEY_WIDTH = 64
_OTLP_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue")


class RecordOptions(NamedTuple):
    """Fields that the user names, as dotted paths; those of known stores by default."""

    text: str | None = None
    stream: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    time: str | None = None


class StreamRecord(NamedTuple):
    """A record, and the stream that it belongs to."""

    stream: str
    record: LogRecord


def read_records(document: OpenedDocument, file: str, options: RecordOptions) -> Iterator[StreamRecord]:
    """Yield the records of a document. `file` is the name that its rotated files have in common.

    Lines that are no records are skipped.
    """
    position = 0
    for value in _json_values(document):
        for layers, record_format in _expand_records(value):
            record = _make_record(layers, record_format, options, file, document.uri, position)
            position += 1
            if record is not None:
                yield record


def _json_values(document: OpenedDocument) -> Iterator[Any]:
    """The value of each line, or the value that is the whole file."""
    lines = _lines(document)
    first = next((line for line in lines if line.strip()), "")
    if parse_line(first) is None and first.lstrip()[:1] in ("[", "{"):
        head = [first, *_lines_up_to(lines, MAX_VALUE_SIZE)]
        whole = _load_json("".join(head))
        if whole is not None:
            yield from whole if isinstance(whole, list) else (whole,)
            return
        lines = chain(head[1:], lines)
    for line in chain((first,), lines):
        if (value := parse_line(line)) is not None:
            yield value


def _lines_up_to(lines: Iterator[str], size: int) -> Iterator[str]:
    for line in lines:
        yield line
        size -= len(line)
        if size < 0:
            return


def _lines(document: OpenedDocument) -> Iterator[str]:
    """The lines of a document with their ends. Only a line feed ends a line."""
    pending = [document.head]
    while block := document.read(_BLOCK_SIZE):
        if b"\n" not in block:
            pending.append(block)
            continue
        *lines, rest = b"".join([*pending, block]).split(b"\n")
        yield from (f"{line.decode('utf-8', 'replace')}\n" for line in lines)
        pending = [rest]
    yield from (f"{line.decode('utf-8', 'replace')}\n" for line in b"".join(pending).split(b"\n") if line)


def parse_line(line: str) -> Any:
    """The object in a line; None if there is none."""
    if match := _CRI_LINE.match(line):
        return {"cri": match.groupdict()}
    value = _load_json(line)
    return value if isinstance(value, dict) else None


def _load_json(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return None


def _expand_records(value: Any) -> Iterator[tuple[list[Any], RecordFormat]]:
    """The records in an object: each with the objects around it, the innermost first."""
    if not isinstance(value, dict):
        return
    record_format = next(one for one in FORMATS if _has_format(value, one))
    path = record_format.records.split(".") if record_format.records else []
    for layers in _walk(value, path):
        yield layers, record_format


def _has_format(value: dict[str, Any], record_format: RecordFormat) -> bool:
    if any(get_field(value, path) is None for path in record_format.requires):
        return False
    return record_format.has_other_fields or {*value} <= {*record_format.requires, *record_format.labels}


def _walk(value: Any, path: Sequence[str]) -> Iterator[list[Any]]:
    """The values at a path, each with the values around it, the innermost first."""
    if isinstance(value, list) and not (not path and value and isinstance(value[0], str)):
        for item in value:
            yield from _walk(item, path)
    elif not path:
        yield [value]
    elif isinstance(value, dict) and path[0] in value:
        for layers in _walk(value[path[0]], path[1:]):
            yield [*layers, value]


def get_field(value: Any, path: str) -> Any:
    """The value at a dotted path; None if there is none. Names may contain dots themselves."""
    if isinstance(value, dict):
        if path in value:
            return _plain(value[path])
        for at in (index for index, character in enumerate(path) if character == "."):
            if path[:at] in value and (found := get_field(value[path[:at]], path[at + 1 :])) is not None:
                return found
    elif isinstance(value, list):
        if path.isdigit() and int(path) < len(value):
            return _plain(value[int(path)])
        # OpenTelemetry: [{"key": "log.iostream", "value": {"stringValue": "stderr"}}]
        for item in value:
            if isinstance(item, dict) and item.get("key") == path:
                return _plain(item.get("value"))
    return None


def _plain(value: Any) -> Any:
    """A value without the type that OpenTelemetry wraps around it."""
    if isinstance(value, dict) and len(value) == 1:
        return next((value[kind] for kind in _OTLP_VALUES if kind in value), value)
    return value


def _first_field(layers: Iterable[Any], paths: Iterable[str]) -> Any:
    for path in paths:
        for layer in layers:
            value = get_field(layer, path)
            if value is not None and not isinstance(value, dict | list):
                return value
    return None


def _make_record(
    layers: list[Any], record_format: RecordFormat, options: RecordOptions, file: str, uri: str, position: int
) -> StreamRecord | None:
    text = _first_field(layers, (options.text,) if options.text else record_format.text)
    if not isinstance(text, str):
        return None
    time = _event_time(layers, (options.time,) if options.time else record_format.time)
    order = [_first_field(layers, (path,)) for path in options.order or record_format.order]
    order = [value for value in order if value is not None]
    # fields that the user names are the order; those of a store order records of equal times
    key = (
        [*map(sortable, order)]
        if options.order
        else [*([] if time is None else [sortable(time)]), *map(sortable, order)]
    )
    is_partial = (record_format.keeps_line_ends and not text.endswith("\n")) or any(
        str(_first_field(layers, (field,))).lower() == mark.lower() for field, mark in PARTIAL_MARKS.items()
    )
    micros = None if time is None else time // 1000
    record = LogRecord(tuple(key), text, micros, bool(order), is_partial, uri, position)
    return StreamRecord(_stream_name(layers, record_format, options, file), record)


def _event_time(layers: list[Any], paths: Iterable[str]) -> int | None:
    times = (_parse_time(_first_field(layers, (path,))) for path in paths)
    return next((time for time in times if time is not None), None)


def _stream_name(layers: list[Any], record_format: RecordFormat, options: RecordOptions, file: str) -> str:
    if options.stream:
        fields = [(path, _first_field(layers, (path,))) for path in options.stream]
        return _join_fields([(path, "" if value is None else value) for path, value in fields])
    fields = [(path, value) for path in record_format.stream if (value := _first_field(layers, (path,))) is not None]
    for path in record_format.labels:
        for layer in layers:
            if members := _members(get_field(layer, path)):
                fields += members
                break
    if record_format.is_stored_by_file or not any(path != "stream" for path, _ in fields):
        fields = [("file", file), *fields]
    return _join_fields(fields)


def _members(value: Any) -> list[tuple[str, Any]]:
    """The members of an object, or of OpenTelemetry's list of keys and values."""
    if isinstance(value, dict):
        return sorted((key, str(_plain(item))) for key, item in value.items())
    items = value if isinstance(value, list) else ()
    return sorted((str(item.get("key")), str(_plain(item.get("value")))) for item in items if isinstance(item, dict))


def _join_fields(fields: Iterable[tuple[str, Any]]) -> str:
    """`namespace=shop,pod=cart-1`, as `deadheat.spark.reports` names streams."""
    return ",".join(f"{path}=" + str(value).replace("\\", "\\\\").replace(",", "\\,") for path, value in fields)


def sortable(value: Any) -> str:
    """A value as text that sorts as numbers do, if it is a number."""
    text = str(value)
    return text.zfill(_KEY_WIDTH) if text.isascii() and text.isdigit() else text


def _parse_time(value: Any) -> int | None:
    """A time in nanoseconds since 1970."""
    if isinstance(value, str) and (match := _ISO_TIME.match(value.strip())):
        day, clock, fraction, zone = match.groups()
        try:
            seconds = datetime.fromisoformat(f"{day}T{clock}{zone or 'Z'}").astimezone(UTC).timestamp()
        except (ValueError, OverflowError):
            return None
        return int(seconds) * 1_000_000_000 + int((fraction or "").ljust(9, "0"))
    try:
        number = Decimal(str(value)) if not isinstance(value, bool) else Decimal(0)
    except InvalidOperation:
        return None
    if not number.is_finite() or number <= 0:
        return None
    digits = number.adjusted()
    unit = next(unit for least, unit in _EPOCH_UNITS if digits >= least)
    return int(number * unit)
