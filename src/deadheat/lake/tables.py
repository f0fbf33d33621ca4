"""Opens, creates and upgrades the tables of a lake, and refuses incompatible versions."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake import Schema as Columns
from deltalake.exceptions import DeltaError, TableNotFoundError

from deadheat.errors import DeadheatError
from deadheat.identity.fingerprint import FINGERPRINT_VERSION
from deadheat.lake.beginning import begin
from deadheat.lake.place import Place
from deadheat.lake.schema import LAKE_OLDEST, LAKE_VERSION, LATER, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow.compute as pc
    import pyarrow.dataset as ds

_COLUMNS = "deadheat.schema"
# table property: current version, oldest readable version, subject
_VERSIONS = {
    _COLUMNS: (LAKE_VERSION, LAKE_OLDEST, "columns"),
    "deadheat.fingerprint": (FINGERPRINT_VERSION, FINGERPRINT_VERSION, "fingerprints"),
}
# its transactions number the states of a lake
APPLICATION = "deadheat"


class Lake:
    """A lake, with its tables as of when they were opened."""

    def __init__(self, root: str) -> None:
        self.place = Place(root)
        self._tables: dict[str, DeltaTable] = {}

    @property
    def uri(self) -> str:
        return self.place.uri

    @cached_property
    def is_there(self) -> bool:
        return self._opened("files") is not None

    def expect(self, maker: str = "ingest PATH") -> Lake:
        """Return the lake, or fail if it does not exist. `command` is the command that creates it."""
        if not self.is_there:
            raise DeadheatError(
                "there is no lake", self.uri, f"`deadheat {maker} --lake DIR` makes one"
            )
        return self

    def make(self, *later: str) -> None:
        """Create missing tables and columns. An incomplete lake is completed.

        Of the optional tables only those in `optional` are created.
        """
        settings = {key: str(version) for key, (version, _, _) in _VERSIONS.items()}
        settings["delta.dataSkippingNumIndexedCols"] = "2"
        # `files` is last: a lake exists if that table does
        for name in reversed(TABLES):
            wanted = name not in LATER or name in later
            table = self._opened(name)
            if table is not None:
                _widen(table, TABLES[name])
            elif wanted:
                self._tables[name] = begin(self.place, name, TABLES[name], settings)
        self.__dict__.pop("is_there", None)

    @property
    def is_older(self) -> bool:
        """Were the derived tables made by a version with fewer columns?"""
        return _version(self.table("nodes")) < LAKE_VERSION

    @property
    def outdated(self) -> list[str]:
        """The tables that were made by a version with fewer columns."""
        return [name for name in self.names if _version(self.table(name)) < LAKE_VERSION]

    def renew(self, names: Sequence[str]) -> None:
        """Record that these tables have been rebuilt with all columns."""
        for name in names:
            now = {_COLUMNS: str(LAKE_VERSION)}
            self.table(name).alter.set_table_properties(now, raise_if_not_exists=False)

    def refresh(self) -> None:
        """Reopen the tables on their next use."""
        self._tables.clear()
        self.__dict__.pop("is_there", None)

    def has(self, name: str) -> bool:
        """Does the table exist?"""
        return self._opened(name) is not None

    @property
    def names(self) -> list[str]:
        """The required tables, and the optional ones that exist."""
        return [name for name in TABLES if name not in LATER or self.has(name)]

    def table(self, name: str) -> DeltaTable:
        table = self._opened(name)
        if table is None:
            raise DeadheatError(f"the table {name} is missing", self.uri, "`deadheat lake check`")
        return table

    def _opened(self, name: str) -> DeltaTable | None:
        table = self._tables.get(name)
        if table is None:
            uri = self.place.at(name)
            try:
                table = DeltaTable(uri)
            except TableNotFoundError as error:
                if fault := self.place.fault(name):
                    raise _unreadable(uri, fault) from error
                return None
            except (DeltaError, OSError) as error:  # object stores raise OSError
                raise _unreadable(uri, self.place.fault(name) or error) from error
            _refuse_others(table, uri)
            self._tables[name] = table
        return table

    @property
    def state(self) -> int:
        """The state number of the lake: how many batches were ingested."""
        return self.reached("files")

    def reached(self, name: str) -> int:
        return self.table(name).transaction_version(APPLICATION) or 0

    def paths(self, name: str) -> list[str]:
        """The data files of a table, relative to its folder."""
        return self._files(name, "path")

    def sizes(self, name: str) -> list[int]:
        """The sizes of the data files."""
        return self._files(name, "size_bytes")

    def count(self, name: str) -> int:
        return sum(self._files(name, "num_records"))

    def _files(self, name: str, column: str) -> list[Any]:
        # pyarrow would import pandas here
        told = self.table(name).get_add_actions(flatten=True).column(column)
        return list(told.to_pylist())

    def rows(
        self, name: str, columns: Sequence[str] | None = None, where: pc.Expression | None = None
    ) -> pa.Table:
        with self._reading(name):
            return self._rows(name, list(columns or TABLES[name].names), where)

    def _rows(self, name: str, wanted: list[str], where: pc.Expression | None) -> pa.Table:
        if where is not None:
            return self.dataset(name).to_table(columns=wanted, filter=where)
        # as fast, without `pyarrow.dataset`, which takes 0.3 s to import
        schema = pa.schema([TABLES[name].field(column) for column in wanted])
        whole = [pa.Table.from_batches([], schema)]
        for path in self.paths(name):
            with self.place.arrow.open_input_file(self.place.path(f"{name}/{path}")) as file:
                found = _widened(pq.ParquetFile(file).read(wanted), schema)
                # `cast` imports `pyarrow.compute`, which takes time
                whole.append(found if found.schema.equals(schema) else found.cast(schema))
        return pa.concat_tables(whole)

    def batches(self, name: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield a table of any size in batches."""
        with self._reading(name):
            yield from self.dataset(name).to_batches(columns=list(columns))

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        """Report a broken or missing data file in one line."""
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self.place.at(name), error) from error

    def dataset(self, name: str) -> ds.Dataset:
        """The data files as an Arrow dataset, which is faster than reading through delta-rs."""
        import pyarrow.dataset as ds  # takes 0.3 s to import

        paths = [self.place.path(f"{name}/{path}") for path in self.paths(name)]
        return ds.dataset(paths, TABLES[name], format="parquet", filesystem=self.place.arrow)

    def holding(self, name: str, where: pc.Expression) -> Iterator[tuple[str, ds.Fragment]]:
        """Yield the data files with matching rows, named as in `data_files`."""
        folder = self.place.path(f"{name}/")
        for fragment in self.dataset(name).get_fragments():
            if fragment.count_rows(filter=where):
                yield fragment.path.removeprefix(folder), fragment


