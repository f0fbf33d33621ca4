"""The rows of variants and races, as sums of sightings.

Counts and votes for causes are sums, sets are unions, times and the best report are minima, and of runs the
latest are kept with a sample for their number. So new sightings can be added to existing rows with the same
result, in any order, on executors and on the driver."""

from __future__ import annotations

from datetime import date  # noqa: TC003, mypyc needs it at run time
from functools import cache
from hashlib import md5
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final

from deadheat.diagnosis import cause_votes
from deadheat.grouping.fingerprint import title_rank
from deadheat.grouping.keys import AMBIGUITY_SEPARATOR, ONE_SIDED_MARK, is_one_sided
from deadheat.grouping.links import Link, LinkKind
from deadheat.grouping.races import GroupingFacts, Variant, race_ids, status_history
from deadheat.lake import report_row, sighting_rows
from deadheat.lake.schema import EXAMPLE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from deadheat.grouping.keys import GroupingKey
    from deadheat.grouping.races import VariantAliases
    from deadheat.lake.report_row import ReportDetails

    JsonDict = dict[str, Any]

# the columns that make one sighting differ from another in the sum
_COUNTED_COLUMNS: Final = (
    "node", "base", "links", "aliases", "split", "report", "repo", "run", "commit", "test", "observed_at",
    "damage",
)  # fmt: skip
SIGHTING_COLUMNS: Final = tuple(dict.fromkeys((*_COUNTED_COLUMNS, *EXAMPLE_COLUMNS)))
# the best report, and the columns that a race takes from it
_BEST_REPORT_COLUMNS: Final = ("damage", "report", "title", "detector", "kind", "sites", "example")
_SET_COLUMNS: Final = ("repos", "tests", "days", "keys", "links", "aliases")
_LATEST_COLUMNS: Final = ("latest_runs", "latest_commits")
# columns that decide which variants are one race
GROUPING_COLUMNS: Final = ("node", "base", "links", "aliases", "split", "first_seen", "detector")
# detectors whose fingerprints were others in version 2
_NATIVE_DETECTORS: Final = ("tsan", "helgrind", "drd")
# runs and commits kept by name
MAX_LATEST: Final = 50
# hashes of runs kept: up to this many runs are counted exactly, more are estimated to about 4 %
RUN_SAMPLE_SIZE: Final = 512
_HASH_BITS: Final = 60


def restore_address_and_actors(row: JsonDict) -> None:
    """Replace the placeholders in the grouping columns of a sighting."""
    names = row["names"]
    row["address"] = row["address"] and report_row.placeholder_name(row["address"], names)
    row["actors"] = [report_row.placeholder_name(actor, names) for actor in row["actors"]]


def add_document_variants(
    rows: list[JsonDict], keys: list[GroupingKey], known_aliases: Mapping[str, VariantAliases] | None = None
) -> None:
    """Add the variant columns to the sightings of one document, which are in its order."""
    reports = [
        (key, f"{row['uri']}\0{row['lane']}", row["address"], row["actors"], row["names"])
        for key, row in zip(keys, rows, strict=True)
    ]
    for row, columns in zip(rows, sighting_rows.variant_columns(reports, known_aliases), strict=True):
        row.update(columns)


