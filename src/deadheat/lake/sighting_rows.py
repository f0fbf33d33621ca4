"""Converts sightings to rows of the lake and back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.api import original_causes
from deadheat.grouping.document import DocumentGrouping as Reports
from deadheat.grouping.keys import GroupingKey, actor_numbers, grouping_key_of, racing_instructions
from deadheat.lake import report_row
from deadheat.lake.report_row import MaskedReport, mask_report
from deadheat.model import ReportSource  # noqa: TC001, mypyc needs it at run time
from deadheat.serialization import SCHEMA_VERSION, document_to_wire, sighting_from_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.grouping.races import VariantAliases
    from deadheat.model import Document, Report, Sighting

    JsonDict = dict[str, Any]

# reports that are grouped together, as in `scan`
BATCH_SIZE: Final = 4096


class SightingRow(NamedTuple):
    """The row of a sighting without the columns that depend on its document."""

    row: JsonDict
    key: GroupingKey
    address: str | None
    actors: list[str]
    report: MaskedReport
    source: ReportSource


class _DuplicateGroup:
    """What a report and its duplicates have in common."""

    __slots__ = ("address", "damage", "instructions", "key", "report", "test")

    def __init__(self, sighting: Sighting) -> None:
        report, fingerprint = sighting.source.original, sighting.verdict.fingerprint
        self.report = mask_report(report, sighting.verdict, original_causes(sighting.source))
        self.key = sighting.source.derived.grouping_key or grouping_key_of(report, fingerprint)
        self.address = report.address
        self.instructions = racing_instructions(report)
        self.test, self.damage = report.test, len(report.damage)


def _to_pairs(fields: JsonDict) -> list[JsonDict]:
    """A dict as a list of pairs, because columns are fixed."""
    return [
        {"name": name, "value": value}
        for name, values in fields.items()
        for value in (values if isinstance(values, list) else [values])
    ]


def _bug_report_row(document: Document) -> JsonDict:
    row = document_to_wire(document)
    row["claims"] = [{**c, "details": _to_pairs(c["details"])} for c in row["claims"]]
    return row


def sighting_row(sighting: Sighting) -> SightingRow:
    source, span = sighting.source, sighting.span
    group = source.derived.prepared
    if not isinstance(group, _DuplicateGroup):
        source.derived.prepared = group = _DuplicateGroup(sighting)
    names = [*map(source.rename, group.report.names)]
    address = source.rename(group.address) if group.address else None
    row = {
        "uri": sighting.uri,
        "offset": span.offset,
        "length": span.length,
        "lane": span.stream,
        "test": group.test,
        "fingerprint": group.key.fingerprint,
        "report": group.report.digest,
        "names": report_row.append_instructions(names, group.instructions),
        "damage": group.damage,
    }
    if sighting.document is not None:
        row["bug_report"] = _bug_report_row(sighting.document)
    actors = [report_row.placeholder_name(placeholder, names) for placeholder in group.report.actors]
    return SightingRow(row, group.key, address, actors, group.report, source)


def add_variants(rows: Iterable[SightingRow]) -> Iterator[SightingRow]:
    """Add the variant columns to the sightings of one file."""
    batch: list[SightingRow] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH_SIZE:
            yield from _add_batch_variants(batch)
            batch = []
    if batch:
        yield from _add_batch_variants(batch)


def _add_batch_variants(batch: list[SightingRow]) -> Iterator[SightingRow]:
    variants = variant_columns(
        [
            (item.key, f"{item.row['uri']}\0{item.row['lane']}", item.address, item.actors, item.row["names"])
            for item in batch
        ]
    )
    for row, columns in zip(batch, variants, strict=True):
        row.row.update(columns)
        yield row


def variant_columns(
    reports: list[tuple[GroupingKey, str, str | None, list[str], list[str]]],
    known_aliases: Mapping[str, VariantAliases] | None = None,
) -> Iterator[JsonDict]:
    """Yield the variant columns of each report, given its key, stream, address, actors and names.

    Links and aliases are in the row of the first sighting of each variant. `known_aliases` caches
    aliases by description.
    """
    document = Reports()
    for key, stream, address, actors, names in reports:
        memory_address = int(address, 16) if address else 0
        document.add_report(
            key, stream, memory_address, partial(actor_numbers, actors), partial(report_row.instructions_in, names)
        )
    ids, facts = document.group_reports()
    links, aliases = facts.encoded_links(), facts.encoded_aliases(known_aliases)
    for name in ids:
        base = facts.variants[name].base
        yield {
            "node": name,
            "base": base,
            "links": links.pop(name, []),
            "aliases": aliases.pop(name, []),
            "split": facts.is_split(name),
        }


def sighting_from_row(row: JsonDict, report: JsonDict) -> Sighting:
    """The sighting of a row, given the row of its report."""
    restored = report_row.restore_names(report, row["names"])
    document = {key: row[key] for key in ("uri", "offset", "length", "lane")}
    serialized = _serialized_form(restored, row.get("race") or report["fingerprint"], document)
    if row.get("bug_report"):
        bug_report = {**row["bug_report"]}
        claims = bug_report.pop("claims")
        serialized["claims"] = [{**c, "details": _from_pairs(c["details"])} for c in claims]
        serialized["bug_report"] = bug_report
    return sighting_from_wire(serialized)


def sighting_of_report(report: JsonDict, document: JsonDict) -> Sighting:
    """The sighting of a report with its names, at a location."""
    return sighting_from_wire(_serialized_form(report, report["fingerprint"], document))


def _serialized_form(fields: JsonDict, race: str, document: JsonDict) -> JsonDict:
    facts = {fact["name"]: fact["value"] for fact in fields["facts"]}
    return {**fields, "facts": facts, "schema": SCHEMA_VERSION, "race": race, "causes": [], "document": document}


def _from_pairs(pairs: list[JsonDict]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for pair in pairs:
        values.setdefault(pair["name"], []).append(pair["value"])
    return values


def key_of_row(report: JsonDict) -> GroupingKey:
    """The grouping key for the row of a report."""
    return grouping_key_of(_parse_row(report))


def report_of_row(report: JsonDict, names: list[str]) -> Report:
    """The report of a row as printed, with the names of one of its sightings."""
    return _parse_row(report_row.restore_names(report, names))


def _parse_row(fields: JsonDict) -> Report:
    no_position = {"uri": "", "offset": 0, "length": 0, "lane": None}
    return sighting_from_wire(_serialized_form(fields, "", no_position)).report


def actor_placeholders(report: JsonDict) -> list[str]:
    """The placeholders of the actors in the row of a report."""
    return [a["actor"] for a in report["accesses"] if a["actor"]]


def address_placeholder(report: JsonDict) -> str | None:
    """The placeholder of the address in the row of a report."""
    return next((a["address"] for a in report["accesses"] if a["address"]), None)
