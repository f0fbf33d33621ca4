"""Issues in JSON exports of trackers: arrays, single objects or lines, with comments."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from deadheat.bug_reports import BugReportDraft, BugReportFormat, DraftPassage, OffsetText, replace_matches

if TYPE_CHECKING:
    from collections.abc import Iterator

    JsonObject = dict[str, Any]

# possessive, so that a string of millions of characters costs no memory
_JSON_TOKEN = re.compile(
    rb"\s*+(?:(?P<string>\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\")|(?P<mark>[{}\[\],:])|(?P<plain>[-+.\w]{1,400}))", re.DOTALL
)
# "\n", "é", "😀"
_JSON_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)", re.DOTALL)
# the most common escapes
_COMMON_ESCAPES = {
    rb"\n": b"\n", rb"\r": b"\r", rb"\t": b"\t", b'\\"': b'"', b"\\\\": b"\\", rb"\/": b"/",
}  # fmt: skip
_MAX_DEPTH = 200
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class JsonText:
    """A string of the file, decoded on demand."""

    __slots__ = ("_literal", "offset")

    def __init__(self, literal: bytes, offset: int) -> None:
        self._literal, self.offset = literal, offset

    def __str__(self) -> str:
        try:
            text = json.loads(self._literal.decode("utf-8", "replace"), strict=False)
        except ValueError:  # invalid escapes such as "\x"
            text = self._literal[1:-1].decode("utf-8", "replace")
        return str(text).encode("utf-8", "replace").decode()

    def to_offset_text(self) -> OffsetText:
        def unescape(escape: bytes) -> bytes:
            return _COMMON_ESCAPES.get(escape) or str(JsonText(b'"' + escape + b'"', 0)).encode()

        return OffsetText(replace_matches(self._literal[1:-1], _JSON_ESCAPE, self.offset + 1, unescape))


def parse_json_values(data: bytes) -> list[Any] | None:
    """The consecutive values of a file as lists, dicts, `JsonText` and bytes; None if invalid."""
    top_values: list[Any] = []
    stack: list[Any] = []
    keys: list[JsonText | None] = []
    position = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    while match := _JSON_TOKEN.match(data, position):
        position = match.end()
        bracket = match["mark"]
        if bracket in (b"{", b"["):
            if len(stack) >= _MAX_DEPTH:
                return None
            container: Any = {} if bracket == b"{" else []
            _add_value(stack, keys, top_values, container)
            stack.append(container)
            keys.append(None)
        elif bracket in (b"}", b"]"):
            if not stack or isinstance(stack[-1], dict) != (bracket == b"}"):
                return None
            stack.pop()
            keys.pop()
        elif match["string"] is not None:
            _add_value(stack, keys, top_values, JsonText(match["string"], match.start("string")))
        elif match["plain"] is not None:
            _add_value(stack, keys, top_values, match["plain"])
    return top_values if not stack and not data[position:].strip() else None


def _add_value(stack: list[Any], keys: list[JsonText | None], top_values: list[Any], value: Any) -> None:
    """Adds a value to its parent; in an object, keys and values alternate."""
    if not stack:
        top_values.append(value)
    elif isinstance(stack[-1], list):
        stack[-1].append(value)
    elif keys[-1] is None:
        keys[-1] = value if isinstance(value, JsonText) else JsonText(b'"?"', 0)
    else:
        stack[-1][str(keys[-1])] = value
        keys[-1] = None


# keys of GitHub's REST API, `gh --json` and GitLab
_BODY_KEYS = ("body", "description")
_NUMBER_KEYS = ("number", "iid")
_PAGE_KEYS = ("html_url", "web_url", "url")
_TIME_KEYS = ("created_at", "createdAt")
_ISSUE_URL_KEYS = ("issue_url", "pull_request_url")
# other renderings of the same text
_DUPLICATE_BODY_KEYS = ("body_html", "body_text", "bodyHTML", "bodyText", "description_html")
# "https://api.github.com/repos/acme/outbox/issues/123"
_ISSUE_NUMBER = re.compile(r"/(\d{1,12})$")


def _split_issues(data: bytes, uri: str) -> list[BugReportDraft] | None:
    is_json = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
    if not is_json or (values := parse_json_values(data)) is None:
        return None
    issues: list[JsonObject] = []
    comments: dict[str, list[JsonObject]] = {}
    for item in _find_objects(values):
        if (number := _commented_issue(item)) is not None:
            comments.setdefault(number, []).append(item)
        elif _is_issue(item):
            issues.append(item)
    drafts = [_issue_draft(issue, comments.pop(_issue_number(issue), [])) for issue in issues]
    drafts += [_issue_draft({}, issue_comments, number) for number, issue_comments in comments.items()]
    return drafts or None


def _find_objects(values: list[Any]) -> Iterator[JsonObject]:
    """Yields every object that can be an issue or a comment, in file order."""
    pending = list(reversed(values))
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if _is_issue(value) or _commented_issue(value) is not None:
                yield value
            else:
                pending += reversed(value.values())
        elif isinstance(value, list):
            pending += reversed(value)


def _is_issue(item: JsonObject) -> bool:
    """Whether this is an issue: it has a title, a number and a body, which may be null."""
    return (
        isinstance(item.get("title"), JsonText)
        and any(key in item for key in _BODY_KEYS)
        and any(key in item for key in (*_NUMBER_KEYS, "html_url", "web_url", "id"))
    )


def _commented_issue(item: JsonObject) -> str | None:
    """The number of the issue that a comment belongs to; None if this is not a comment."""
    if not isinstance(item.get("body"), JsonText) or "title" in item:
        return None
    for key in _ISSUE_URL_KEYS:
        if isinstance(url := item.get(key), JsonText) and (match := _ISSUE_NUMBER.search(str(url))):
            return match[1]
    return None


def _issue_number(issue: JsonObject) -> str:
    value = next((issue[key] for key in (*_NUMBER_KEYS, "id") if key in issue), b"")
    return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)


def _first_text(item: JsonObject, keys: tuple[str, ...]) -> JsonText | None:
    return next((item[key] for key in keys if isinstance(item.get(key), JsonText)), None)


def _issue_draft(issue: JsonObject, comments: list[JsonObject], number: str = "") -> BugReportDraft:
    number = number or _issue_number(issue)
    title = _first_text(issue, ("title",))
    page = _first_text(issue or comments[0], _PAGE_KEYS)
    written = _first_text(issue or comments[0], _TIME_KEYS)
    passages = [DraftPassage(title.to_offset_text(), "title")] if title else []
    passages += [DraftPassage(label.to_offset_text(), "label") for label in _label_texts(issue.get("labels"))]
    passages += [DraftPassage(text.to_offset_text()) for text in _body_texts(issue)]
    passages += [DraftPassage(text.to_offset_text()) for comment in comments for text in _body_texts(comment)]
    return BugReportDraft(
        number, tuple(passages), title=str(title or ""), id=str(page or number), written=str(written or "")
    )


def _label_texts(labels: Any) -> list[JsonText]:
    """`[{"name": "affects-5.2"}]`, `["affects-5.2"]`."""
    items = labels if isinstance(labels, list) else []
    names = [item.get("name") if isinstance(item, dict) else item for item in items]
    return [name for name in names if isinstance(name, JsonText)]


def _body_texts(item: JsonObject) -> Iterator[JsonText]:
    """Yields the body, then other multi-line strings: embedded comments, reviews, diffs."""
    body = _first_text(item, _BODY_KEYS)
    if body is not None:
        yield body
    # with the enclosing key, so that one-line comments count too
    pending: list[tuple[str, Any]] = [*reversed(item.items())]
    while pending:
        key, value = pending.pop()
        if isinstance(value, dict):
            pending += reversed(value.items())
        elif isinstance(value, list):
            pending += [(key, inner_value) for inner_value in reversed(value)]
        elif not isinstance(value, JsonText) or value is body or key in _DUPLICATE_BODY_KEYS:
            continue
        elif key in _BODY_KEYS or str(value).count("\n") > 2:
            yield value


FORMAT = BugReportFormat("issues", 2, _split_issues)
