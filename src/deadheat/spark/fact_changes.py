"""Computes which facts a batch adds to a lake: files, reports, sightings and rejects.

It is computed on the tables as they are at that moment, and again if another writer was first."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.lake import documents, race_rows, sighting_rows, transactions
from deadheat.lake.data_files import TableChange, is_in, write_rows
from deadheat.lake.schema import FILES, INGESTS, REJECTS, REPORTS, SIGHTINGS
from deadheat.spark import dataframes, reduce_spark
from deadheat.spark.dataframes import MAX_LOCAL_ROWS
from deadheat.spark.stored_documents import is_unmodified, modified_time, names_before_rotation, read_stored_documents
from deadheat.spark.tasks import DEFERRED_SCHEMA, fault_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Set

    from pyspark.sql import SparkSession

    from deadheat.grouping.races import VariantAliases
    from deadheat.lake.data_files import AddedFile
    from deadheat.lake.documents import FileContent
    from deadheat.lake.tables import DataFile, Lake
    from deadheat.lake.transactions import Intent
    from deadheat.spark.input_files import FileWork, IngestPlan
    from deadheat.spark.task_output import TaskOutput

    JsonDict = dict[str, Any]

_DOCUMENT_ORDER = ("document", "uri", "offset", "length", "lane")
_VARIANT_COLUMNS = ("node", "base", "links", "aliases", "split")


@dataclass(slots=True)
class _DocumentChange:
    """A document that the batch has read."""

    work: FileWork
    content: FileContent
    id: str
    is_stored: bool  # the lake has an earlier state of it
    is_continued: bool  # and it begins with that state
    sightings: int = 0
    checksum: int = 0
    is_extended: bool = True  # its sightings are not those in the lake
    duplicate_of: str | None = None

    @property
    def replaces_from(self) -> int:
        return self.content.replaces_from

    @property
    def content_columns(self) -> JsonDict:
        """The columns that tell whether two documents have the same content."""
        return {
            "repo": self.work.run.repo, "run": self.work.run.run, "content": self.content.decoded_ends,
            "sightings": self.sightings, "checksum": self.checksum,
        }  # fmt: skip


@dataclass(slots=True)
class FactCounts:
    """What a committed batch has added."""

    files: int = 0
    sightings: int = 0
    reports: int = 0
    replaced: int = 0  # earlier sightings of documents that changed
    duplicates: list[tuple[str, str]] = field(default_factory=list)  # URI, and id of the equal document


class FactChanges:
    """The change of the facts for one batch. `session` starts Spark on demand."""

    def __init__(
        self,
        session: Callable[[], SparkSession],
        lake: Lake,
        plan: IngestPlan,
        output: TaskOutput,
        batch: str,
        max_local_rows: int = MAX_LOCAL_ROWS,
    ) -> None:
        self._session, self._lake, self._plan, self._output = session, lake, plan, output
        self._batch, self._max_local_rows = batch, max_local_rows
        self._attempt = 0
        self._name = batch
        self._changes: dict[str, TableChange] = {}
        self._recount: set[str] = set()
        self._successors: dict[str, list[JsonDict]] = {}
        self.counts = FactCounts()
        self.has_conflicts = False  # some files were changed by another writer, and must be planned again

    @property
    def faults(self) -> list[tuple[str, str]]:
        """Pairs of URI and message."""
        listing_faults = {(fault.where, fault_text(fault)) for fault in self._plan.faults}
        return sorted({*listing_faults, *((uri, what) for uri, what, _ in self._output.faults)})

    def build(self, state: int) -> Intent | None:
        self._attempt += 1
        self._name = f"{self._batch}-{self._attempt}" if self._attempt > 1 else self._batch
        self._changes, self._recount, self.counts = {}, set(), FactCounts()
        read = self._read_documents()
        stored = self._stored_sightings(read)
        self._add_totals(read, stored)
        self._find_duplicates(read)
        self._successors = self._find_successors(read)
        self._add_sightings(read, stored)
        self._add_reports()
        self._add_rejects()
        if not read and not self._changes["rejects"].add:
            return None
        self._add_files(read, state)
        self.counts.files = len(read)
        row = {
            "state": state, "ingest": self._batch, "what": "ingest", "committed_at": datetime.now(UTC),
            "files": len(read), "sightings": self.counts.sightings, "reports": self.counts.reports,
            "recount": sorted(self._recount),
        }  # fmt: skip
        self._write("ingests", pa.Table.from_pylist([row], INGESTS))
        return transactions.facts_intent(self._name, state, self._changes)

    def _read_documents(self) -> list[_DocumentChange]:
        """The documents that were read completely and that no other writer has changed since."""
        contents = self._output.contents
        damaged = {uri for uri, _, _ in self._output.faults}
        stored = read_stored_documents(self._lake, _addresses(self._plan.work_list))
        self.has_conflicts = False
        found: dict[str, _DocumentChange] = {}
        for work in self._plan.work_list:
            uri = work.file.uri
            content = contents.get(uri)
            if content is None:
                self.has_conflicts |= uri in self._output.other_files
                continue
            if uri in damaged and uri in self._plan.compressing:
                continue  # the next ingest reads it when it is complete
            row = stored.newest_row(uri, work.run)
            known = content.continues or next((k for k in work.documents if k.document == content.document), None)
            name = known.document if known else content.document
            is_current = (row["state"] if row else 0) == work.state
            if is_current and name not in found and (not known or stored.state_of(name) == known.state):
                found[name] = _DocumentChange(work, content, name, stored.state_of(name) is not None, content.has_grown)
            elif row is None or not is_unmodified(work.file, row):
                self.has_conflicts = True
        return [*found.values()]

    def _stored_sightings(self, read: list[_DocumentChange]) -> pa.Table:
        """The sightings in the lake of the documents that have grown or changed."""
        names = {document.id for document in read if document.is_stored}
        if not names:
            return SIGHTINGS.empty_table()
        files = self._files_of(read)
        return self._lake.read_rows("sightings", None, is_in("document", names), files)

    def _files_of(self, read: Iterable[_DocumentChange]) -> list[DataFile]:
        """The data files that may have sightings of these documents."""
        uris = _addresses(document.work for document in read if document.is_stored)
        low, high = min(uris, default=""), max(uris, default="")
        # members of an archive have longer addresses
        return [f for f in self._lake.data_files("sightings") if f.may_contain("uri", low, f"{high}\U0010ffff")]

    def _add_totals(self, read: list[_DocumentChange], stored: pa.Table) -> None:
        """The number and checksum of all sightings of each document, with those that were read before."""
        limits = {document.id: document.replaces_from for document in read if document.is_stored}
        kept: dict[str, tuple[int, int]] = {}
        replaced: dict[str, tuple[int, int]] = {}
        for row in stored.select(["document", "file", *_CHECKSUM_COLUMNS]).to_pylist() if limits else ():
            name = row["document"]
            sums = kept if row["offset"] < limits[name] else replaced
            count, checksum = sums.get(name, (0, 0))
            added = documents.sighting_checksum(row["file"], row)
            sums[name] = count + 1, documents.add_checksums(checksum, added)
        for document in read:
            count, checksum = kept.get(document.id, (0, 0))
            content = document.content
            if content.continues and document.replaces_from:
                # all of a compressed file was read: its sums are those of the document
                count, checksum = 0, 0
            document.sightings = count + content.sightings
            document.checksum = documents.add_checksums(checksum, content.checksum)
            sums_read = content.sightings, content.checksum
            document.is_extended = not document.is_stored or sums_read != replaced.get(document.id, (0, 0))

    def _find_duplicates(self, read: list[_DocumentChange]) -> None:
        """Documents whose content another one of the same run has, in the batch or in the lake."""
        found = {document.id: documents.content_id(document.content_columns) for document in read}
        wanted = {document.content.decoded_ends for document in read if found[document.id]}
        if not wanted:
            return
        columns = ("document", "repo", "run", "content", "sightings", "checksum", "duplicate_of")
        rows = self._lake.read_rows("files", columns, is_in("content", wanted)).to_pylist()
        # what a document contained before this batch replaces it is in no other document
        gone = _replaced_documents(read)
        known = {
            documents.content_id(row): row["document"]
            for row in rows
            if not row["duplicate_of"] and row["document"] not in gone
        }
        for document in sorted(read, key=lambda document: (not document.is_stored, document.work.file.uri)):
            content = found[document.id]
            if content and document.is_stored:
                known.setdefault(content, document.id)
            elif content:
                other = known.setdefault(content, document.id)
                if other != document.id:
                    document.duplicate_of = other
                    self.counts.duplicates.append((document.work.file.uri, other))

    def _add_sightings(self, read: list[_DocumentChange], stored: pa.Table) -> None:
        wanted = {d.content.document: d for d in read if d.is_extended and not d.duplicate_of}
        changing = {name for name, document in wanted.items() if document.is_stored}
        complete, files = self._output.sightings(wanted.keys() - changing)
        if self._output.deferred_count > self._max_local_rows:
            files = [*files, *self._group_on_spark(wanted.keys() - changing)]
        else:
            deferred = self._group_sightings(self._output.deferred(wanted.keys() - changing))
            complete = pa.concat_tables([complete, deferred])
        change = TableChange([*files])
        if changing:
            added, removed = self._changed_sightings([wanted[name] for name in sorted(changing)], stored)
            complete = pa.concat_tables([complete, added])
            if removed:
                change.remove = self._remove_documents(removed, [wanted[name] for name in changing], change)
        self.counts.sightings = complete.num_rows + sum(file.row_count for file in files)
        complete = pa.concat_tables([complete, self._inherited_sightings(stored)])
        change.add += write_rows(self._lake.storage, "sightings", self._name, complete)
        self._changes["sightings"] = change

    def _find_successors(self, read: list[_DocumentChange]) -> dict[str, list[JsonDict]]:
        """The files that have the earlier content of a document that is replaced: rows of `files` by that document."""
        replaced = _replaced_documents(read)
        if not replaced:
            return {}
        duplicates = self._lake.read_rows("files", ["document"], is_in("duplicate_of", replaced))
        names = {*duplicates["document"].to_pylist()} - {document.id for document in read}
        rows = self._lake.read_rows("files", None, is_in("document", names)).to_pylist() if names else []
        newest = {row["document"]: row for row in sorted(rows, key=itemgetter("state"))}
        successors: dict[str, list[JsonDict]] = {}
        for row in sorted(newest.values(), key=itemgetter("uri")):
            if row["duplicate_of"] in replaced:
                successors.setdefault(row["duplicate_of"], []).append(row)
        return successors

    def _inherited_sightings(self, stored: pa.Table) -> pa.Table:
        """The sightings of documents that are replaced, as those of a file that has the same content still."""
        rows = []
        for row in stored.filter(is_in("document", self._successors)).to_pylist() if self._successors else ():
            file = self._successors[row["document"]][0]
            place = {"document": file["document"], "file": file["uri"], "job": file["job"], "ingest": self._batch}
            rows.append({**row, **place, "uri": f"{file['uri']}{row['uri'].removeprefix(row['file'])}"})
        self._recount.update(row["node"] for row in rows)
        self.counts.replaced = max(0, self.counts.replaced - len(rows))
        return pa.Table.from_pylist(rows, SIGHTINGS)

    def _changed_sightings(self, changing: list[_DocumentChange], stored: pa.Table) -> tuple[pa.Table, set[str]]:
        """The rows to add for documents that the lake has, and the documents whose rows must be removed first."""
        names = {document.content.document for document in changing}
        read_rows = pa.concat_tables([self._with_grouping(self._output.rows_of(names)), self._output.deferred(names)])
        new_by_document, stored_by_document = _split_by_document(read_rows), _split_by_document(stored)
        added: list[pa.Table] = []
        removed: set[str] = set()
        for document in changing:
            old = stored_by_document.get(document.id, SIGHTINGS.empty_table())
            new = new_by_document.get(document.content.document, DEFERRED_SCHEMA.empty_table())
            rows, is_unchanged = self._changed_document(document, old, new)
            added.append(rows)
            if not is_unchanged:
                removed.add(document.id)
                self._recount.update(old["node"].to_pylist())
                self.counts.replaced += old.num_rows
        return pa.concat_tables([SIGHTINGS.empty_table(), *added]), removed

    def _changed_document(self, document: _DocumentChange, old: pa.Table, new: pa.Table) -> tuple[pa.Table, bool]:
        """The rows to add, and whether the rows in the lake stay as they are."""
        kept = old.filter(pc.field("offset") < document.replaces_from)
        again = old.filter(pc.field("offset") >= document.replaces_from)
        new = new.filter(pc.field("offset") >= document.replaces_from)
        known = {_sighting_key(row): row for row in again.to_pylist()}
        # a sighting that was read again is the one in the lake
        rows = [_with_address(known.get(_sighting_key(row)), row) for row in new.to_pylist()]
        rows = [{**row, "document": document.id} for row in rows]
        together = pa.concat_tables([self._with_grouping(kept), pa.Table.from_pylist(rows, DEFERRED_SCHEMA)])
        grouped = self._group_sightings(together)
        old_variants = {_sighting_key(row): _variant(row) for row in old.to_pylist()}
        result = [{**row, "ingest": self._batch} for row in grouped.to_pylist()]
        new_variants = {_sighting_key(row): _variant(row) for row in result}
        is_unchanged = all(new_variants.get(key) == variant for key, variant in old_variants.items())
        if is_unchanged:
            result = [row for row in result if _sighting_key(row) not in old_variants]
        return pa.Table.from_pylist(result, SIGHTINGS), is_unchanged

    def _remove_documents(self, removed: set[str], changing: list[_DocumentChange], change: TableChange) -> list[str]:
        """Write the data files with rows of these documents anew. Returns their paths."""
        where = is_in("document", removed)
        name = f"{self._name}-rest"
        rewritten = transactions.rewrite_files(self._lake, "sightings", name, where, among=self._files_of(changing))
        change.add += rewritten.add
        return rewritten.remove

    def _group_sightings(self, rows: pa.Table) -> pa.Table:
        """Sightings of complete documents with their variants."""
        if not rows.num_rows:
            return SIGHTINGS.empty_table()
        facts = self._output.report_facts
        keys = {digest: fact.key for digest, fact in facts.items()}
        aliases: dict[str, VariantAliases] = {fact.key.description: fact.aliases for fact in facts.values()}
        if missing := {*rows["report"].unique().to_pylist()} - keys.keys():
            keys |= {digest: sighting_rows.key_of_row(row) for digest, row in self._stored_reports(missing).items()}
        content = rows.sort_by([(name, "ascending") for name in _DOCUMENT_ORDER]).to_pylist()
        for _, document in groupby(content, itemgetter("document")):
            while chunk := list(islice(document, sighting_rows.BATCH_SIZE)):
                race_rows.add_document_variants(chunk, [keys[row["report"]] for row in chunk], aliases)
        return pa.Table.from_pylist(content, SIGHTINGS)

    def _with_grouping(self, rows: pa.Table) -> pa.Table:
        """Sightings of the lake or of a task with the columns that grouping needs."""
        if not rows.num_rows:
            return DEFERRED_SCHEMA.empty_table()
        reports = self._stored_reports({*rows["report"].unique().to_pylist()})
        content = rows.to_pylist()
        for row in content:
            report = reports[row["report"]]
            row["address"] = sighting_rows.address_placeholder(report)
            row["actors"] = sighting_rows.actor_placeholders(report)
            race_rows.restore_address_and_actors(row)
        return pa.Table.from_pylist(content, DEFERRED_SCHEMA)

    def _stored_reports(self, digests: set[str]) -> dict[str, JsonDict]:
        """Rows of reports that tasks have returned, or that are in the lake."""
        wanted = is_in("digest", digests)
        tables = [table.filter(wanted) for table, _ in self._output.returned_reports]
        tables += [table.filter(wanted) for table in self._output.written_reports()]
        found = {row["digest"]: row for table in tables for row in table.to_pylist()}
        if missing := digests - found.keys():
            rows = self._lake.read_rows("reports", None, is_in("digest", missing)).to_pylist()
            found |= {row["digest"]: row for row in rows}
        return found

    def _group_on_spark(self, wanted: Set[str]) -> list[AddedFile]:
        spark = self._session()
        reports = self._output.reports_frame(spark).unionByName(dataframes.lake_table(spark, self._lake, "reports"))
        sightings = self._output.deferred_frame(spark, wanted).select(SIGHTINGS.names)
        grouped = reduce_spark.add_variants(sightings, reports.dropDuplicates(["digest"]))
        return dataframes.write_frame(grouped, self._lake.uri, "sightings", self._name)

    def _add_reports(self) -> None:
        """Add the reports that the lake does not have."""
        if self._output.report_files:
            spark = self._session()
            known = dataframes.lake_table(spark, self._lake, "reports", ("digest",))
            frame = self._output.reports_frame(spark).join(known, "digest", "left_anti")
            self._changes["reports"] = TableChange(dataframes.write_frame(frame, self._lake.uri, "reports", self._name))
        else:
            self._write("reports", self._new_reports())
        self.counts.reports = sum(file.row_count for file in self._changes["reports"].add)

    def _new_reports(self) -> pa.Table:
        tables = [table for table, _ in self._output.returned_reports]
        digests = {digest for table in tables for digest in table["digest"].to_pylist()}
        stored = self._lake.read_rows("reports", ["digest"], is_in("digest", digests)) if digests else None
        known = {*stored["digest"].to_pylist()} if stored is not None else set()
        new_tables = [REPORTS.empty_table()]
        for table in tables:
            new = [digest for digest in table["digest"].to_pylist() if digest not in known]
            known.update(new)
            if new:
                new_tables.append(table.take(pc.index_in(pa.array(new, pa.string()), table["digest"])))
        return pa.concat_tables(new_tables)

    def _add_rejects(self) -> None:
        """Each fault is recorded once, however often the file is read."""
        faults = self.faults
        uris = {uri for uri, _ in faults}
        rows = self._lake.read_rows("rejects", ("uri", "what"), is_in("uri", uris)).to_pylist() if faults else []
        known = {(row["uri"], row["what"]) for row in rows}
        now = datetime.now(UTC)
        new = [
            {"uri": uri, "what": what, "observed_at": now, "ingest": self._batch}
            for uri, what in faults
            if (uri, what) not in known
        ]
        self._write("rejects", pa.Table.from_pylist(new, REJECTS))

    def _add_files(self, read: list[_DocumentChange], state: int) -> None:
        rows = [self._file_row(document, state) for document in read]
        for first, *others in self._successors.values():
            rows.append({**first, "duplicate_of": None, "state": state, "ingest": self._batch})
            rows += [{**o, "duplicate_of": first["document"], "state": state, "ingest": self._batch} for o in others]
        content = pa.Table.from_pylist(rows, FILES)
        # what a document contained before it was replaced must not be taken for what it contains
        if replaced := _replaced_documents(read):
            replaced.update(row["document"] for row in rows[len(read) :])
            name, where = f"{self._name}-rest", is_in("document", replaced)
            self._changes["files"] = transactions.rewrite_files(self._lake, "files", name, where)
            self._changes["files"].add += write_rows(self._lake.storage, "files", self._name, content)
        else:
            self._write("files", content)

    def _file_row(self, document: _DocumentChange, state: int) -> JsonDict:
        file, run, content = document.work.file, document.work.run, document.content
        return {
            "uri": file.uri, "document": document.id, "repo": run.repo, "run": run.run, "job": run.job,
            "length": content.length, "modified_at": modified_time(file), "etag": file.etag or None,
            "head": content.head, "tail": content.tail, "content": content.decoded_ends,
            "duplicate_of": document.duplicate_of, "sightings": document.sightings, "checksum": document.checksum,
            "state": state, "ingest": self._batch,
        }  # fmt: skip

    def _write(self, table: str, content: pa.Table) -> None:
        self._changes[table] = TableChange(write_rows(self._lake.storage, table, self._name, content))


def _replaced_documents(read: Iterable[_DocumentChange]) -> set[str]:
    """The documents that the batch replaces, as they have not only grown."""
    return {document.id for document in read if document.is_stored and not document.is_continued}


def _addresses(work_list: Iterable[FileWork]) -> set[str]:
    """Where these files, and the documents that they may continue, are or were."""
    found: set[str] = set()
    for work in work_list:
        found.update((work.file.uri, *names_before_rotation(work.file.uri), *(known.uri for known in work.documents)))
    return found


_CHECKSUM_COLUMNS = ("uri", "offset", "length", "lane", "report", "names")


def _split_by_document(rows: pa.Table) -> dict[str, pa.Table]:
    """The rows of each document. One pass, however many documents there are."""
    if not rows.num_rows:
        return {}
    ordered = rows.sort_by("document")
    found, start = {}, 0
    for name, group in groupby(ordered["document"].to_pylist()):
        count = sum(1 for _ in group)
        found[name] = ordered.slice(start, count)
        start += count
    return found


def _sighting_key(row: JsonDict) -> tuple[Any, ...]:
    """What tells sightings of a document apart, whatever the name of its file."""
    position = row["uri"].removeprefix(row["file"]), row["offset"], row["length"], row["lane"]
    return (*position, row["report"], *row["names"])


def _with_address(known: JsonDict | None, row: JsonDict) -> JsonDict:
    """The row in the lake, with what only the new one has."""
    return row if known is None else {**known, "address": row["address"], "actors": row["actors"]}


def _variant(row: JsonDict) -> tuple[Any, ...]:
    return tuple(row[name] for name in _VARIANT_COLUMNS)
