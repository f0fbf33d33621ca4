"""Queries of a lake: races, one race with its sightings, families, fixes, dossiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.errors import DeadheatError
from deadheat.lake.rows import sighting_of
from deadheat.lake.schema import DOSSIERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deadheat.lake.tables import Lake
    from deadheat.model import Sighting

    Plain = dict[str, Any]

# the public columns of a race
TOLD = (
    "race", "aliases", "title", "detector", "kind", "sites", "cause", "causes", "family", "sightings",
    "repos", "runs", "tests", "first_seen", "last_seen", "status", "history",
)  # fmt: skip
_SIGHTING = (
    "uri", "offset", "length", "lane", "observed_at", "repo", "commit", "branch", "job", "run",
    "test", "node", "report", "names", "bug_report",
)  # fmt: skip
_LEAST_PREFIX = 4


def races(lake: Lake) -> list[Plain]:
    """Every race, most recently seen first."""
    rows = lake.rows("races", TOLD).to_pylist()
    rows.sort(key=lambda row: row["race"])
    rows.sort(key=lambda row: (row["last_seen"], row["sightings"]), reverse=True)
    return [_plain(row) for row in rows]


def families(lake: Lake) -> list[Plain]:
    """Every family, largest first."""
    rows = lake.rows("families").to_pylist()
    return sorted(rows, key=lambda row: (-len(row["races"]), row["family"]))


def fixes(lake: Lake) -> list[Plain]:
    """Every fix, newest first; empty if nothing was mined."""
    if not lake.has("fixes"):
        return []
    rows: list[Plain] = lake.rows("fixes").to_pylist()
    return sorted(rows, key=lambda row: (row["fixed_at"], row["commit"]), reverse=True)


def dossiers(lake: Lake, columns: Sequence[str] | None = None) -> dict[str, Plain]:
    """The best dossier of each race: the one of the repository that knows most of the frames."""
    if not lake.has("dossiers"):
        return {}
    wanted = dict.fromkeys([*(columns or DOSSIERS.names), "race", "repo", "racing", "pin", "fault"])
    best: dict[str, Plain] = {}
    for row in lake.rows("dossiers", [*wanted]).to_pylist():
        known = best.get(row["race"])
        if row["fault"] is None and (known is None or _knows(row) > _knows(known)):
            best[row["race"]] = row
    return best


def _knows(row: Plain) -> tuple[int, int, str]:
    return row["racing"], row["pin"]["frames_fit"] if row["pin"] else 0, row["repo"]


def dossier_of(race: Plain, known: Mapping[str, Plain]) -> Plain | None:
    """The dossier of a race, also under one of its aliases."""
    return next((known[name] for name in (race["race"], *race["aliases"]) if name in known), None)


def race(lake: Lake, name: str) -> Plain:
    """Find a race by its id, an alias or a unique prefix."""
    rows: list[Plain] = lake.rows("races", [*TOLD, "report", "nodes"]).to_pylist()
    found = [row for row in rows if name in (row["race"], *row["aliases"])]
    if not found and len(name) >= _LEAST_PREFIX:
        found = [r for r in rows if any(i.startswith(name) for i in (r["race"], *r["aliases"]))]
    if not found and len(name) < _LEAST_PREFIX:
        least = f"give at least {_LEAST_PREFIX} characters"
        raise DeadheatError(f"{name!r} is too short for an id prefix", do=least)
    if not found:
        raise DeadheatError("no such race", name, f"`deadheat races --lake {lake.uri}` lists them")
    if len(found) > 1:
        several = ", ".join(sorted(row["race"] for row in found)[:5])
        raise DeadheatError(f"matches several ids ({several})", name, "give more characters")
    return found[0]


def sightings(lake: Lake, race: Plain, most: int) -> list[Plain]:
    """The latest sightings of a race."""
    import pyarrow.compute as pc  # takes 0.1 s to import

    wanted = pc.field("node").isin(race["nodes"])
    rows: list[Plain] = lake.rows("sightings", _SIGHTING, wanted).to_pylist()
    rows.sort(key=lambda row: (row["uri"], row["offset"]))
    rows.sort(key=lambda row: row["observed_at"], reverse=True)
    return rows[:most]


def example(lake: Lake, race: Plain) -> Sighting:
    """The best report of a race at its latest sighting."""
    ((_, sighting, _),) = examples(lake, [race])
    return sighting


def examples(lake: Lake, races: Iterable[Plain]) -> Iterator[tuple[str, Sighting, list[str]]]:
    """Yield the id of each race, its best report at the latest sighting, and the commits of its runs.

    Sightings in bug reports are preferred, because they have claims.
    """
    import pyarrow.compute as pc

    races = list(races)
    digests = pa.array({race["report"] for race in races}, pa.string())
    found = lake.rows("reports", where=pc.field("digest").isin(digests)).to_pylist()
    reports = {row["digest"]: row for row in found}
    nodes = pa.array({node for race in races for node in race["nodes"]}, pa.string())
    where = pc.field("node").isin(nodes) & pc.field("report").isin(digests)
    seen: dict[tuple[str, str], list[Plain]] = {}
    for row in lake.rows("sightings", _SIGHTING, where).to_pylist():
        seen.setdefault((row["node"], row["report"]), []).append(row)
    for race in races:
        rows = [row for node in race["nodes"] for row in seen.get((node, race["report"]), ())]
        rows.sort(key=lambda row: (row["observed_at"], row["uri"], row["offset"]), reverse=True)
        row = next((row for row in rows if row["bug_report"]), rows[0])
        told = sighting_of({**row, "race": race["race"]}, reports[race["report"]])
        yield race["race"], told, [*dict.fromkeys(r["commit"] for r in rows if r["commit"])]


def told(race: Plain) -> Plain:
    """The public columns of a race as JSON."""
    return _plain({key: race[key] for key in TOLD})


def _plain(row: Plain) -> Plain:
    """Convert times to text, and sort the causes by number of sightings."""
    said = sorted(row["causes"] or (), key=lambda one: (-one["sightings"], one["cause"]))
    return {
        **row,
        "causes": [_said(**one) for one in said],
        "first_seen": row["first_seen"].isoformat(),
        "last_seen": row["last_seen"].isoformat(),
        "history": [{**state, "day": state["day"].isoformat()} for state in row["history"]],
    }


def _said(cause: str, sightings: int, weight: int) -> Plain:
    """How many sightings have a cause, and its mean confidence."""
    return {
        "cause": cause,
        "sightings": sightings,
        "confidence": round(weight / (100 * sightings), 2),
    }
