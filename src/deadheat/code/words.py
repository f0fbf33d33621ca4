"""Parses commit messages: subject, text, author."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

RACE = re.compile(r"\bdata[ -]?rac(?:e|es|ing)\b|\brac(?:e|es|y) condition", re.IGNORECASE)
RACY = re.compile(
    r"\b(?:data.?)?rac(?:e|es|y|ing)\b|\bthread.?safe\w*|synchroni[sz]\w*|\bmutex\b|\batomic\w*"
    r"|\block(?:ing|s|ed)?\b|\bconcurrent (?:access|map|read|write|use|modif)\w*",
    re.IGNORECASE,
)
# "close #31965", "fixes pingcap/tidb#31965", "Closes https://github.com/…/issues/31965"
_CLOSES = re.compile(
    r"\b(?:close|fix|resolve)[sd]?:? +\S{0,80}?(?:#|issues/)(\d{1,9})\b", re.IGNORECASE
)
# "fix it (#30487)", "Merge pull request #30487 from …": the number of the pull request
_CHANGE = re.compile(r"\(#(\d{1,9})\)|^Merge pull request #(\d{1,9})\b")


class Message(NamedTuple):
    """The message and metadata of a commit."""

    subject: str
    text: str
    author: str
    time: int
    parents: int

    @property
    def is_racy(self) -> bool:
        return self.names_race or RACY.search(self.subject) is not None

    @property
    def names_race(self) -> bool:
        """Whether the message mentions a data race or race condition."""
        return _names_race(self.text)

    @property
    def closed(self) -> tuple[str, ...]:
        """The issues that the message closes."""
        return _closed(self.text)


@lru_cache(maxsize=1 << 14)
def _names_race(text: str) -> bool:
    # fast check: most messages do not contain these letters
    return "rac" in text.lower() and RACE.search(text) is not None


@lru_cache(maxsize=1 << 14)
def _closed(text: str) -> tuple[str, ...]:
    return tuple(_CLOSES.findall(text))


def message(content: bytes) -> Message:
    """Parses a commit object."""
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
        # the subject of a merge only names the branch
        subject += f": {rest.partition(chr(10))[0]}"
    return Message(subject, text, author, time, parents)


def change(subject: str) -> str | None:
    """The pull request number in a subject; of several, the last, which GitHub adds."""
    found = _CHANGE.findall(subject)
    return next((number for pair in reversed(found) for number in pair if number), None)
