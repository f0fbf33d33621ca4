"""Log records that carry lines of a report: timestamps and their order, JSON and other structured records, escapes."""

from __future__ import annotations

import json
from enum import IntEnum
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from deadheat.text import decoding, lazy_compile

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence


_T = TypeVar("_T")
# time fields: `"2024-05-01T12:00:00.123Z"`; `"1714557600123456789"`, `[1714557600123]`
_DATE_FIELD = lazy_compile(r"\"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?\"")
_EPOCH_FIELD = lazy_compile(r"[\":\[,] ?(\d{13}|\d{16}|\d{19})[\"\],}]")
# fewer times are not enough for a decision
_MIN_TIMES = 3
# at least this many descending steps per ascending one
_MIN_DESCENDING_RATIO = 10


class RecordOrder(IntEnum):
    """How the lines of a record are put in order."""

    AUTO = 0  # reversed if its times descend
    AS_WRITTEN = 1
    REVERSED = 2
    STABLE_BY_TIME = 3  # sorted by time, stable for equal times, as log stores do


def order_oldest_first(items: list[_T], text: str, order: RecordOrder) -> list[_T]:
    """Returns the items of a record, oldest first."""
    if order is RecordOrder.AUTO:
        order = RecordOrder.REVERSED if len(items) > _MIN_TIMES and is_newest_first(text) else RecordOrder.AS_WRITTEN
    if order is RecordOrder.STABLE_BY_TIME:
        return _reverse_by_time(items, _find_times(text))
    return items[::-1] if order is RecordOrder.REVERSED else items


def _reverse_by_time(items: Sequence[_T], times: Sequence[object]) -> list[_T]:
    """Reverses the order of times; items with equal times keep their order."""
    times_per_item = len(times) // max(len(items), 1)
    if not times_per_item or len(times) % len(items):
        return list(items[::-1])
    return [item for group in reversed(group_by_time(items, times[::times_per_item])) for item in group]


def group_by_time(items: Iterable[_T], times: Iterable[object]) -> list[list[_T]]:
    """Groups consecutive items with equal times."""
    timed_items = zip(items, times, strict=True)
    return [[item for item, _ in group] for _, group in groupby(timed_items, lambda pair: pair[1])]


def may_be_newest_first(text: str) -> bool:
    """Whether a record may be sorted newest first with lines of equal times in their original order."""
    times = _find_times(text)
    if len(times) <= _MIN_TIMES:
        return False
    keys = [_time_sort_key(time) for time in times]
    ties = sum(earlier == later for earlier, later in pairwise(keys))
    ascending = sum(earlier < later for earlier, later in pairwise(keys))
    return ties > 0 and ascending * _MIN_DESCENDING_RATIO <= len(times) - 1 - ascending


def is_newest_first(text: str) -> bool:
    """Whether the times of a record descend, except where another writer's lines begin.

    Each time format is compared with itself, because log stores add their own.
    """
    return _are_descending(_find_times(text))


def _find_times(text: str) -> list[str]:
    dates = _DATE_FIELD.findall(text)
    if _has_enough_times(dates):
        return dates
    epochs = _EPOCH_FIELD.findall(text)
    return epochs if _has_enough_times(epochs) else dates or epochs


def _has_enough_times(times: Iterable[str]) -> bool:
    return len({*times}) >= _MIN_TIMES


def _are_descending(times: list[str]) -> bool:
    if not _has_enough_times(times):
        return False
    keys = [_time_sort_key(time) for time in times]
    ascending = sum(earlier < later for earlier, later in pairwise(keys))
    return ascending * _MIN_DESCENDING_RATIO <= sum(earlier > later for earlier, later in pairwise(keys))


def _time_sort_key(time: str) -> tuple[str, int, str]:
    """`12:00:00` sorts before `12:00:00.1`; epoch numbers sort by length first."""
    return (time[:19], 0, time[19:]) if "-" in time else ("", len(time), time)


