"""Opens the tables of a lake, makes or renews them, and refuses what no version could read."""

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
# the tables' metadata, what this deadheat writes there, and the oldest that it reads
_VERSIONS = {
    _COLUMNS: (LAKE_VERSION, LAKE_OLDEST, "columns"),
    "deadheat.fingerprint": (FINGERPRINT_VERSION, FINGERPRINT_VERSION, "fingerprints"),
}
# the application whose transactions number the states of a lake
APPLICATION = "deadheat"


class Lake:
    """A lake at a place, with its tables as they were when it was opened."""

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
        """The lake, if it is there; `maker` is the command that makes what is looked for in it."""
        if not self.is_there:
            raise DeadheatError(
                "there is no lake", self.uri, f"`deadheat {maker} --lake DIR` makes one"
            )
        return self

    def make(self, *later: str) -> None:
        """Makes the tables and columns that are missing; a lake that was half made is made whole.

        Of the tables that came later, only these: most lakes never need them.
        """
        settings = {key: str(version) for key, (version, _, _) in _VERSIONS.items()}
        settings["delta.dataSkippingNumIndexedCols"] = "2"
        # `files` comes last: a lake is there when that one is
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
        """Were its derived tables made by a version that knew fewer columns?"""
        return _version(self.table("nodes")) < LAKE_VERSION

    @property
    def outdated(self) -> list[str]:
        """The tables that a version made which knew fewer columns."""
        return [name for name in self.names if _version(self.table(name)) < LAKE_VERSION]

    def renew(self, names: Sequence[str]) -> None:
        """Notes that the derived tables have been made anew, with all columns."""
        for name in names:
            now = {_COLUMNS: str(LAKE_VERSION)}
            self.table(name).alter.set_table_properties(now, raise_if_not_exists=False)

    def refresh(self) -> None:
        """Looks again at what others may have written."""
        self._tables.clear()
        self.__dict__.pop("is_there", None)

    def has(self, name: str) -> bool:
        """Is there a table of that name? A lake may be older than the table."""
        return self._opened(name) is not None

    @property
    def names(self) -> list[str]:
        """The tables that a lake has to have, and those of the others that it has."""
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
            except (DeltaError, OSError) as error:  # the latter from object stores
                raise _unreadable(uri, self.place.fault(name) or error) from error
            _refuse_others(table, uri)
            self._tables[name] = table
        return table

    @property
    def state(self) -> int:
        """Which state of the lake this is: how many batches have been taken in so far."""
        return self.reached("files")

    def reached(self, name: str) -> int:
        return self.table(name).transaction_version(APPLICATION) or 0

    def paths(self, name: str) -> list[str]:
        """The data files of a table, from the table's folder on."""
        return self._files(name, "path")

    def sizes(self, name: str) -> list[int]:
        """The sizes of those files, as they were written."""
        return self._files(name, "size_bytes")

    def count(self, name: str) -> int:
        return sum(self._files(name, "num_records"))

    def _files(self, name: str, column: str) -> list[Any]:
        # not through pyarrow, which would import pandas to see whether this is a frame
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
        # as quick, and does without Arrow's datasets, which take a third of a second to import
        schema = pa.schema([TABLES[name].field(column) for column in wanted])
        whole = [pa.Table.from_batches([], schema)]
        for path in self.paths(name):
            with self.place.arrow.open_input_file(self.place.path(f"{name}/{path}")) as file:
                found = _widened(pq.ParquetFile(file).read(wanted), schema)
                # what is so already needs no functions of Arrow's, which take a while to import
                whole.append(found if found.schema.equals(schema) else found.cast(schema))
        return pa.concat_tables(whole)

    def batches(self, name: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """A table of any size, a piece at a time."""
        with self._reading(name):
            yield from self.dataset(name).to_batches(columns=list(columns))

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        """A data file that is broken or gone is told in one line."""
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self.place.at(name), error) from error

    def dataset(self, name: str) -> ds.Dataset:
        """A table's data files for Arrow, which opens them itself: delta-rs would ask Python to."""
        import pyarrow.dataset as ds  # takes a third of a second

        paths = [self.place.path(f"{name}/{path}") for path in self.paths(name)]
        return ds.dataset(paths, TABLES[name], format="parquet", filesystem=self.place.arrow)

    def holding(self, name: str, where: pc.Expression) -> Iterator[tuple[str, ds.Fragment]]:
        """The data files that have such rows, by the names that `paths` has for them."""
        folder = self.place.path(f"{name}/")
        for fragment in self.dataset(name).get_fragments():
            if fragment.count_rows(filter=where):
                yield fragment.path.removeprefix(folder), fragment


def _unreadable(uri: str, why: object) -> DeadheatError:
    return DeadheatError(
        f"cannot be read ({str(why).partition(chr(10))[0]})", uri, "`deadheat lake check`"
    )


def _widen(table: DeltaTable, schema: pa.Schema) -> None:
    """Adds the columns to a table that it lacks."""
    known = {field.name for field in table.schema().fields}
    missing = pa.schema([field for field in schema if field.name not in known])
    if missing.names:
        table.alter.add_columns(Columns.from_arrow(missing).fields)


def _widened(found: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows with all columns; of those that a data file lacks, nothing is known."""
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
            raise DeadheatError("is a table, but not deadheat's", uri, "give another --lake")
        if not (theirs.isdigit() and oldest <= int(theirs) <= ours):
            newer = theirs.isdigit() and int(theirs) > ours
            do = "use a newer deadheat" if newer else "ingest the documents into a new lake"
            raise DeadheatError(f"has {what} of version {theirs}, not {ours}", uri, do)
