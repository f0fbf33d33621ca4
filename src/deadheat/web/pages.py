"""The pages that show races: overview, list, one race."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from deadheat.output import OutputStyle
from deadheat.output.html import race_sections
from deadheat.output.html.race_view import RaceView
from deadheat.triage.events import SETTABLE_STATUSES, Severity
from deadheat.triage.server_tables import Role
from deadheat.web.page_answers import Page, page_endpoint
from deadheat.web.race_queries import read_cursor, read_query
from deadheat.web.race_table import FACETS, PAGE_SIZE, SORT_ORDERS, RaceQuery
from deadheat.web.route import Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

    from deadheat.output.html.markup import Html
    from deadheat.web.models import DayCount
    from deadheat.web.race_data import PageData

# views that the list offers: name and query
NAMED_VIEWS = (
    ("New", RaceQuery(values={"activity": ("new",)}, sort="first")),
    ("Back", RaceQuery(values={"activity": ("returned",)})),
    ("Untriaged", RaceQuery(values={"status": ("new", "back")})),
    ("In progress", RaceQuery(values={"status": ("confirmed", "in-progress")}, sort="severity")),
    ("Muted", RaceQuery(values={"muted": ("muted",)})),
)
# facets of the list that are open at first, and those that only a link sets
_OPEN_FACETS = ("activity", "status", "detector", "cause")
_HIDDEN_FACETS = ("family", "muted")


def overview_page(data: PageData, _: Request) -> Page:
    overview = data.overview()
    return Page("overview.html", {"overview": overview, "bars": trend_bars(overview.days)})


def list_page(data: PageData, request: Request) -> Page:
    query = read_query(request.query_params)
    listing = data.list_races(query, PAGE_SIZE)
    facets = [(name, FACETS[name][0], listing.facets[name]) for name in FACETS if name not in _HIDDEN_FACETS]
    views = [(name, view.address(title=name)) for name, view in NAMED_VIEWS]
    values = {
        "query": query,
        "listing": listing,
        "facets": facets,
        "sorts": SORT_ORDERS,
        "views": views,
        "open_facets": _OPEN_FACETS,
        **decision_choices(data, request),
    }
    labels = {name: label for name, (label, _) in FACETS.items()}
    return Page("races.html", {**values, "labels": labels})


def race_page(data: PageData, request: Request) -> Page:
    race = data.find_race(request.path_params["race"])
    after = request.query_params.get("after", "")
    example = data.example(race)
    view = None
    if example is not None:
        style = OutputStyle(links=data.services.settings.links)
        view = RaceView(example, data.snapshot.read_dossier(race), style, 1, "/races/{}".format)
    related = data.snapshot.titles_of(data.related_races(race))
    values = {
        "race": data.summary(race),
        "answer": Markup(race_sections.overview(view, race_facts(view))) if view else "",
        "details": Markup(race_sections.race_details(view)) if view else "",
        "aliases": race["aliases"],
        "related": related,
        "verifications": data.snapshot.verifications_of(race),
        "sightings": data.sightings(race, read_cursor(after)),
        "after": after,
        "timeline": data.history(race),
        "state": data.state_of(race["race"]),
        **decision_choices(data, request),
    }
    return Page("race.html", values)


def decision_choices(data: PageData, request: Request) -> dict[str, Any]:
    """What the forms for decisions offer."""
    return {
        "statuses": SETTABLE_STATUSES,
        "severities": [*Severity],
        "assignees": data.assignees(),
        "can_decide": can_decide(data, request),
    }


def can_decide(data: PageData, request: Request) -> bool:
    """Whether the page has forms for decisions."""
    return data.services.store is not None and bool(request.state.principal.has_role(Role.TRIAGER))


def race_facts(view: RaceView) -> Iterator[tuple[str, Html]]:
    yield from race_sections.dossier_facts(view)
    yield from race_sections.report_facts(view)


class TrendBar:
    """One bar of a trend, in units of the picture."""

    def __init__(self, day: DayCount, number: int, count: int, most: tuple[int, int]) -> None:
        self.day = day
        self.x = round(number * 100 / count, 3)
        self.width = round(100 / count * 0.8, 3)
        self.height = round(36 * day.sightings / max(1, most[0]), 2)
        self.new_height = round(36 * day.new_races / max(1, most[1]), 2)


def trend_bars(days: list[DayCount]) -> list[TrendBar]:
    most = max((day.sightings for day in days), default=0), max((day.new_races for day in days), default=0)
    return [TrendBar(day, number, len(days), most) for number, day in enumerate(days)]


ROUTES: list[Route] = [
    Route("GET", "/", page_endpoint(overview_page), "Overview"),
    Route("GET", "/races", page_endpoint(list_page), "List of races"),
    Route("GET", "/races/{race}", page_endpoint(race_page), "One race"),
]
