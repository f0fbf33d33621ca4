"""One file per shape of bug report: how to tell it and how to split it; knows no file and no claim.

A module in this folder that has a `SHAPE` is found by the registry. This module is all that most logs
ever meet of the room, so it must stay cheap to import and to ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from deadheat.documents.placed import Placed

# a larger file holds many bug reports, or is a log: nobody writes so much about one defect
LIMIT = 1 << 23
_FIRST = (b"{", b"[", b"<", b"#", b"ID:", b"Title:", b"From", b"Return-Path:", b"Delivered-To:",
          b"Received:", b"Message-I", b"MIME-Version:", b"Subject:", b"Date:", b"---\n")  # fmt: skip


def may_be(head: bytes, uri: str) -> bool:
    """Could a file that begins like this be a bug report? Cheap, and generous."""
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_FIRST)
    if not (begins or b"\n```" in head or uri.lower().endswith((".md", ".markdown"))):
        return False
    from deadheat.documents import sniff  # expressions that a log does not need

    return sniff.looks_written(head, uri)


def may_be_many(head: bytes) -> bool:
    """Could a file that begins like a bug report hold any number of them?"""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[", b"From "))


class Passage(NamedTuple):
    """A piece of a bug report, decoded, that knows where in the raw file it stands."""

    text: Placed
    # "title" and "label" are too short to hold a report; "output" is a program's, not the author's
    kind: str = "text"


class Draft(NamedTuple):
    """A bug report as a shape splits it off, before anybody reads it."""

    fragment: str
    passages: tuple[Passage, ...]
    title: str = ""
    id: str = ""
    written: str = ""
    thread: str = ""
    test: str = ""  # the test whose output it is


class Shape(Protocol):
    """One way to write a bug report down."""

    name: str
    # of several shapes that fit, the one with the lowest rank is right
    rank: int

    def split(self, data: bytes, uri: str) -> list[Draft] | None:
        """The bug reports in a file, or None if it is not of this shape."""