class _RowSum:
    """The sum of the rows of one variant or race.

    Most sums have one row, so nothing is computed before the second one.
    """

    __slots__ = ("_best", "_causes", "_count", "_first", "_last", "_latest", "_run_sample", "_sets")

    def __init__(self, row: JsonDict) -> None:
        self._sets: dict[str, set[Any]] | None = None
        self._count: int = row["sightings"]
        self._first, self._last = row["first_seen"], row["last_seen"]
        self._best = row

    def add(self, row: JsonDict) -> None:
        if self._sets is None:
            self._sets = {name: set(self._best[name]) for name in _SET_COLUMNS}
            self._latest = {name: {v["name"]: v["at"] for v in self._best[name]} for name in _LATEST_COLUMNS}
            self._run_sample = set(self._best["run_sample"])
            self._causes: cause_votes.CauseVotes = {}
            cause_votes.add_votes(self._causes, self._best["causes"])
        self._count += row["sightings"]
        for name, union in self._sets.items():
            union.update(row[name])
        for name, times in self._latest.items():
            for value in row[name]:
                if (known := times.get(value["name"])) is None or known < value["at"]:
                    times[value["name"]] = value["at"]
        self._run_sample.update(row["run_sample"])
        cause_votes.add_votes(self._causes, row["causes"])
        self._first = min(self._first, row["first_seen"])
        self._last = max(self._last, row["last_seen"])
        if _is_better(row, self._best):
            self._best = row

    def to_row(self) -> JsonDict:
        """The sum as a row."""
        if self._sets is None:
            return self._best
        row = {name: self._best[name] for name in _BEST_REPORT_COLUMNS}
        for name, union in self._sets.items():
            row[name] = sorted(union)
        for name, times in self._latest.items():
            latest = nlargest(MAX_LATEST, ((at, value) for value, at in times.items()))
            row[name] = [{"at": at, "name": value} for at, value in latest]
        row["run_sample"] = sorted(self._run_sample)[:RUN_SAMPLE_SIZE]
        row |= {"sightings": self._count, "first_seen": self._first, "last_seen": self._last}
        row["causes"] = cause_votes.votes_as_rows(self._causes)
        return row


def run_number(sample: list[int]) -> int:
    """The number of runs with this sample: exact, or an estimate by the share of all hashes."""
    if len(sample) < RUN_SAMPLE_SIZE:
        return len(sample)
    return round((RUN_SAMPLE_SIZE - 1) * (1 << _HASH_BITS) / max(sample[-1], 1))


