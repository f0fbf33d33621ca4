"""Converts sightings to rows of the lake and back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.echo import Echo, Unread
from deadheat.identity.document import Document as Reports
from deadheat.identity.evidence import Mark, instructions, mark, numbers
from deadheat.identity.races import by_first
from deadheat.lake import masks
from deadheat.lake.told import Told, told
from deadheat.wire import (
    SCHEMA_VERSION,
    document_to_wire,
    sighting_from_wire,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.identity.races import Alias
    from deadheat.model import Document, Report, Sighting

    Plain = dict[str, Any]

# reports that are grouped together, as in `scan`
BATCH: Final = 4096


class Seen(NamedTuple):
    """The row of a sighting without the columns that depend on its document."""

    row: Plain
    mark: Mark
    address: str | None
    actors: list[str]
    told: Told


class _Known:
    """What a report and its duplicates have in common."""

    __slots__ = ("_gaps", "address", "damage", "instructions", "mark", "test", "told")

    def __init__(self, sighting: Sighting) -> None:
        report = sighting.report
        self.told = told(sighting)
        self.mark = _mark(sighting, report)
        self.address = next((a.address for a in report.accesses if a.address), None)
        self.instructions = instructions(report)
        self.test, self.damage = report.test, len(report.damage)
        self._gaps: list[tuple[str, int | None]] = []

    def learn(self, echo: Echo) -> _Known:
        """Find the positions of the duplicate's numbers in the names."""
        numbers = [number.decode() for number in echo.names]
        for name in self.told.names:
            number = name.rpartition(" ")[2].removeprefix("0x")
            found = number in numbers
            text = name[: len(name) - len(number)] if found else name
            self._gaps.append((text, numbers.index(number) if found else None))
        return self

    def echoed(self, echo: Echo) -> tuple[list[str], str | None]:
        """The names and the address of a duplicate."""
        numbers = [number.decode() for number in echo.names]
        names = [text if at is None else text + numbers[at] for text, at in self._gaps]
        changed = names[self.told.names.index(self.address)] if self.address else None
        return names, changed


def _mark(sighting: Sighting, report: Report) -> Mark:
    """The grouping key, which is usually computed already."""
    by = sighting.told
    known: Mark | None = by.notes.get("mark") if isinstance(by, Unread | Echo) else None
    return known or mark(report, sighting.verdict.fingerprint)


def _listed(told: Plain) -> list[Plain]:
    """A dict as a list of pairs, because columns are fixed."""
    return [
        {"name": name, "value": value}
        for name, values in told.items()
        for value in (values if isinstance(values, list) else [values])
    ]


def _bug_report(document: Document) -> Plain:
    told = document_to_wire(document)
    told["claims"] = [{**c, "details": _listed(c["details"])} for c in told["claims"]]
    return told


def seen(sighting: Sighting) -> Seen:
    echo = sighting.told
    if isinstance(echo, Echo):
        known = echo.notes.get("lake")
        if known is None:
            echo.notes["lake"] = known = _Known(sighting).learn(echo)
        names, address = known.echoed(echo)
    else:
        known = _Known(sighting)
        names, address = known.told.names, known.address
    span = sighting.span
    row = {
        "uri": sighting.uri,
        "offset": span.offset,
        "length": span.length,
        "lane": span.lane,
        "test": known.test,
        "fingerprint": known.mark.fingerprint,
        "report": known.told.digest,
        "names": masks.with_instructions(names, known.instructions),
        "damage": known.damage,
    }
    if sighting.document is not None:
        row["bug_report"] = _bug_report(sighting.document)
    actors = [masks.name_of(mark, names) for mark in known.told.actors]
    return Seen(row, known.mark, address, actors, known.told)


def identified(found: Iterable[Seen]) -> Iterator[Seen]:
    """Add the variant columns to the sightings of one file."""
    batch: list[Seen] = []
    for one in found:
        batch.append(one)
        if len(batch) == BATCH:
            yield from _identified(batch)
            batch = []
    yield from _identified(batch)


def _identified(batch: list[Seen]) -> Iterator[Seen]:
    kin = kin_of(
        [
            (s.mark, f"{s.row['uri']}\0{s.row['lane']}", s.address, s.actors, s.row["names"])
            for s in batch
        ]
    )
    for one, known in zip(batch, kin, strict=True):
        one.row.update(known)
        yield one


def kin_of(
    reports: list[tuple[Mark, str, str | None, list[str], list[str]]],
    known_aliases: Mapping[str, Alias] | None = None,
) -> Iterator[Plain]:
    """Yield the variant columns of each report, given its key, stream, address, actors and names.

    Links and aliases are in the row of the first sighting of each variant. `known_aliases` caches
    aliases by description.
    """
    document = Reports()
    for known, lane, address, actors, names in reports:
        at = int(address, 16) if address else 0
        document.add(known, lane, at, partial(numbers, actors), partial(masks.instructions, names))
    ids, found = document.found()
    links, aliases = by_first(found.links), found.aliases_by_node(known_aliases)
    for name in ids:
        base = found.nodes[name].base
        yield {
            "node": name,
            "base": base,
            "links": links.pop(name, []),
            "aliases": aliases.pop(name, []),
            "split": base in found.split,
        }


def sighting_of(row: Plain, report: Plain) -> Sighting:
    """The sighting of a row, given the row of its report."""
    printed = masks.unmasked(report, row["names"])
    document = {key: row[key] for key in ("uri", "offset", "length", "lane")}
    wired = _wired(printed, row.get("race") or report["fingerprint"], document)
    if row.get("bug_report"):
        author = {**row["bug_report"]}
        claims = author.pop("claims")
        wired["claims"] = [{**c, "details": _object(c["details"])} for c in claims]
        wired["bug_report"] = author
    return sighting_from_wire(wired)


def _wired(told: Plain, race: str, document: Plain) -> Plain:
    facts = {fact["name"]: fact["value"] for fact in told["facts"]}
    return {**told, "facts": facts, "schema": SCHEMA_VERSION, "race": race, "document": document}


def _object(pairs: list[Plain]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for pair in pairs:
        told.setdefault(pair["name"], []).append(pair["value"])
    return told


def mark_of(report: Plain) -> Mark:
    """The grouping key for the row of a report."""
    nowhere = {"uri": "", "offset": 0, "length": 0, "lane": None}
    return mark(sighting_from_wire(_wired(report, "", nowhere)).report)


def actors_of(report: Plain) -> list[str]:
    """The placeholders of the actors in the row of a report."""
    return [a["actor"] for a in report["accesses"] if a["actor"]]


def address_of(report: Plain) -> str | None:
    """The placeholder of the address in the row of a report."""
    return next((a["address"] for a in report["accesses"] if a["address"]), None)
