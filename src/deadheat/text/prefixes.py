"""Removes prefixes of lines, one layer at a time: times, streams, pods, quotes, records."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise

from deadheat.text import decoding, lazy_compile, log_records
from deadheat.text.decoding import LINE_BREAK
from deadheat.text.log_records import LinePiece, RecordOrder, has_escaped_lines, unescape_lines

_ISO_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[ ]?[+-]\d\d:?\d\d)?"

# Each pattern matches at the beginning of a line. A group whose name begins with `lane` names the
# writer; the text after the match is what it wrote.
_KNOWN_PREFIX = lazy_compile(
    "|".join(
        (
            # Kubernetes CRI: "2024-05-01T12:00:00.123456789Z stderr F text", P for a partial line
            rf"(?P<cri>{_ISO_TIME} (?P<lane_cri>stdout|stderr) (?P<part>[FP])(?: |$))",
            # GitLab: "2024-07-05T15:35:35.064388Z 00O text"; "00O+" continues the previous line
            rf"(?P<gitlab>{_ISO_TIME} (?P<lane_gitlab>[0-9a-f]{{2}}[OE])(?P<joins>[+ ]))",
            # journalctl -o short-iso, rsyslog: "2024-05-01T12:00:00+0200 lab-3 kernel: text",
            # "2024-05-01T12:00:00.123456+02:00 node-3 api[4711]: text"
            rf"{_ISO_TIME} (?P<lane_journal>\S{{1,200}} (?:kernel|[^\s:\[]{{1,100}}\[\d+\])):(?: |$)",
            # GitHub "2024-05-01T12:00:00.1234567Z text", Jenkins "[2022-12-08T14:45:28.632Z] text"
            rf"\[?{_ISO_TIME}\]?(?:[ \t]|$)",
            # Go's log package: "2018/07/31 10:47:04.655 text"
            r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: |$)",
            # "11:05:58 text", "[11:05:58.123] text"
            r"\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?(?:[ \t]|$)",
            # syslog without a host: "Oct 04 20:17:35 dockerd[15116]: text"
            r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
            r" (?P<lane_hostless>[^\s:\[]{1,100}\[\d+\]):(?: |$)",
            # syslog: "Oct 04 20:17:35 Swarm01 dockerd[15116]: text", also with a priority
            r"(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
            r" (?!(?:fatal error|value changed|Locks held):|\d{4}-\d\d-)"
            r"(?P<lane_syslog>[\w.:@%-]{0,199}\w [^\s:\[]{1,100}(?:\[\d+\])?):(?: |$)",
            # moreutils' ts "May 01 12:00:00 text", Kibana "May 1, 2024 @ 12:00:00.123 text",
            # Render "May 1 12:00:00 PM  text"
            r"[A-Z][a-z]{2} [ \d]?\d,? (?:\d{4},? )?(?:@ )?\d{1,2}:\d\d:\d\d(?:\.\d{1,9})?(?: [AP]M)?"
            r"(?:[ \t]|$)",
            # American and European dates: "05/01/2024 12:00:00 PM text", "01.05.2024 12:00:00 text"
            r"\[?\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: [AP]M)?\]?"
            r"(?:[ \t]|$)",
            # syslog, RFC 5424: "<34>1 2024-05-01T12:00:00Z host app 123 - - text"
            rf"<\d{{1,3}}>1 {_ISO_TIME} (?P<lane_5424>\S{{1,200}} \S{{1,100}} \S{{1,100}})"
            r" \S{1,100} (?:-|\[[^\]]{0,500}\])(?: |$)",
            # kernel console: "[  123.456789][ T123] text", "<4>[  123.456789] [T123] text"
            r"(?:<\d{1,3}>)?\[ *\d{1,9}\.\d{1,9}\](?: ?\[ *(?P<lane_kernel>[TC]\d{1,9})\])?(?: |$)",
            # dmesg -T: "[Tue Feb 15 10:16:41 2022] text"; dmesg -x: "kern  :err   : text"
            r"\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\](?: |$)",
            r"(?:kern|user|daemon|syslog|auth|local\d) {0,5}:[a-z]{3,6} {0,4}: ",
            # crater and other rustwide users: "[INFO] [stderr] text"
            r"\[(?:INFO|WARN|ERROR)\] \[(?P<lane_rustwide>stdout|stderr)\](?: |$)",
            # Buildkite without the escape character: "_bk;t=1714557600123text"
            r"_bk;t=\d{13}",
            # GitHub and Azure: "##[error]text"
            r"##\[(?:error|warning|notice|debug|info|command|section)\]",
            # kubectl logs --prefix: "[pod/web-1/app] text"
            r"\[(?P<lane_pod>pod/[^\]\s]{1,300})\](?: |$)",
            # Valgrind: "==4711== text", "--4711-- text", "==00:00:01:02.345 4711== text"
            r"[ \t]*(?P<bars>==|--|\*\*|=3D=3D)(?:\d\d:\d\d:\d\d:\d\d\.\d{3} )?"
            r"(?P<lane_valgrind>\d{1,9})(?P=bars)(?: |=20|$)",
            # docker compose "web_1  | text", foreman "etcd1 | text"; not grep's file and line number
            r"(?![\w./-]{1,200}\.[a-z]{1,6}[:-]\d{1,9}[:-])"
            r" *(?P<lane_compose>[A-Za-z][\w./@-]{0,100}) *\|(?: |$)",
            # klog: "I0623 07:55:00.082589   64365 x:0] text"
            r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ [^\]\s]{1,100}\](?: |$)",
            # runit's svlogd: "@4000000063f1b2c31a2b3c4d text"
            r"@[0-9a-f]{24}(?: |$)",
            # mail and Markdown: "> > text"; not the end of "vector<int, allocator<int> >*"
            r"(?:> ?)*(?:> |>(?![*&,:(]))",
            # diff "+text", commit template "# text", comments "// text", list item "* text"
            r"\+(?!0x)|#(?:[ \t]|$)|//(?: |$)|\*(?: |$)",
            # grep -n: "ci.log:123:text", "ci.log-124-text", "123:text"; not "cart.cc:12:3 (shop+0x1f)";
            # line numbers of a pager: "  123  text"; not backtrace frames: "           0: main"
            r"(?P<number>(?!\d{4}-\d\d-\d\d[T ])[\w./-]{1,200}?[:-]\d{1,9}[:-]"
            r"(?!\d{1,5}(?: \(|$)|\d{0,5}=$)"
            r"|\d{1,9}[:-](?=[ \t=WRPBarvw>G]|$)"
            r"| *\d{1,7}(?:\t|  ?|(?<! {8}\d)(?<! {7}\d\d): |\| ?)(?!\+0x)(?=[ \t=WRP>G\w\[-]|$))",
        )
    )
)
# octet count of a syslog message: "83 <34>1 2024-05-01T12:00:00Z host"
_OCTET_COUNT = lazy_compile(r"(\d{1,5}) (?=<\d{1,3}>(?:1 \d{4}-\d\d-|[A-Z][a-z]{2} [ \d]\d ))")
# separators in a list of strings: `['main.main()\n', '\t/src/main.go:7']`
_LIST_SEPARATOR = lazy_compile(r"^(?:[\[(]?b?['\"](?=\S)(?!, )|['\"], ?b?['\"])")
# a prefix after another writer's unfinished line: "progress: 45% ==4711==    at 0x10A23A: work",
# "total=[  472.496430][ T2214]  relay_account+0x5c/0x1a0", "done.Feb 15 10:16:41 lab kernel: [  472.49]"
_MID_LINE_PREFIX = lazy_compile(
    r"==(?:\d\d:\d\d:\d\d:\d\d\.\d{3} )?\d{1,9}== "
    r"|(?:<\d{1,3}>|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,200} kernel: )?"
    r"\[ {0,7}\d{1,7}\.\d{6}\](?=[ \[]|$)"
)
# a label before such a prefix: "[linux] ==4711==    by 0x10A23A: main"
_WRITER_LABEL = lazy_compile(r"\[[^\s\[\]]{1,80}\] |(?=[./@]{0,3}\w)(?!\d+\W)[^\s=]{1,80}(?:\t|[:>] )")
# a label that changes from line to line: "[12] ", "[00:12] ", "[test:12] "
_COUNTING_LABEL = lazy_compile(r"\[(?:[^\s\[\]]{0,60}:)?[L\d:.]{1,20}s?\] ")
_DIGITS = lazy_compile(r"\d+")
_STREAM_GROUPS = tuple(name for name in _KNOWN_PREFIX.groupindex if name.startswith("lane"))

_MAX_LAYERS = 6
# a list of lines has at least this many characters
_MIN_LIST_LENGTH = 100
# longer lines are not cached, to bound memory
_MAX_CACHED_LENGTH = 1 << 10


class LineNumbering(IntEnum):
    """The meaning of a number before a line."""

    NONE = 0  # not a prefix: the line continues the previous one
    COUNT = 1
    NAME = 2  # the writer: "12: text" of a test that runs in parallel
    TAGGED = 3  # a line number, and text before a record names the writer: `cart: {"log":"text"}`


def line_number_prefix(text: str) -> str:
    """Returns the line number among the prefixes of a line, with its separators; "" if none."""
    for _ in range(_MAX_LAYERS):
        match = _KNOWN_PREFIX.match(text)
        if match is None or match["number"]:
            return match["number"].strip() if match else ""
        text = text[match.end() :]
    return ""


def prefix_form(prefix: str) -> tuple[str, str | None] | None:
    """A pattern for prefixes that differ from this one only in numbers, and the stream that they name.

    None if the text is not a known prefix, or contains a line number.
    """
    pattern, streams = "", []
    for _ in range(_MAX_LAYERS):
        match = _KNOWN_PREFIX.match(prefix)
        if not match or not match[0] or match["number"]:
            return None
        text_start = 0
        for name in _STREAM_GROUPS:
            if match[name] is not None:
                streams.append(match[name])
                pattern += _numbers_pattern(prefix[text_start : match.start(name)]) + re.escape(match[name])
                text_start = match.end(name)
        pattern += _numbers_pattern(prefix[text_start : match.end()])
        prefix = prefix[match.end() :]
        if not prefix:
            return pattern, "/".join(streams) or None
    return None


def _numbers_pattern(text: str) -> str:
    return _DIGITS.sub("[0-9]+", re.escape(text))


def split_prefixes(
    text: str, numbering: LineNumbering = LineNumbering.COUNT, order: RecordOrder = RecordOrder.AUTO
) -> list[LinePiece]:
    """Splits a line into pieces without prefixes. `order` is the order of the lines of a record."""
    if len(text) < _MAX_CACHED_LENGTH and order is RecordOrder.AUTO:
        return list(_cached_pieces(text, numbering))
    return _split_layers(text, numbering, order)


@lru_cache(maxsize=1 << 11)
def _cached_pieces(text: str, numbering: LineNumbering) -> tuple[LinePiece, ...]:
    """Cached: lines around a hit are examined for their prefix, their order and their report."""
    return tuple(_split_layers(text, numbering, RecordOrder.AUTO))


def _split_layers(text: str, numbering: LineNumbering, order: RecordOrder) -> list[LinePiece]:
    streams: list[str] = []
    has_writer_tag = numbering is LineNumbering.TAGGED
    if LINE_BREAK in text:
        return [LinePiece(None, line, is_nested=True) for line in text.split(LINE_BREAK)]
    if "<" in text and (octet_count := _OCTET_COUNT.search(text)) is not None:
        return [LinePiece(None, message, is_nested=True) for message in _split_counted_messages(text, octet_count)]
    stripped = text.lstrip()
    if stripped[:4].isdigit() or (stripped[:1] == "[" and _KNOWN_PREFIX.match(stripped)) or "#012" in text:
        text = stripped  # the log is indented as a whole
    for _ in range(_MAX_LAYERS):
        if (pieces := log_records.parse_record(text, streams, order)) is not None:
            return pieces
        match = _KNOWN_PREFIX.match(text)
        if match and match[0].strip() and _holds_several_lines(text) and text.count(match[0]) > 1:
            break  # each of its lines has its own prefix
        if match and (numbering or not match["number"]):
            streams += [match[name] for name in _STREAM_GROUPS if match[name] is not None]
            if numbering is LineNumbering.NAME and match["number"]:
                streams.append(match["number"].strip())
            text = _unescape_syslog(text[match.end() :])
            if match["part"] or match["joins"]:
                return [_transport_piece(match, "/".join(streams), text)]
        elif (pieces := log_records.find_records(text, streams, order, has_writer_tag)) is not None:
            return pieces
        elif (logfmt_parts := log_records.parse_logfmt(text)) is not None:
            streams += logfmt_parts[0]
            text = logfmt_parts[1]
            if "\n" in text:
                break
        else:
            break
    return _split_bare_text(text, streams)


def _split_bare_text(text: str, streams: list[str]) -> list[LinePiece]:
    """Splits text without outer prefixes into its lines."""
    stream = "/".join(streams) or None
    if "\n" in text or LINE_BREAK in text:
        lines = text.replace(LINE_BREAK, "\n").split("\n")
        return [LinePiece(stream, line, is_nested=True) for line in lines]
    if len(text) > _MIN_LIST_LENGTH and (list_strings := log_records.parse_string_list(text)) is not None:
        return [LinePiece(stream, line, is_nested=True) for line in list_strings]
    if has_escaped_lines(text):
        lines = decoding.clean_record_text(unescape_lines(text)).split("\n")
        return [LinePiece(stream, _LIST_SEPARATOR.sub("", line), is_nested=True) for line in lines]
    if ("== " in text or "]" in text) and (inner_prefix := _MID_LINE_PREFIX.search(text, 1)) is not None:
        if (label := _leading_label(text[: inner_prefix.start()])) is not None:
            names = [] if _COUNTING_LABEL.fullmatch(label) else [label.strip()]
            label_stream = "/".join([*streams, *names]) or None
            return [LinePiece(label_stream, text[len(label) :], is_nested=True)]
        # joined lines each have a prefix, with no letter or digit before it
        prefix_starts = [prefix_match.start() for prefix_match in _MID_LINE_PREFIX.finditer(text, inner_prefix.end())]
        separate_starts = [at for at in prefix_starts if not text[at - 1].isalnum()]
        starts = [0, inner_prefix.start(), *separate_starts, len(text)]
        return [
            LinePiece(stream, text[piece_start:piece_end], is_nested=True)
            for piece_start, piece_end in pairwise(starts)
        ]
    return [LinePiece(stream, text)]


def _leading_label(head: str) -> str | None:
    """The writer's label before a prefix, possibly with a known prefix in between."""
    label = _WRITER_LABEL.match(head)
    if label is None:
        return None
    between = head[label.end() :]
    known_prefix = _KNOWN_PREFIX.match(between)
    return label[0] if not between or (known_prefix and known_prefix.end() == len(between)) else None


