"""Routes that record decisions: forms of pages, and JSON."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003, pydantic needs it at run time
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from fastapi import Path
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request  # noqa: TC002, FastAPI reads the annotation
from starlette.responses import RedirectResponse, Response

from deadheat.triage.event_transaction import DecisionConflictError
from deadheat.triage.events import EventKind, EventSource, InvalidDecisionError, NewEvent, ReusedKeyError, new_key
from deadheat.triage.server_tables import Role
from deadheat.web.decision_forms import MAX_BULK_RACES, DecisionForm, decisions_of_form, read_form
from deadheat.web.forms import check_form_token
from deadheat.web.page_answers import SEEN_COOKIE, Page, personal_response, render_page
from deadheat.web.problems import ProblemError
from deadheat.web.race_data import PageData
from deadheat.web.route import JSON, Route
from deadheat.web.services import Services, services_of
from deadheat.web.timeline import describe_decision, describe_event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.triage.events import Event
    from deadheat.triage.state import RaceState
    from deadheat.triage.store import DecisionStore

_SEEN_SECONDS = 60


class DecisionRequest(BaseModel):
    """A decision to record."""

    kind: EventKind
    payload: dict[str, Any] = Field(default_factory=dict, description="What is decided; its fields depend on the kind.")
    based_on: int | None = Field(
        default=None,
        ge=0,
        lt=1 << 53,
        description="The `version` of the state that it is based on; 409 if it has changed.",
    )
    key: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="A decision sent again with the same key is recorded once.",
    )


class DecisionState(BaseModel):
    """What people have decided about a race, as of its last decision."""

    race: str
    version: int
    status: str
    assignee: str | None
    severity: str | None
    labels: list[str]
    fixed_in: str | None
    duplicate_of: str | None
    mute: dict[str, Any] | None
    links: list[dict[str, Any]]
    comments: list[dict[str, Any]]
    updated_at: datetime | None


class DecisionEvent(BaseModel):
    """A recorded decision."""

    id: str
    sequence: int
    race: str
    actor: str
    at: datetime
    kind: EventKind
    payload: dict[str, Any]
    source: EventSource


def _store_of(services: Services) -> DecisionStore:
    if services.store is None:
        raise ProblemError(503, "This server has no database of decisions.", "Start it with --decisions.")
    return services.store


def record(services: Services, decisions: Sequence[NewEvent]) -> list[RaceState]:
    """Record decisions; what is wrong with them is a problem."""
    try:
        states = _store_of(services).record_all(decisions)
    except ReusedKeyError:
        raise ProblemError(409, "This form was sent before, with other values.", "Reload the page.") from None
    except InvalidDecisionError as error:
        raise ProblemError(422, str(error)) from None
    services.live.refresh_decisions()
    return states


# -- forms ------------------------------------------------------------------------------------------


async def post_decision(request: Request) -> Response:
    """A form of the page of a race: answers with the page, or with both values if somebody else was faster."""
    form = await read_form(request)
    return await run_in_threadpool(_record_form, request, form)


def _record_form(request: Request, form: DecisionForm) -> Response:
    services, principal = services_of(request), request.state.principal
    check_form_token(services, request, principal.name, form.token)
    data = PageData(services)
    race = data.find_race(request.path_params["race"])
    decisions = decisions_of_form(form, race["race"], principal.name)
    try:
        if decisions:
            record(services, decisions)
    except DecisionConflictError as conflict:
        return _conflict_page(request, race["race"], decisions, conflict)
    return _redirect(request, f"/races/{race['race']}#decisions")


def _conflict_page(
    request: Request, race: str, decisions: Sequence[NewEvent], conflict: DecisionConflictError
) -> Response:
    services = services_of(request)
    services.live.refresh_decisions()
    data = PageData(services)
    title = data.find_race(race)["title"]
    values = {
        "race": race, "title": title, "state": conflict.state,
        "mine": [describe_decision(each.kind, each.payload) for each in decisions],
        "theirs": [*map(describe_event, conflict.changes)],
    }  # fmt: skip
    page = Page("conflict.html", values, 409)
    return personal_response(request, render_page(page, data, request), 409)


async def post_bulk(request: Request) -> Response:
    """The form below a list: one decision about several races."""
    form = await read_form(request)
    return await run_in_threadpool(_record_bulk, request, form)


def _record_bulk(request: Request, form: DecisionForm) -> Response:
    services, principal = services_of(request), request.state.principal
    check_form_token(services, request, principal.name, form.token)
    names = [*dict.fromkeys(form.values("race"))]
    if not names:
        raise ProblemError(422, "No race was chosen.", "Tick races in the list first.")
    if len(names) > MAX_BULK_RACES:
        raise ProblemError(422, f"More than {MAX_BULK_RACES} races were chosen.")
    data = PageData(services)
    races = [data.find_race(name)["race"] for name in names]
    decisions = [
        decision for race in races for decision in decisions_of_form(form, race, principal.name, f"{form.key}-{race}")
    ]
    if not decisions:
        raise ProblemError(422, "Nothing was decided.", "Fill in at least one field.")
    record(services, decisions)
    return _redirect(request, _local_address(form.text("back"), "/races"))


def _local_address(text: str, default: str) -> str:
    """An address of this server."""
    parts = urlsplit(text)
    is_local = text.startswith("/") and not text.startswith(("//", "/\\")) and not parts.netloc and text.isprintable()
    return text if is_local else default


def _redirect(request: Request, address: str) -> Response:
    response = RedirectResponse(address, 303)
    version = str(services_of(request).live.state.decisions_version)
    # pages of other processes are as new as this one
    response.set_cookie(SEEN_COOKIE, version, max_age=_SEEN_SECONDS, httponly=True, samesite="strict", path="/")
    return response


# -- JSON -------------------------------------------------------------------------------------------

RaceId = Annotated[str, Path(description="The id of a race, or an alias.", max_length=200)]


def get_decisions(request: Request, race: RaceId) -> DecisionState:
    data = PageData(services_of(request))
    name = data.find_race(race)["race"]
    return _state_json(_store_of(data.services).state(name))


def get_history(request: Request, race: RaceId) -> list[DecisionEvent]:
    data = PageData(services_of(request))
    name = data.find_race(race)["race"]
    return [_event_json(event) for event in _store_of(data.services).history(name)]


def add_decision(request: Request, race: RaceId, decision: DecisionRequest) -> DecisionState:
    services = services_of(request)
    name = PageData(services).find_race(race)["race"]
    event = NewEvent(
        name, decision.kind, decision.payload, request.state.principal.name, EventSource.WEB,
        decision.key or new_key(), decision.based_on,
    )  # fmt: skip
    try:
        (state,) = record(services, [event])
    except DecisionConflictError as conflict:
        current = _state_json(conflict.state).model_dump(mode="json")
        raise ProblemError(409, str(conflict), "Read the state and decide again.", current) from None
    return _state_json(state)


def _state_json(state: RaceState) -> DecisionState:
    fields = state.to_json()
    return DecisionState(**{name: fields[name] for name in DecisionState.model_fields})


def _event_json(event: Event) -> DecisionEvent:
    fields = event.to_json()
    return DecisionEvent(**{name: fields[name] for name in DecisionEvent.model_fields})


_DECISIONS = "/api/v1/races/{race}/decisions"
ROUTES = [
    Route("POST", "/races", post_bulk, "Decide about several races", Role.TRIAGER),
    Route("POST", "/races/{race}", post_decision, "Decide about a race", Role.TRIAGER),
    Route(
        "GET", _DECISIONS, get_decisions, "What people have decided about a race", media_type=JSON, model=DecisionState,
        problems=(404, 422, 503),
    ),
    Route(
        "GET", f"{_DECISIONS}/history", get_history, "The decisions about a race, the earliest first", media_type=JSON,
        model=list[DecisionEvent], problems=(404, 422, 503),
    ),
    Route(
        "POST", _DECISIONS, add_decision, "Record a decision", Role.TRIAGER, JSON, DecisionState,
        problems=(403, 404, 409, 422, 503),
    ),
]  # fmt: skip
