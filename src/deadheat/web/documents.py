"""The text of a document around a sighting: from the document if the server may read it, else as the lake keeps it."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.sources.file_listing import is_packed_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    JsonDict = dict[str, Any]

# bytes shown before and after a report, and of the report at most
AROUND_BYTES, MAX_REPORT_BYTES = 8 << 10, 256 << 10
_HEAD_SIZE = 1 << 10
_MAX_LINE = 2000


class DocumentText(NamedTuple):
    """Text of a document in three parts. `source` is `document` or `lake`."""

    source: str
    before: str
    report: str
    after: str
    is_cut: bool  # whether a line or the report was too long


def read_around(uri: str, offset: int, length: int, folders: Sequence[Path]) -> DocumentText | None:
    """The text around a place of a plain file; None if it is in none of these folders, or cannot be read."""
    path = allowed_path(uri, folders)
    if path is None:
        return None
    start = max(0, offset - AROUND_BYTES)
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or offset + length > status.st_size:
                return None  # it was replaced or cut since it was read
            if is_packed_file(file.read(_HEAD_SIZE)):
                return None
            file.seek(start)
            before = file.read(offset - start)
            report = file.read(min(length, MAX_REPORT_BYTES))
            file.seek(offset + length)
            after = file.read(AROUND_BYTES)
        if start:
            before = before[before.find(b"\n") + 1 :]
        after = after[: after.rfind(b"\n") + 1] or after
        (shown_before, _), (shown, is_cut), (shown_after, _) = map(_shown, (before, report, after))
        return DocumentText("document", shown_before, shown, shown_after, is_cut or length > MAX_REPORT_BYTES)
    return None


def allowed_path(uri: str, folders: Sequence[Path]) -> Path | None:
    """The path of a document below one of these folders, links resolved."""
    if "://" in uri or "\0" in uri:
        return None
    for folder in folders:
        with suppress(OSError, ValueError):
            path = Path(os.path.realpath(folder / uri))
            if path.is_relative_to(folder):
                return path
    return None


def kept_text(report: JsonDict | None, names: Sequence[str]) -> DocumentText | None:
    """The text that the lake keeps of a report, with the names of another sighting."""
    if report is None or report["text"] is None:
        return None
    text: bytes = report["text"]
    data = _renamed(text, report["text_names"] or (), names)
    shown, is_cut = _shown(data[:MAX_REPORT_BYTES])
    return DocumentText("lake", "", shown, "", is_cut or len(data) > MAX_REPORT_BYTES)


def _renamed(text: bytes, old: Sequence[str], new: Sequence[str]) -> bytes:
    """A text in which the addresses and actors of one sighting are those of another."""
    pairs = zip(old, new, strict=False)
    names = {a.encode("utf-8", "replace"): b.encode("utf-8", "replace") for a, b in pairs if a and a != b}
    if not names:
        return text
    # "goroutine 3" is not in "goroutine 304"
    pattern = b"|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rb"(?<![0-9A-Za-z])(?:%s)(?![0-9A-Za-z])" % pattern, lambda match: names[match[0]], text)


def _shown(data: bytes) -> tuple[str, bool]:
    """Text for a page, and whether a line was cut."""
    lines = data.decode("utf-8", "replace").split("\n")
    cut = [line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]}…" for line in lines]
    return "\n".join(cut), cut != lines
