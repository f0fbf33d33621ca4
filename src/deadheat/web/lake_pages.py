"""The pages about families, runs, documents, fixes and the lake."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from markupsafe import Markup

from deadheat.output.html import markup
from deadheat.web import lake_data
from deadheat.web.page_answers import Page, page_endpoint
from deadheat.web.problems import ProblemError
from deadheat.web.race_queries import read_number
from deadheat.web.race_table import MAX_PAGE
from deadheat.web.route import Route

if TYPE_CHECKING:
    from starlette.requests import Request

    from deadheat.web.race_data import PageData

_MAX_OFFSET = 1 << 62


def page_number(request: Request) -> int:
    return read_number(request.query_params, "page", 1, MAX_PAGE)


def families_page(data: PageData, request: Request) -> Page:
    return Page("families.html", {"listing": lake_data.list_families(data, page_number(request))})


def family_page(data: PageData, request: Request) -> Page:
    return Page("family.html", {"family": lake_data.family_details(data, request.path_params["family"])})


def runs_page(data: PageData, request: Request) -> Page:
    return Page("runs.html", {"listing": lake_data.list_runs(data, page_number(request))})


def run_page(data: PageData, request: Request) -> Page:
    repo = request.query_params.get("repo") or None
    return Page("run.html", {"run": lake_data.run_details(data, request.path_params["run"], repo), "repo": repo})


def document_page(data: PageData, request: Request) -> Page:
    race = data.find_race(request.path_params["race"])
    at, uri, offset = read_place(request)
    excerpt = lake_data.document_excerpt(data, race, at, uri, offset)
    return Page("document.html", {"excerpt": excerpt, "title": race["title"]})


def read_place(request: Request) -> tuple[datetime, str, int]:
    """The sighting that an address names: its time, document and position."""
    parameters = request.query_params
    try:
        at = datetime.fromisoformat(parameters.get("at", ""))
    except ValueError:
        raise ProblemError(422, "at: not a time", "Open the text from the page of the race.") from None
    offset = parameters.get("offset", "")
    if not (offset.isascii() and offset.isdigit() and len(offset) < 20 and int(offset) < _MAX_OFFSET):
        raise ProblemError(422, "offset: not a number of bytes")
    return at if at.tzinfo else at.replace(tzinfo=UTC), parameters.get("uri", ""), int(offset)


def fixes_page(data: PageData, request: Request) -> Page:
    links = data.services.settings.links

    def commit_link(commit: str) -> Markup:
        return Markup(markup.link(links.commit_url(commit) if links else "", markup.code(commit[:11])))

    return Page("fixes.html", {"listing": lake_data.list_fixes(data, page_number(request)), "commit_link": commit_link})


def lake_page(data: PageData, _: Request) -> Page:
    return Page("lake.html", {"lake": lake_data.lake_health(data)})


ROUTES = [
    Route("GET", "/families", page_endpoint(families_page), "Families of races"),
    Route("GET", "/families/{family}", page_endpoint(family_page), "One family"),
    Route("GET", "/runs", page_endpoint(runs_page), "Runs of CI"),
    Route("GET", "/runs/{run:path}", page_endpoint(run_page), "What a run brought"),
    Route("GET", "/races/{race}/text", page_endpoint(document_page), "The text around a sighting"),
    Route("GET", "/fixes", page_endpoint(fixes_page), "Fixes of races in the history"),
    Route("GET", "/lake", page_endpoint(lake_page), "The state of the lake"),
]
