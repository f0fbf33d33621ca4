"""Lakes made without Spark: documents are read in this process, and committed as an ingest commits them."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from deadheat._version import PARSER_VERSION
from deadheat.api import scan_text
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake import derivation, documents, kept_text, report_row, sighting_rows, transactions
from deadheat.lake.data_files import TableChange, write_rows
from deadheat.lake.schema import FILES, INGESTS, REJECTS, SIGHTINGS
from deadheat.lake.tables import Lake
from deadheat.model import CiRun

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from deadheat.lake.derivation import SumSightings

    JsonDict = dict[str, Any]


class LogEntry(NamedTuple):
    """A document with the run that wrote it."""

    uri: str
    text: bytes
    run: CiRun = CiRun()

    @property
    def time(self) -> datetime:
        return self.run.time or datetime(2026, 5, 1, tzinfo=UTC)


class LakeRows:
    """The rows that an ingest of some documents adds."""

    def __init__(self, ingest: str) -> None:
        self.ingest = ingest
        self.sightings: list[JsonDict] = []
        self.reports: dict[str, Any] = {}
        self.files: list[JsonDict] = []

    def add(self, entry: LogEntry) -> None:
        found = scan_text(entry.text, entry.uri, diagnose=False)
        run = entry.run
        document = documents.document_id(entry.uri, run, len(entry.text), entry.time.timestamp(), "")
        columns = {
            "file": entry.uri, "document": document, "observed_at": entry.time, "ingest": self.ingest,
            "repo": run.repo, "commit": run.commit, "branch": run.branch, "job": run.job, "run": run.run,
            "parser_version": PARSER_VERSION, "fingerprint_version": FINGERPRINT_VERSION,
        }  # fmt: skip
        checksum = 0
        for sighting, prepared in zip(
            found, sighting_rows.add_variants(map(sighting_rows.sighting_row, found)), strict=True
        ):
            row = prepared.row | columns
            row.setdefault("bug_report", None)
            checksum = documents.add_checksums(checksum, documents.sighting_checksum(entry.uri, row))
            self.sightings.append(row)
            if prepared.report.digest not in self.reports:
                span = sighting.span
                text = kept_text.kept_text(lambda a, b: entry.text[a:b], span.offset, span.length, sighting.source)
                names = row["names"]
                self.reports[prepared.report.digest] = (*prepared.report.row, text, names, *versions())
        ends = (documents.bytes_digest(part) for part in (entry.text[:4096], entry.text[-4096:]))
        head, tail = ends
        self.files.append(
            {
                "uri": entry.uri, "document": document, "repo": run.repo, "run": run.run, "job": run.job,
                "length": len(entry.text), "modified_at": entry.time, "etag": None, "head": head, "tail": tail,
                "content": documents.ends_digest(len(entry.text), head, tail), "duplicate_of": None,
                "sightings": len(found), "checksum": checksum, "ingest": self.ingest,
            }
        )  # fmt: skip


def versions() -> tuple[int, int]:
    return PARSER_VERSION, FINGERPRINT_VERSION


def add_documents(root: Path | str, entries: Iterable[LogEntry], rejects: Iterable[str] = ()) -> Lake:
    """Take documents into the lake at a path, which is created if it is not there."""
    lake = Lake(str(root))
    lake.create_tables()
    rows = LakeRows(f"local-{uuid.uuid4().hex[:12]}")
    for entry in entries:
        rows.add(entry)
    known = {*lake.read_rows("reports", ["digest"])["digest"].to_pylist()}
    reports = report_row.reports_table([row for digest, row in rows.reports.items() if digest not in known])
    faults = [
        {"uri": uri, "what": "cannot be read", "observed_at": datetime(2026, 5, 1, tzinfo=UTC), "ingest": rows.ingest}
        for uri in rejects
    ]
    commit_facts(lake, rows, reports, pa.Table.from_pylist(rows.sightings, SIGHTINGS), faults)
    return lake


def commit_facts(
    lake: Lake,
    rows: LakeRows,
    reports: pa.Table,
    sightings: pa.Table,
    faults: list[JsonDict],
    sum_many: SumSightings | None = None,
) -> None:
    """Commit rows of facts, and derive the races."""

    def build(state: int) -> transactions.Intent:
        batch = f"{rows.ingest}-{state}"
        ingest = {
            "state": state, "ingest": rows.ingest, "what": "ingest", "committed_at": datetime.now(UTC),
            "files": len(rows.files), "sightings": sightings.num_rows, "reports": reports.num_rows, "recount": [],
        }  # fmt: skip
        tables = {
            "ingests": pa.Table.from_pylist([ingest], INGESTS),
            "reports": reports,
            "sightings": sightings,
            "files": pa.Table.from_pylist([{**file, "state": state} for file in rows.files], FILES),
            "rejects": pa.Table.from_pylist(faults, REJECTS),
        }
        changes = {name: TableChange(write_rows(lake.storage, name, batch, table)) for name, table in tables.items()}
        return transactions.facts_intent(batch, state, changes)

    transactions.commit(lake, build)
    derivation.derive_races(lake, f"{rows.ingest}-derived", None, sum_many)
