"""The JSON of families, runs, documents, fixes and the lake."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Path, Query
from starlette.requests import Request  # noqa: TC002, FastAPI reads the annotation

from deadheat.web import lake_data, models
from deadheat.web.api import RaceId, page_data
from deadheat.web.race_table import MAX_PAGE
from deadheat.web.route import JSON, Route

PageNumber = Annotated[int, Query(ge=1, le=MAX_PAGE, description="The number of the page, from 1.")]
Name = Annotated[str, Path(max_length=2000)]


def get_families(request: Request, page: PageNumber = 1) -> models.FamilyList:
    return lake_data.list_families(page_data(request), page)


def get_family(request: Request, family: Name) -> models.FamilyDetails:
    return lake_data.family_details(page_data(request), family)


def get_runs(request: Request, page: PageNumber = 1) -> models.RunList:
    return lake_data.list_runs(page_data(request), page)


def get_run(
    request: Request,
    run: Annotated[str, Query(max_length=2000, description="The number or name of the run.")],
    repo: Annotated[
        str | None, Query(max_length=2000, description="The repository, if several number runs alike.")
    ] = None,
) -> models.RunDetails:
    return lake_data.run_details(page_data(request), run, repo or None)


def get_document(
    request: Request,
    race: RaceId,
    at: Annotated[datetime, Query(description="The time of the sighting.")],
    uri: Annotated[str, Query(max_length=20_000, description="Its document.")],
    offset: Annotated[int, Query(ge=0, lt=1 << 62, description="Its position in the document, in bytes.")],
) -> models.DocumentExcerpt:
    data = page_data(request)
    time = at if at.tzinfo else at.replace(tzinfo=UTC)
    return lake_data.document_excerpt(data, data.find_race(race), time, uri, offset)


def get_fixes(request: Request, page: PageNumber = 1) -> models.FixList:
    return lake_data.list_fixes(page_data(request), page)


def get_lake(request: Request) -> models.LakeHealth:
    return lake_data.lake_health(page_data(request))


_V1 = "/api/v1"
ROUTES = [
    Route("GET", f"{_V1}/families", get_families, "Families of races, the largest first", media_type=JSON,
          model=models.FamilyList, problems=(422,)),
    Route("GET", f"{_V1}/families/{{family}}", get_family, "One family", media_type=JSON, model=models.FamilyDetails,
          problems=(404, 422)),
    Route("GET", f"{_V1}/runs", get_runs, "Runs of CI with sightings, the latest first", media_type=JSON,
          model=models.RunList, problems=(422,)),
    Route("GET", f"{_V1}/run", get_run, "What a run brought", media_type=JSON, model=models.RunDetails,
          problems=(404, 422)),
    Route("GET", f"{_V1}/races/{{race}}/text", get_document, "The text around a sighting", media_type=JSON,
          model=models.DocumentExcerpt, problems=(404, 422)),
    Route("GET", f"{_V1}/fixes", get_fixes, "Fixes of races in the history, the newest first", media_type=JSON,
          model=models.FixList, problems=(422,)),
    Route("GET", f"{_V1}/lake", get_lake, "The state of the lake", media_type=JSON, model=models.LakeHealth),
]  # fmt: skip