def _split_counted_messages(text: str, first: re.Match[str]) -> list[str]:
    """Splits octet-counted messages; a message of a wrong length ends where the next count begins."""
    messages: list[str] = []
    octet_count: re.Match[str] | None = first
    while octet_count is not None:
        message_start = octet_count.end()
        end = message_start + int(octet_count[1])
        if not text.isascii():
            end = message_start + len(text[message_start:end].encode()[: int(octet_count[1])].decode("utf-8", "ignore"))
        following = _OCTET_COUNT.match(text, end)
        if following is None and end < len(text):
            following = _OCTET_COUNT.search(text, message_start)
            end = following.start() if following else len(text)
        messages.append(text[message_start:end].rstrip("\n"))
        octet_count = following
    return messages


def _holds_several_lines(text: str) -> bool:
    return "\n" in text or has_escaped_lines(text)


def _unescape_syslog(text: str) -> str:
    """Resolves syslog's escapes of tabs, and of line ends if there are several."""
    if "#01" not in text:
        return text
    text = text.replace("#011", "\t").replace("#015#012", "#012")
    return text.replace("#012", "\n") if text.count("#012") > 1 else text


def _transport_piece(match: re.Match[str], stream: str, text: str) -> LinePiece:
    continues_previous = match["joins"] == "+" if match["joins"] else None
    return LinePiece(stream, text, partial=match["part"] == "P", continues_previous=continues_previous, is_nested=True)
