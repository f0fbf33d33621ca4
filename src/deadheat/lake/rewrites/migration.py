"""Migrates lakes of schema version 1 and 2, where a document was known by its address only.

The facts are written into tables with the present columns in one change. Races are derived from them again."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deadheat.lake import documents, transactions
from deadheat.lake.data_files import MAX_FILE_ROWS, AddedFile, TableChange, read_file, write_rows
from deadheat.lake.integrity.checksums import record_logs, record_name
from deadheat.lake.schema import (
    DERIVED_TABLES,
    FACT_TABLES,
    FILES,
    INGESTS,
    LAKE_VERSION,
    OPTIONAL_TABLES,
    REPORTS,
    SIGHTINGS,
)
from deadheat.lake.storage import parse_json
from deadheat.lake.tables import SCHEMA_PROPERTY
from deadheat.lake.transactions import INTENT_FOLDER, Intent
from deadheat.model import CiRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.lake.tables import Lake

    JsonDict = dict[str, Any]

# rows that are converted at a time
_BATCH_ROWS = 1 << 15


class _FileSums(NamedTuple):
    """What the sightings of a file tell about it."""

    run: CiRun
    sightings: int = 0
    checksum: int = 0


def migrate_lake(lake: Lake, on_stage: Callable[[str], None] = lambda _: None) -> None:
    """Bring the tables of a lake to the present version, if they are older."""
    if lake.is_older:
        lake.create_tables()  # those that earlier versions did not have
        _finish_old_intents(lake)
        transactions.commit(lake, lambda state: _facts_intent(lake), on_stage)
        lake.reopen()
    if lake.schema_version("nodes") < LAKE_VERSION:
        batch = f"migrate-{uuid.uuid4().hex[:12]}"
        empty = {name: TableChange() for name in DERIVED_TABLES}
        transactions.commit(lake, lambda state: Intent(batch, state, empty, replaces=True), on_stage, "nodes")
        for name in OPTIONAL_TABLES:
            if lake.has_table(name):
                version = {SCHEMA_PROPERTY: str(LAKE_VERSION)}
                lake.delta_table(name).alter.set_table_properties(version, raise_if_not_exists=False)
                record_logs(lake, record_name(name, 0), [name])
        lake.reopen()


def _finish_old_intents(lake: Lake) -> None:
    """Apply the decided changes of processes of an earlier version that were killed."""
    for name in lake.storage.entry_names(INTENT_FOLDER):
        try:
            content = parse_json(lake.storage.read_bytes(f"{INTENT_FOLDER}/{name}"))
            changes = {
                table: TableChange([AddedFile(**added) for added in change["add"]], change["remove"])
                for table, change in content["changes"].items()
            }
            intent = Intent(content["ingest"], content["base"] + 1, changes)
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            continue
        if lake.transaction_number("files", transactions.BATCH_APPLICATION) == intent.number:
            for table in intent.changes:
                transactions.complete_table(lake, intent, table)
        lake.storage.remove(f"{INTENT_FOLDER}/{name}")
    lake.refresh()


def _facts_intent(lake: Lake) -> Intent | None:
    if not lake.is_older:
        return None  # another process was first
    batch = f"migrate-{uuid.uuid4().hex[:12]}"
    state = 1 + max(lake.table_state(name) for name in FACT_TABLES)
    old_files = {row["uri"]: row for row in _old_rows(lake, "files")}
    sums: dict[str, _FileSums] = {}
    ingests: dict[str, int] = {}
    names: dict[str, list[str]] = {}
    changes = {"sightings": _migrate_sightings(lake, batch, old_files, sums, ingests, names)}
    changes["reports"] = TableChange(write_rows(lake.storage, "reports", batch, _migrate_reports(lake, names)))
    changes["rejects"] = TableChange(write_rows(lake.storage, "rejects", batch, lake.read_rows("rejects")))
    rows = [_file_row(row, sums.get(uri, _FileSums(CiRun())), state) for uri, row in old_files.items()]
    changes["files"] = TableChange(write_rows(lake.storage, "files", batch, pa.Table.from_pylist(rows, FILES)))
    now = datetime.now(UTC)
    ingest_rows = [
        {
            "state": state, "ingest": ingest, "what": "migrate", "committed_at": now, "files": 0,
            "sightings": count, "reports": 0, "recount": [],
        }
        for ingest, count in sorted(ingests.items())
    ]  # fmt: skip
    content = pa.Table.from_pylist(ingest_rows, INGESTS)
    changes["ingests"] = TableChange(write_rows(lake.storage, "ingests", batch, content))
    ordered = {name: changes[name] for name in FACT_TABLES}
    return Intent(batch, state, ordered, replaces=True)


def _old_rows(lake: Lake, table: str) -> Iterator[JsonDict]:
    for file in lake.data_files(table):
        yield from read_file(lake.storage, table, file.path, lake.stored_columns(table)).to_pylist()


def _migrate_reports(lake: Lake, names: dict[str, list[str]]) -> pa.Table:
    """The reports with the names of one sighting each. Their text was not kept."""
    content = lake.read_rows("reports")
    columns: dict[str, list[Any]] = {
        "text_names": [names.get(digest) for digest in content["digest"].to_pylist()],
        "parser_version": [0] * content.num_rows,
        "fingerprint_version": [lake.fingerprint_version] * content.num_rows,
    }
    for name, values in columns.items():
        field = REPORTS.field(name)
        content = content.set_column(REPORTS.get_field_index(name), field, pa.array(values, field.type))
    return content


def _migrate_sightings(
    lake: Lake,
    batch: str,
    files: dict[str, JsonDict],
    sums: dict[str, _FileSums],
    ingests: dict[str, int],
    names: dict[str, list[str]],
) -> TableChange:
    """Write the sightings in portions, so that memory is bounded. Adds up what they tell about files and reports."""
    change = TableChange()
    pending: list[pa.Table] = []

    def write_pending() -> None:
        if pending:
            name = f"{batch}-{len(change.add)}"
            change.add += write_rows(lake.storage, "sightings", name, pa.concat_tables(pending))
        pending.clear()

    for file in lake.data_files("sightings"):
        with lake.storage.arrow_filesystem.open_input_file(lake.storage.path_of(f"sightings/{file.path}")) as opened:
            for part in pq.ParquetFile(opened).iter_batches(_BATCH_ROWS):
                rows = part.to_pylist()
                for row in rows:
                    _convert_sighting(row, files[row["file"]], sums)
                    row["fingerprint_version"] = lake.fingerprint_version
                    names.setdefault(row["report"], row["names"])
                    ingests[row["ingest"]] = ingests.get(row["ingest"], 0) + 1
                pending.append(pa.Table.from_pylist(rows, SIGHTINGS))
                if sum(table.num_rows for table in pending) >= MAX_FILE_ROWS:
                    write_pending()
    write_pending()
    return change


def _convert_sighting(row: JsonDict, file: JsonDict, sums: dict[str, _FileSums]) -> None:
    uri = row["file"]
    known = sums.get(uri) or _FileSums(CiRun(row["repo"], row["commit"], row["branch"], row["job"], row["run"]))
    checksum = documents.add_checksums(known.checksum, documents.sighting_checksum(uri, row))
    sums[uri] = known._replace(sightings=known.sightings + 1, checksum=checksum)
    row |= {"document": _document_id(file, known.run), "parser_version": 0}


def _document_id(file: JsonDict, run: CiRun) -> str:
    return documents.document_id(file["uri"], run, file["length"], file["modified_at"].timestamp(), "")


def _file_row(row: JsonDict, sums: _FileSums, state: int) -> JsonDict:
    run = sums.run
    ends = documents.ends_digest(row["length"], row["head"], row["tail"])
    return {
        **row, "document": _document_id(row, run), "repo": run.repo, "run": run.run, "job": run.job, "etag": None,
        "content": ends, "duplicate_of": None,
        "sightings": sums.sightings, "checksum": sums.checksum, "state": state,
    }  # fmt: skip
