"""The JSON of every page, below `/api/v1`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from starlette.requests import Request  # noqa: TC002, FastAPI reads the annotation

from deadheat.web import models
from deadheat.web.race_data import PageData
from deadheat.web.race_queries import read_cursor, read_query
from deadheat.web.race_table import FACETS, MAX_PAGE, MAX_QUERY_LENGTH, PAGE_SIZE, SORT_ORDERS
from deadheat.web.route import JSON, Route
from deadheat.web.services import services_of

RaceId = Annotated[str, Path(description="The id of a race, or an alias.", max_length=200)]
After = Annotated[str, Query(max_length=60, description="`next` of the page before; empty for the latest.")]


def page_data(request: Request) -> PageData:
    return PageData(services_of(request))


def get_overview(request: Request) -> models.Overview:
    return page_data(request).overview()


def get_races(request: Request) -> models.RaceList:
    return page_data(request).list_races(read_query(request.query_params), PAGE_SIZE)


def get_race(request: Request, race: RaceId) -> models.RaceDetails:
    data = page_data(request)
    return data.details(data.find_race(race))


def get_sightings(request: Request, race: RaceId, after: After = "") -> models.SightingPage:
    data = page_data(request)
    return data.sightings(data.find_race(race), read_cursor(after))


def list_parameters() -> list[dict[str, Any]]:
    """The parameters of a list for OpenAPI: the same as those of its page."""
    text = {"type": "string", "maxLength": MAX_QUERY_LENGTH}
    named = [
        ("q", "Words that a race has to contain; in quotes with blanks, with - to exclude.", text),
        ("view", "The name of a saved view; changes nothing.", text),
        ("sort", "The order.", {"type": "string", "enum": [*SORT_ORDERS], "default": "last"}),
        (
            "page",
            "The number of the page, from 1.",
            {"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": 1},
        ),
    ]
    several = {"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 300}}
    named += [(name, f"{label}; one of the values has to match.", several) for name, (label, _) in FACETS.items()]
    return [{"in": "query", "name": name, "description": text, "schema": schema} for name, text, schema in named]


ROUTES = [
    Route("GET", "/api/v1/overview", get_overview, "The state of the lake", media_type=JSON, model=models.Overview),
    Route(
        "GET", "/api/v1/races", get_races, "Races that a query selects", media_type=JSON, model=models.RaceList,
        problems=(422,), parameters=tuple(list_parameters()),
    ),
    Route(
        "GET", "/api/v1/races/{race}", get_race, "One race", media_type=JSON, model=models.RaceDetails,
        problems=(404, 422),
    ),
    Route(
        "GET", "/api/v1/races/{race}/sightings", get_sightings, "The sightings of a race, the latest first",
        media_type=JSON, model=models.SightingPage, problems=(404, 422),
    ),
]  # fmt: skip