# "\u001b", "\x1b", "\033", "\n"
_BACKSLASH_ESCAPE = lazy_compile(r"\\(?:[ux]((?<=u)[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2})|(033|01[12]|.))")
_CARET_ESCAPE = lazy_compile(r"\^()([IJ])")
_ESCAPE_VALUES = {"n": "\n", "t": "\t", "r": "", "033": "\x1b", "012": "\n", "011": "\t", "J": "\n", "I": "\t"}
_PERCENT_VALUES = {"%0A": "\n", "%0D": "", "%09": "\t", "%20": " ", "%25": "%"}
_PERCENT_ESCAPE = lazy_compile("|".join(_PERCENT_VALUES))
_TEAMCITY_ESCAPE = lazy_compile(r"\|(?:0x([0-9a-fA-F]{4})|(.))")
# every form of an escaped line end has one of these characters
_ESCAPED_END_CHARACTER = lazy_compile(f"[\\\\%^{decoding.LINE_BREAK}]")
# no single line of a detector has more escaped line ends
_MAX_ESCAPED_ENDS = 3


def has_escaped_lines(text: str) -> bool:
    """Whether line ends are escaped in the text. A Windows path may contain "\\n" twice."""
    return _ESCAPED_END_CHARACTER.search(text) is not None and any(
        text.count(end) > _MAX_ESCAPED_ENDS for end in decoding.LINE_BREAK_FORMS
    )


def unescape_lines(text: str) -> str:
    """Resolves `WARNING: DATA RACE\\nRead at ...` into lines; some tools escape twice."""
    if text.count("%0A") > _MAX_ESCAPED_ENDS:
        return unescape_percent(text)
    if text.count("^J") > _MAX_ESCAPED_ENDS:
        return _CARET_ESCAPE.sub(_escape_value, text)
    text = _BACKSLASH_ESCAPE.sub(_escape_value, text)
    if has_escaped_lines(text) and "\n" not in text:
        text = _BACKSLASH_ESCAPE.sub(_escape_value, text)
    return text


