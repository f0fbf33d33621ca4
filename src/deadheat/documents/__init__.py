"""Bug reports: cheap detection, the draft that a format produces, and decoded text with raw offsets.

This module is imported for every log, so it must stay cheap. Formats are in `formats/`, each with a
`FORMAT` that the plugin registry finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from deadheat.documents.placed import Placed

# a larger file contains many bug reports, or is a log
LIMIT = 1 << 23
_FIRST = (b"{", b"[", b"<", b"#", b"ID:", b"Title:", b"From", b"Return-Path:", b"Delivered-To:",
          b"Received:", b"Message-I", b"MIME-Version:", b"Subject:", b"Date:", b"---\n")  # fmt: skip


def may_be(head: bytes, uri: str) -> bool:
    """Whether a file with this head could be a bug report. Cheap, with false positives."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_FIRST)
    if not (begins or b"\n```" in head or uri.lower().endswith((".md", ".markdown"))):
        return False
    from deadheat.documents import sniff  # regular expressions that a log does not need

    return sniff.looks_written(head, uri)


def may_be_many(head: bytes) -> bool:
    """Whether a file that begins like a bug report could contain any number of them."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[", b"From "))


class Passage(NamedTuple):
    """A decoded part of a bug report with its raw offsets."""

    text: Placed
    # "title" and "label" are too short for a report; "output" is a program's, not the author's
    kind: str = "text"


class Draft(NamedTuple):
    """A bug report as a format splits it off, before reports and claims are extracted."""

    fragment: str
    passages: tuple[Passage, ...]
    title: str = ""
    id: str = ""
    written: str = ""
    thread: str = ""
    test: str = ""  # the test whose output it is


class Shape(Protocol):
    """A file format of bug reports."""

    name: str
    # if several formats match, the one with the lowest rank is used
    rank: int

    def split(self, data: bytes, uri: str) -> list[Draft] | None:
        """Returns the bug reports in a file, or None if it does not have this format."""
