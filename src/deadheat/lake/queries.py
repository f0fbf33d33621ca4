"""Queries of a lake: races, one race with its sightings, families, fixes, dossiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.errors import DeadheatError
from deadheat.lake.schema import DOSSIERS
from deadheat.lake.sighting_rows import sighting_from_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from deadheat.lake.tables import Lake
    from deadheat.model import Sighting

    JsonDict = dict[str, Any]

# the public columns of a race
RACE_COLUMNS = (
    "race", "aliases", "title", "detector", "kind", "sites", "cause", "causes", "family", "sightings",
    "repos", "runs", "tests", "first_seen", "last_seen", "status", "history",
)  # fmt: skip
_SIGHTING_COLUMNS = (
    "uri", "offset", "length", "lane", "observed_at", "repo", "commit", "branch", "job", "run",
    "test", "node", "report", "names", "bug_report",
)  # fmt: skip
_MIN_PREFIX_LENGTH = 4


def list_races(lake: Lake) -> list[JsonDict]:
    """Every race, most recently seen first."""
    rows = lake.read_rows("races", RACE_COLUMNS).to_pylist()
    rows.sort(key=lambda row: row["race"])
    rows.sort(key=lambda row: (row["last_seen"], row["sightings"]), reverse=True)
    return [_race_to_json(row) for row in rows]


def list_families(lake: Lake) -> list[JsonDict]:
    """Every family, largest first."""
    rows = lake.read_rows("families").to_pylist()
    return sorted(rows, key=lambda row: (-len(row["races"]), row["family"]))


def list_fixes(lake: Lake) -> list[JsonDict]:
    """Every fix, newest first; empty if nothing was mined."""
    if not lake.has_table("fixes"):
        return []
    rows: list[JsonDict] = lake.read_rows("fixes").to_pylist()
    return sorted(rows, key=lambda row: (row["fixed_at"], row["commit"]), reverse=True)


def best_dossiers(lake: Lake, columns: Sequence[str] | None = None) -> dict[str, JsonDict]:
    """The best dossier of each race: the one of the repository that knows most of the frames."""
    if not lake.has_table("dossiers"):
        return {}
    wanted = dict.fromkeys([*(columns or DOSSIERS.names), "race", "repo", "racing", "pin", "fault"])
    best: dict[str, JsonDict] = {}
    for row in lake.read_rows("dossiers", [*wanted]).to_pylist():
        known = best.get(row["race"])
        if row["fault"] is None and (known is None or _dossier_rank(row) > _dossier_rank(known)):
            best[row["race"]] = row
    return best


def _dossier_rank(row: JsonDict) -> tuple[int, int, str]:
    return row["racing"], row["pin"]["frames_fit"] if row["pin"] else 0, row["repo"]


def dossier_of(race: JsonDict, known: Mapping[str, JsonDict]) -> JsonDict | None:
    """The dossier of a race, also under one of its aliases."""
    return next((known[name] for name in (race["race"], *race["aliases"]) if name in known), None)


def find_race(lake: Lake, name: str) -> JsonDict:
    """Find a race by its id, an alias or a unique prefix."""
    rows: list[JsonDict] = lake.read_rows("races", [*RACE_COLUMNS, "report", "nodes"]).to_pylist()
    found = [row for row in rows if name in (row["race"], *row["aliases"])]
    if not found and len(name) >= _MIN_PREFIX_LENGTH:
        found = [r for r in rows if any(i.startswith(name) for i in (r["race"], *r["aliases"]))]
    if not found and len(name) < _MIN_PREFIX_LENGTH:
        remedy = f"give at least {_MIN_PREFIX_LENGTH} characters"
        raise DeadheatError(f"{name!r} is too short for an id prefix", do=remedy)
    if not found:
        raise DeadheatError("no such race", name, f"`deadheat races --lake {lake.uri}` lists them")
    if len(found) > 1:
        candidates = ", ".join(sorted(row["race"] for row in found)[:5])
        raise DeadheatError(f"matches several ids ({candidates})", name, "give more characters")
    return found[0]


def latest_sightings(lake: Lake, race: JsonDict, limit: int) -> list[JsonDict]:
    """The latest sightings of a race."""
    import pyarrow.compute as pc  # takes 0.1 s to import

    wanted = pc.field("node").isin(race["nodes"])
    rows: list[JsonDict] = lake.read_rows("sightings", _SIGHTING_COLUMNS, wanted).to_pylist()
    rows.sort(key=lambda row: (row["uri"], row["offset"]))
    rows.sort(key=lambda row: row["observed_at"], reverse=True)
    return rows[:limit]


def example_sighting(lake: Lake, race: JsonDict) -> Sighting:
    """The best report of a race at its latest sighting."""
    ((_, sighting, _),) = example_sightings(lake, [race])
    return sighting


def example_sightings(lake: Lake, races: Iterable[JsonDict]) -> Iterator[tuple[str, Sighting, list[str]]]:
    """Yield the id of each race, its best report at the latest sighting, and the commits of its runs.

    Sightings in bug reports are preferred, because they have claims.
    """
    import pyarrow.compute as pc

    races = list(races)
    digests = pa.array({race["report"] for race in races}, pa.string())
    found = lake.read_rows("reports", where=pc.field("digest").isin(digests)).to_pylist()
    reports = {row["digest"]: row for row in found}
    nodes = pa.array({node for race in races for node in race["nodes"]}, pa.string())
    where = pc.field("node").isin(nodes) & pc.field("report").isin(digests)
    rows_by_report: dict[tuple[str, str], list[JsonDict]] = {}
    for row in lake.read_rows("sightings", _SIGHTING_COLUMNS, where).to_pylist():
        rows_by_report.setdefault((row["node"], row["report"]), []).append(row)
    for race in races:
        rows = [row for node in race["nodes"] for row in rows_by_report.get((node, race["report"]), ())]
        rows.sort(key=lambda row: (row["observed_at"], row["uri"], row["offset"]), reverse=True)
        row = next((row for row in rows if row["bug_report"]), rows[0])
        sighting = sighting_from_row({**row, "race": race["race"]}, reports[race["report"]])
        yield race["race"], sighting, [*dict.fromkeys(r["commit"] for r in rows if r["commit"])]


def race_summary(race: JsonDict) -> JsonDict:
    """The public columns of a race as JSON."""
    return _race_to_json({key: race[key] for key in RACE_COLUMNS})


def _race_to_json(row: JsonDict) -> JsonDict:
    """Convert times to text, and sort the causes by number of sightings."""
    causes = sorted(row["causes"] or (), key=lambda vote: (-vote["sightings"], vote["cause"]))
    return {
        **row,
        "causes": [_cause_summary(**vote) for vote in causes],
        "first_seen": row["first_seen"].isoformat(),
        "last_seen": row["last_seen"].isoformat(),
        "history": [{**state, "day": state["day"].isoformat()} for state in row["history"]],
    }


def _cause_summary(cause: str, sightings: int, weight: int) -> JsonDict:
    """How many sightings have a cause, and its mean confidence."""
    return {"cause": cause, "sightings": sightings, "confidence": round(weight / (100 * sightings), 2)}