def _escape_value(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _ESCAPE_VALUES.get(match[2], match[2])


def unescape_percent(text: str) -> str:
    """Resolves `WARNING: DATA RACE%0ARead at ...` into lines."""
    return _PERCENT_ESCAPE.sub(lambda match: _PERCENT_VALUES[match[0]], text)


def unescape_teamcity(text: str) -> str:
    """Resolves TeamCity's `|n`, `|'` and `|0x00b7`."""
    return _TEAMCITY_ESCAPE.sub(_escape_value, text)


# logrus and slog: `time=... level=info msg="text" pod=x`
_LOGFMT_LINE = lazy_compile(r'(?:[\w.@-]{1,60}=(?:"(?:[^"\\]|\\.)*"|[^\s"]*)(?: |$)){2,}')
_LOGFMT_PAIR = lazy_compile(r'([\w.@-]{1,60})=("(?:[^"\\]|\\.)*"|[^\s"]*)')
# keys of the message, most specific first
_TEXT_KEYS = (
    "Output", "log", "message", "msg", "MESSAGE", "@message", "line", "textPayload", "body",
    "text", "content", "full_message", "short_message", "event", "data", "value", "_raw",
    "Line", "Message", "stringValue",
)  # fmt: skip
# keys of a child process's output, next to the parent's message: `{"msg":"said","stderr":"text"}`
_OUTPUT_KEYS = ("stderr", "stdout", "output", "line")
# suffixes of other message keys: "log_message", "logMessage", "rawText"
_TEXT_LIKE_KEY = lazy_compile(r"(?i)(?:message|msg|text|payload|raw|log)$")
# keys that identify the writer
_STREAM_KEYS = frozenset((
    "Package", "pod", "pod_name", "container", "container_name", "host", "hostname", "_HOSTNAME",
    "service", "pid", "_PID", "stream", "process", "instance", "task", "namespace",
))  # fmt: skip
# keys of objects that contain the text or labels
_NESTED_KEYS = frozenset((
    "_source", "jsonPayload", "fields", "record", "labels", "stream", "kubernetes", "resource",
    "docker", "log", "values", "attributes", "result", "body",
))  # fmt: skip
# a record that spans lines: `    "message": "text",`, `    "text",`; and its other members
_JSON_MEMBER_LINE = lazy_compile(r'\s{0,200}(?:"([\w@.$-]{1,60})" ?(?::|=>) ?)?"((?:[^"\\]|\\.)*)",?\s{0,200}$')
_JSON_OTHER_LINE = lazy_compile(
    r'\s{0,200}"[\w@.$-]{1,60}" ?: ?(?:[\d.eE+-]{1,30}|true|false|null|[\[{]|[\[{][\]}]),?\s{0,200}$'
)
# a Ruby hash: `{"log"=>"text", "stream"=>"stderr"}`
_RUBY_HASH_PAIR = lazy_compile(r'"([\w@.$-]{1,60})" ?=> ?"((?:[^"\\]|\\.)*)"')
# the tag of such a record after its index: `[3] kube.cart: [[1714557600.1, {}], {"log"=>"text"}]`
_FLUENT_BIT_TAG = lazy_compile(r"\[\d{1,9}\] (\S{1,200}): \[")
# YAML: `textPayload: '  main.main()'`
_YAML_SCALAR = lazy_compile(
    r"(?:- | {0,40})(?:textPayload|message|MESSAGE|msg|log|line|body|stderr|stdout|output): "
    r"(?:'((?:[^']|'')*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s|>].*))\s{0,9}$"
)
# CloudWatch's pointer to a record, among its fields: `"value": "CmEKJgoiMTIzNDU2"`
_CLOUDWATCH_POINTER = lazy_compile(r"[A-Za-z0-9+/]{40,2000}={0,2}")
# a tag before a record: `api.stderr	{"log":"text"}`, `- {"msg": "text"}`
_RECORD_TAG = lazy_compile(r'.{0,300}?\s(?=\{")')
# records in a truncated line: `"message":"text"`, `["1714557600000000","text"]`
_EMBEDDED_RECORD = lazy_compile(
    rf'"(?:{"|".join(_TEXT_KEYS)})" ?: ?"((?:[^"\\]|\\.)*)"|\["\d{{16,20}}", ?"((?:[^"\\]|\\.)*)"\]'
)
# "2024-05-01T12:00:00.123Z", "12:00:00,123", "2018/07/31", "1714590047.001", "2:14PM", "6.851"
_TIMESTAMP = lazy_compile(
    r"\d{4}[-/]\d\d[-/]\d\d(?:[T ]|$)?|(?<!\d)\d\d:\d\d:\d\d(?:[.,]\d+)?Z?|\d{9,}(?:\.\d+)?"
    r"|(?<![\w:])\d{1,2}:\d\d ?(?:[AP]M\b)|\b[AP]M\b|(?<![\w.])\d{1,6}\.\d{3,9}(?![\w.])"
)
# TeamCity: `##teamcity[testStdErr name='TestX' out='text|nmore|n']`
_TEAMCITY_START = "##teamcity["
_TEAMCITY_ATTRIBUTE = lazy_compile(r" (\w{1,40})='((?:[^'|]|\|.)*)'")
_TEAMCITY_KEYS = ("out", "details", "text", "message")
# the beginning of a list, and one of its strings: `'text', `, `"it's text"]`
_LIST_START = lazy_compile(r"[\[(](?=b?['\"])")
_LIST_STRING = lazy_compile(r"b?(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")(?:, ?|[\])])")
# GitHub workflow command, possibly indented: `::error file=cart.go,line=1::text%0Amore`
_GITHUB_COMMAND = lazy_compile(r"[ \t]{0,64}::(?:error|warning|notice|debug)(?: [^\n]{0,1000}?)?::")
# no line of a detector has as many quotes, or records
_MIN_QUOTES, _MIN_RECORDS = 12, 3
_RECORD_BRACKETS = " \t\r,[]{}"


