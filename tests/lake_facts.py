"""Writes sightings into a lake without Spark, as `ingest` does with what its tasks have read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat._version import PARSER_VERSION
from deadheat.api import scan_text, verdict_for
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake import documents, kept_text, report_row, sighting_rows, transactions
from deadheat.lake.data_files import TableChange, is_in, write_rows
from deadheat.lake.schema import DERIVED_TABLES, FILES, INGESTS, REJECTS, REPORTS, SIGHTINGS, TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from deadheat.lake.tables import Lake
    from deadheat.lake.transactions import Intent
    from deadheat.model import Report, Sighting

    JsonDict = dict[str, Any]

FIRST_DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)
VERSIONS = {"parser_version": PARSER_VERSION, "fingerprint_version": FINGERPRINT_VERSION}


def race_report(address: str = "0x00c00012e018", writer: int = 7, reader: int = 8, method: str = "Add") -> str:
    """A report of Go's race detector."""
    bar = "=" * 18
    return f"""{bar}
WARNING: DATA RACE
Write at {address} by goroutine {writer}:
  example.com/shop/cart.(*Cart).{method}()
      /src/shop/cart/cart.go:12 +0x45

Previous read at {address} by goroutine {reader}:
  example.com/shop/cart.(*Cart).Total()
      /src/shop/cart/cart.go:20 +0x38

Goroutine {writer} (running) created at:
  main.main()
      /src/shop/main.go:12 +0x9a
{bar}
"""


class DocumentFacts:
    """A document to add to a lake: a file with one text, read in one run."""

    def __init__(
        self,
        name: str,
        text: str | bytes = "",
        day: int = 0,
        run: str | None = None,
        repo: str | None = None,
        opt_in: bool = False,
        duplicate_of: DocumentFacts | None = None,
        degrade: Callable[[Report], Report] | None = None,
        job: str | None = None,
        commit: str | None = None,
    ) -> None:
        self.name, self.run, self.repo, self.job, self.commit = name, run, repo, job, commit
        self.duplicate_of = duplicate_of and duplicate_of.id
        self.observed_at = FIRST_DAY + timedelta(days=day)
        self.text = text.encode() if isinstance(text, str) else text
        found = [] if duplicate_of else scan_text(self.text, name, opt_in, diagnose=False)
        self.texts = [self._text_of(sighting) for sighting in found]
        self.versions = VERSIONS
        if degrade:
            # as an earlier parser has read it
            self.versions = {"parser_version": 0, "fingerprint_version": FINGERPRINT_VERSION}
            found = [self._degraded(sighting, degrade(sighting.report)) for sighting in found]
        self.rows = [*sighting_rows.add_variants(map(sighting_rows.sighting_row, found))]

    def _text_of(self, sighting: Sighting) -> bytes | None:
        span = sighting.span
        return kept_text.kept_text(lambda low, high: self.text[low:high], span.offset, span.length, sighting.source)

    @staticmethod
    def _degraded(sighting: Sighting, report: Report) -> Sighting:
        return sighting.with_report(report)._replace(verdict=verdict_for(report))

    @property
    def id(self) -> str:
        return documents.bytes_digest(f"{self.name} {self.run}".encode())

    def sighting_rows(self, batch: str) -> list[JsonDict]:
        columns = {
            "file": self.name, "document": self.id, "observed_at": self.observed_at, "ingest": batch,
            "repo": self.repo, "run": self.run, "job": self.job, "commit": self.commit, **self.versions,
        }  # fmt: skip
        return [{**one.row, **columns} for one in self.rows]

    def report_values(self) -> dict[str, tuple[Any, ...]]:
        """The rows of the distinct reports, each with the text of its first sighting."""
        values: dict[str, tuple[Any, ...]] = {}
        for one, text in zip(self.rows, self.texts, strict=True):
            row = (*one.report.row, text, one.row["names"], *self.versions.values())
            values.setdefault(one.report.digest, row)
        return values

    def file_row(self, batch: str, state: int) -> JsonDict:
        ends = documents.bytes_digest(self.text)
        checksum = documents.add_checksums(
            *(documents.sighting_checksum(self.name, row) for row in self.sighting_rows(batch))
        )
        return {
            "uri": self.name, "document": self.id, "repo": self.repo, "run": self.run, "job": self.job,
            "length": len(self.text), "modified_at": self.observed_at, "etag": None, "head": ends, "tail": ends,
            "content": ends, "duplicate_of": self.duplicate_of,
            "sightings": len(self.rows), "checksum": checksum, "state": state, "ingest": batch,
        }  # fmt: skip


def change_facts(
    lake: Lake,
    batch: str,
    added: Iterable[DocumentFacts] = (),
    removed: Iterable[DocumentFacts] = (),
    on_stage: Callable[[str], None] = lambda _: None,
) -> Intent | None:
    """Commit one change: documents that are added, and documents whose rows are removed."""
    new, old = list(added), {document.id for document in removed}

    def build(state: int) -> Intent:
        rows = [row for document in new for row in document.sighting_rows(batch)]
        changes: dict[str, TableChange] = {}
        recount: set[str] = set()
        if old:
            where = is_in("document", old)
            recount.update(lake.read_rows("sightings", ["node"], where)["node"].to_pylist())
            for table in ("sightings", "files"):
                changes[table] = transactions.rewrite_files(lake, table, f"{batch}-{state}-rest", where)
        values = {digest: row for document in new for digest, row in document.report_values().items()}
        known = {*lake.read_rows("reports", ["digest"])["digest"].to_pylist()}
        ingest = {
            "state": state, "ingest": batch, "what": "ingest", "committed_at": datetime.now(UTC), "files": len(new),
            "sightings": len(rows), "reports": len(values), "recount": sorted(recount),
        }  # fmt: skip
        reports = [values[digest] for digest in values.keys() - known]
        content = {
            "ingests": pa.Table.from_pylist([ingest], INGESTS),
            "sightings": pa.Table.from_pylist(rows, SIGHTINGS),
            "reports": report_row.reports_table(reports) if reports else REPORTS.empty_table(),
            "files": pa.Table.from_pylist([document.file_row(batch, state) for document in new], FILES),
            "rejects": REJECTS.empty_table(),
        }
        for table, rows_to_add in content.items():
            change = changes.setdefault(table, TableChange())
            change.add += write_rows(lake.storage, table, f"{batch}-{state}", rows_to_add)
        return transactions.facts_intent(f"{batch}-{state}", state, changes)

    return transactions.commit(lake, build, on_stage)


def table_rows(lake: Lake, table: str) -> list[JsonDict]:
    """The rows of a table in an order of their own."""
    return sorted(lake.read_rows(table).to_pylist(), key=str)


def derived_rows(lake: Lake) -> dict[str, list[JsonDict]]:
    return {table: table_rows(lake, table) for table in DERIVED_TABLES}


def all_rows(lake: Lake) -> dict[str, list[JsonDict]]:
    return {table: table_rows(lake, table) for table in TABLES if lake.has_table(table)}
