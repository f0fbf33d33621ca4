"""Issues in JSON exports of trackers: arrays, single objects or lines, with comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deadheat.documents import Draft, Passage, json_tree
from deadheat.documents.json_tree import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    Object = dict[str, Any]

# keys of GitHub's REST API, `gh --json` and GitLab
_BODIES = ("body", "description")
_NUMBERS = ("number", "iid")
_PAGES = ("html_url", "web_url", "url")
_TIMES = ("created_at", "createdAt")
_COMMENTS = ("comments", "comments_data", "notes", "timeline", "reviews")
_COMMENT_OF = ("issue_url", "pull_request_url")
# other renderings of the same text
_TWICE = ("body_html", "body_text", "bodyHTML", "bodyText", "description_html")
# "https://api.github.com/repos/acme/outbox/issues/123"
_NUMBER = re.compile(r"/(\d{1,12})$")


class Issues:
    name = "issues"
    rank = 2

    def split(self, data: bytes, uri: str) -> list[Draft] | None:
        if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            return None
        values = json_tree.values(data)
        if values is None:
            return None
        issues: list[Object] = []
        comments: dict[str, list[Object]] = {}
        for item in _objects(values):
            if (number := _commented(item)) is not None:
                comments.setdefault(number, []).append(item)
            elif _is_issue(item):
                issues.append(item)
        drafts = [_draft(issue, comments.pop(_number(issue), [])) for issue in issues]
        drafts += [_draft({}, said, number) for number, said in comments.items()]
        return drafts or None


def _objects(values: list[Any]) -> Iterator[Object]:
    """Yields every object that can be an issue or a comment, in file order."""
    pending = list(reversed(values))
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if _is_issue(value) or _commented(value) is not None:
                yield value
            else:
                pending += reversed(value.values())
        elif isinstance(value, list):
            pending += reversed(value)


def _is_issue(item: Object) -> bool:
    """Whether this is an issue: it has a title, a number and a body, which may be null."""
    return (
        isinstance(item.get("title"), Text)
        and any(key in item for key in _BODIES)
        and any(key in item for key in (*_NUMBERS, "html_url", "web_url", "id"))
    )


def _commented(item: Object) -> str | None:
    """The number of the issue that a comment belongs to; None if this is not a comment."""
    if not isinstance(item.get("body"), Text) or "title" in item:
        return None
    for key in _COMMENT_OF:
        if isinstance(url := item.get(key), Text) and (match := _NUMBER.search(str(url))):
            return match[1]
    return None


def _number(issue: Object) -> str:
    value = next((issue[key] for key in (*_NUMBERS, "id") if key in issue), b"")
    return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)


def _text(item: Object, keys: tuple[str, ...]) -> Text | None:
    return next((item[key] for key in keys if isinstance(item.get(key), Text)), None)


def _draft(issue: Object, comments: list[Object], number: str = "") -> Draft:
    number = number or _number(issue)
    title = _text(issue, ("title",))
    page = _text(issue or comments[0], _PAGES)
    written = _text(issue or comments[0], _TIMES)
    passages = [Passage(title.placed(), "title")] if title else []
    passages += [Passage(label.placed(), "label") for label in _labels(issue.get("labels"))]
    passages += [Passage(text.placed()) for text in _texts(issue)]
    passages += [Passage(text.placed()) for said in comments for text in _texts(said)]
    return Draft(
        number,
        tuple(passages),
        title=str(title or ""),
        id=str(page or number),
        written=str(written or ""),
    )


def _labels(labels: Any) -> list[Text]:
    """`[{"name": "affects-5.2"}]`, `["affects-5.2"]`."""
    items = labels if isinstance(labels, list) else []
    names = [item.get("name") if isinstance(item, dict) else item for item in items]
    return [name for name in names if isinstance(name, Text)]


def _texts(item: Object) -> Iterator[Text]:
    """Yields the body, then other multi-line strings: embedded comments, reviews, diffs."""
    body = _text(item, _BODIES)
    if body is not None:
        yield body
    # with the enclosing key, so that one-line comments count too
    pending: list[tuple[str, Any]] = [(key, item[key]) for key in reversed(item)]
    while pending:
        key, value = pending.pop()
        if isinstance(value, dict):
            pending += [(inner, value[inner]) for inner in reversed(value)]
        elif isinstance(value, list):
            pending += [(key, inner) for inner in reversed(value)]
        elif isinstance(value, Text) and value is not body and key not in _TWICE:
            said = str(value)
            if key in _BODIES or said.count("\n") > 2:
                yield value


SHAPE = Issues()
