"""Sightings as rows of the lake, and rows as sightings again; knows no table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.echo import Echo
from deadheat.identity.evidence import Mark, mark, numbers
from deadheat.identity.families import keys
from deadheat.identity.races import Document as Reports
from deadheat.lake import masks
from deadheat.wire import (
    SCHEMA_VERSION,
    document_to_wire,
    sighting_from_wire,
    sighting_to_wire,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.model import Document, Sighting

    Plain = dict[str, Any]

# what a file with more reports tells of their identity is told a batch at a time, as `scan` does it
BATCH = 4096
_DOCUMENT = ("schema", "race", "document", "bug_report", "claims")


class Seen(NamedTuple):
    """What is taken from a sighting: all of its columns but those that its document decides."""

    row: Plain
    mark: Mark
    address: str | None
    report: Plain

    @property
    def actors(self) -> list[str]:
        return [masks.name_of(mark, self.row["names"]) for mark in actors_of(self.report)]


class _Known:
    """What a report and all its echoes have in common."""

    __slots__ = ("_gaps", "address", "mark", "names", "report")

    def __init__(self, sighting: Sighting) -> None:
        report = sighting.report
        told = told_of(sighting)
        hidden, self.names = masks.masked(told)
        self.mark = mark(report)
        self.address = next((a.address for a in report.accesses if a.address), None)
        self.report = {
            "digest": masks.digest(hidden),
            **hidden,
            "sites": [_site(access["site"] or {}) for access in hidden["accesses"]],
            "keys": sorted(set(keys(report))),
        }
        self._gaps: list[tuple[str, int | None]] = []

    def learn(self, echo: Echo) -> _Known:
        """Finds out which of the echo's numbers goes into which name."""
        numbers = [number.decode() for number in echo.names]
        for name in self.names:
            number = name.rpartition(" ")[2].removeprefix("0x")
            found = number in numbers
            text = name[: len(name) - len(number)] if found else name
            self._gaps.append((text, numbers.index(number) if found else None))
        return self

    def echoed(self, echo: Echo) -> tuple[list[str], str | None]:
        """The names and the address of an echo."""
        numbers = [number.decode() for number in echo.names]
        names = [text if at is None else text + numbers[at] for text, at in self._gaps]
        changed = names[self.names.index(self.address)] if self.address else None
        return names, changed


def told_of(sighting: Sighting) -> Plain:
    """What a sighting's report says, as the tables have it."""
    told = {k: v for k, v in sighting_to_wire(sighting).items() if k not in _DOCUMENT}
    told["facts"] = _listed(told["facts"])
    for access in told["accesses"]:
        access.setdefault("test", None)  # told in JSON only where it is another one
    for stack in _stacks(told):
        for frame in stack:
            frame.setdefault("inlined", False)  # told in JSON only where it is true
    return told


def _site(site: Plain) -> str:
    place = ":".join(str(site[key]) for key in ("file", "line") if site.get(key))
    return " ".join(filter(None, (site.get("function"), place)))


def _listed(told: Plain) -> list[Plain]:
    """An object as a list of pairs, since no table has columns that differ from row to row."""
    return [
        {"name": name, "value": value}
        for name, values in told.items()
        for value in (values if isinstance(values, list) else [values])
    ]


def _stacks(told: Plain) -> Iterator[list[Plain]]:
    yield from (access["stack"] for access in told["accesses"])
    yield from (actor["created_at"] for actor in told["actors"])
    yield from (lock["created_at"] for lock in told["locks"])
    for edge in told["cycle"]:
        yield from (edge["stack"], edge["held_stack"])
    if told["location"]:
        yield told["location"]["stack"]


def _bug_report(document: Document) -> Plain:
    told = document_to_wire(document)
    told["claims"] = [{**c, "details": _listed(c["details"])} for c in told["claims"]]
    return told


def seen(sighting: Sighting) -> Seen:
    told = sighting.told
    if isinstance(told, Echo):
        known = told.notes.get("lake")
        if known is None:
            told.notes["lake"] = known = _Known(sighting).learn(told)
        names, address = known.echoed(told)
    else:
        known = _Known(sighting)
        names, address = known.names, known.address
    report, span = known.report, sighting.span
    row = {
        "uri": sighting.uri,
        "offset": span.offset,
        "length": span.length,
        "lane": span.lane,
        "test": report["test"],
        "fingerprint": known.mark.fingerprint,
        "report": report["digest"],
        "names": names,
        "damage": len(report["damage"]),
    }
    if sighting.document is not None:
        row["bug_report"] = _bug_report(sighting.document)
    return Seen(row, known.mark, address, report)


def identified(found: Iterable[Seen]) -> Iterator[Seen]:
    """The sightings of one file, each with its node and what links that to others."""
    batch: list[Seen] = []
    for one in found:
        batch.append(one)
        if len(batch) == BATCH:
            yield from _identified(batch)
            batch = []
    yield from _identified(batch)


def _identified(batch: list[Seen]) -> Iterator[Seen]:
    kin = kin_of([(s.mark, f"{s.row['uri']}\0{s.row['lane']}", s.address, s.actors) for s in batch])
    for one, told in zip(batch, kin, strict=True):
        one.row.update(told)
        yield one


def kin_of(reports: list[tuple[Mark, str, str | None, list[str]]]) -> Iterator[Plain]:
    """The node of each report, given with its lane; the first sighting of each tells of its kin."""
    document = Reports()
    for known, lane, address, actors in reports:
        document.add(known, lane, int(address, 16) if address else 0, partial(numbers, actors))
    ids, found = document.found()
    links, aliases = _by_first(found.links), _by_first(found.every_alias())
    for name in ids:
        base = found.nodes[name].base
        yield {
            "node": name,
            "base": base,
            "links": links.pop(name, []),
            "aliases": aliases.pop(name, []),
            "split": base in found.split,
        }


def _by_first(pairs: set[tuple[str, str]]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for a, b in sorted(pairs):
        told.setdefault(a, []).append(b)
    return told


def sighting_of(row: Plain, report: Plain) -> Sighting:
    """The sighting of a row, given the row of its report."""
    told = masks.unmasked(report, row["names"])
    document = {key: row[key] for key in ("uri", "offset", "length", "lane")}
    wired = _wired(told, row.get("race") or report["fingerprint"], document)
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
    """A report's mark, from the row of the report."""
    nowhere = {"uri": "", "offset": 0, "length": 0, "lane": None}
    return mark(sighting_from_wire(_wired(report, "", nowhere)).report)


def actors_of(report: Plain) -> list[str]:
    """What stands for the actors in the row of a report."""
    return [a["actor"] for a in report["accesses"] if a["actor"]]


def address_of(report: Plain) -> str | None:
    """What stands for the address in the row of a report."""
    return next((a["address"] for a in report["accesses"] if a["address"]), None)
