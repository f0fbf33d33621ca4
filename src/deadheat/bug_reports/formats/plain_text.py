"""Bug reports as text: Markdown, or a form with `ID:`, `Title:` and `Description:`.

Also detects bug reports of any format by their first bytes."""

from __future__ import annotations

import re

from deadheat.bug_reports import BugReportDraft, BugReportFormat, DraftPassage, OffsetText
from deadheat.text.decoding import HEAD_SIZE

_MARKDOWN_EXTENSIONS = (".md", ".markdown")
# the beginning of each format, with an example:
_BUG_REPORT_HEAD = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,64}(?:"
    # "ID: 30468", "Title: Data race in ..."
    rb"(?:ID|Title):[ \t]"
    # "From dev@example.com Thu May  2 12:00:00 2024", or a message without that line
    rb"|From [^\n]{1,200}\d{4}\r?\n|(?:Return-Path|Delivered-To|Received|Message-ID|MIME-Version|From|Subject|Date): "
    # '[{"url": ..., "html_url": ..., "number": 12', '{"issue_url": ...'
    rb"|\[?\s{0,64}\{(?=\s{0,64}\"(?:assignees|author|body|closed|number|title)\":|(?s:.){0,4000}?"
    rb"\"(?:html_url|issue_url|web_url|iid)\":)"
    # '<?xml version="1.0"?><testsuites>'
    rb"|(?:<\?xml[^>]{0,200}>\s{0,64}|<!--[^>]{0,2000}-->\s{0,64}|<!DOCTYPE[^>]{0,200})?<(?:!DOCTYPE|testsuites?\b))",
    re.IGNORECASE,
)
# "## Bug report" and a blank line; `go vet` prints "# example.com/shop" without one
_MARKDOWN_HEADING = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,64}#{1,6} [^\r\n]{1,200}\r?\n[ \t]*\r?\n")
# "It fails now and then" and, further down, a line of "```"; a log has no fences
_PROSE_START = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,64}[A-Za-z`*'-]{1,30},? [a-z`*'-]{1,30} [a-z`*'-]{1,30}")
_CODE_FENCE = re.compile(rb"\n(?:```|~~~)")


def looks_like_bug_report(head: bytes, uri: str) -> bool:
    """Whether a file with this head could be a bug report. Cheap, with false positives."""
    return _BUG_REPORT_HEAD.match(head) is not None or is_markdown(head, uri)


def is_markdown(head: bytes, uri: str) -> bool:
    return (
        uri.lower().endswith(_MARKDOWN_EXTENSIONS)
        or _MARKDOWN_HEADING.match(head) is not None
        or (_PROSE_START.match(head) is not None and _CODE_FENCE.search(head) is not None)
    )


# "ID: 30468\nTitle: Data race when ...\nDescription:\n"; the ID may be missing
_FORM_RECORD = re.compile(
    rb"^(?:ID:[ \t]*(?P<id>[^\r\n]{0,200})\r?\n)?"
    rb"Title:[ \t]*(?P<title>[^\r\n]{0,2000})\r?\n"
    rb"(?:[A-Z][\w -]{0,40}:[^\r\n]{0,500}\r?\n){0,12}?"
    rb"(?:Description|Body|Text):[ \t]*\r?\n?",
    re.MULTILINE,
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def _split_form(data: bytes, uri: str) -> list[BugReportDraft] | None:
    records = list(_FORM_RECORD.finditer(data))
    if not records or data[: records[0].start()].strip(_BYTE_ORDER_MARK + b" \t\r\n"):
        return None
    # later records need an id, because the text may quote a form
    records = records[:1] + [record for record in records[1:] if record["id"]]
    drafts = []
    for record, end in zip(records, [*(later.start() for later in records[1:]), len(data)], strict=True):
        id_ = _decode_field(record["id"] or b"")
        title = DraftPassage(OffsetText.from_slice(data, *record.span("title")), "title")
        body = DraftPassage(OffsetText.from_slice(data, record.end(), end))
        fragment = id_ if len(records) > 1 else ""
        drafts.append(BugReportDraft(fragment, (title, body), title=_decode_field(record["title"]), id=id_))
    return drafts


def _decode_field(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").strip()


# "# Race in the outbox" as the first non-blank line, possibly after front matter
_HEADING_TITLE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:---\r?\n(?:[^\r\n]{0,500}\r?\n){0,60}?---\r?\n)?\s{0,200}"
    rb"#{1,2}[ \t]++([^\r\n]{1,500}?)[ \t#]*+\r?(?:\n|$)"
)
# 'title: "Race in the outbox"' in front matter
_FRONT_MATTER_TITLE = re.compile(
    rb"(?:\xef\xbb\xbf)?---\r?\n(?:[^\r\n]{0,500}\r?\n){0,60}?title:[ \t]*[\"']?([^\r\n]{1,500}?)[\"']?\r?\n"
)


def _split_markdown(data: bytes, uri: str) -> list[BugReportDraft] | None:
    if not is_markdown(data[:HEAD_SIZE], uri):
        return None
    match = _FRONT_MATTER_TITLE.match(data) or _HEADING_TITLE.match(data)
    title = _decode_field(match[1]) if match else ""
    return [BugReportDraft("", (DraftPassage(OffsetText.from_slice(data, 0, len(data))),), title=title)]


FORMATS = (
    BugReportFormat("form", 1, _split_form),
    BugReportFormat("markdown", 9, _split_markdown),  # the fallback
)
