"""Makes the models of families, runs, documents, fixes and the lake itself."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003
from typing import TYPE_CHECKING, Any

from deadheat.lake import queries
from deadheat.lake.schema import DERIVED_TABLES, FACT_TABLES, LAKE_VERSION
from deadheat.lake.transactions import COVERED_APPLICATION
from deadheat.web import documents, models
from deadheat.web.problems import ProblemError
from deadheat.web.race_data import MAX_LISTED, cut, cut_all, place_of_row

if TYPE_CHECKING:
    from deadheat.web.race_data import PageData
    from deadheat.web.sighting_index import RunSummary

    JsonDict = dict[str, Any]

LIST_SIZE = 50
_MAX_RACES = 500


def page_count(total: int) -> int:
    return max(1, -(-total // LIST_SIZE))


def _slice(items: list[JsonDict], page: int) -> list[JsonDict]:
    return items[(page - 1) * LIST_SIZE : page * LIST_SIZE]


# -- families -------------------------------------------------------------------------------------------


def list_families(data: PageData, page: int) -> models.FamilyList:
    rows = [*data.snapshot.families.values()]
    families = [models.Family(**_family_fields(row)) for row in _slice(rows, page)]
    return models.FamilyList(total=len(rows), page=page, pages=page_count(len(rows)), families=families)


def family_details(data: PageData, name: str) -> models.FamilyDetails:
    row = data.snapshot.families.get(name)
    if row is None:
        raise ProblemError(404, "There is no such family in the lake.", "The page of families lists them.")
    found = (data.snapshot.find_race(race) for race in row["races"][:_MAX_RACES])
    races = [data.summary(race) for race in found if race is not None]
    return models.FamilyDetails(**_family_fields(row), races=races)


def _family_fields(row: JsonDict) -> JsonDict:
    return {
        "family": row["family"], "culprit": cut(row["culprit"]), "why": cut_all(row["why"]),
        "race_count": len(row["races"]),
    }  # fmt: skip


# -- runs -----------------------------------------------------------------------------------------------


def list_runs(data: PageData, page: int) -> models.RunList:
    runs = data.index.runs(LIST_SIZE, (page - 1) * LIST_SIZE)
    pages = page_count(data.index.run_count())
    is_indexed = data.live.index_version != ""
    return models.RunList(is_indexed=is_indexed, page=page, pages=pages, runs=[*map(_run_model, runs)])


def _run_model(run: RunSummary) -> models.Run:
    names = ("repo", "branch", "commit", "job")
    return models.Run(
        run=cut(run.run), first=run.first, last=run.last, sightings=run.sightings, races=run.races,
        **{name: None if getattr(run, name) is None else cut(getattr(run, name)) for name in names},
    )  # fmt: skip


def run_details(data: PageData, run: str, repo: str | None) -> models.RunDetails:
    """What a run brought: races that it was the first to see, and those that were known."""
    jobs = data.index.contexts_of_run(run, repo)
    is_indexed = data.live.index_version != ""
    if not jobs and is_indexed:
        raise ProblemError(404, "There is no such run with a sighting in the lake.", "The page of runs lists them.")
    counts: dict[str, int] = {}
    first: dict[str, datetime] = {}
    for job in jobs:
        for seen in data.index.races_of_context(job.context, _MAX_RACES):
            race = data.snapshot.race_of_node(seen.node)
            if race is not None:
                counts[race] = counts.get(race, 0) + seen.sightings
                first[race] = min(first.get(race, seen.first), seen.first)
    rows = [(data.snapshot.find_race(race), race) for race in sorted(counts, key=lambda race: (-counts[race], race))]
    found = [
        models.RaceInRun(race=data.summary(row), sightings=counts[race], is_new=row["first_seen"] >= first[race])
        for row, race in rows[:_MAX_RACES]
        if row is not None
    ]
    return models.RunDetails(
        run=cut(run), is_indexed=is_indexed, jobs=[*map(_run_model, jobs)],
        new=[each for each in found if each.is_new], known=[each for each in found if not each.is_new],
    )  # fmt: skip


# -- documents ------------------------------------------------------------------------------------------


def document_excerpt(data: PageData, race: JsonDict, at: datetime, uri: str, offset: int) -> models.DocumentExcerpt:
    """The text around a sighting."""
    row = data.index.find_sighting(race["nodes"], at, uri, offset)
    if row is not None:
        row |= data.snapshot.read_sighting(row["path"], row["row"], ("names", "report")) or {"names": [], "report": ""}
    elif data.live.index_version == "":
        latest = queries.latest_sightings(data.snapshot.lake, race, MAX_LISTED)
        row = next((r for r in latest if (r["observed_at"], r["uri"], r["offset"]) == (at, uri, offset)), None)
    if row is None:
        raise ProblemError(404, "There is no such sighting in the lake.", "The page of the race lists its sightings.")
    found = documents.read_around(row["uri"], row["offset"], row["length"], data.services.settings.document_folders)
    found = found or documents.kept_text(data.snapshot.read_report(row["report"]), row["names"])
    return models.DocumentExcerpt(
        race=race["race"],
        sighting=place_of_row(row),
        source=found.source if found else None,
        before=found.before if found else "",
        report=found.report if found else "",
        after=found.after if found else "",
        is_cut=found.is_cut if found else False,
    )


# -- fixes ----------------------------------------------------------------------------------------------


def list_fixes(data: PageData, page: int) -> models.FixList:
    rows = data.snapshot.fixes
    fixes = [
        models.MinedFix(
            repo=cut(row["repo"]), commit=row["commit"], subject=cut(row["subject"]), fixed_at=row["fixed_at"],
            strategy=row["strategy"], files=cut_all(row["files"]), variables=cut_all(row["variables"]),
            causes=cut_all(row["causes"]), why=cut_all(row["why"]),
        )
        for row in _slice(rows, page)
    ]  # fmt: skip
    return models.FixList(total=len(rows), page=page, pages=page_count(len(rows)), fixes=fixes)


# -- the lake -------------------------------------------------------------------------------------------


def lake_health(data: PageData) -> models.LakeHealth:
    lake = data.snapshot.lake
    tables = [
        models.TableHealth(
            table=name, version=lake.delta_table(name).version(), rows=lake.row_count(name),
            files=len(lake.data_files(name)), bytes=sum(file.size for file in lake.data_files(name)),
        )
        for name in lake.table_names
    ]  # fmt: skip
    rejects = _newest(data, "rejects", "observed_at")
    ingests = _newest(data, "ingests", "state")
    facts = {lake.table_state(name) for name in FACT_TABLES}
    return models.LakeHealth(
        lake=lake.uri,
        schema_version=lake.schema_version("files"),
        tables=tables,
        rejects=[models.Reject(uri=cut(r["uri"]), what=cut(r["what"]), observed_at=r["observed_at"]) for r in rejects],
        reject_count=lake.row_count("rejects"),
        ingests=[
            models.Ingest(**{name: row[name] or 0 for name in ("state", "files", "sightings", "reports")},
                          what=row["what"], committed_at=row["committed_at"])
            for row in ingests
        ],
        checks={
            "The lake has the current version.": lake.schema_version("files") == LAKE_VERSION,
            "All facts are of one change.": len(facts) == 1,
            "All races are of one change.": len({lake.table_state(name) for name in DERIVED_TABLES}) == 1,
            "The races contain all facts.": lake.transaction_number("nodes", COVERED_APPLICATION) == lake.state_number,
            "The newest state could be read.": not data.services.live.fault,
            "All sightings are indexed.": data.index.indexed_sightings() == lake.row_count("sightings"),
        },
        indexed_sightings=data.index.indexed_sightings(),
    )  # fmt: skip


def _newest(data: PageData, table: str, column: str) -> list[JsonDict]:
    """The newest rows of a table."""
    rows = data.snapshot.lake.read_rows(table).sort_by([(column, "descending")])
    return list(rows.slice(0, LIST_SIZE).to_pylist())
