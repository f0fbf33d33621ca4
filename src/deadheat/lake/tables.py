"""Opens, creates and reads the tables of a lake, and refuses incompatible versions."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from deadheat.errors import DeadheatError
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake.data_files import read_file
from deadheat.lake.integrity.checksums import record_logs, record_name
from deadheat.lake.schema import (
    DERIVED_TABLES,
    LAKE_VERSION,
    OLDEST_LAKE_VERSION,
    OPTIONAL_TABLES,
    PARTITION,
    TABLES,
    day_column,
    delta_schema,
    statistics_columns,
)
from deadheat.lake.storage import LakeStorage
from deadheat.object_store import error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import pyarrow.compute as pc
    import pyarrow.dataset as ds
    from deltalake import DeltaTable


SCHEMA_PROPERTY = "deadheat.schema"
# table property: current version, oldest readable version, subject
_VERSIONS = {
    SCHEMA_PROPERTY: (LAKE_VERSION, OLDEST_LAKE_VERSION, "columns"),
    "deadheat.fingerprint": (FINGERPRINT_VERSION, 1, "fingerprints"),
}
# its transactions number the states of a table
APPLICATION = "deadheat"
# readers of an old snapshot, and time travel, find their files for this long
RETENTION_HOURS = 168
_TABLE_PROPERTIES = {
    # whoever opens a table reads every commit since the last checkpoint, with three requests each
    "delta.checkpointInterval": "5",
    "delta.logRetentionDuration": f"interval {RETENTION_HOURS} hours",
    "delta.deletedFileRetentionDuration": f"interval {RETENTION_HOURS} hours",
}


class DataFile(NamedTuple):
    """A data file of a table. `low` and `high` are the statistics that are known."""

    path: str
    size: int
    row_count: int
    day: str
    low: dict[str, Any]
    high: dict[str, Any]

    def may_contain(self, column: str, low: Any, high: Any) -> bool:
        """Whether a value between two others may be in this column."""
        if column not in self.low or column not in self.high:
            return True
        return bool(self.low[column] <= high and low <= self.high[column])


class Lake:
    """A lake, with its tables as of when they were opened."""

    def __init__(self, root: str) -> None:
        self.storage = LakeStorage(root)
        self._tables: dict[str, DeltaTable] = {}
        self._data_files: dict[str, list[DataFile]] = {}
        self.on_note: Callable[[str], None] = lambda _: None  # gets what was wrong and could be mended

    @property
    def uri(self) -> str:
        return self.storage.uri

    @cached_property
    def is_there(self) -> bool:
        return self.open_table("files") is not None

    def require(self, command: str = "ingest PATH") -> Lake:
        """Return the lake, or fail if it does not exist. `command` is the command that creates it."""
        if not self.is_there:
            self._require_no_other_table("files")
            raise DeadheatError("there is no lake", self.uri, f"`deadheat {command} --lake DIR` makes one")
        return self

    def create_tables(self, *optional: str) -> None:
        """Create missing tables. An incomplete new lake is completed; a table that was deleted is an error.

        Of the optional tables only those in `optional` are created.
        """
        # `files` is created last: a lake exists if that table does
        missing = [
            name
            for name in [*(name for name in reversed(TABLES) if name != "files"), "files"]
            if self.open_table(name) is None and (name not in OPTIONAL_TABLES or name in optional)
        ]
        if not missing:
            return
        is_new = "files" in missing
        record = record_name("lake" if is_new else missing[0], 0)
        for name in missing:
            is_deleted = self.storage.exists(record_name(name, 0)) or not (name in OPTIONAL_TABLES or self.is_older)
            # another process may have created it since
            if is_deleted and self.open_table(name) is None:
                self._require_no_other_table(name)
        required = [name for name in TABLES if name not in OPTIONAL_TABLES]
        with self.storage.disk_errors():
            for name in missing:
                self.create_table(name)
            record_logs(self, record, required if is_new else missing)
        self.__dict__.pop("is_there", None)

    def _require_no_other_table(self, name: str) -> None:
        """Fail if a table is missing although others were written to: somebody has deleted it."""
        if any(other != name and self.has_table(other) and self.delta_table(other).version() > 0 for other in TABLES):
            raise self._missing_table_error(name)

    def _missing_table_error(self, name: str) -> DeadheatError:
        remedy = "`deadheat lake check --repair` rebuilds it" if name in DERIVED_TABLES else "restore it from a backup"
        return DeadheatError(f"the table {name} is missing", self.uri, remedy)

    def create_table(self, name: str, mode: Any = "ignore") -> None:
        from deltalake import DeltaTable  # executors import this module, and need no Delta library
        from deltalake.exceptions import CommitFailedError

        settings = {key: str(version) for key, (version, _, _) in _VERSIONS.items()}
        settings |= _TABLE_PROPERTIES
        settings["delta.dataSkippingStatsColumns"] = ",".join(statistics_columns(name))
        try:
            self._tables[name] = DeltaTable.create(
                self.storage.uri_of(name), delta_schema(name), mode, name=name, configuration={**settings},
                partition_by=[PARTITION] if day_column(name) else None,
                storage_options=self.storage.delta_options or None, raise_if_key_not_exists=False,
            )  # fmt: skip
        except CommitFailedError:
            self._tables.pop(name, None)  # another process was first; it is opened when it is needed
        self._data_files.pop(name, None)

    @property
    def is_older(self) -> bool:
        """Was the lake written by a version with other columns?"""
        return self.is_there and self.schema_version("files") < LAKE_VERSION

    def stored_columns(self, name: str) -> list[str]:
        """The columns that a table has, which may be of an earlier version."""
        return [field.name for field in self.delta_table(name).schema().fields]

    def schema_version(self, name: str) -> int:
        return _property_version(self.delta_table(name), SCHEMA_PROPERTY)

    @property
    def fingerprint_version(self) -> int:
        """The version of the fingerprints of a lake of an earlier schema; now each row has one."""
        return _property_version(self.delta_table("files"), "deadheat.fingerprint")

    def refresh(self) -> None:
        """Read the changes of other processes."""
        for name, table in self._tables.items():
            with self._log_errors(name):
                self.storage.repeated(table.update_incremental)
        self._data_files.clear()
        self.__dict__.pop("is_there", None)

    def refresh_table(self, name: str) -> None:
        with self._log_errors(name):
            self.storage.repeated(self.delta_table(name).update_incremental)
        self._data_files.pop(name, None)

    def reopen(self) -> None:
        self._tables.clear()
        self.refresh()

    def has_table(self, name: str) -> bool:
        return self.open_table(name) is not None

    @property
    def table_names(self) -> list[str]:
        """The required tables, and the optional ones that exist."""
        return [name for name in TABLES if name not in OPTIONAL_TABLES or self.has_table(name)]

    def delta_table(self, name: str) -> DeltaTable:
        table = self.open_table(name)
        if table is None:
            raise self._missing_table_error(name)
        return table

    def open_table(self, name: str) -> DeltaTable | None:
        table = self._tables.get(name)
        if table is None:
            from deltalake import DeltaTable
            from deltalake.exceptions import DeltaError, TableNotFoundError

            uri = self.storage.uri_of(name)
            try:
                options = self.storage.delta_options or None
                table = self.storage.repeated(lambda: DeltaTable(uri, storage_options=options))
            except TableNotFoundError as error:
                if self.storage.is_local and (fault := self.storage.table_fault(name)):
                    raise _unreadable_error(uri, fault) from error
                return None
            except (DeltaError, OSError) as error:  # object stores raise OSError
                if not self.storage.is_local:
                    fault = self.storage.access_fault() or error_text(error)
                    raise DeadheatError(f"cannot be opened ({fault})", uri) from error
                raise _unreadable_error(uri, self.storage.table_fault(name) or error) from error
            _check_versions(table, uri)
            self._tables[name] = table
        return table

    @contextmanager
    def _log_errors(self, name: str) -> Iterator[None]:
        """Report a log that turns out to be damaged after its table was opened."""
        from deltalake.exceptions import DeltaError

        try:
            yield
        except (DeltaError, OSError, pa.ArrowException) as error:
            raise _unreadable_error(self.storage.uri_of(name), error_text(error)) from error

    @property
    def state_number(self) -> int:
        """How many times the facts were changed."""
        return self.table_state("ingests")

    def table_state(self, name: str) -> int:
        return self.transaction_number(name, APPLICATION)

    def transaction_number(self, name: str, application: str) -> int:
        with self._log_errors(name):
            return self.delta_table(name).transaction_version(application) or 0

    def data_files(self, name: str) -> list[DataFile]:
        known = self._data_files.get(name)
        if known is None:
            with self._log_errors(name):
                known = self._data_files[name] = _data_files_of(self.delta_table(name))
            self.storage.note_sizes((f"{name}/{file.path}", file.size) for file in known)
        return known

    def row_count(self, name: str) -> int:
        return sum(file.row_count for file in self.data_files(name))

    def read_rows(
        self,
        name: str,
        columns: Sequence[str] | None = None,
        where: pc.Expression | None = None,
        files: Collection[DataFile] | None = None,
    ) -> pa.Table:
        """Rows of a table. `files` are the data files that may contain them; all by default."""
        wanted = list(columns or TABLES[name].names)
        chosen = self.data_files(name) if files is None else files
        with self._reading_errors(name):
            if where is not None:
                return self.arrow_dataset(name, chosen).to_table(columns=wanted, filter=where)
            # as fast, without `pyarrow.dataset`, which takes 0.3 s to import
            empty = pa.schema([TABLES[name].field(column) for column in wanted]).empty_table()
            return pa.concat_tables([empty, *(read_file(self.storage, name, f.path, wanted) for f in chosen)])

    def read_added(self, name: str, path: str) -> pa.Table:
        """All rows of a data file that is not part of its table yet."""
        return read_file(self.storage, name, path, TABLES[name].names)

    def count_rows(self, name: str, where: pc.Expression, file: DataFile) -> int:
        """How many rows of a data file a condition is true for."""
        with self._reading_errors(name):
            return int(self.arrow_dataset(name, [file]).count_rows(filter=where))

    @contextmanager
    def open_data_file(self, name: str, path: str) -> Iterator[Any]:
        with (
            self._reading_errors(name),
            self.storage.arrow_filesystem.open_input_file(self.storage.path_of(f"{name}/{path}")) as file,
        ):
            yield file

    @contextmanager
    def _reading_errors(self, name: str) -> Iterator[None]:
        """Report a broken or missing data file in one line."""
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise _unreadable_error(self.storage.uri_of(name), error) from error

    def arrow_dataset(self, name: str, files: Collection[DataFile] | None = None) -> ds.Dataset:
        """The data files as an Arrow dataset, which is faster than reading through delta-rs."""
        import pyarrow.dataset as ds  # takes 0.3 s to import

        chosen = self.data_files(name) if files is None else files
        paths = [self.storage.path_of(f"{name}/{file.path}") for file in chosen]
        return ds.dataset(paths, TABLES[name], format="parquet", filesystem=self.storage.arrow_filesystem)


def _data_files_of(table: DeltaTable) -> list[DataFile]:
    actions = table.get_add_actions(flatten=True)
    # pyarrow would import pandas here
    columns = {name: list(actions.column(name).to_pylist()) for name in actions.schema.names}
    count = actions.num_rows
    low = {name.removeprefix("min."): values for name, values in columns.items() if name.startswith("min.")}
    high = {name.removeprefix("max."): values for name, values in columns.items() if name.startswith("max.")}
    days = columns.get(f"partition.{PARTITION}", [None] * count)
    return [
        DataFile(
            columns["path"][i],
            columns["size_bytes"][i],
            columns["num_records"][i] or 0,
            str(days[i] or ""),
            {name: values[i] for name, values in low.items() if values[i] is not None},
            {name: values[i] for name, values in high.items() if values[i] is not None},
        )
        for i in range(count)
    ]


def _unreadable_error(uri: str, why: object) -> DeadheatError:
    return DeadheatError(f"cannot be read ({str(why).partition(chr(10))[0]})", uri, "`deadheat lake check`")


def _property_version(table: DeltaTable, name: str) -> int:
    return int(table.metadata().configuration[name])


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