class LinePiece(NamedTuple):
    """A line without its outermost prefix, or one of the lines of a record."""

    stream: str | None
    text: str
    partial: bool = False  # the line continues in the next piece of this stream
    continues_previous: bool | None = None  # continues the previous piece of this stream; None: unknown
    is_nested: bool = False  # came from a transport: join its pieces, then remove further prefixes


def parse_record(text: str, streams: list[str], order: RecordOrder = RecordOrder.AUTO) -> list[LinePiece] | None:
    """Returns the lines of a record, or None if the text is not one."""
    first = text[:1]
    if first in ("{", "[") and (lines := _parse_json_record(text, streams, order)) is not None:
        return lines
    if first == "#" and text.startswith(_TEAMCITY_START):
        return _parse_teamcity(text, "/".join(streams) or None)
    if first in (":", " ", "\t") and "::" in text and (command := _GITHUB_COMMAND.match(text)):
        unescaped = unescape_percent(text[command.end() :])
        return _split_message(unescaped, "/".join(streams) or None)
    if ": " in text and (yaml := _YAML_SCALAR.match(text)):
        return _split_message(_yaml_scalar_text(yaml), "/".join(streams) or None)
    if '"' not in text:
        # the brackets around records; a blank line is text
        return [] if first and not text.strip(_RECORD_BRACKETS) and text.strip() else None
    stripped = text.rstrip(", \r")
    if stripped.endswith('"') and (member := _JSON_MEMBER_LINE.match(text)):
        return _parse_json_member(member, "/".join(streams) or None)
    return [] if _JSON_OTHER_LINE.match(text) else None


def record_tag(text: str) -> str:
    """The text before a record in a line; fields after a line of text are not a record."""
    match = _RECORD_TAG.match(text) if '"' in text and text.rstrip(", \r").endswith("}") else None
    return match[0] if match else ""


def find_records(
    text: str, streams: list[str], order: RecordOrder = RecordOrder.AUTO, has_writer_tag: bool = False
) -> list[LinePiece] | None:
    """Returns the lines of records within other text, or None if there are none.

    `has_writer_tag` means that the text before a record names the writer.
    """
    if '"' not in text:
        return None
    tag_text = record_tag(text)
    writers = [*streams, writer_name(tag_text)] if has_writer_tag else streams
    if "=>" in text and (lines := _parse_ruby_hash(text, writers)) is not None:
        return lines
    if tag_text and (lines := _parse_json_record(text[len(tag_text) :], writers, order, is_alone=False)):
        return lines
    return _parse_embedded_records(text, "/".join(streams) or None, order) if text.count('"') > _MIN_QUOTES else None


def _parse_ruby_hash(text: str, streams: list[str]) -> list[LinePiece] | None:
    fields = {key: unescape_lines(value) for key, value in _RUBY_HASH_PAIR.findall(text)}
    message = _message_text(fields)
    if tag_match := _FLUENT_BIT_TAG.match(text):
        streams = [*streams, tag_match[1]]
    return None if message is None else _split_message(message, "/".join([*streams, *_stream_names(fields)]) or None)


def parse_string_list(text: str) -> list[str] | None:
    """The strings of a printed list: `stderr: ['main.main()', '\\t/src/main.go:7']`."""
    if text.count("', ") + text.count('", ') <= _MIN_RECORDS or (list_start := _LIST_START.search(text)) is None:
        return None
    matches = list(_LIST_STRING.finditer(text, list_start.end()))
    if len(matches) <= _MIN_RECORDS or matches[0].start() != list_start.end():
        return None
    strings = (match[1] if match[1] is not None else match[2] for match in matches)
    return [line for string in strings for line in unescape_lines(string).removesuffix("\n").split("\n")]


