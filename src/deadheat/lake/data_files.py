"""Writes and describes the Parquet files of a table. Executors use it, so it needs no Delta library."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deadheat.lake.documents import bytes_digest
from deadheat.lake.schema import DERIVED_TABLES, PARTITION, TABLES, day_column, sort_columns, statistics_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow.compute as pc

    from deadheat.lake.storage import LakeStorage

# data files with fewer rows have no dictionaries
_MIN_DICTIONARY_ROWS = 4096
# rows of a data file, and of the groups in it that a query can skip
MAX_FILE_ROWS = 1 << 18
# derived rows are replaced one by one, so their files are small
_MAX_DERIVED_ROWS = 1 << 14
_GROUP_ROWS = 1 << 14
# longer text is cut in the statistics of other writers, and is useless for skipping
_MAX_STATISTIC_LENGTH = 256
# b0-1.5f2b8c06d1f9e7a34410c2d9ee5b7a10.parquet
_NAME_WITH_DIGEST = re.compile(r"\.(?P<digest>[0-9a-f]{32})\.parquet\Z")


class AddedFile(NamedTuple):
    """A data file that is not part of its table yet. `day` is its partition, or ""."""

    path: str
    size: int
    stats: str
    day: str = ""

    @property
    def row_count(self) -> int:
        return int(json.loads(self.stats)["numRecords"])

    @property
    def partition_values(self) -> dict[str, str | None]:
        return {PARTITION: self.day} if self.day else {}


@dataclass(slots=True)
class TableChange:
    """Data files to add and to remove. If `data_change` is false, the rows stay the same."""

    add: list[AddedFile] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    data_change: bool = True


def is_in(column: str, values: Iterable[str]) -> pc.Expression:
    import pyarrow.compute as pc  # takes 0.1 s to import

    return pc.field(column).isin(pa.array(values, pa.string()))


def write_rows(storage: LakeStorage, table: str, name: str, content: pa.Table) -> list[AddedFile]:
    """Write rows as data files called after `name`, one or more for each day."""
    if not content.num_rows:
        return []
    content = content.select(TABLES[table].names).sort_by([(column, "ascending") for column in sort_columns(table)])
    added = []
    max_rows = max_file_rows(table)
    for day, rows in _split_by_day(table, content):
        for number, start in enumerate(range(0, rows.num_rows, max_rows)):
            file_name = f"{name}-{number}.parquet" if number else f"{name}.parquet"
            path = f"{PARTITION}={day}/{file_name}" if day else file_name
            added.append(write_file(storage, table, path, rows.slice(start, max_rows), day))
    return added


def max_file_rows(table: str) -> int:
    return _MAX_DERIVED_ROWS if table in DERIVED_TABLES else MAX_FILE_ROWS


def _split_by_day(table: str, content: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    import pyarrow.compute as pc  # takes 0.1 s to import

    column = day_column(table)
    if column is None:
        yield "", content
        return
    # the type without a time zone needs no time zone database
    days = content[column].cast(pa.timestamp("us")).cast(pa.date32())
    for day in pc.unique(days).to_pylist():
        yield day.isoformat(), content.filter(pc.equal(days, pa.scalar(day, pa.date32())))


def write_file(storage: LakeStorage, table: str, path: str, content: pa.Table, day: str = "") -> AddedFile:
    """Write a data file. The digest of its content becomes part of its name."""
    sink = pa.BufferOutputStream()
    collected: list[pq.FileMetaData] = []
    options = parquet_options(table, content.num_rows)
    pq.write_table(content, sink, metadata_collector=collected, row_group_size=_GROUP_ROWS, **options)
    data = sink.getvalue()
    path = f"{path.removesuffix('.parquet')}.{bytes_digest(data)}.parquet"
    storage.write_data(f"{table}/{path}", data)
    return AddedFile(path, data.size, file_stats(collected[0], table), day)


def digest_in_name(path: str) -> str:
    """The digest of a data file, or "" if an earlier version wrote it."""
    match = _NAME_WITH_DIGEST.search(path)
    return match["digest"] if match else ""


def parquet_options(table: str, rows: int) -> dict[str, Any]:
    return {
        "compression": "zstd",
        # few rows are smaller and faster to write without
        "use_dictionary": rows >= _MIN_DICTIONARY_ROWS,
        # nested columns are not used to skip files
        "write_statistics": [column.name for column in TABLES[table] if not pa.types.is_nested(column.type)],
    }


def file_stats(metadata: pq.FileMetaData, table: str) -> str:
    """Row count, and minimum and maximum of some columns, as the JSON of a Delta log."""
    smallest: dict[str, Any] = {}
    largest: dict[str, Any] = {}
    indexes = {metadata.schema.column(i).path: i for i in range(len(metadata.schema))}
    for column in statistics_columns(table):
        groups = [metadata.row_group(g).column(indexes[column]).statistics for g in range(metadata.num_row_groups)]
        if groups and all(s is not None and s.has_min_max for s in groups):
            low, high = min(s.min for s in groups), max(s.max for s in groups)
            if all(not isinstance(value, str) or len(value) < _MAX_STATISTIC_LENGTH for value in (low, high)):
                smallest[column], largest[column] = _statistic(low), _statistic(high)
    statistics = {"numRecords": metadata.num_rows, "minValues": smallest, "maxValues": largest, "nullCount": {}}
    return json.dumps(statistics)


def _statistic(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return value.isoformat() if isinstance(value, date) else value


def read_file(storage: LakeStorage, table: str, path: str, columns: Sequence[str]) -> pa.Table:
    """Columns of a data file. Those that it lacks are null."""
    schema = pa.schema([TABLES[table].field(column) for column in columns])
    with storage.arrow_filesystem.open_input_file(storage.path_of(f"{table}/{path}")) as file:
        parquet = pq.ParquetFile(file)
        present = [name for name in schema.names if name in parquet.schema_arrow.names]
        content = parquet.read(present)
    for column in schema:
        if column.name not in content.schema.names:
            content = content.append_column(column, pa.nulls(content.num_rows, column.type))
    content = content.select(schema.names)
    # `cast` imports `pyarrow.compute`, which takes time
    return content if content.schema.equals(schema) else content.cast(schema)
