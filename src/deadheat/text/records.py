"""Extracts lines from log records: JSON, logfmt, CI service messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.text import clean
from deadheat.text.escapes import barred, percented, unescaped
from deadheat.text.late import regex
from deadheat.text.stamps import Turn, ordered

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# logrus and slog: `time=... level=info msg="text" pod=x`
_LOGFMT = regex(r'(?:[\w.@-]{1,60}=(?:"(?:[^"\\]|\\.)*"|[^\s"]*)(?: |$)){2,}')
_PAIR = regex(r'([\w.@-]{1,60})=("(?:[^"\\]|\\.)*"|[^\s"]*)')
# keys of the message, most specific first
_TEXT_KEYS = (
    "Output", "log", "message", "msg", "MESSAGE", "@message", "line", "textPayload", "body",
    "text", "content", "full_message", "short_message", "event", "data", "value", "_raw",
    "Line", "Message", "stringValue",
)  # fmt: skip
# keys of a child process's output, next to the parent's message: `{"msg":"said","stderr":"text"}`
_SAID_KEYS = ("stderr", "stdout", "output", "line")
# suffixes of other message keys: "log_message", "logMessage", "rawText"
_ALIKE = regex(r"(?i)(?:message|msg|text|payload|raw|log)$")
# keys that identify the writer
_LANE_KEYS = frozenset((
    "Package", "pod", "pod_name", "container", "container_name", "host", "hostname", "_HOSTNAME",
    "service", "pid", "_PID", "stream", "process", "instance", "task", "namespace",
))  # fmt: skip
# keys of objects that contain the text or labels
_NESTED = frozenset((
    "_source", "jsonPayload", "fields", "record", "labels", "stream", "kubernetes", "resource",
    "docker", "log", "values", "attributes", "result", "body",
))  # fmt: skip
# a record that spans lines: `    "message": "text",`, `    "text",`; and its other members
_MEMBER = regex(r'\s{0,200}(?:"([\w@.$-]{1,60})" ?(?::|=>) ?)?"((?:[^"\\]|\\.)*)",?\s{0,200}$')
_REST = regex(
    r'\s{0,200}"[\w@.$-]{1,60}" ?: ?(?:[\d.eE+-]{1,30}|true|false|null|[\[{]|[\[{][\]}]),?\s{0,200}$'
)
# a Ruby hash: `{"log"=>"text", "stream"=>"stderr"}`
_ROCKET = regex(r'"([\w@.$-]{1,60})" ?=> ?"((?:[^"\\]|\\.)*)"')
# the tag of such a record after its index: `[3] kube.cart: [[1714557600.1, {}], {"log"=>"text"}]`
_TAGGED = regex(r"\[\d{1,9}\] (\S{1,200}): \[")
# YAML: `textPayload: '  main.main()'`
_YAML = regex(
    r"(?:- | {0,40})(?:textPayload|message|MESSAGE|msg|log|line|body|stderr|stdout|output): "
    r"(?:'((?:[^']|'')*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s|>].*))\s{0,9}$"
)
# CloudWatch's pointer to a record, among its fields: `"value": "CmEKJgoiMTIzNDU2"`
_POINTER = regex(r"[A-Za-z0-9+/]{40,2000}={0,2}")
# a tag before a record: `api.stderr	{"log":"text"}`, `- {"msg": "text"}`
_TAG = regex(r'.{0,300}?\s(?=\{")')
# records in a truncated line: `"message":"text"`, `["1714557600000000","text"]`
_SCATTERED = regex(
    rf'"(?:{"|".join(_TEXT_KEYS)})" ?: ?"((?:[^"\\]|\\.)*)"|\["\d{{16,20}}", ?"((?:[^"\\]|\\.)*)"\]'
)
# "2024-05-01T12:00:00.123Z", "12:00:00,123", "2018/07/31", "1714590047.001", "2:14PM", "6.851"
_TIME = regex(
    r"\d{4}[-/]\d\d[-/]\d\d(?:[T ]|$)?|(?<!\d)\d\d:\d\d:\d\d(?:[.,]\d+)?Z?|\d{9,}(?:\.\d+)?"
    r"|(?<![\w:])\d{1,2}:\d\d ?(?:[AP]M\b)|\b[AP]M\b|(?<![\w.])\d{1,6}\.\d{3,9}(?![\w.])"
)
# TeamCity: `##teamcity[testStdErr name='TestX' out='text|nmore|n']`
_SERVICE = "##teamcity["
_ATTRIBUTE = regex(r" (\w{1,40})='((?:[^'|]|\|.)*)'")
_SERVICE_KEYS = ("out", "details", "text", "message")
# the beginning of a list, and one of its strings: `'text', `, `"it's text"]`
_LIST = regex(r"[\[(](?=b?['\"])")
_STRING = regex(r"b?(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")(?:, ?|[\])])")
# GitHub workflow command, possibly indented: `::error file=cart.go,line=1::text%0Amore`
_COMMAND = regex(r"[ \t]{0,64}::(?:error|warning|notice|debug)(?: [^\n]{0,1000}?)?::")
# no line of a detector has as many quotes, or records
_MANY, _FEW = 12, 3
_BRACKETS = " \t\r,[]{}"


class Piece(NamedTuple):
    """A line without its outermost prefix, or one of the lines of a record."""

    lane: str | None
    text: str
    partial: bool = False  # the line continues in the next piece of this stream
    joins: bool | None = None  # continues the previous piece of this stream; None: unknown
    inner: bool = False  # came from a transport: join its pieces, then remove further prefixes


def pieces(text: str, lanes: list[str], turn: Turn = Turn.TOLD) -> list[Piece] | None:
    """Returns the lines of a record, or None if the text is not one."""
    first = text[:1]
    if first in ("{", "[") and (found := _record(text, lanes, turn)) is not None:
        return found
    if first == "#" and text.startswith(_SERVICE):
        return _service(text, "/".join(lanes) or None)
    if first in (":", " ", "\t") and "::" in text and (command := _COMMAND.match(text)):
        told = percented(text[command.end() :])
        return _lines(told, "/".join(lanes) or None)
    if ": " in text and (yaml := _YAML.match(text)):
        return _lines(_scalar(yaml), "/".join(lanes) or None)
    if '"' not in text:
        # the brackets around records; a blank line is text
        return [] if first and not text.strip(_BRACKETS) and text.strip() else None
    stripped = text.rstrip(", \r")
    if stripped.endswith('"') and (member := _MEMBER.match(text)):
        return _member(member, "/".join(lanes) or None)
    return [] if _REST.match(text) else None


def tag(text: str) -> str:
    """The text before a record in a line; fields after a line of text are not a record."""
    match = _TAG.match(text) if '"' in text and text.rstrip(", \r").endswith("}") else None
    return match[0] if match else ""


def inside(
    text: str, lanes: list[str], turn: Turn = Turn.TOLD, tagged: bool = False
) -> list[Piece] | None:
    """Returns the lines of records within other text, or None if there are none.

    `has_writer_tag` means that the text before a record names the writer.
    """
    if '"' not in text:
        return None
    told = tag(text)
    names = [*lanes, mark(told)] if tagged else lanes
    if "=>" in text and (found := _hash(text, names)) is not None:
        return found
    if told and (found := _record(text[len(told) :], names, turn, alone=False)):
        return found
    return _scattered(text, "/".join(lanes) or None, turn) if text.count('"') > _MANY else None


def _hash(text: str, lanes: list[str]) -> list[Piece] | None:
    fields = {key: unescaped(value) for key, value in _ROCKET.findall(text)}
    message = _message(fields)
    if source := _TAGGED.match(text):
        lanes = [*lanes, source[1]]
    return (
        None if message is None else _lines(message, "/".join([*lanes, *_lane_of(fields)]) or None)
    )


def strings(text: str) -> list[str] | None:
    """The strings of a printed list: `stderr: ['main.main()', '\\t/src/main.go:7']`."""
    if text.count("', ") + text.count('", ') <= _FEW or (begin := _LIST.search(text)) is None:
        return None
    found = list(_STRING.finditer(text, begin.end()))
    if len(found) <= _FEW or found[0].start() != begin.end():
        return None
    told = (match[1] if match[1] is not None else match[2] for match in found)
    return [line for string in told for line in unescaped(string).removesuffix("\n").split("\n")]


def logfmt(text: str) -> tuple[list[str], str] | None:
    """The writer and the message of a line of `key=value` pairs."""
    match = _LOGFMT.match(text)
    if match is None or match.end() < len(text.rstrip()) - 1:
        return None
    fields = {key: _unquoted(value) for key, value in _PAIR.findall(text)}
    message = "\n".join(_long_strings(fields, 1)) or _message(fields)
    return None if message is None else (_lane_of(fields), message)


def _record(text: str, lanes: list[str], turn: Turn, alone: bool = True) -> list[Piece] | None:
    """The lines in a JSON object or array, or None; `is_alone` means that nothing precedes it."""
    text = text.rstrip(", \r")
    value = _parsed(text)
    if value is None and '""' in text:
        # a line of a CSV cell, with doubled quotes
        value = _parsed(text.replace('""', '"').strip('"'))
    if value is None and "\\" in text:
        # with Markdown's backslashes
        value = _parsed(clean.MARKED_UP.sub(r"\1", text))
    if value is None:
        return None
    outer = "/".join(lanes) or None
    if isinstance(value, list) and (written := _written(value)) is not None:
        return _lines(written[0], outer, written[1])
    if texts := _long_strings(value, 8):
        return [piece for string in texts for piece in _lines(string, outer)]
    messages = list(_messages(value, 8))
    if not messages:
        # "[  472.527349]" of a kernel console
        return _alike(value, outer, alone) if isinstance(value, dict) else None
    return [
        piece
        for lane, text, partial in ordered(messages, text, turn)
        for piece in _lines(text, "/".join([*lanes, *lane]) or None, partial)
    ]


def _alike(fields: dict[str, Any], lane: str | None, alone: bool) -> list[Piece]:
    """The lines of a record with unknown keys; if it stands alone, its only string counts."""
    texts = {key: text for key, text in fields.items() if isinstance(text, str)}
    told = [text for key, text in texts.items() if _ALIKE.search(key)]
    if not told and alone and len(texts) == 1:
        told = list(texts.values())
    return [piece for text in told for piece in _lines(text, lane)]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _messages(value: Any, depth: int) -> Iterator[tuple[list[str], str, bool]]:
    """The writer and text of every record in a JSON value, and whether only a newline ends a line."""
    if isinstance(value, dict):
        message = _message(value)
        if message is not None:
            # `go test -json` keeps newlines, so text without one continues in the next event
            yield _lane_of(value), message, "Action" in value
        elif depth:
            for item in value.values():
                yield from _messages(item, depth - 1)
    elif isinstance(value, list) and depth:
        texts = all(isinstance(item, str) for item in value)
        if (named := _named(value)) and _message(named) is not None:
            yield from _messages(named, 0)
        elif texts and 1 < len(value) < 4 and value[0][:1].isdigit():
            yield [], value[-1], False  # a row of Loki's "values": time and line
        elif texts and len(value) > 3:
            yield from (([], item, False) for item in value)
        else:
            for item in value:
                yield from _messages(item, depth - 1)


def _named(value: list[Any]) -> dict[str, Any]:
    """Fields in a list: `[{"field": "@message", "value": "text"}, …]`."""
    pairs = [item for item in value if isinstance(item, dict) and len(item) == 2]
    if not 1 < len(pairs) == len(value):
        return {}
    return {str(item.get("field")): item.get("value") for item in pairs if "field" in item}


def _written(value: list[Any]) -> tuple[str, bool] | None:
    """Joins output that was recorded in arbitrary pieces, and tells whether its last line continues.

    asciinema has one event per line, `[0.11, "o", "text"]`; CircleCI a list of messages.
    """
    if len(value) == 3 and value[1] == "o" and isinstance(value[2], str):
        return value[2], True
    texts = [item.get("message") for item in value if isinstance(item, dict)]
    told = [text for text in texts if isinstance(text, str)]
    if not len(told) == len(value) > 1 or not told[-1].endswith("\n"):
        return None
    kept = sum("\n" in text for text in told)
    return ("".join(told), False) if 2 * kept >= len(told) else None


def _member(match: re.Match[str], lane: str | None) -> list[Piece]:
    key, text = match[1], unescaped(match[2])
    if key == "value" and _POINTER.fullmatch(text):
        return []
    told = key is None or key in _TEXT_KEYS or _long_strings(text, 0)
    return _lines(text, lane) if told else []


def _scalar(match: re.Match[str]) -> str:
    single, double, plain = match.groups()
    if double is not None:
        return unescaped(double)
    return plain if single is None else str(single).replace("''", "'")


def _scattered(text: str, lane: str | None, turn: Turn) -> list[Piece] | None:
    found = [match[1] if match[1] is not None else match[2] for match in _SCATTERED.finditer(text)]
    if len(found) < _FEW:
        return None
    found = ordered(found, text, turn)
    return [piece for string in found for piece in _lines(unescaped(string), lane)]


def _service(text: str, lane: str | None) -> list[Piece]:
    fields = dict(_ATTRIBUTE.findall(text))
    told = max((fields.get(key, "") for key in _SERVICE_KEYS), key=len)
    return _lines(barred(told), lane) if told else []


def _lines(message: str, lane: str | None, partial: bool = False) -> list[Piece]:
    """Splits a record's text into lines; `partial` means that the last one continues."""
    lines = clean.unpacked(message).replace("\r\n", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
        partial = False
    pieces = [Piece(lane, line, inner=True) for line in lines]
    pieces[-1] = pieces[-1]._replace(partial=partial)
    return pieces


def _message(fields: dict[str, Any]) -> str | None:
    for key in _SAID_KEYS:
        value = fields.get(key)
        if isinstance(value, str) and value and not value.isdigit():
            return value
    for key in _TEXT_KEYS:
        value = fields.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and _is_bytes(value):
            # journald prints text with tabs as a list of bytes
            return bytes(value).decode("utf-8", "replace")
    for key in _NESTED:
        if isinstance(value := fields.get(key), dict) and (text := _message(value)) is not None:
            return text
    return None


def _is_bytes(value: list[Any]) -> bool:
    return bool(value) and all(type(item) is int and 0 <= item < 256 for item in value)


def _lane_of(fields: dict[str, Any]) -> list[str]:
    names: list[str] = []
    for key in sorted(fields):
        value = fields[key]
        if isinstance(value, dict) and key in _LANE_KEYS:
            # `"pod": {"name": "cart-1"}`; Loki's "stream" contains labels
            value = value.get("name", value.get("pid", value))
        if key in _LANE_KEYS and isinstance(value, str | int):
            names.append(str(value))
        elif key in _NESTED and isinstance(value, dict):
            names += _lane_of(value)
    return names


def _long_strings(value: Any, depth: int) -> list[str]:
    """The strings with several lines in a JSON value, such as bodies in an issue tracker's export."""
    if isinstance(value, str):
        return [value] if value.count("\n") > 2 else []
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [s for item in items for s in _long_strings(item, depth - 1)] if depth else []


def _unquoted(value: str) -> str:
    return clean.unpacked(unescaped(value[1:-1])) if value.startswith('"') else value


def mark(prefix: str) -> str:
    """A prefix without its times: the name of the writer."""
    return _TIME.sub("", prefix).strip()
