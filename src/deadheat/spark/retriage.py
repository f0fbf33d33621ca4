"""Makes the reports of a lake anew, on executors if there are many."""

from __future__ import annotations

import pickle
import uuid
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.lake.data_files import is_in
from deadheat.lake.rewrites import retriage
from deadheat.lake.rewrites.retriage import LocalWorker, RegroupResult, RetriageCounts, RowGroup
from deadheat.lake.schema import REPORTS, SIGHTINGS
from deadheat.lake.storage import LakeStorage
from deadheat.lake.transactions import rewrite_files
from deadheat.spark import dataframes, ingest
from deadheat.spark.dataframes import spark_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from deadheat.lake.data_files import AddedFile, TableChange
    from deadheat.lake.rewrites.renewal import ReportChange
    from deadheat.lake.rewrites.retriage import GroupResult
    from deadheat.lake.tables import Lake
    from deadheat.spark.ingest import StartSession

# a report takes a few milliseconds
MAX_LOCAL_ROWS = 20_000
_RESULT_SCHEMA = pa.schema([("result", pa.binary())])
_GROUPING_SCHEMA = pa.schema([("new_report", pa.string()), ("grouping", pa.binary())])
_CHANGING_SCHEMA = pa.schema([*SIGHTINGS, ("new_report", pa.string())])
# the first row of each changed document has its summary
_CHANGED_SCHEMA = pa.schema([*SIGHTINGS, ("summary", pa.binary())])


def retriage_lake(
    start: StartSession, lake: Lake, everything: bool = False, max_local_rows: int = MAX_LOCAL_ROWS
) -> RetriageCounts:
    """Make the reports of older versions anew, or all, and derive the races again."""
    lake.require()
    ingest.prepare_lake(lake)
    session = cache(lambda: start(False))

    def choose_worker(rows: int) -> LocalWorker:
        if rows <= max_local_rows:
            return LocalWorker(lake, everything)
        return SparkWorker(session(), lake, everything)

    counts = retriage.retriage_lake(lake, everything, choose_worker)
    batch = f"retriage-{uuid.uuid4().hex[:12]}"
    if counts.sightings > max_local_rows:
        ingest.rebuild_tables(session, lake, batch, 0)
    else:
        ingest.derive_races(session, lake, batch)
    return counts


class SparkWorker(LocalWorker):
    """Does the work on executors. Only what changes is returned to the driver."""

    def __init__(self, spark: SparkSession, lake: Lake, everything: bool) -> None:
        super().__init__(lake, everything)
        self._spark = spark

    def examine(self, groups: Sequence[RowGroup]) -> list[GroupResult]:
        return self._run_on_groups(groups, partial(_examine_groups, self._lake.uri, self._everything))

    def rewrite(self, groups: Sequence[RowGroup], name: str, skipped: Mapping[str, str]) -> list[AddedFile]:
        task = partial(_rewrite_groups, self._lake.uri, self._everything, name, dict(skipped))
        return [added for result in self._run_on_groups(groups, task) for added in result]

    def _run_on_groups(self, groups: Sequence[RowGroup], task: Any) -> list[Any]:
        names = [f"{group.number}/{group.path}" for group in groups]
        results = dataframes.frame_of_paths(self._spark, names).mapInArrow(task, spark_schema(_RESULT_SCHEMA))
        # pickled by our tasks
        return [pickle.loads(data) for data in results.toArrow()["result"].to_pylist()]  # noqa: S301

    def regroup(
        self, affected: set[str], changed: Mapping[str, ReportChange], reports: TableChange, name: str
    ) -> RegroupResult:
        spark, lake = self._spark, self._lake
        sightings = dataframes.lake_table(spark, lake, "sightings", None, ("document", affected))
        changing = sightings.mapInArrow(partial(_add_new_report, changed), spark_schema(_CHANGING_SCHEMA))
        wanted = changing.select("new_report").distinct()
        groupings = self._reports_after(reports).withColumnRenamed("digest", "new_report")
        groupings = groupings.join(wanted, "new_report", "left_semi").withColumnRenamed("new_report", "digest")
        groupings = groupings.select(REPORTS.names).mapInArrow(_report_groupings, spark_schema(_GROUPING_SCHEMA))

        # Spark reads the type hints of this function, which a `partial` does not have
        def regroup_document(table: pa.Table) -> pa.Table:
            return _regroup_document(changed, table)

        result_frame = (
            changing.join(groupings, "new_report")
            .groupBy("document")
            .applyInArrow(regroup_document, spark_schema(_CHANGED_SCHEMA))
            .persist()
        )
        summaries = result_frame.where("summary is not null").select("summary").toArrow()["summary"]
        added = dataframes.write_frame(result_frame, lake.uri, "sightings", name)
        result_frame.unpersist()
        removed = is_in("document", {document for data in summaries.to_pylist() for document in [_load(data).document]})
        change = rewrite_files(lake, "sightings", f"{name}-rest", removed)
        change.add += added
        result = RegroupResult(change, set(), {})
        for data in summaries.to_pylist():
            result.add(_load(data))
        return result

    def _reports_after(self, change: TableChange) -> DataFrame:
        """The reports as they are after a change."""
        files = [file.path for file in self._lake.data_files("reports") if file.path not in change.remove]
        names = [f"reports/{path}" for path in (*files, *(added.path for added in change.add))]
        return dataframes.read_parquet(self._spark, self._lake.uri, names, REPORTS)


def _load(data: bytes) -> retriage.ChangedDocument:
    document: retriage.ChangedDocument = pickle.loads(data)  # noqa: S301, pickled by our tasks
    return document


def _row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[RowGroup]:
    for name in (name for batch in batches for name in batch.column(0).to_pylist()):
        number, _, path = name.partition("/")
        yield RowGroup(path, int(number))


def _examine_groups(uri: str, everything: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for group in _row_groups(batches):
        yield _result_batch(retriage.examine_group(LakeStorage(uri), group, everything))


def _rewrite_groups(
    uri: str, everything: bool, name: str, skipped: Mapping[str, str], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for group in _row_groups(batches):
        yield _result_batch(retriage.rewrite_group(LakeStorage(uri), group, everything, name, skipped))


def _result_batch(result: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{"result": pickle.dumps(result)}], _RESULT_SCHEMA)


def _add_new_report(changed: Mapping[str, ReportChange], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        digests = batch.column("report").to_pylist()
        new = [changed[digest].new if digest in changed else digest for digest in digests]
        yield pa.RecordBatch.from_arrays([*batch.columns, pa.array(new, pa.string())], schema=_CHANGING_SCHEMA)


def _report_groupings(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = [
            {"new_report": row["digest"], "grouping": pickle.dumps(retriage.grouping_of_row(row))}
            for row in batch.to_pylist()
        ]
        yield pa.RecordBatch.from_pylist(rows, _GROUPING_SCHEMA)


def _regroup_document(changed: Mapping[str, ReportChange], table: pa.Table) -> pa.Table:
    rows = sorted(table.to_pylist(), key=retriage.place_of)
    pickled = {row["new_report"]: row["grouping"] for row in rows}
    # pickled by `_report_groupings` on another of our workers
    groupings = {digest: pickle.loads(data) for digest, data in pickled.items()}  # noqa: S301
    document = retriage.regroup_document(rows, changed, groupings)
    if document is None:
        return _CHANGED_SCHEMA.empty_table()
    document.rows[0]["summary"] = pickle.dumps(document.summary)
    return pa.Table.from_pylist(document.rows, _CHANGED_SCHEMA)
