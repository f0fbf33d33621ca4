"""What a lake knows of the files that an ingest finds, also if they were renamed since."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from deadheat.lake.data_files import is_in
from deadheat.lake.documents import KnownDocument
from deadheat.sources.archive_limits import LIMITS_OPTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from deadheat.lake.tables import Lake
    from deadheat.model import CiRun
    from deadheat.sources.file_listing import ListedFile

    JsonDict = dict[str, Any]

_FILE_COLUMNS = (
    "uri", "document", "repo", "run", "job", "length", "modified_at", "etag", "head", "tail", "sightings",
    "checksum", "duplicate_of", "state", "ingest",
)  # fmt: skip
# documents that were at one address; a rotated log is one of the latest
_MAX_CANDIDATES = 8
# app.log.1, app.log-20261118, app.log.2026-11-18: logrotate; app-2026-11-18T10-00-00.000.log: lumberjack
_ROTATED = re.compile(
    r"(?P<base>.+?)(?:\.(?P<number>\d{1,4})|[.-]\d{4}-?\d\d-?\d\d[\dT.:_-]{0,40})(?P<extension>\.[a-z]+)?"
)
_NUMBERED = re.compile(r"(?P<base>.+)\.(?P<number>\d{1,4})(?P<extension>(?:\.[a-z]+)?)")
_HAS_NUMBER = re.compile(r"[.-]\d")
_PACKED_SUFFIX = re.compile(r"\.(?:gz|zst|bz2|xz)$")


class StoredDocuments:
    """The documents that were at some addresses, each as the lake has it now."""

    def __init__(self, rows: Iterable[JsonDict]) -> None:
        self._documents: dict[str, JsonDict] = {}  # the newest row of each
        self._addresses: dict[tuple[str, ...], list[JsonDict]] = {}  # newest rows first
        for row in sorted(rows, key=itemgetter("state"), reverse=True):
            if not row["duplicate_of"]:
                self._documents.setdefault(row["document"], row)
            self._addresses.setdefault((row["uri"], *_run_key(row["repo"], row["run"], row["job"])), []).append(row)

    def newest_row(self, uri: str, run: CiRun) -> JsonDict | None:
        """The newest row of `files` for an address."""
        rows = self._rows_at(uri, run)
        return rows[0] if rows else None

    def state_of(self, document: str) -> int | None:
        row = self._documents.get(document)
        return row["state"] if row else None

    def known_at(self, uri: str, run: CiRun) -> KnownDocument | None:
        """The document that was last at an address."""
        return next(map(_known_document, self._documents_at(uri, uri, run)), None)

    def known_before_rotation(self, uri: str, run: CiRun) -> tuple[KnownDocument, ...]:
        """The documents that a rotated log may be."""
        found: dict[str, JsonDict] = {}
        for name in names_before_rotation(uri):
            for row in islice(self._documents_at(name, uri, run), _MAX_CANDIDATES):
                found.setdefault(row["document"], row)
        return tuple(map(_known_document, found.values()))

    def _rows_at(self, uri: str, run: CiRun) -> list[JsonDict]:
        return self._addresses.get((uri, *_run_key(run.repo, run.run, run.job)), [])

    def _documents_at(self, uri: str, reader: str, run: CiRun) -> Iterator[JsonDict]:
        """The newest rows of the latest documents at an address, if they are of the log of the reader."""
        found: set[str] = set()
        for row in self._rows_at(uri, run):
            newest = self._documents.get(row["duplicate_of"] or row["document"])
            if newest is None or newest["document"] in found or log_name(newest["uri"]) != log_name(reader):
                continue
            found.add(newest["document"])
            yield newest


def _known_document(row: JsonDict) -> KnownDocument:
    return KnownDocument(*(row[name] for name in KnownDocument._fields))


def read_stored_documents(lake: Lake, uris: set[str]) -> StoredDocuments:
    """The documents that were at these addresses."""
    if not lake.is_there or lake.is_older or not uris:
        return StoredDocuments(())
    low, high = min(uris), max(uris)
    files = [file for file in lake.data_files("files") if file.may_contain("uri", low, high)]
    if not files:
        return StoredDocuments(())
    return StoredDocuments(lake.read_rows("files", _FILE_COLUMNS, is_in("uri", uris), files).to_pylist())


def read_limited_archives(lake: Lake) -> Set[tuple[str, str]]:
    """The archives that were not read completely because of a limit, each with the name of the ingest."""
    if not lake.is_there or lake.is_older:
        return frozenset()
    rows = lake.read_rows("rejects", ("uri", "what", "ingest")).to_pylist()
    return {(row["uri"].partition("!")[0], row["ingest"]) for row in rows if f" {LIMITS_OPTION} " in row["what"]}


def _run_key(repo: str | None, run: str | None, job: str | None) -> tuple[str, ...]:
    """What tells documents at one address apart."""
    return (repo or "", run, job or "") if run is not None else ()


def is_unmodified(file: ListedFile, row: JsonDict) -> bool:
    if row["length"] != file.size:
        return False
    if file.etag and row["etag"]:
        return bool(row["etag"] == file.etag)
    return bool(row["modified_at"] == modified_time(file))


def modified_time(file: ListedFile) -> datetime:
    return datetime.fromtimestamp(round(file.modified, 6), UTC)


def unpacked_name(uri: str) -> str:
    """The name of a file before it was compressed, or the same name."""
    return _PACKED_SUFFIX.sub("", uri)


def log_name(uri: str) -> str:
    """The name of the log that a rotated file is a part of."""
    unpacked = unpacked_name(uri)
    folder, slash, name = unpacked.rpartition("/")
    match = _ROTATED.fullmatch(name) if _HAS_NUMBER.search(name) else None
    return f"{folder}{slash}{match['base']}{match['extension'] or ''}" if match else unpacked


def names_before_rotation(uri: str) -> list[str]:
    """The names that a rotated log may have had before, by the rules of logrotate and of Go's lumberjack."""
    unpacked = unpacked_name(uri)
    names = [unpacked] if unpacked != uri else []
    if (log := log_name(uri)) == unpacked:
        return names
    names.append(log)
    if (match := _NUMBERED.fullmatch(unpacked)) and (number := int(match["number"])) > 1:
        names.append(f"{match['base']}.{number - 1}{match['extension']}")
    return names
