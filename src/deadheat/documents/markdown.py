"""Bug reports in Markdown; the title is the first heading, if the text begins with one."""

from __future__ import annotations

import re

from deadheat.documents import Draft, Passage, sniff
from deadheat.documents.placed import Placed
from deadheat.text.encoding import HEAD

# "# Race in the outbox" as the first non-blank line, possibly after front matter
_TITLE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:---\r?\n(?:[^\r\n]{0,500}\r?\n){0,60}?---\r?\n)?\s{0,200}"
    rb"#{1,2}[ \t]+([^\r\n]{1,500}?)[ \t#]*\r?(?:\n|$)"
)
# 'title: "Race in the outbox"' in front matter
_FRONT = re.compile(
    rb"(?:\xef\xbb\xbf)?---\r?\n(?:[^\r\n]{0,500}\r?\n){0,60}?"
    rb"title:[ \t]*[\"']?([^\r\n]{1,500}?)[\"']?\r?\n"
)


class Markdown:
    name = "markdown"
    rank = 9  # the fallback

    def split(self, data: bytes, uri: str) -> list[Draft] | None:
        if not sniff.is_markdown(data[:HEAD], uri):
            return None
        match = _FRONT.match(data) or _TITLE.match(data)
        title = match[1].decode("utf-8", "replace").strip() if match else ""
        return [Draft("", (Passage(Placed.verbatim(data, 0, len(data))),), title=title)]


SHAPE = Markdown()