def parse_logfmt(text: str) -> tuple[list[str], str] | None:
    """The writer and the message of a line of `key=value` pairs."""
    match = _LOGFMT_LINE.match(text)
    if match is None or match.end() < len(text.rstrip()) - 1:
        return None
    fields = {key: _unquote_logfmt(value) for key, value in _LOGFMT_PAIR.findall(text)}
    message = "\n".join(_multi_line_strings(fields, 1)) or _message_text(fields)
    return None if message is None else (_stream_names(fields), message)


def _parse_json_record(
    text: str, streams: list[str], order: RecordOrder, is_alone: bool = True
) -> list[LinePiece] | None:
    """The lines in a JSON object or array, or None; `is_alone` means that nothing precedes it."""
    text = text.rstrip(", \r")
    value = _load_json(text)
    if value is None and '""' in text:
        # a line of a CSV cell, with doubled quotes
        value = _load_json(text.replace('""', '"').strip('"'))
    if value is None and "\\" in text:
        # with Markdown's backslashes
        value = _load_json(decoding.MARKDOWN_ESCAPE.sub(r"\1", text))
    if value is None:
        return None
    outer_stream = "/".join(streams) or None
    if isinstance(value, list) and (joined_output := _join_output_pieces(value)) is not None:
        return _split_message(joined_output[0], outer_stream, joined_output[1])
    if texts := _multi_line_strings(value, 8):
        return [piece for string in texts for piece in _split_message(string, outer_stream)]
    messages = list(_find_messages(value, 8))
    if not messages:
        # "[  472.527349]" of a kernel console
        return _lines_of_unknown_keys(value, outer_stream, is_alone) if isinstance(value, dict) else None
    return [
        piece
        for writers, text, partial in order_oldest_first(messages, text, order)
        for piece in _split_message(text, "/".join([*streams, *writers]) or None, partial)
    ]


def _lines_of_unknown_keys(fields: dict[str, Any], stream: str | None, is_alone: bool) -> list[LinePiece]:
    """The lines of a record with unknown keys; if it stands alone, its only string counts."""
    texts = {key: text for key, text in fields.items() if isinstance(text, str)}
    message_texts = [text for key, text in texts.items() if _TEXT_LIKE_KEY.search(key)]
    if not message_texts and is_alone and len(texts) == 1:
        message_texts = list(texts.values())
    return [piece for text in message_texts for piece in _split_message(text, stream)]


def _load_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _find_messages(value: Any, depth: int) -> Iterator[tuple[list[str], str, bool]]:
    """The writer and text of every record in a JSON value, and whether only a newline ends a line."""
    if isinstance(value, dict):
        message = _message_text(value)
        if message is not None:
            # `go test -json` keeps newlines, so text without one continues in the next event
            yield _stream_names(value), message, "Action" in value
        elif depth:
            for item in value.values():
                yield from _find_messages(item, depth - 1)
    elif isinstance(value, list) and depth:
        texts = all(isinstance(item, str) for item in value)
        if (field_values := _field_values(value)) and _message_text(field_values) is not None:
            yield from _find_messages(field_values, 0)
        elif texts and 1 < len(value) < 4 and value[0][:1].isdigit():
            yield [], value[-1], False  # a row of Loki's "values": time and line
        elif texts and len(value) > 3:
            yield from (([], item, False) for item in value)
        else:
            for item in value:
                yield from _find_messages(item, depth - 1)


def _field_values(value: list[Any]) -> dict[str, Any]:
    """Fields in a list: `[{"field": "@message", "value": "text"}, …]`."""
    pairs = [item for item in value if isinstance(item, dict) and len(item) == 2]
    if not 1 < len(pairs) == len(value):
        return {}
    return {str(item.get("field")): item.get("value") for item in pairs if "field" in item}


def _join_output_pieces(value: list[Any]) -> tuple[str, bool] | None:
    """Joins output that was recorded in arbitrary pieces, and tells whether its last line continues.

    asciinema has one event per line, `[0.11, "o", "text"]`; CircleCI a list of messages.
    """
    if len(value) == 3 and value[1] == "o" and isinstance(value[2], str):
        return value[2], True
    texts = [item.get("message") for item in value if isinstance(item, dict)]
    messages = [text for text in texts if isinstance(text, str)]
    if not len(messages) == len(value) > 1 or not messages[-1].endswith("\n"):
        return None
    terminated = sum("\n" in text for text in messages)
    return ("".join(messages), False) if 2 * terminated >= len(messages) else None


