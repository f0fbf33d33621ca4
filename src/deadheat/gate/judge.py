"""Compares the races of a run with a baseline (new, known, muted, expired, gone) and updates it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from deadheat.gate import baseline as lines
from deadheat.gate.baseline import Baseline, Known
from deadheat.gate.mutes import matches
from deadheat.identity import races
from deadheat.identity.names import NAMED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deadheat.identity.races import Found
    from deadheat.model import Frame, Sighting


class Standing(StrEnum):
    """The result of the gate for one race."""

    NEW = "new"
    EXPIRED = "expired"  # in the baseline, but past its date
    KNOWN = "known"
    MUTED = "muted"

    @property
    def fails(self) -> bool:
        return self in (Standing.NEW, Standing.EXPIRED)


class Judgement(NamedTuple):
    standing: Standing
    note: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """The fields of new entries in the baseline."""

    since: str
    reason: str = ""
    owner: str = ""
    expires: str = ""


class Gate:
    """Compares the races of one run with a baseline."""

    def __init__(self, baseline: Baseline, found: Found, today: str) -> None:
        self._baseline, self._found, self._today = baseline, found, today
        everything = races.nothing()
        everything.add(found)
        everything.add(known := lines.found(baseline.known))
        everyone = races.ids(everything, dict.fromkeys(known.nodes, 0))
        self._entries: dict[str, list[Known]] = {}  # by race id of this comparison
        for entry in baseline.known:
            self._entries.setdefault(everyone[lines.nodes_of(entry)[0].id], []).append(entry)
        self.ids: Mapping[str, str] = {node: self._lasting(everyone[node]) for node in found.nodes}
        self._known = {held[0].race: held for held in self._entries.values()}
        self._aliases: dict[str, list[str]] = {}
        named = ((node, name) for node, name in found.links if name.startswith(NAMED))
        for node, alias in (*found.every_alias(), *named):
            self._aliases.setdefault(node, []).append(f"{node} {alias}")

    def _lasting(self, race: str) -> str:
        """The id in the baseline for a known race, else the id of this run."""
        held = self._entries.get(race)
        return held[0].race if held else race

    def judge(self, sighting: Sighting) -> Judgement:
        """Judges a race by one of its sightings."""
        for mute in self._baseline.mutes:
            if not self._is_over(mute.expires) and matches(mute, sighting):
                return Judgement(Standing.MUTED, mute.reason)
        held = self._known.get(sighting.verdict.race)
        if not held:
            return Judgement(Standing.NEW)
        over = [entry for entry in held if self._is_over(entry.expires)]
        if len(over) == len(held):
            told = ": ".join(filter(None, (f"until {over[0].expires}", over[0].reason)))
            return Judgement(Standing.EXPIRED, told)
        return Judgement(Standing.KNOWN, next((e.reason for e in held if e not in over), ""))

    def _is_over(self, expires: str) -> bool:
        return bool(expires) and expires < self._today

    def gone(self) -> list[Known]:
        """The known races that were not found."""
        seen = set(self.ids.values())
        return [held[0] for race, held in self._known.items() if race not in seen]

    def updated(self, shown: Iterable[Sighting], entry: Entry, prune: bool = False) -> Baseline:
        """The baseline with the races of this run added, except muted ones."""
        known = [] if prune else [_merged(self._known[entry.race]) for entry in self.gone()]
        parts = self._parts()
        for sighting in shown:
            race = sighting.verdict.race
            held = self._known.get(race)
            if held is None and self.judge(sighting).standing is Standing.MUTED:
                continue
            first = _merged(held) if held else _new(sighting, entry)
            known.append(self._with_nodes(self._renewed(first, entry), parts.get(race, [])))
        return Baseline(tuple(known), self._baseline.mutes)

    def _renewed(self, known: Known, entry: Entry) -> Known:
        """Gives an expired entry the date, reason and owner of new entries."""
        if not self._is_over(known.expires):
            return known
        told = replace(known, expires=entry.expires)
        return replace(told, reason=entry.reason or known.reason, owner=entry.owner or known.owner)

    def _parts(self) -> dict[str, list[str]]:
        """The variants of each race of this run."""
        parts: dict[str, list[str]] = {}
        for node, race in self.ids.items():
            parts.setdefault(race, []).append(node)
        return parts

    def _with_nodes(self, known: Known, mine: list[str]) -> Known:
        nodes = {node.id: node for node in (*known.nodes, *(self._found.nodes[n] for n in mine))}
        aliases = {*known.aliases, *(alias for n in mine for alias in self._aliases.get(n, ()))}
        split = {*known.split, *({n.base for n in nodes.values()} & self._found.split)}
        return replace(
            known,
            nodes=tuple(nodes.values()),
            aliases=tuple(sorted(aliases)),
            split=tuple(sorted(split)),
        )


def _merged(held: list[Known]) -> Known:
    """Merges entries that turned out to be the same race."""
    first, *others = held
    if not others:
        return first
    return replace(
        first,
        reason=next((e.reason for e in held if e.reason), ""),
        owner=next((e.owner for e in held if e.owner), ""),
        merged=tuple(sorted({*first.merged, *(e.race for e in others)})),
        nodes=tuple(dict.fromkeys(node for e in held for node in lines.nodes_of(e))),
        aliases=tuple(sorted({alias for e in held for alias in e.aliases})),
        split=tuple(sorted({base for e in held for base in e.split})),
    )


def _new(sighting: Sighting, entry: Entry) -> Known:
    return Known(
        sighting.verdict.race,
        sighting.verdict.title,
        entry.reason,
        entry.owner,
        entry.expires,
        entry.since,
        tuple(dict.fromkeys(_place(a.site) for a in sighting.report.accesses if a.site)),
    )


def _place(site: Frame) -> str:
    """Function and file, without machine-specific folders and line numbers."""
    file = site.file
    if file.startswith("/") or file[1:2] == ":":
        file = "/".join(file.replace("\\", "/").split("/")[-2:])
    return " ".join(filter(None, (site.function, file)))
