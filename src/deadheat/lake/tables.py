"""Opens, creates and upgrades the tables of a lake, and refuses incompatible versions."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, Schema
from deltalake.exceptions import DeltaError, TableNotFoundError

from deadheat.errors import DeadheatError
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake.schema import LAKE_VERSION, OLDEST_LAKE_VERSION, OPTIONAL_TABLES, TABLES
from deadheat.lake.storage import LakeStorage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow.compute as pc
    import pyarrow.dataset as ds


_SCHEMA_PROPERTY = "deadheat.schema"
# table property: current version, oldest readable version, subject
_VERSIONS = {
    _SCHEMA_PROPERTY: (LAKE_VERSION, OLDEST_LAKE_VERSION, "columns"),
    "deadheat.fingerprint": (FINGERPRINT_VERSION, FINGERPRINT_VERSION, "fingerprints"),
}
# its transactions number the states of a lake
APPLICATION = "deadheat"


class Lake:
    """A lake, with its tables as of when they were opened."""

    def __init__(self, root: str) -> None:
        self.storage = LakeStorage(root)
        self._tables: dict[str, DeltaTable] = {}

    @property
    def uri(self) -> str:
        return self.storage.uri

    @cached_property
    def is_there(self) -> bool:
        return self._open_table("files") is not None

    def require(self, command: str = "ingest PATH") -> Lake:
        """Return the lake, or fail if it does not exist. `command` is the command that creates it."""
        if not self.is_there:
            raise DeadheatError("there is no lake", self.uri, f"`deadheat {command} --lake DIR` makes one")
        return self

    def create_tables(self, *optional: str) -> None:
        """Create missing tables and columns. An incomplete lake is completed.

        Of the optional tables only those in `optional` are created.
        """
        settings = {key: str(version) for key, (version, _, _) in _VERSIONS.items()}
        settings["delta.dataSkippingNumIndexedCols"] = "2"
        # `files` is last: a lake exists if that table does
        for name in reversed(TABLES):
            wanted = name not in OPTIONAL_TABLES or name in optional
            table = self._open_table(name)
            if table is not None:
                _add_missing_columns(table, TABLES[name])
            elif wanted:
                self._tables[name] = DeltaTable.create(
                    self.storage.uri_of(name), TABLES[name], "ignore", name=name, configuration={**settings},
                    raise_if_key_not_exists=False,
                )  # fmt: skip
        self.__dict__.pop("is_there", None)

    @property
    def is_older(self) -> bool:
        """Were the derived tables made by a version with fewer columns?"""
        return _schema_version(self.delta_table("nodes")) < LAKE_VERSION

    @property
    def outdated_tables(self) -> list[str]:
        return [name for name in self.table_names if _schema_version(self.delta_table(name)) < LAKE_VERSION]

    def mark_current(self, names: Sequence[str]) -> None:
        for name in names:
            properties = {_SCHEMA_PROPERTY: str(LAKE_VERSION)}
            self.delta_table(name).alter.set_table_properties(properties, raise_if_not_exists=False)

    def refresh(self) -> None:
        """Reopen the tables on their next use."""
        self._tables.clear()
        self.__dict__.pop("is_there", None)

    def has_table(self, name: str) -> bool:
        return self._open_table(name) is not None

    @property
    def table_names(self) -> list[str]:
        """The required tables, and the optional ones that exist."""
        return [name for name in TABLES if name not in OPTIONAL_TABLES or self.has_table(name)]

    def delta_table(self, name: str) -> DeltaTable:
        table = self._open_table(name)
        if table is None:
            raise DeadheatError(f"the table {name} is missing", self.uri, "`deadheat lake check`")
        return table

    def _open_table(self, name: str) -> DeltaTable | None:
        table = self._tables.get(name)
        if table is None:
            uri = self.storage.uri_of(name)
            try:
                table = DeltaTable(uri)
            except TableNotFoundError as error:
                if fault := self.storage.table_fault(name):
                    raise _unreadable_error(uri, fault) from error
                return None
            except (DeltaError, OSError) as error:  # object stores raise OSError
                raise _unreadable_error(uri, self.storage.table_fault(name) or error) from error
            _check_versions(table, uri)
            self._tables[name] = table
        return table

    @property
    def state_number(self) -> int:
        """The state number of the lake: how many batches were ingested."""
        return self.table_state("files")

    def table_state(self, name: str) -> int:
        return self.delta_table(name).transaction_version(APPLICATION) or 0

    def data_files(self, name: str) -> list[str]:
        """The paths relative to the folder of the table."""
        return self._file_column(name, "path")

    def data_file_sizes(self, name: str) -> list[int]:
        return self._file_column(name, "size_bytes")

    def row_count(self, name: str) -> int:
        return sum(self._file_column(name, "num_records"))

    def _file_column(self, name: str, column: str) -> list[Any]:
        # pyarrow would import pandas here
        values = self.delta_table(name).get_add_actions(flatten=True).column(column)
        return list(values.to_pylist())

    def read_rows(
        self, name: str, columns: Sequence[str] | None = None, where: pc.Expression | None = None
    ) -> pa.Table:
        wanted = list(columns or TABLES[name].names)
        with self._reading_errors(name):
            if where is not None:
                return self.arrow_dataset(name).to_table(columns=wanted, filter=where)
            # as fast, without `pyarrow.dataset`, which takes 0.3 s to import
            schema = pa.schema([TABLES[name].field(column) for column in wanted])
            parts = [pa.Table.from_batches([], schema)]
            for path in self.data_files(name):
                with self.storage.arrow_filesystem.open_input_file(self.storage.path_of(f"{name}/{path}")) as file:
                    content = _fill_missing_columns(pq.ParquetFile(file).read(wanted), schema)
                    # `cast` imports `pyarrow.compute`, which takes time
                    parts.append(content if content.schema.equals(schema) else content.cast(schema))
            return pa.concat_tables(parts)

    def read_batches(self, name: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield a table of any size in batches."""
        with self._reading_errors(name):
            yield from self.arrow_dataset(name).to_batches(columns=list(columns))

    @contextmanager
    def _reading_errors(self, name: str) -> Iterator[None]:
        """Report a broken or missing data file in one line."""
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise _unreadable_error(self.storage.uri_of(name), error) from error

    def arrow_dataset(self, name: str) -> ds.Dataset:
        """The data files as an Arrow dataset, which is faster than reading through delta-rs."""
        import pyarrow.dataset as ds  # takes 0.3 s to import

        paths = [self.storage.path_of(f"{name}/{path}") for path in self.data_files(name)]
        return ds.dataset(paths, TABLES[name], format="parquet", filesystem=self.storage.arrow_filesystem)

    def files_with_rows(self, name: str, where: pc.Expression) -> Iterator[tuple[str, ds.Fragment]]:
        """Yield the data files with matching rows, named as in `data_files`."""
        folder = self.storage.path_of(f"{name}/")
        for fragment in self.arrow_dataset(name).get_fragments():
            if fragment.count_rows(filter=where):
                yield fragment.path.removeprefix(folder), fragment