def _parse_json_member(match: re.Match[str], stream: str | None) -> list[LinePiece]:
    key, text = match[1], unescape_lines(match[2])
    if key == "value" and _CLOUDWATCH_POINTER.fullmatch(text):
        return []
    is_text = key is None or key in _TEXT_KEYS or _multi_line_strings(text, 0)
    return _split_message(text, stream) if is_text else []


def _yaml_scalar_text(match: re.Match[str]) -> str:
    single, double, unquoted = match.groups()
    if double is not None:
        return unescape_lines(double)
    return unquoted if single is None else str(single).replace("''", "'")


def _parse_embedded_records(text: str, stream: str | None, order: RecordOrder) -> list[LinePiece] | None:
    strings = [match[1] if match[1] is not None else match[2] for match in _EMBEDDED_RECORD.finditer(text)]
    if len(strings) < _MIN_RECORDS:
        return None
    strings = order_oldest_first(strings, text, order)
    return [piece for string in strings for piece in _split_message(unescape_lines(string), stream)]


def _parse_teamcity(text: str, stream: str | None) -> list[LinePiece]:
    fields = dict(_TEAMCITY_ATTRIBUTE.findall(text))
    longest = max((fields.get(key, "") for key in _TEAMCITY_KEYS), key=len)
    return _split_message(unescape_teamcity(longest), stream) if longest else []


def _split_message(message: str, stream: str | None, partial: bool = False) -> list[LinePiece]:
    """Splits a record's text into lines; `partial` means that the last one continues."""
    lines = decoding.clean_record_text(message).replace("\r\n", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
        partial = False
    pieces = [LinePiece(stream, line, is_nested=True) for line in lines]
    pieces[-1] = pieces[-1]._replace(partial=partial)
    return pieces


def _message_text(fields: dict[str, Any]) -> str | None:
    for key in _OUTPUT_KEYS:
        value = fields.get(key)
        if isinstance(value, str) and value and not value.isdigit():
            return value
    for key in _TEXT_KEYS:
        value = fields.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and _is_byte_list(value):
            # journald prints text with tabs as a list of bytes
            return bytes(value).decode("utf-8", "replace")
    for key in _NESTED_KEYS:
        if isinstance(value := fields.get(key), dict) and (text := _message_text(value)) is not None:
            return text
    return None


def _is_byte_list(value: list[Any]) -> bool:
    return bool(value) and all(type(item) is int and 0 <= item < 256 for item in value)


def _stream_names(fields: dict[str, Any]) -> list[str]:
    names: list[str] = []
    for key in sorted(fields):
        value = fields[key]
        if isinstance(value, dict) and key in _STREAM_KEYS:
            # `"pod": {"name": "cart-1"}`; Loki's "stream" contains labels
            value = value.get("name", value.get("pid", value))
        if key in _STREAM_KEYS and isinstance(value, str | int):
            names.append(str(value))
        elif key in _NESTED_KEYS and isinstance(value, dict):
            names += _stream_names(value)
    return names


def _multi_line_strings(value: Any, depth: int) -> list[str]:
    """The strings with several lines in a JSON value, such as bodies in an issue tracker's export."""
    if isinstance(value, str):
        return [value] if value.count("\n") > 2 else []
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [string for item in items for string in _multi_line_strings(item, depth - 1)] if depth else []


def _unquote_logfmt(value: str) -> str:
    return decoding.clean_record_text(unescape_lines(value[1:-1])) if value.startswith('"') else value


def writer_name(prefix: str) -> str:
    """A prefix without its times: the name of the writer."""
    return _TIMESTAMP.sub("", prefix).strip()
