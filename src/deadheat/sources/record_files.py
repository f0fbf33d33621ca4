"""Reads log records from files with JSON objects, one per line, and from the log files of Kubernetes."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import cache
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
_MAX_TIME_DIGITS = 18
_KEY_WIDTH = 64
# records of a file mostly have the same names
_MAX_CACHED_SHAPES = 1024
# floats lose digits of a time
_DECODER = json.JSONDecoder(parse_float=Decimal)
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
    reader, position = _RecordReader(options, file, document.uri), 0
    for value in _json_values(document):
        for layers, record_format in reader.expand_records(value):
            record = reader.make_record(layers, record_format, position)
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
        if b"\n" not in block and len(pending) * _BLOCK_SIZE < MAX_VALUE_SIZE:
            pending.append(block)
            continue
        *lines, rest = b"".join([*pending, block]).split(b"\n")
        yield from (f"{line.decode('utf-8', 'replace')}\n" for line in lines)
        pending = [rest]
    yield from (f"{line.decode('utf-8', 'replace')}\n" for line in b"".join(pending).split(b"\n") if line)


def parse_line(line: str) -> Any:
    """The object in a line; None if there is none."""
    if line[:1].isdigit() and (match := _CRI_LINE.match(line)):
        return {"cri": match.groupdict()}
    value = _load_json(line)
    return value if isinstance(value, dict) else None


def _load_json(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


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


@cache
def _splits(path: str) -> tuple[tuple[str, str], ...]:
    """The ways to split a dotted path into a name and the rest. Names may contain dots themselves."""
    return tuple((path[:at], path[at + 1 :]) for at, character in enumerate(path) if character == ".")


def get_field(value: Any, path: str) -> Any:
    """The value at a dotted path; None if there is none."""
    if isinstance(value, dict):
        if path in value:
            return _plain(value[path])
        for name, rest in _splits(path):
            if name in value and (found := get_field(value[name], rest)) is not None:
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


class _RecordReader:
    """Makes records of the objects in a file. Objects with the same names have the same fields."""

    def __init__(self, options: RecordOptions, file: str, uri: str) -> None:
        self._options, self._file, self._uri = options, file, uri
        self._formats: dict[tuple[str, ...], RecordFormat] = {}
        self._present: dict[tuple[Any, ...], tuple[RecordFormat, dict[str, str]]] = {}

    def expand_records(self, value: Any) -> Iterator[tuple[list[Any], RecordFormat]]:
        """The records in an object: each with the objects around it, the innermost first."""
        if not isinstance(value, dict):
            return
        names = tuple(value)
        record_format = self._formats.get(names)
        if record_format is None:
            record_format = next(one for one in FORMATS if _has_format(value, one))
            if len(self._formats) < _MAX_CACHED_SHAPES:
                self._formats[names] = record_format
        path = record_format.records.split(".") if record_format.records else []
        for layers in _walk(value, path):
            yield layers, record_format

    def make_record(self, layers: list[Any], record_format: RecordFormat, position: int) -> StreamRecord | None:
        record_format, marks = self._present_fields(layers, record_format)
        text = _first_field(layers, record_format.text)
        if not isinstance(text, str):
            return None
        time = _event_time(layers, record_format.time)
        order = [value for path in record_format.order if (value := _first_field(layers, (path,))) is not None]
        # fields that the user names are the order; those of a store order records of equal times
        key = [*map(sortable, order)]
        if time is not None and not self._options.order:
            key.insert(0, sortable(time))
        is_partial = (record_format.keeps_line_ends and not text.endswith("\n")) or any(
            str(_first_field(layers, (field,))).lower() == mark.lower() for field, mark in marks.items()
        )
        micros = None if time is None else time // 1000
        record = LogRecord(tuple(key), text, micros, bool(order), is_partial, self._uri, position)
        return StreamRecord(_stream_name(layers, record_format, self._options.stream, self._file), record)

    def _present_fields(self, layers: list[Any], record_format: RecordFormat) -> tuple[RecordFormat, dict[str, str]]:
        """The format and the marks of partial records, with only those fields that may be there."""
        shape = (record_format, *(tuple(layer) if isinstance(layer, dict) else None for layer in layers))
        found = self._present.get(shape)
        if found is None:
            options = self._options

            def present(paths: tuple[str, ...]) -> tuple[str, ...]:
                return tuple(path for path in paths if any(_may_have(layer, path) for layer in layers))

            found = (
                record_format._replace(
                    text=present((options.text,) if options.text else record_format.text),
                    time=present((options.time,) if options.time else record_format.time),
                    order=present(options.order or record_format.order),
                    stream=present(record_format.stream),
                ),
                {path: PARTIAL_MARKS[path] for path in present(tuple(PARTIAL_MARKS))},
            )
            if len(self._present) < _MAX_CACHED_SHAPES:
                self._present[shape] = found
        return found


def _may_have(layer: Any, path: str) -> bool:
    if not isinstance(layer, dict):
        return True
    return path in layer or any(name in layer for name, _ in _splits(path))


def _event_time(layers: list[Any], paths: Iterable[str]) -> int | None:
    times = (_parse_time(_first_field(layers, (path,))) for path in paths)
    return next((time for time in times if time is not None), None)


def _stream_name(layers: list[Any], record_format: RecordFormat, named: tuple[str, ...], file: str) -> str:
    if named:
        fields = [(path, _first_field(layers, (path,))) for path in named]
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
    if not number.is_finite() or number < 1 or (digits := number.adjusted()) > _MAX_TIME_DIGITS:
        return None
    unit = next(unit for least, unit in _EPOCH_UNITS if digits >= least)
    return int(number * unit)
