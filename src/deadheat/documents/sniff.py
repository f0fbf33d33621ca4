"""Tells bug reports from logs by their first bytes; formats check again."""

from __future__ import annotations

import re

_NAMES = (".md", ".markdown")
# the beginning of each format, with an example:
_HEAD = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,64}(?:"
    # "ID: 30468", "Title: Data race in ..."
    rb"(?:ID|Title):[ \t]"
    # "From dev@example.com Thu May  2 12:00:00 2024", or a message without that line
    rb"|From [^\n]{1,200}\d{4}\r?\n"
    rb"|(?:Return-Path|Delivered-To|Received|Message-ID|MIME-Version|From|Subject|Date): "
    # '[{"url": ..., "html_url": ..., "number": 12', '{"issue_url": ...'
    rb"|\[?\s{0,64}\{(?=\s{0,64}\"(?:assignees|author|body|closed|number|title)\":|(?s:.){0,4000}?"
    rb"\"(?:html_url|issue_url|web_url|iid)\":)"
    # '<?xml version="1.0"?><testsuites>'
    rb"|(?:<\?xml[^>]{0,200}>\s{0,64}|<!--[^>]{0,2000}-->\s{0,64}|<!DOCTYPE[^>]{0,200})?"
    rb"<(?:!DOCTYPE|testsuites?\b)"
    rb")",
    re.IGNORECASE,
)
# "## Bug report" and a blank line; `go vet` prints "# example.com/shop" without one
_HEADING = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,64}#{1,6} [^\r\n]{1,200}\r?\n[ \t]*\r?\n")
# "It fails now and then" and, further down, a line of "```"; a log has no fences
_PROSE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,64}[A-Za-z`*'-]{1,30},? [a-z`*'-]{1,30} [a-z`*'-]{1,30}"
)
_FENCE = re.compile(rb"\n(?:```|~~~)")


def looks_written(head: bytes, uri: str) -> bool:
    """Whether a file with this head could be a bug report. Cheap, with false positives."""
    return _HEAD.match(head) is not None or is_markdown(head, uri)


def is_markdown(head: bytes, uri: str) -> bool:
    return (
        uri.lower().endswith(_NAMES)
        or _HEADING.match(head) is not None
        or (_PROSE.match(head) is not None and _FENCE.search(head) is not None)
    )
