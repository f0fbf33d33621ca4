"""The races of a snapshot as a table of DuckDB: filters, full-text search, order, pages and counts of facets."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

import duckdb
import pyarrow as pa

from deadheat import plugins
from deadheat.printable import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

# facet -> its label and whether a race has a list of values
FACETS: dict[str, tuple[str, bool]] = {
    "activity": ("Activity", False),
    "status": ("Status", False),
    "assignee": ("Assignee", False),
    "severity": ("Severity", False),
    "label": ("Label", True),
    "detector": ("Detector", False),
    "cause": ("Cause", False),
    "package": ("Package", True),
    "owner": ("Owner", True),
    "branch": ("Branch", True),
    "repo": ("Repository", True),
    "test": ("Test", True),
    "family": ("Family", False),
    "muted": ("Muted", False),
}
_LAST_FIRST = "last_seen DESC, sightings DESC, race"
SORT_ORDERS: dict[str, tuple[str, str]] = {
    "last": ("last seen", _LAST_FIRST),
    "first": ("first seen", "first_seen DESC, race"),
    "sightings": ("most seen", "sightings DESC, race"),
    "runs": ("most runs", "run_count DESC, race"),
    "title": ("title", "title, race"),
    "severity": ("severity", f"severity_rank, {_LAST_FIRST}"),
}
PAGE_SIZE = 50
MAX_PAGE = 100_000
MAX_QUERY_LENGTH = 500
MAX_VALUE_LENGTH = 300
_MAX_FACET_VALUES = 60
_MAX_LIST_LENGTH = 200
# words of a search, and texts in quotes; "-" excludes
_TERM = re.compile(r'(-?)(?:"([^"]*)"|(\S+))')
# "main.(*Broker).total"
_FUNCTION_PACKAGE = re.compile(r"([\w/-]+)(?:\.|::)[\w(~<]")
_SEVERITIES = ("critical", "high", "medium", "low")


@dataclass(frozen=True, slots=True)
class RaceQuery:
    """Which races a list shows. Its address is a saved view."""

    text: str = ""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by facet; one of them must match
    sort: str = "last"
    page: int = 1
    title: str = ""  # the name of the view

    def address(self, **changes: Any) -> str:
        """The query part of the address of this list, with another page, order or name."""
        query = replace(self, **changes)
        pairs = [("view", query.title)] if query.title else []
        pairs += [("q", query.text)] if query.text else []
        pairs += [(name, value) for name in FACETS for value in query.values.get(name, ())]
        pairs += [("sort", query.sort)] if query.sort != "last" else []
        pairs += [("page", str(query.page))] if query.page > 1 else []
        return urlencode(pairs)

    def without(self, facet: str, value: str) -> RaceQuery:
        kept = tuple(each for each in self.values.get(facet, ()) if each != value)
        return replace(self, values={**self.values, facet: kept}, page=1)


class FacetValue(NamedTuple):
    value: str
    races: int
    is_chosen: bool


class RaceListing(NamedTuple):
    """One page of a list: positions of races in the snapshot."""

    numbers: list[int]
    total: int
    facets: dict[str, list[FacetValue]]


class RaceDecision(NamedTuple):
    """What people have decided about a race, as far as lists show it."""

    status: str = "new"
    assignee: str | None = None
    severity: str | None = None
    labels: tuple[str, ...] = ()
    is_muted: bool = False


_NO_DECISION = RaceDecision()


class RaceTable:
    """The races with the columns that lists need, and what people have decided about them."""

    def __init__(self, races: pa.Table, owners: Mapping[str, list[str]]) -> None:
        self._names = races["race"].to_pylist()
        self._database = duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "256MB"})
        self._lock = threading.Lock()
        self._versions: dict[str, int] = {}
        arrow = _list_columns(races, owners)
        self._database.register("arrow", arrow)
        self._database.execute("CREATE TABLE race AS SELECT * FROM arrow")
        self._database.unregister("arrow")
        self.set_branches([], [], [])
        self.set_decisions({})

    def set_branches(self, numbers: list[int], indexes: list[int], names: list[str]) -> None:
        """Replace what is known of branches: numbers of races, and for each the index of a branch in `names`."""
        branches = pa.DictionaryArray.from_arrays(pa.array(indexes, pa.int32()), pa.array(names, pa.string()))
        with self._lock:
            self._register(
                "branch", pa.table({"number": pa.array(numbers, pa.int32()), "branch": branches.cast(pa.string())})
            )

    def set_decisions(self, decisions: Mapping[str, RaceDecision]) -> None:
        """Replace what is known of decisions; queries that run see the former."""
        chosen = [decisions.get(name, _NO_DECISION) for name in self._names]
        arrow = pa.table(
            {
                "number": pa.array(range(len(chosen)), pa.int32()),
                "status": pa.array([each.status for each in chosen], pa.string()),
                "assignee": pa.array([each.assignee for each in chosen], pa.string()),
                "severity": pa.array([each.severity for each in chosen], pa.string()),
                "severity_rank": pa.array([_severity_rank(each.severity) for each in chosen], pa.int8()),
                "label": pa.array([[*each.labels] for each in chosen], pa.list_(pa.string())),
                "muted": pa.array(["muted" if each.is_muted else None for each in chosen], pa.string()),
            }
        )
        with self._lock:
            self._register("decision", arrow)
            self._database.execute("CREATE OR REPLACE VIEW listed AS SELECT * FROM race JOIN decision USING (number)")

    def _register(self, name: str, content: pa.Table) -> None:
        """Replace a view by one of a new table; the one before the former is dropped."""
        version = self._versions[name] = self._versions.get(name, 0) + 1
        self._database.register("arrow", content)
        self._database.execute(f"CREATE TABLE {name}{version} AS SELECT * FROM arrow")
        self._database.unregister("arrow")
        self._database.execute(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM {name}{version}")
        self._database.execute(f"DROP TABLE IF EXISTS {name}{max(0, version - 2)}")

    def close(self) -> None:
        self._database.close()

    def list_races(self, query: RaceQuery, size: int = PAGE_SIZE, with_facets: bool = True) -> RaceListing:
        where, values = _conditions(query)
        cursor = self._database.cursor()
        order = SORT_ORDERS[query.sort][1]
        rows = cursor.execute(
            f"SELECT number, count(*) OVER () FROM listed WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
            [*values, size, (query.page - 1) * size],
        ).fetchall()
        total = rows[0][1] if rows else self.count(query)
        facets = {name: self._facet(cursor, name, query) for name in FACETS} if with_facets else {}
        return RaceListing([row[0] for row in rows], total, facets)

    def count(self, query: RaceQuery) -> int:
        where, values = _conditions(query)
        rows = self._database.cursor().execute(f"SELECT count(*) FROM listed WHERE {where}", values).fetchall()
        return int(rows[0][0])

    def numbers_of(self, query: RaceQuery, numbers: Sequence[int]) -> set[int]:
        """Which of these races a query selects."""
        where, values = _conditions(query)
        rows = self._database.cursor().execute(
            f"SELECT number FROM listed WHERE {where} AND number IN (SELECT unnest(?))", [*values, [*numbers]]
        )
        return {row[0] for row in rows.fetchall()}

    def numbers_since(self, time: datetime, numbers: Sequence[int]) -> set[int]:
        """Which of these races were sighted first at this time or later."""
        rows = self._database.cursor().execute(
            "SELECT number FROM race WHERE first_seen >= ? AND number IN (SELECT unnest(?))",
            [time.astimezone(UTC).replace(tzinfo=None), [*numbers]],
        )
        return {row[0] for row in rows.fetchall()}

    def counts_by(self, facet: str, limit: int, query: RaceQuery | None = None) -> list[tuple[str, int]]:
        """The most frequent values of a facet."""
        where, values = _conditions(query or RaceQuery())
        return _count_values(self._database.cursor(), facet, where, values, limit)

    def _facet(self, cursor: Any, name: str, query: RaceQuery) -> list[FacetValue]:
        """The values of a facet among the races that all other filters leave, and those that are chosen."""
        where, values = _conditions(query, leave_out=name)
        counts = dict(_count_values(cursor, name, where, values, _MAX_FACET_VALUES))
        chosen = query.values.get(name, ())
        missing = [value for value in chosen if value not in counts]
        return [FacetValue(value, counts.get(value, 0), value in chosen) for value in (*counts, *missing)]


def _count_values(cursor: Any, facet: str, where: str, values: list[Any], limit: int) -> list[tuple[str, int]]:
    column = f"unnest({facet})" if FACETS[facet][1] else facet
    found = f"SELECT {column} AS value FROM listed WHERE {where}"
    if facet == "branch":
        found = f"SELECT branch AS value FROM branch WHERE number IN (SELECT number FROM listed WHERE {where})"
    rows = cursor.execute(
        f"SELECT value, count(*) AS n FROM ({found})"
        " WHERE value IS NOT NULL GROUP BY value ORDER BY n DESC, value LIMIT ?",
        [*values, limit],
    ).fetchall()
    return [(value, count) for value, count in rows]


def _conditions(query: RaceQuery, leave_out: str = "") -> tuple[str, list[Any]]:
    """The condition of a query in SQL, and its parameters. Only names of facets are part of the SQL."""
    parts, values = ["true"], []
    for minus, quoted, word in _TERM.findall(query.text.lower()):
        parts.append(f"{'NOT ' if minus else ''}contains(search, ?)")
        values.append(quoted or word)
    for name, (_, is_list) in FACETS.items():
        chosen = query.values.get(name, ())
        if chosen and name != leave_out and name == "branch":
            parts.append("number IN (SELECT number FROM branch WHERE list_contains(?, branch))")
            values.append([*chosen])
        elif chosen and name != leave_out:
            parts.append(f"list_has_any({name}, ?)" if is_list else f"list_contains(?, {name})")
            values.append([*chosen])
    return " AND ".join(parts), values


def _severity_rank(severity: str | None) -> int:
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES)


def files_of_sites(sites: Iterable[str]) -> Iterator[str]:
    """The files that sites name."""
    for site in sites:
        if file := file_of_site(site):
            yield file


def file_of_site(site: str) -> str:
    """The file of `cart.(*Cart).Add cart/cart.go:31` or `cart/cart.go:31`; empty if there is none."""
    words = site.split()
    file, colon, line = words[-1].rpartition(":") if words else ("", "", "")
    return file if colon and line.isdigit() else f"{file}{colon}{line}"


def package_of_site(site: str) -> str:
    """The folder of the file of a site; the package of its function if the file is in no folder."""
    folder = file_of_site(site).rpartition("/")[0]
    if folder:
        return folder
    package = _FUNCTION_PACKAGE.match(site)
    return package[1] if package else ""


def _list_columns(races: pa.Table, owners: Mapping[str, list[str]]) -> pa.Table:
    columns = {
        name: races[name].to_pylist() for name in ("race", "aliases", "title", "sites", "tests", "repos", "cause")
    }
    packages = [[*dict.fromkeys(filter(None, map(package_of_site, _cut(sites))))] for sites in columns["sites"]]
    owned = [owners.get(race, []) for race in columns["race"]]
    texts = pa.list_(pa.string())
    return pa.table(
        {
            "number": pa.array(range(races.num_rows), pa.int32()),
            **{name: races[name] for name in ("race", "detector", "family", "cause", "sightings", "run_count")},
            "title": pa.array([shorten(title or "", MAX_VALUE_LENGTH) for title in columns["title"]], pa.string()),
            "activity": races["status"],
            **{name: races[name].cast(pa.timestamp("us")) for name in ("first_seen", "last_seen")},
            "package": pa.array(packages, texts),
            "owner": pa.array(owned, texts),
            "repo": pa.array([[*_cut(repos)] for repos in columns["repos"]], texts),
            "test": pa.array([[*_cut(tests)] for tests in columns["tests"]], texts),
            "search": pa.array(_search_texts(columns, owned), pa.string()),
        }
    )


def _cut(values: Iterable[str] | None) -> Iterator[str]:
    for value, _ in zip(values or (), range(_MAX_LIST_LENGTH), strict=False):
        yield shorten(value, MAX_VALUE_LENGTH)


def _search_texts(columns: dict[str, list[Any]], owners: Sequence[list[str]]) -> Iterator[str]:
    """What a search looks into, in lower case."""
    titles = {name: plugins.cause_title(name) for name in {*columns["cause"]} if name}
    for race, aliases, title, sites, tests, repos, cause, owned in zip(
        *(columns[name] for name in ("race", "aliases", "title", "sites", "tests", "repos", "cause")),
        owners,
        strict=True,
    ):
        parts = [race, *(aliases or ()), shorten(title or "", 2000), *_cut(sites), *_cut(tests), *_cut(repos), *owned]
        yield "\n".join([*parts, titles.get(cause, "")]).lower()