def _unreadable_error(uri: str, why: object) -> DeadheatError:
    return DeadheatError(f"cannot be read ({str(why).partition(chr(10))[0]})", uri, "`deadheat lake check`")


def _add_missing_columns(table: DeltaTable, schema: pa.Schema) -> None:
    known = {field.name for field in table.schema().fields}
    missing = pa.schema([field for field in schema if field.name not in known])
    if missing.names:
        table.alter.add_columns(Schema.from_arrow(missing).fields)


def _fill_missing_columns(content: pa.Table, schema: pa.Schema) -> pa.Table:
    for field in schema:
        if field.name not in content.schema.names:
            content = content.append_column(field, pa.nulls(content.num_rows, field.type))
    return content.select(schema.names)


def _schema_version(table: DeltaTable) -> int:
    return int(table.metadata().configuration[_SCHEMA_PROPERTY])


def _check_versions(table: DeltaTable, uri: str) -> None:
    settings = table.metadata().configuration
    for key, (current, oldest, subject) in _VERSIONS.items():
        stored = settings.get(key)
        if stored is None:
            raise DeadheatError("is not a deadheat table", uri, "give another --lake")
        if not (stored.isdigit() and oldest <= int(stored) <= current):
            newer = stored.isdigit() and int(stored) > current
            remedy = "use a newer deadheat" if newer else "ingest the documents into a new lake"
            raise DeadheatError(f"has {subject} of version {stored}, not {current}", uri, remedy)
