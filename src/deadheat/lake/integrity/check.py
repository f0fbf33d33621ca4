"""Finds damage in a lake: files that are missing or changed, and tables that contradict each other.

Every file is compared with its checksum: that of a data file is in its name, those of the logs are in records
(`checksums`), and files in JSON end with their own."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deadheat.errors import DeadheatError
from deadheat.lake import transactions
from deadheat.lake.data_files import digest_in_name
from deadheat.lake.documents import bytes_digest
from deadheat.lake.integrity.checksums import CHECKSUM_FOLDER, LAST_CHECKPOINT, read_record, record_name
from deadheat.lake.schema import DERIVED_TABLES, FACT_TABLES, LAKE_VERSION, OPTIONAL_TABLES, TABLES
from deadheat.lake.storage import LOG_FOLDER, PART_SUFFIX, parse_json
from deadheat.lake.transactions import INTENT_FOLDER, STAGING_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.lake.tables import DataFile, Lake

# folder of files that a repair has replaced
DAMAGED_FOLDER = "_damaged"
# ingests-000000000012.json
_RECORD = re.compile(r"(?P<sequence>[a-z]+)-(?P<state>\d{12})\.json")
# 00000000000000000004.checkpoint.parquet
_LOG_FILE = re.compile(r"(?P<version>\d{20})\..*(?:json|parquet)")
_CHECKPOINT = ".checkpoint.parquet"
_LOCATION_COLUMNS = ["document", "uri", "offset", "length", "lane"]
_SIGHTING_COLUMNS = [*_LOCATION_COLUMNS, "report", "node"]


class Fault(NamedTuple):
    what: str
    path: str = ""  # of the file in the lake; "" if the tables contradict each other
    is_of_earlier_state: bool = False  # a data file that a change has removed, or a commit before a checkpoint
    is_unrecorded: bool = False  # a file whose checksum is missing

    def __str__(self) -> str:
        of_earlier_state = "; only earlier states of the table need it" if self.is_of_earlier_state else ""
        return f"{self.path} {self.what}{of_earlier_state}".strip()

    @property
    def table(self) -> str:
        return self.path.partition("/")[0]

    @property
    def is_needed(self) -> bool:
        """Whether the present state of the lake needs the content of the file."""
        return not (self.is_of_earlier_state or self.is_unrecorded)

    @property
    def is_of_log(self) -> bool:
        return self.path == self.table or f"/{LOG_FOLDER}" in self.path


class LakeCheck:
    """What is wrong with a lake. `notes` are no faults."""

    def __init__(self, lake: Lake) -> None:
        self._lake, self._storage = lake, lake.storage
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.files_without_checksum: list[str] = []
        # after a repair there is no intent, and no change is under way
        self._has_intents = False
        self._sizes: dict[str, int] = {}
        self._checksums: dict[str, set[str]] = {}
        self._active: dict[str, dict[str, DataFile]] = {}
        self._mentioned: dict[str, set[str]] = {name: set() for name in TABLES}

    def run(self) -> LakeCheck:
        """Check everything. Keeps a few columns of the largest tables in memory."""
        if not self._lake.storage.entry_names(""):
            self._lake.require()
        self._list_files()
        self._open_tables()
        self._check_logs()
        self._check_data_files()
        self._note_other_files()
        if not self.faults and {*FACT_TABLES, *DERIVED_TABLES} <= self._active.keys():
            self.faults += map(Fault, _content_faults(self._lake))
        return self

    def _list_files(self) -> None:
        for entry in self._storage.entry_names(""):
            for name, info in self._storage.files_below(entry):
                self._sizes[f"{entry}/{name}" if name != self._storage.path_of(entry) else entry] = info["size"]
        # a record that is written now has the logs that were listed before
        for name in sorted(self._storage.entry_names(CHECKSUM_FOLDER)):
            path = f"{CHECKSUM_FOLDER}/{name}"
            if name.endswith(PART_SUFFIX):
                continue
            files = read_record(self._storage, path)
            if files is None:
                self.faults.append(Fault("is damaged; it has the checksums of logs", path))
            for file, digest in (files or {}).items():
                self._checksums.setdefault(file, set()).add(digest)

    def _open_tables(self) -> None:
        """Open the tables, as far as that is possible."""
        lake, is_older = self._lake, False
        with suppress(DeadheatError):
            is_older = lake.is_older
        if is_older:
            self.notes.append("was written by an earlier version; the next ingest migrates it")
        opened = []
        for name in TABLES:
            try:
                if name in OPTIONAL_TABLES and not lake.has_table(name):
                    continue
                self._active[name] = {file.path: file for file in lake.data_files(name)}
                lake.table_state(name)
                opened.append(name)
            except DeadheatError as error:
                # earlier versions did not have all tables
                if not (is_older and name not in self._storage.entry_names("")):
                    self.faults.append(Fault(error.what, name))
        if {"ingests", "nodes"} <= {*opened}:
            self.faults += map(Fault, transactions.intent_faults(lake))
        names = [name for name in self._storage.entry_names(INTENT_FOLDER) if name.endswith(".json")]
        self._has_intents = bool(names)
        for tables in (FACT_TABLES, DERIVED_TABLES):
            present = [name for name in tables if name in opened]
            if not names and any(lake.schema_version(name) == LAKE_VERSION for name in present):
                states = {name: lake.table_state(name) for name in present}
                if len({*states.values()}) > 1:
                    of_tables = ", ".join(f"{name} {state}" for name, state in states.items())
                    self.faults.append(Fault(f"and its tables contain different changes ({of_tables})", tables[0]))
        for decider in (FACT_TABLES[0], DERIVED_TABLES[0], *OPTIONAL_TABLES):
            if decider in opened and not names:
                self.faults += self._missing_records(decider, lake.table_state(decider))

    def _missing_records(self, decider: str, last: int) -> Iterator[Fault]:
        names = filter(None, map(_RECORD.fullmatch, self._storage.entry_names(CHECKSUM_FOLDER)))
        states = {int(name["state"]) for name in names if name["sequence"] == decider} - {0}
        is_recorded_from_start = record_name("lake", 0) in self._sizes
        first = 1 if is_recorded_from_start else min(states, default=last + 1)
        for state in sorted({*range(first, last + 1)} - states):
            yield Fault("is missing; it has the checksums of logs", f"{CHECKSUM_FOLDER}/{decider}-{state:012}.json")

    # -- logs

    def _check_logs(self) -> None:
        for table in TABLES:
            folder = f"{table}/{LOG_FOLDER}/"
            present = sorted(name for name in self._sizes if name.startswith(folder))
            recorded = {name for name in self._checksums if name.startswith(folder)}
            first = min(filter(None, map(_version, recorded)), default=None)
            found = [fault for name in sorted({*present, *recorded}) if (fault := self._log_fault(table, name, first))]
            damaged = {fault.path for fault in found}
            checkpoints = [name for name in present if name.endswith(_CHECKPOINT) and name not in damaged]
            latest = max(filter(None, map(_version, checkpoints)), default="")
            for fault in found:
                version = _version(fault.path)
                is_earlier = table in self._active and version is not None and version <= latest
                self.faults.append(fault._replace(is_of_earlier_state=is_earlier))

    def _log_fault(self, table: str, name: str, first_recorded: str | None) -> Fault | None:
        try:
            data = self._storage.read_bytes(name)
        except FileNotFoundError:
            return Fault("is missing", name)
        except OSError as error:
            return Fault(f"cannot be read ({error.strerror or error})", name)
        self._mentioned[table].update(_mentioned_files(name, data))
        if name not in self._checksums:
            version = _version(name)
            if first_recorded and version and version >= first_recorded and not self._has_intents:
                return Fault("has no checksum, unlike earlier ones", name, is_unrecorded=True)
            self.files_without_checksum.append(name)
        elif bytes_digest(data) not in self._checksums[name]:
            return Fault("is empty" if not data else "is damaged: its checksum does not match", name)
        return None

    # -- data files

    def _check_data_files(self) -> None:
        for table in TABLES:
            active = self._active.get(table, {})
            for path, file in active.items():
                if fault := self._data_fault(table, path, file.size):
                    self.faults.append(Fault(fault, f"{table}/{path}"))
            unused = []
            for name, size in self._sizes.items():
                path = name.removeprefix(f"{table}/")
                if path in (name, *active) or path.startswith(LOG_FOLDER):
                    continue
                if path not in self._mentioned[table] and table in self._active:
                    unused.append((name, size))
                elif fault := self._data_fault(table, path, None):
                    self.faults.append(Fault(fault, name, is_of_earlier_state=True))
            if unused:
                count, size = len(unused), sum(size for _, size in unused)
                what = f"{_count_files(count)} ({size} bytes) that no change has added, such as {unused[0][0]}"
                self.notes.append(f"{table} has {what}; an ingest is running, was killed, or they are not of this lake")

    def _data_fault(self, table: str, path: str, expected_size: int | None) -> str:
        """What is wrong with a data file, or ""."""
        name = f"{table}/{path}"
        size = self._sizes.get(name)
        try:
            if size == 0:
                return "is empty"
            if expected_size not in (None, size) and size is not None:
                return f"has {size} bytes, expected {expected_size}"
            digest = self._storage.digest(name)
            expected = {digest_in_name(path)} - {""} or self._checksums.get(name)
            if expected is None:
                self.files_without_checksum.append(name)
                self._lake.read_added(table, path)
            elif digest not in expected:
                return "is damaged: its checksum does not match"
        except FileNotFoundError:
            return "is missing"
        except (OSError, pa.ArrowException) as error:
            return f"cannot be read ({getattr(error, 'strerror', None) or str(error).partition(chr(10))[0]})"
        return ""

    def _note_other_files(self) -> None:
        folders = {*TABLES, DAMAGED_FOLDER, CHECKSUM_FOLDER, INTENT_FOLDER, STAGING_FOLDER}
        others = [name for name in self._sizes if name.partition("/")[0] not in folders or name.endswith(PART_SUFFIX)]
        if others:
            self.notes.append(f"not part of the lake: {_count_files(len(others))}, such as {others[0]}")
        if count := sum(name.startswith(f"{DAMAGED_FOLDER}/") for name in self._sizes):
            self.notes.append(f"repairs have moved {_count_files(count)} to {DAMAGED_FOLDER}; nothing reads them")
        if count := len(self.files_without_checksum):
            self.notes.append(
                f"without a checksum: {_count_files(count)}; `deadheat lake check --repair` adds what is missing"
            )


def _count_files(count: int) -> str:
    return f"{count} file{'s' * (count != 1)}"


def _version(log_name: str) -> str | None:
    match = _LOG_FILE.fullmatch(log_name.rpartition("/")[2])
    return match["version"] if match else None


def _mentioned_files(name: str, data: bytes) -> Iterable[str]:
    """The data files that a file of a log adds or removes, as far as it is readable."""
    if name.endswith(LAST_CHECKPOINT):
        return
    try:
        if name.endswith(".parquet"):
            rows: Iterable[dict[str, Any]] = pq.read_table(pa.BufferReader(data), columns=["add", "remove"]).to_pylist()
        else:
            rows = [parse_json(line) for line in data.splitlines()]
        for row in rows:
            for action in (row.get("add"), row.get("remove")):
                if action:
                    yield unquote(action["path"])
    except (ValueError, TypeError, KeyError, AttributeError, OSError, pa.ArrowException):
        return


# -- tables against each other


def _content_faults(lake: Lake) -> Iterator[str]:
    """Check the tables against each other. Keeps a few columns of the largest tables in memory."""
    sightings = lake.read_rows("sightings", _SIGHTING_COLUMNS)
    locations = sightings.group_by(_LOCATION_COLUMNS).aggregate([])
    if duplicates := sightings.num_rows - locations.num_rows:
        yield f"{duplicates} duplicate sightings"
    digests = lake.read_rows("reports", ["digest"])["digest"]
    if duplicates := len(digests) - len(pc.unique(digests)):
        yield f"{duplicates} duplicate reports"
    for table, present, reference in (
        ("reports", digests, "report"),
        ("files", lake.read_rows("files", ["document"])["document"], "document"),
    ):
        if missing := _count_missing(sightings[reference], present):
            yield f"{missing} {table} of sightings are missing"
    if lake.transaction_number("nodes", transactions.COVERED_APPLICATION) < _last_change(lake):
        yield "races are not derived from the latest sightings; the next ingest or `deadheat consolidate` does it"
        return
    races = lake.read_rows("races", ["sightings", "nodes"])
    counted = pc.sum(races["sightings"]).as_py() or 0
    if counted != sightings.num_rows:
        remedy = "`deadheat consolidate` rebuilds them"
        yield f"races have {counted} sightings, expected {sightings.num_rows}; {remedy}"
    if missing := _count_missing(sightings["node"], pc.list_flatten(races["nodes"])):
        yield f"{missing} variants have no race; `deadheat consolidate` rebuilds the races"


def _last_change(lake: Lake) -> int:
    """The last state in which sightings were added or removed."""
    rows = lake.read_rows("ingests", ["state", "sightings", "recount"]).to_pylist()
    return max((row["state"] for row in rows if row["sightings"] or row["recount"]), default=0)


def _count_missing(wanted: object, present: object) -> int:
    known = pc.is_in(pc.unique(wanted), value_set=pc.unique(present))
    return int(pc.sum(pc.invert(known)).as_py() or 0)
