"""Files of many bug reports are read in pieces: the result does not depend on where these end."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest

from deadheat import bug_reports
from deadheat.api import read_opened_documents
from deadheat.bug_reports import reader
from deadheat.model import Document, Sighting
from deadheat.sources import files
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

REPORTS = [(ROOT / "go" / f"{name}.txt").read_text() for name in ("two-goroutines", "by-main-goroutine")]
COUNT = 9


def make_issue(number: int) -> dict[str, object]:
    body = f'Found in v1.{number}.0, {{"braces": "}}]"}} and \\ all:\n\n```\n{REPORTS[number % 2]}```\n'
    return {
        "html_url": f"https://github.com/acme/outbox/issues/{number}",
        "number": number,
        "title": f"a data race, number {number}",
        "body": body,
        "labels": [{"name": "bug"}],
    }


def make_message(number: int) -> str:
    return (
        "From dev@example.com Thu May  2 12:00:00 2024\nFrom: dev@example.com\n"
        f"Subject: a data race, number {number}\nMessage-ID: <{number}@example.com>\n\n"
        f"It is in v1.{number}.0:\n\n{REPORTS[number % 2]}\n"
    )


ISSUES = [make_issue(number) for number in range(COUNT)]
FILES: dict[str, Callable[[], str]] = {
    "lines": lambda: "".join(json.dumps(one) + "\n" for one in ISSUES),
    "array": lambda: json.dumps(ISSUES),
    "indented": lambda: "\ufeff" + json.dumps(ISSUES, indent=2) + "\n",
    "mbox": lambda: "".join(make_message(number) for number in range(COUNT)),
}


def read_text(text: str) -> list[tuple[object, ...]]:
    """Documents and sightings that a scan of a file yields."""
    rows: list[tuple[object, ...]] = []
    for one in read_opened_documents(files.documents_in_file(io.BytesIO(text.encode()), "file", False)):
        if isinstance(one, Document):
            rows.append((one.uri, one.title, one.id, one.claims))
        else:
            assert isinstance(one, Sighting)
            uri = one.document.uri if one.document else None
            rows.append((uri, one.span, one.verdict, one.report))
    return rows


def set_limits(monkeypatch: pytest.MonkeyPatch, limit: int, piece: int, block: int) -> None:
    for module in (bug_reports, reader):
        monkeypatch.setattr(module, "MAX_BUG_REPORT_SIZE", limit)
    monkeypatch.setattr(reader, "_MIN_PIECE_SIZE", piece)
    monkeypatch.setattr(reader, "_BLOCK_SIZE", block)


@pytest.mark.parametrize("block", [97, 1024, 5000])
@pytest.mark.parametrize("kind", FILES)
def test_pieces_give_the_same_as_the_whole_file(kind: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = FILES[kind]()
    expected = read_text(text)
    assert sum(isinstance(one[1], str) for one in expected) == COUNT
    set_limits(monkeypatch, limit=8000, piece=2500, block=block)
    assert read_text(text) == expected


@pytest.mark.parametrize("kind", FILES)
def test_oversized_or_broken_piece_is_still_scanned(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = FILES[kind]()
    middle = len(text) // 2
    broken = text[:middle] + "\n" + "x" * 9000 + "\n" + text[middle:]
    set_limits(monkeypatch, limit=8000, piece=2500, block=1000)
    sightings = [one for one in read_text(broken) if not isinstance(one[1], str)]
    # the issue in the middle may be cut in two
    assert len(sightings) >= COUNT - 1


def test_issue_file_is_not_split_into_ranges_and_a_json_log_is() -> None:
    assert not files.can_be_split(FILES["array"]().encode()[:4096], "")
    assert not files.can_be_split(FILES["mbox"]().encode()[:4096], "")
    assert files.can_be_split(b'{"log":"WARNING: DATA RACE\\n","stream":"stderr"}\n' * 80, "")
