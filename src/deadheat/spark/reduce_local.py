"""Reduces a small batch on the driver, which is faster than planning it on Spark.

It writes the same tables as `reduce_spark`; a test compares them.
"""

from __future__ import annotations

from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from deadheat.lake import race_rows, report_row, sighting_rows, transactions
from deadheat.lake.schema import NODES, REPORTS, SIGHTINGS, TABLES, sort_columns
from deadheat.lake.transactions import AddedFile, TableChange
from deadheat.spark.dataframes import is_in
from deadheat.spark.tasks import STAGED_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.grouping.keys import GroupingKey
    from deadheat.grouping.races import VariantAliases
    from deadheat.lake.race_rows import SightingValues
    from deadheat.lake.report_row import ReportDetails
    from deadheat.lake.tables import Lake
    from deadheat.spark.input_files import IngestPlan
    from deadheat.spark.task_output import TaskOutput

    JsonDict = dict[str, Any]

_DOCUMENT_ORDER = ("uri", "offset", "length", "lane")


class LocalReducer:
    def __init__(self, lake: Lake, batch: str) -> None:
        self._lake, self._batch = lake, batch
        self.changes: dict[str, TableChange] = {}
        self._known_variants: set[str] = set()
        self._keys: dict[str, GroupingKey] = {}  # by report digest
        self._aliases: dict[str, VariantAliases] = {}  # by description
        self._races: list[JsonDict] = []

    def add_sightings(self, plan: IngestPlan, task_output: TaskOutput) -> None:
        details = self._add_reports(task_output)
        stale, kept_rows, other_rows = self._replaced_sightings(plan)
        found, has_variant = task_output.sightings_table(), pc.field("node").is_valid()
        parts = pa.concat_tables([found.filter(~has_variant), self._restore_grouping_columns(kept_rows)])
        grouped = found.filter(has_variant).select(SIGHTINGS.names)
        new_sightings = pa.concat_tables([grouped, self._add_variants(parts)])
        self._write_table("sightings", pa.concat_tables([new_sightings, other_rows]), stale)
        if plan.replaced_files or self._lake.is_older:
            others = self._lake.read_rows("sightings", where=~is_in("file", plan.replaced_files))
            sightings = _row_tuples(pa.concat_tables([others, new_sightings]))
            self._derive_tables(sightings, self._report_details() | details, [])
        else:
            nodes = _row_tuples(self._lake.read_rows("nodes"), NODES.names)
            before = [dict(zip(NODES.names, row, strict=True)) for row in nodes]
            self._derive_tables(_row_tuples(new_sightings), details, before)

    def _add_reports(self, task_output: TaskOutput) -> dict[str, ReportDetails]:
        """Add the new reports, and return the details of all reports by digest."""
        known_digests = set(self._lake.read_rows("reports", ["digest"])["digest"].to_pylist())
        details: dict[str, ReportDetails] = {}
        rest = [REPORTS.empty_table()]
        moved_files: list[AddedFile] = []
        for result in task_output.report_results:
            new = []
            for digest, report_details, key, aliases in task_output.report_facts(result):
                details[digest], self._keys[digest] = report_details, key
                self._aliases[key.description] = aliases
                if digest not in known_digests:
                    new.append(digest)
            known_digests.update(new)
            part = result.reports
            if part.file and len(new) == part.row_count:
                # the file of a task becomes a data file of the table and is not read
                path = f"{self._batch}/{part.file.rpartition('/')[2]}"
                self._lake.storage.move_file(part.file, f"reports/{path}")
                moved_files.append(AddedFile(path, part.size, part.stats))
            elif new:
                content = task_output.reports_table(result)
                rest.append(content.take(pc.index_in(pa.array(new), content["digest"])))
        self._write_table("reports", pa.concat_tables(rest), add=moved_files)
        return details

    def _add_variants(self, parts: pa.Table) -> pa.Table:
        """The sightings with the variants that their complete documents give them."""
        content = parts.sort_by([(name, "ascending") for name in _DOCUMENT_ORDER]).to_pylist()
        for _, document in groupby(content, itemgetter("uri")):
            while chunk := list(islice(document, sighting_rows.BATCH_SIZE)):
                race_rows.add_document_variants(chunk, [self._keys[row["report"]] for row in chunk], self._aliases)
        return pa.Table.from_pylist(content, SIGHTINGS)

    def _restore_grouping_columns(self, kept_rows: pa.Table) -> pa.Table:
        """Sightings of the lake with the columns that grouping needs."""
        wanted = pc.field("digest").isin(pc.unique(kept_rows["report"]))
        rows = self._lake.read_rows("reports", where=wanted).to_pylist() if kept_rows.num_rows else []
        reports = {row["digest"]: row for row in rows}
        self._keys |= {digest: sighting_rows.key_of_row(row) for digest, row in reports.items()}
        content = kept_rows.to_pylist()
        for row in content:
            report = reports[row["report"]]
            row["address"] = sighting_rows.address_placeholder(report)
            row["actors"] = sighting_rows.actor_placeholders(report)
            race_rows.restore_address_and_actors(row)
        return pa.Table.from_pylist(content, STAGED_SCHEMA)

    def rebuild_derived(self) -> None:
        sightings = _row_tuples(self._lake.read_rows("sightings", race_rows.SIGHTING_COLUMNS))
        self._derive_tables(sightings, self._report_details(), [])

    def new_races(self) -> list[tuple[str, str]]:
        new_rows = (row for row in self._races if self._known_variants.isdisjoint(row["nodes"]))
        return sorted((row["race"], row["title"]) for row in new_rows)

    def _replaced_sightings(self, plan: IngestPlan) -> tuple[list[str], pa.Table, pa.Table]:
        """For files read again: data files to remove, sightings to keep, rows of other files."""
        stale: list[str] = []
        kept_rows, other_rows = SIGHTINGS.empty_table(), SIGHTINGS.empty_table()
        if not plan.replaced_files:
            return stale, kept_rows, other_rows
        is_replaced = is_in("file", plan.replaced_files)
        for path, fragment in self._lake.files_with_rows("sightings", is_replaced):
            old = fragment.to_table(SIGHTINGS)
            stale.append(path)
            other_rows = pa.concat_tables([other_rows, old.filter(~is_replaced)])
            for file, end in plan.keep_before.items():
                before = (pc.field("file") == file) & (pc.field("offset") < end)
                kept_rows = pa.concat_tables([kept_rows, old.filter(before)])
        return stale, kept_rows, other_rows

    def _report_details(self) -> dict[str, ReportDetails]:
        reports_found = self._lake.read_rows("reports", ["digest", *report_row.DETAIL_COLUMNS]).to_pylist()
        return {row["digest"]: report_row.details_of_row(row) for row in reports_found}

    def _derive_tables(
        self, sightings: Iterator[SightingValues], reports: dict[str, ReportDetails], before: list[JsonDict]
    ) -> None:
        self._known_variants = set(self._lake.read_rows("nodes", ["node"])["node"].to_pylist())
        variants = race_rows.variant_rows(sightings, reports, before)
        self._races, families = race_rows.race_and_family_rows(variants)
        for name, content in (("nodes", variants), ("races", self._races), ("families", families)):
            self._write_table(name, pa.Table.from_pylist(content, TABLES[name]), self._lake.data_files(name))

    def _write_table(
        self, name: str, content: pa.Table, remove: Sequence[str] = (), add: Sequence[AddedFile] = ()
    ) -> None:
        content = content.select(TABLES[name].names).sort_by([(column, "ascending") for column in sort_columns(name)])
        written = transactions.write_rows(self._lake.storage, name, self._batch, content)
        self.changes[name] = TableChange([*add, *written], [*remove])


def _row_tuples(table: pa.Table, columns: Sequence[str] = race_rows.SIGHTING_COLUMNS) -> Iterator[SightingValues]:
    return zip(*(_column_values(table[name]) for name in columns), strict=True)


def _column_values(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column. Timestamps are few and expensive, so each is converted once."""
    if not pa.types.is_timestamp(column.type):
        return list(column.to_pylist())
    encoded = column.combine_chunks().dictionary_encode()
    times = encoded.dictionary.to_pylist()
    return [None if index is None else times[index] for index in encoded.indices.to_pylist()]
