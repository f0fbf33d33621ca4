"""Derives variants, races and families from sightings on one machine. `reduce_spark` does it on Spark.

The rows of variants are additive: counts and votes for causes are sums, sets are unions, times and
the best report are minima. So new sightings can be merged into existing rows with the same result.
Which variants are one race is computed each time, because a later document may split a race.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, Final

from deadheat.diagnosis import ranking
from deadheat.grouping.links import Link, LinkKind
from deadheat.grouping.races import GroupingFacts, Variant, find_families, race_ids, status_history
from deadheat.lake import report_row, sighting_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.grouping.keys import GroupingKey
    from deadheat.grouping.races import VariantAliases
    from deadheat.lake.report_row import ReportDetails

    JsonDict = dict[str, Any]
    SightingValues = tuple[Any, ...]

# in the order of `SightingValues`
SIGHTING_COLUMNS: Final = (
    "node", "base", "links", "aliases", "split", "report", "repo", "run", "test", "observed_at",
    "damage",
)  # fmt: skip
# the best report, and the columns that a race takes from it
_BEST_REPORT_COLUMNS: Final = ("damage", "report", "title", "detector", "kind", "sites")
_SET_COLUMNS: Final = ("repos", "runs", "tests", "days", "keys", "links", "aliases")


def restore_address_and_actors(row: JsonDict) -> None:
    """Replace the placeholders in the grouping columns of a sighting."""
    names = row["names"]
    row["address"] = row["address"] and report_row.placeholder_name(row["address"], names)
    row["actors"] = [report_row.placeholder_name(actor, names) for actor in row["actors"]]


def add_document_variants(
    rows: list[JsonDict], keys: list[GroupingKey], known_aliases: Mapping[str, VariantAliases] | None = None
) -> None:
    """Add the variant columns to the sightings of one document, which are in its order."""
    pairs = zip(keys, rows, strict=True)
    reports = [(key, str(row["lane"]), row["address"], row["actors"], row["names"]) for key, row in pairs]
    for row, columns in zip(rows, sighting_rows.variant_columns(reports, known_aliases), strict=True):
        row.update(columns)


class _RowSum:
    """The sum of the rows of one variant or race.

    Most sums have one row, so nothing is computed before the second one.
    """

    __slots__ = ("_best", "_causes", "_count", "_first", "_last", "_sets")

    def __init__(self, row: JsonDict) -> None:
        self._sets: dict[str, set[Any]] | None = None
        self._count: int = row["sightings"]
        self._first, self._last = row["first_seen"], row["last_seen"]
        self._best = row

    def add(self, row: JsonDict) -> None:
        if self._sets is None:
            self._sets = {name: set(self._best[name]) for name in _SET_COLUMNS}
            self._causes: ranking.CauseVotes = {}
            ranking.add_votes(self._causes, self._best["causes"])
        self._count += row["sightings"]
        for name, union in self._sets.items():
            union.update(row[name])
        ranking.add_votes(self._causes, row["causes"])
        self._first = min(self._first, row["first_seen"])
        self._last = max(self._last, row["last_seen"])
        if _report_rank(row) < _report_rank(self._best):
            self._best = row

    def to_row(self) -> JsonDict:
        """The sum as a row."""
        if self._sets is None:
            return self._best
        row = {name: self._best[name] for name in _BEST_REPORT_COLUMNS}
        for name, union in self._sets.items():
            row[name] = sorted(union)
        row |= {"sightings": self._count, "first_seen": self._first, "last_seen": self._last}
        row["causes"] = ranking.votes_as_rows(self._causes)
        return row


def _add_row(sums: dict[str, _RowSum], name: str, row: JsonDict) -> None:
    if name in sums:
        sums[name].add(row)
    else:
        sums[name] = _RowSum(row)


def _report_rank(row: JsonDict) -> tuple[int, bool, str]:
    """Sorts the least damaged report first, then two-sided ones."""
    return row["damage"], len(row["sites"]) < 2, row["report"]


def variant_rows(
    sightings: Iterable[SightingValues], reports: Mapping[str, ReportDetails], before: Iterable[JsonDict] = ()
) -> list[JsonDict]:
    """The rows of the variants of these sightings, merged with the rows in `before`."""
    sums: dict[str, _RowSum] = {}
    variants: dict[str, JsonDict] = {}
    for row in (*before, *_single_sighting_rows(sightings, reports)):
        name = row["node"]
        _add_row(sums, name, row)
        columns = variants.setdefault(name, {"base": row["base"], "split": False})
        columns["split"] = columns["split"] or row["split"]
    return [{**total.to_row(), "node": name, **variants[name]} for name, total in sums.items()]


def _single_sighting_rows(
    sightings: Iterable[SightingValues], reports: Mapping[str, ReportDetails]
) -> Iterator[JsonDict]:
    """Yield every distinct sighting as the row of a variant."""
    days: dict[Any, list[date]] = {}
    for row, count in _count_equal(sightings):
        node, base, links, aliases, split, name, repo, run, test, observed_at, damage = row
        title, detector, kind, sites, cause, confidence, keys = reports[name]
        if (day := days.get(observed_at)) is None:
            days[observed_at] = day = [observed_at.date()]
        yield {
            "node": node, "base": base, "links": links, "aliases": aliases, "split": split,
            "damage": damage, "report": name, "title": title, "detector": detector, "kind": kind,
            "sites": sites, "keys": keys, "sightings": count, "first_seen": observed_at,
            "last_seen": observed_at,
            "repos": _optional_list(repo), "runs": _optional_list(run), "tests": _optional_list(test),
            "days": day, "causes": ranking.votes_of_report(cause, confidence, count),
        }  # fmt: skip


def _count_equal(sightings: Iterable[SightingValues]) -> Iterator[tuple[SightingValues, int]]:
    """The distinct sightings with their counts."""
    counts: dict[tuple[Any, ...], int] = {}
    first: list[tuple[tuple[Any, ...], SightingValues]] = []
    for row in sightings:
        node, _, links, aliases, split, *others = row
        identity = (node, split, *others, *links, None, *aliases)
        if identity in counts:
            counts[identity] += 1
        else:
            counts[identity] = 1
            first.append((identity, row))
    return ((row, counts[identity]) for identity, row in first)


def _optional_list(value: str | None) -> list[str]:
    return [] if value is None else [value]


def race_and_family_rows(variants: list[JsonDict]) -> tuple[list[JsonDict], list[JsonDict]]:
    """The rows of the races of these variants, and of their families."""
    race_names = race_by_variant(variants)
    sums: dict[str, _RowSum] = {}
    members: dict[str, set[str]] = {}
    others: dict[str, set[str]] = {}
    for row in variants:
        race = race_names[row["node"]]
        _add_row(sums, race, row)
        members.setdefault(race, set()).add(row["node"])
        others.setdefault(race, set()).update((row["node"], row["base"]))
    rows = {race: {**total.to_row()} for race, total in sums.items()}
    families = find_families({race: row["keys"] for race, row in rows.items()})
    related = {race: family.id for family in families for race in family.races}
    newest = max((row["days"][-1] for row in rows.values()), default=date.min)
    states_by_days: dict[tuple[date, ...], list[JsonDict]] = {}  # most races share the same few days
    for race, row in rows.items():
        days = (*row["days"],)
        if (states := states_by_days.get(days)) is None:
            states_by_days[days] = states = [{"day": d, "status": s} for d, s in status_history(days, newest)]
        row |= {
            "race": race,
            "nodes": sorted(members[race]),
            "aliases": sorted(name for name in others[race] if name not in rows),
            "cause": ranking.choose_cause(row["causes"]),
            "family": related.get(race),
            "history": states,
            "status": states[-1]["status"],
        }
    return [*rows.values()], [{"family": f.id, "culprit": f.why[0], "races": f.races, "why": f.why} for f in families]


def race_by_variant(variants: list[JsonDict]) -> dict[str, str]:
    """The race of every variant."""
    return race_ids(_grouping_facts(variants), {row["node"]: row["first_seen"] for row in variants})


def _grouping_facts(variants: list[JsonDict]) -> GroupingFacts:
    """The grouping facts of these variants."""
    variants_by_name = {row["node"]: Variant(row["base"], "") for row in variants}
    facts = GroupingFacts(variants_by_name, set(), set(), {row["base"] for row in variants if row["split"]})
    for row in variants:
        name = row["node"]
        for link in map(Link.decode, row["links"]):
            (facts.links if link.kind is LinkKind.VARIANT else facts.shared_names).add((name, link.key))
        for link in map(Link.decode, row["aliases"]):
            # most aliases are ids of variants that do not exist
            if link.kind is not LinkKind.VARIANT or link.key in variants_by_name:
                facts.aliases.add((name, link))
    return facts
