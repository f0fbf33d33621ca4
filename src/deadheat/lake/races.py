"""Derives variants, races and families from sightings on one machine. `reduce_spark` does it on Spark.

The rows of variants are additive: counts and votes for causes are sums, sets are unions, times and
the best report are minima. So new sightings can be merged into existing rows with the same result.
Which variants are one race is computed each time, because a later document may split a race.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Final

from deadheat.diagnose import of_race
from deadheat.identity import families as loose
from deadheat.identity.history import history
from deadheat.identity.races import Found, Node, ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.lake.told import About

    Plain = dict[str, Any]
    Sighted = tuple[Any, ...]

# in the order of `SightingValues`
SIGHTING: Final = (
    "node", "base", "links", "aliases", "split", "report", "repo", "run", "test", "observed_at",
    "damage",
)  # fmt: skip
# the best report, and the columns that a race takes from it
_BEST: Final = ("damage", "report", "title", "detector", "kind", "sites")
# aliases that are variant ids start with one of these
_HEX: Final = "0123456789abcdef"
_UNIONS: Final = ("repos", "runs", "tests", "days", "keys", "links", "aliases")


class _Sum:
    """The sum of the rows of one variant or race.

    Most sums have one row, so nothing is computed before the second one.
    """

    __slots__ = ("_best", "_causes", "_count", "_first", "_last", "_sets")

    def __init__(self, known: Plain) -> None:
        self._sets: dict[str, set[Any]] | None = None
        self._count: int = known["sightings"]
        self._first, self._last = known["first_seen"], known["last_seen"]
        self._best = known

    def add(self, known: Plain) -> None:
        if self._sets is None:
            self._sets = {name: set(self._best[name]) for name in _UNIONS}
            self._causes: of_race.Votes = {}
            of_race.add(self._causes, self._best["causes"])
        self._count += known["sightings"]
        for name, union in self._sets.items():
            union.update(known[name])
        of_race.add(self._causes, known["causes"])
        self._first = min(self._first, known["first_seen"])
        self._last = max(self._last, known["last_seen"])
        if _rank(known) < _rank(self._best):
            self._best = known

    def plain(self) -> Plain:
        """The sum as a row."""
        if self._sets is None:
            return self._best
        told = {name: self._best[name] for name in _BEST}
        for name, union in self._sets.items():
            told[name] = sorted(union)
        told |= {"sightings": self._count, "first_seen": self._first, "last_seen": self._last}
        told["causes"] = of_race.listed(self._causes)
        return told


def _add(sums: dict[str, _Sum], name: str, row: Plain) -> None:
    if name in sums:
        sums[name].add(row)
    else:
        sums[name] = _Sum(row)


def _rank(known: Plain) -> tuple[int, bool, str]:
    """Sorts the least damaged report first, then two-sided ones."""
    return known["damage"], len(known["sites"]) < 2, known["report"]


def nodes(
    sightings: Iterable[Sighted], reports: Mapping[str, About], before: Iterable[Plain] = ()
) -> list[Plain]:
    """The rows of the variants of these sightings, merged with the rows in `before`."""
    sums: dict[str, _Sum] = {}
    kin: dict[str, Plain] = {}
    for row in (*before, *_singles(sightings, reports)):
        name = row["node"]
        _add(sums, name, row)
        known = kin.setdefault(name, {"base": row["base"], "split": False})
        known["split"] = known["split"] or row["split"]
    return [{**total.plain(), "node": name, **kin[name]} for name, total in sums.items()]


def _singles(sightings: Iterable[Sighted], reports: Mapping[str, About]) -> Iterator[Plain]:
    """Yield every distinct sighting as the row of a variant."""
    days: dict[Any, list[date]] = {}
    for row, count in _counted(sightings):
        node, base, links, aliases, split, name, repo, run, test, at, damage = row
        title, detector, kind, sites, cause, sure, keys = reports[name]
        if (day := days.get(at)) is None:
            days[at] = day = [at.date()]
        yield {
            "node": node, "base": base, "links": links, "aliases": aliases, "split": split,
            "damage": damage, "report": name, "title": title, "detector": detector, "kind": kind,
            "sites": sites, "keys": keys, "sightings": count, "first_seen": at,
            "last_seen": at, "repos": _some(repo), "runs": _some(run), "tests": _some(test),
            "days": day, "causes": of_race.said(cause, sure, count),
        }  # fmt: skip


def _counted(sightings: Iterable[Sighted]) -> Iterator[tuple[Sighted, int]]:
    """The distinct sightings with their counts."""
    counts: dict[tuple[Any, ...], int] = {}
    first: list[tuple[tuple[Any, ...], Sighted]] = []
    for row in sightings:
        node, _, links, aliases, split, *others = row
        told = (node, split, *others, *links, None, *aliases)
        if told in counts:
            counts[told] += 1
        else:
            counts[told] = 1
            first.append((told, row))
    return ((row, counts[told]) for told, row in first)


def _some(value: str | None) -> list[str]:
    return [] if value is None else [value]


def races(nodes: list[Plain]) -> tuple[list[Plain], list[Plain]]:
    """The rows of the races of these variants, and of their families."""
    names = named(nodes)
    sums: dict[str, _Sum] = {}
    members: dict[str, set[str]] = {}
    others: dict[str, set[str]] = {}
    for row in nodes:
        race = names[row["node"]]
        _add(sums, race, row)
        members.setdefault(race, set()).add(row["node"])
        others.setdefault(race, set()).update((row["node"], row["base"]))
    told = {race: {**total.plain()} for race, total in sums.items()}
    families = loose.families({race: row["keys"] for race, row in told.items()})
    related = {race: family.id for family in families for race in family.races}
    newest = max((row["days"][-1] for row in told.values()), default=date.min)
    known: dict[tuple[date, ...], list[Plain]] = {}  # most races share the same few days
    for race, row in told.items():
        days = (*row["days"],)
        if (states := known.get(days)) is None:
            known[days] = states = [{"day": d, "status": s} for d, s in history(days, newest)]
        row |= {
            "race": race,
            "nodes": sorted(members[race]),
            "aliases": sorted(name for name in others[race] if name not in told),
            "cause": of_race.chosen(row["causes"]),
            "family": related.get(race),
            "history": states,
            "status": states[-1]["status"],
        }
    return [*told.values()], [
        {"family": f.id, "culprit": f.why[0], "races": f.races, "why": f.why} for f in families
    ]


def named(nodes: list[Plain]) -> dict[str, str]:
    """The race of every variant."""
    return ids(_found(nodes), {row["node"]: row["first_seen"] for row in nodes})


def _found(nodes: list[Plain]) -> Found:
    """The grouping facts of these variants."""
    known = {row["node"]: Node(row["base"], "") for row in nodes}
    # most aliases are ids of variants that do not exist
    aliases = {
        (row["node"], other)
        for row in nodes
        for other in row["aliases"]
        if other in known or other[0] not in _HEX
    }
    links = {(row["node"], other) for row in nodes for other in row["links"]}
    return Found(known, links, aliases, {row["base"] for row in nodes if row["split"]})