def _unreadable(uri: str, why: object) -> DeadheatError:
    return DeadheatError(
        f"cannot be read ({str(why).partition(chr(10))[0]})", uri, "`deadheat lake check`"
    )


def _widen(table: DeltaTable, schema: pa.Schema) -> None:
    """Add missing columns to a table."""
    known = {field.name for field in table.schema().fields}
    missing = pa.schema([field for field in schema if field.name not in known])
    if missing.names:
        table.alter.add_columns(Columns.from_arrow(missing).fields)


def _widened(found: pa.Table, schema: pa.Schema) -> pa.Table:
    """Add missing columns to rows, filled with nulls."""
    for field in schema:
        if field.name not in found.schema.names:
            found = found.append_column(field, pa.nulls(found.num_rows, field.type))
    return found.select(schema.names)


def _version(table: DeltaTable) -> int:
    return int(table.metadata().configuration[_COLUMNS])


def _refuse_others(table: DeltaTable, uri: str) -> None:
    settings = table.metadata().configuration
    for key, (ours, oldest, what) in _VERSIONS.items():
        theirs = settings.get(key)
        if theirs is None:
            raise DeadheatError("is not a deadheat table", uri, "give another --lake")
        if not (theirs.isdigit() and oldest <= int(theirs) <= ours):
            newer = theirs.isdigit() and int(theirs) > ours
            do = "use a newer deadheat" if newer else "ingest the documents into a new lake"
            raise DeadheatError(f"has {what} of version {theirs}, not {ours}", uri, do)
