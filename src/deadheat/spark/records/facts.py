"""Adds the reports in log records to a lake.

A stream of records is a document with the address `records:STREAM`. A sighting in it is located by its event time, so
that a report that is exported, or delivered, more than once counts once."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.lake import documents, transactions
from deadheat.lake.data_files import is_in
from deadheat.lake.schema import FILES, INGESTS
from deadheat.spark.fact_changes import FactChanges, FactCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import SparkSession

    from deadheat.lake.tables import Lake
    from deadheat.lake.transactions import Intent
    from deadheat.spark.input_files import IngestPlan
    from deadheat.spark.task_output import TaskOutput

    JsonDict = dict[str, Any]

_LOCATION_COLUMNS = ("uri", "offset", "length", "lane", "report", "names")


class RecordChanges(FactChanges):
    """The change of the facts for reports in log records. Sightings that the lake has are not added again."""

    def __init__(
        self,
        session: Callable[[], SparkSession],
        lake: Lake,
        plan: IngestPlan,
        output: TaskOutput,
        batch: str,
        file_rows: Iterable[JsonDict] = (),
        query: tuple[str, int] | None = None,
    ) -> None:
        super().__init__(session, lake, plan, output, batch)
        self._source_rows, self._query = [*file_rows], query

    def build(self, state: int) -> Intent | None:
        if self._query and is_committed(self._lake, *self._query):
            return None
        self._attempt += 1
        self._name = f"{self._batch}-{self._attempt}" if self._attempt > 1 else self._batch
        self._changes, self.counts = {}, FactCounts(files=len(self._source_rows))
        rows = self._new_sightings()
        self._write("sightings", rows)
        self._add_reports()
        self._add_rejects()
        if not rows.num_rows and not self._source_rows and not self._changes["rejects"].add:
            return None
        file_rows = [*({**row, "state": state} for row in self._source_rows), *self._stream_rows(rows, state)]
        self._write("files", pa.Table.from_pylist(file_rows, FILES))
        self.counts.sightings = rows.num_rows
        row = {
            "state": state, "ingest": self._batch, "what": "ingest", "committed_at": datetime.now(UTC),
            "files": self.counts.files, "sightings": self.counts.sightings, "reports": self.counts.reports,
            "recount": [],
        }  # fmt: skip
        self._write("ingests", pa.Table.from_pylist([row], INGESTS))
        intent = transactions.facts_intent(self._name, state, self._changes)
        query = (self._query[0], self._query[1] + 1) if self._query else None
        return transactions.Intent(intent.batch, state, intent.changes, query=query)

    def _new_sightings(self) -> pa.Table:
        """The sightings that the lake does not have yet."""
        rows = self._output.rows_of({content.document for content in self._output.contents.values()})
        uris = {*rows["uri"].to_pylist()}
        if not uris:
            return rows
        low, high = min(uris), max(uris)
        files = [file for file in self._lake.data_files("sightings") if file.may_contain("uri", low, high)]
        stored = self._lake.read_rows("sightings", _LOCATION_COLUMNS, is_in("uri", uris), files).to_pylist()
        known = {_location(row) for row in stored}
        wanted = []
        for row in rows.select(_LOCATION_COLUMNS).to_pylist():
            wanted.append(_location(row) not in known)
            known.add(_location(row))
        return rows.filter(pa.array(wanted, pa.bool_()))

    def _stream_rows(self, rows: pa.Table, state: int) -> Iterator[JsonDict]:
        """The rows of `files` of the streams with new sightings."""
        names = {*rows["document"].to_pylist()}
        columns = ("document", "state", "sightings", "checksum")
        stored = self._lake.read_rows("files", columns, is_in("document", names)).to_pylist() if names else []
        newest = {row["document"]: row for row in sorted(stored, key=itemgetter("state"))}
        ordered = sorted(rows.to_pylist(), key=itemgetter("uri"))
        for uri, group in groupby(ordered, itemgetter("uri")):
            content = list(group)
            known = newest.get(content[0]["document"], {"sightings": 0, "checksum": 0})
            sums = (documents.sighting_checksum(uri, row) for row in content)
            yield {
                "uri": uri, "document": content[0]["document"],
                **{name: content[0][name] for name in ("repo", "run", "job")},
                "length": 0, "modified_at": max(row["observed_at"] for row in content), "head": "", "tail": "",
                "sightings": known["sightings"] + len(content),
                "checksum": documents.add_checksums(known["checksum"], *sums), "state": state, "ingest": self._batch,
            }  # fmt: skip


def _location(row: JsonDict) -> tuple[Any, ...]:
    return (*(row[name] for name in _LOCATION_COLUMNS[:-1]), *row["names"])


def is_committed(lake: Lake, query: str, batch: int) -> bool:
    """Whether a batch of a streaming query is in the lake."""
    return lake.transaction_number("ingests", transactions.query_application(query)) > batch