@cache
def _run_hash(repo: str | None, run: str) -> int:
    name = f"{repo or ''}\0{run}".encode("utf-8", "surrogatepass")
    return int(md5(name, usedforsecurity=False).hexdigest()[: _HASH_BITS // 4], 16)


def _add_row(sums: dict[str, _RowSum], name: str, row: JsonDict) -> None:
    if name in sums:
        sums[name].add(row)
    else:
        sums[name] = _RowSum(row)


def _report_rank(row: JsonDict) -> tuple[Any, ...]:
    """Sorts the least damaged report first, then two-sided ones, then by title, as `scan` and `explain` do."""
    return row["damage"], len(row["sites"]) < 2, *title_rank(row["title"] or ""), row["report"]


def _is_better(row: JsonDict, best: JsonDict) -> bool:
    rank, best_rank = _report_rank(row), _report_rank(best)
    return rank < best_rank or (rank == best_rank and example_rank(row["example"]) > example_rank(best["example"]))


def example_rank(example: JsonDict) -> tuple[Any, ...]:
    """Sorts the sighting that a race is shown with last: in a bug report, which has claims; then the latest."""
    position = example["observed_at"], example["uri"], example["offset"], example["lane"] or ""
    return (example["bug_report"] is not None, *position)


def variant_rows(rows: Iterable[JsonDict]) -> list[JsonDict]:
    """Add up rows of variants."""
    sums: dict[str, _RowSum] = {}
    columns: dict[str, JsonDict] = {}
    for row in rows:
        name = row["node"]
        _add_row(sums, name, row)
        own = columns.setdefault(name, {"base": row["base"], "split": False})
        own["split"] = own["split"] or row["split"]
    return [{**total.to_row(), "node": name, **columns[name]} for name, total in sums.items()]


def rows_of_sightings(sightings: pa.Table, reports: Mapping[str, ReportDetails]) -> list[JsonDict]:
    """The rows of the variants of these sightings, which have the columns `SIGHTING_COLUMNS`."""
    return variant_rows(with_details(row, reports[row["report"]]) for row in sums_by_report(sightings))


def sums_by_report(sightings: pa.Table, before: Iterable[JsonDict] = ()) -> list[JsonDict]:
    """The sum of the sightings of each report in each variant, without what the report itself says."""
    sums: dict[str, _RowSum] = {}
    columns: dict[str, JsonDict] = {}
    for row in (*before, *_single_sighting_rows(sightings)):
        name = f"{row['node']} {row['report']}"
        _add_row(sums, name, row)
        own = columns.setdefault(name, {"node": row["node"], "base": row["base"], "split": False})
        own["split"] = own["split"] or row["split"]
    return [total.to_row() | columns[name] for name, total in sums.items()]


def with_details(row: JsonDict, details: ReportDetails) -> JsonDict:
    title, detector, kind, sites, cause, confidence, keys = details
    causes = cause_votes.votes_of_report(cause, confidence, row["sightings"])
    return row | {
        "title": title, "detector": detector, "kind": kind, "sites": sites, "keys": keys, "causes": causes
    }  # fmt: skip


_NO_DETAILS: Final[JsonDict] = {
    "title": None, "detector": None, "kind": None, "sites": [], "keys": [], "causes": []
}  # fmt: skip


def _single_sighting_rows(sightings: pa.Table) -> Iterator[JsonDict]:
    """Yield every distinct sighting as the row of a variant."""
    import pyarrow as pa

    counted = _count_equal(sightings)
    indexes = pa.array([index for _, index, _ in counted], pa.int64())
    examples = sightings.select(EXAMPLE_COLUMNS).take(indexes).to_pylist()
    for (row, _, count), example in zip(counted, examples, strict=True):
        node, base, links, aliases, split, name, repo, run, commit, test, observed_at, damage = row
        yield {
            "node": node, "base": base, "links": links, "aliases": aliases, "split": split,
            "damage": damage, "report": name, **_NO_DETAILS, "sightings": count, "first_seen": observed_at,
            "last_seen": observed_at, "example": example,
            "repos": [] if repo is None else [repo], "tests": [] if test is None else [test],
            "latest_runs": [] if run is None else [{"at": observed_at, "name": run}],
            "latest_commits": [] if commit is None else [{"at": observed_at, "name": commit}],
            "run_sample": [] if run is None else [_run_hash(repo, run)],
            "days": [observed_at.date()],
        }  # fmt: skip


def _count_equal(sightings: pa.Table) -> list[tuple[tuple[Any, ...], int, int]]:
    """The distinct sightings, each with the index of its example and its count."""
    rows = [*zip(*(column_values(sightings[name]) for name in _COUNTED_COLUMNS), strict=True)]
    ranks = [*zip(*(column_values(sightings[name]) for name in ("uri", "offset", "lane")), strict=True)]
    in_bug_report = sightings["bug_report"].is_valid().to_pylist()
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for index, row in enumerate(rows):
        node, _, links, aliases, split, *others = row
        uri, offset, lane = ranks[index]
        rank = in_bug_report[index], uri, offset, lane or ""
        identity = (node, split, *others, *links, None, *aliases)
        group = groups.get(identity)
        if group is None:
            groups[identity] = [rank, index, 1]
            continue
        group[2] += 1
        if rank > group[0]:
            group[0], group[1] = rank, index
    return [(rows[index], index, count) for _, index, count in groups.values()]


def column_values(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column. Timestamps are few and expensive, so each is converted once."""
    import pyarrow as pa

    if not pa.types.is_timestamp(column.type):
        return list(column.to_pylist())
    encoded = column.combine_chunks().dictionary_encode()
    times = encoded.dictionary.to_pylist()
    return [None if index is None else times[index] for index in encoded.indices.to_pylist()]


def race_by_variant(variants: Iterable[JsonDict]) -> dict[str, str]:
    """The race of every variant."""
    rows = list(variants)
    return race_ids(_grouping_facts(rows), {row["node"]: row["first_seen"] for row in rows})


def _grouping_facts(variants: list[JsonDict]) -> GroupingFacts:
    """The grouping facts of these variants."""
    variants_by_name = {row["node"]: Variant(row["base"], "") for row in variants}
    native_bases = {row["base"] for row in variants if row["detector"] in _NATIVE_DETECTORS}
    facts = GroupingFacts(variants_by_name, set(), set(), {_split_base(row) for row in variants if row["split"]})
    for row in variants:
        name = row["node"]
        for link in map(Link.decode, row["links"]):
            (facts.links if link.kind is LinkKind.VARIANT else facts.shared_names).add((name, link.key))
        for link in map(Link.decode, row["aliases"]):
            # most aliases are ids of variants that do not exist
            exists = {LinkKind.VARIANT: variants_by_name, LinkKind.FORMER_BASE: native_bases}.get(link.kind)
            if exists is None or link.key in exists:
                facts.aliases.add((name, link))
    return facts


def _split_base(row: JsonDict) -> str:
    base: str = row["base"]
    return f"{base}{ONE_SIDED_MARK}" if is_one_sided(row["node"]) else base


# what variants can have in common, by prefix: an id, a base, a shared name, an alternate key
_RELATION_PREFIXES: Final = {
    LinkKind.VARIANT: "a:",
    LinkKind.SHARED_NAME: "s:",
    LinkKind.REQUIRES: "r:",
    LinkKind.PROVIDES: "p:",
    LinkKind.OTHER_VARIABLE: "n:",
    LinkKind.POSSIBLE_BASE: "b:",
    LinkKind.KNOWN_ORDINAL: "b:",
    LinkKind.FORMER_BASE: "b:",
}


def relations_of(row: JsonDict) -> list[str]:
    """What connects a variant with others. Variants that nothing connects, however indirectly, are not one race."""
    certain_id = row["node"].partition(AMBIGUITY_SEPARATOR)[0]
    found = {f"n:{row['node']}", f"n:{certain_id}", f"s:{certain_id}", f"b:{row['base']}"}
    for link in map(Link.decode, row["links"]):
        found.add(f"{'n:' if link.kind is LinkKind.VARIANT else 's:'}{link.key}")
    for link in map(Link.decode, row["aliases"]):
        found.add(f"{_RELATION_PREFIXES[link.kind]}{link.key}")
    return sorted(found)


def matching_relations(relation: str) -> tuple[str, ...]:
    """The relations of other variants that a relation connects with.

    An alias counts only if the variant exists, and a key that is provided only if another variant requires it.
    """
    prefix, key = relation[:2], relation[2:]
    if prefix == "n:":
        return relation, f"a:{key}"
    if prefix == "a:":
        return (f"n:{key}",)
    if prefix == "p:":
        return (f"r:{key}",)
    return (relation, f"p:{key}") if prefix == "r:" else (relation,)


def race_rows(variants: Iterable[JsonDict]) -> dict[str, JsonDict]:
    """The rows of the races of these variants by id, without family and status."""
    sums: dict[str, _RowSum] = {}
    members: dict[str, set[str]] = {}
    others: dict[str, set[str]] = {}
    for row in variants:
        race = row["race"]
        _add_row(sums, race, row)
        members.setdefault(race, set()).add(row["node"])
        links = map(Link.decode, row["aliases"])
        former = [link.key for link in links if link.kind is LinkKind.FORMER_BASE]
        others.setdefault(race, set()).update((row["node"], row["base"], *former))
    rows = {}
    for race, total in sums.items():
        row = {**total.to_row()}
        rows[race] = row | {
            "race": race,
            "nodes": sorted(members[race]),
            "aliases": sorted(name for name in others[race] if name not in sums),
            "cause": cause_votes.choose_cause(row["causes"]),
            "runs": [run["name"] for run in row["latest_runs"]],
            "run_count": run_number(row["run_sample"]),
        }
    return rows


def add_status(rows: Iterable[JsonDict], newest: date) -> None:
    """Set the status and its history on the newest day of the lake."""
    states_by_days: dict[tuple[date, ...], list[JsonDict]] = {}  # most races share the same few days
    for row in rows:
        days = (*row["days"],)
        if (states := states_by_days.get(days)) is None:
            states_by_days[days] = states = [{"day": d, "status": s} for d, s in status_history(days, newest)]
        row |= {"history": states, "status": states[-1]["status"]}
