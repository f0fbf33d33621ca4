"""What commits say of themselves: subject, message, author."""

from __future__ import annotations

import re
from typing import NamedTuple

RACE = re.compile(r"\bdata[ -]?rac(?:e|es|ing)\b|\brac(?:e|es|y) condition", re.IGNORECASE)
RACY = re.compile(
    r"\b(?:data.?)?rac(?:e|es|y|ing)\b|\bthread.?safe\w*|synchroni[sz]\w*|\bmutex\b|\batomic\w*"
    r"|\block(?:ing|s|ed)?\b|\bconcurrent (?:access|map|read|write|use|modif)\w*",
    re.IGNORECASE,
)


class Message(NamedTuple):
    """A commit's words."""

    subject: str
    text: str
    author: str
    time: int
    parents: int

    @property
    def is_racy(self) -> bool:
        return bool(RACE.search(self.text) or RACY.search(self.subject))


def message(content: bytes) -> Message:
    """The words of a commit, from the object itself."""
    head, _, text = content.decode("utf-8", "replace").partition("\n\n")
    author, time, parents = "", 0, 0
    for line in head.split("\n"):
        if line.startswith("author "):
            author, _, stamp = line[7:].rpartition("> ")
            author += ">"
            first = stamp.split(" ")[0]
            time = int(first) if first.isdigit() else 0
        parents += line.startswith("parent ")
    subject = text.partition("\n")[0].strip()
    if parents > 1 and (rest := text.partition("\n")[2].strip()):
        # a merge's own subject says only what was merged
        subject += f": {rest.partition(chr(10))[0]}"
    return Message(subject, text, author, time, parents)
