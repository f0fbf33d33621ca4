"""Bug reports as a form: `ID:` and `Title:` lines, then `Description:` and the text."""

from __future__ import annotations

import re

from deadheat.documents import Draft, Passage
from deadheat.documents.placed import Placed

# "ID: 30468\nTitle: Data race when ...\nDescription:\n"; the ID may be missing
_RECORD = re.compile(
    rb"^(?:ID:[ \t]*(?P<id>[^\r\n]{0,200})\r?\n)?"
    rb"Title:[ \t]*(?P<title>[^\r\n]{0,2000})\r?\n"
    rb"(?:[A-Z][\w -]{0,40}:[^\r\n]{0,500}\r?\n){0,12}?"
    rb"(?:Description|Body|Text):[ \t]*\r?\n?",
    re.MULTILINE,
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Form:
    name = "form"
    rank = 1

    def split(self, data: bytes, uri: str) -> list[Draft] | None:
        records = list(_RECORD.finditer(data))
        if not records or data[: records[0].start()].strip(_BYTE_ORDER_MARK + b" \t\r\n"):
            return None
        # later records need an id, because the text may quote a form
        records = records[:1] + [r for r in records[1:] if r["id"]]
        ends = [r.start() for r in records[1:]] + [len(data)]
        return [
            _draft(data, record, end, alone=len(records) == 1)
            for record, end in zip(records, ends, strict=True)
        ]


def _draft(data: bytes, record: re.Match[bytes], end: int, alone: bool) -> Draft:
    id_ = _plain(record["id"] or b"")
    return Draft(
        "" if alone else id_,
        (
            Passage(Placed.verbatim(data, *record.span("title")), "title"),
            Passage(Placed.verbatim(data, record.end(), end)),
        ),
        title=_plain(record["title"]),
        id=id_,
    )


def _plain(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").strip()


SHAPE = Form()
