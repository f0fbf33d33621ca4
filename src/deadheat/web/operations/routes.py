"""Routes for those who operate a server: whether it lives and is ready, metrics, and a page that shows its state."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from starlette.requests import Request  # noqa: TC002, FastAPI reads the annotation
from starlette.responses import PlainTextResponse, Response

from deadheat._version import __version__
from deadheat.errors import DeadheatError
from deadheat.triage.events import Status
from deadheat.triage.server_tables import DeliveryState, Role
from deadheat.web.operations.metrics import CONTENT_TYPE, Metric, Sample, format_metrics
from deadheat.web.page_answers import Page, personal_response, render_page
from deadheat.web.problems import ProblemError
from deadheat.web.race_data import PageData
from deadheat.web.route import JSON, Route
from deadheat.web.services import services_of

if TYPE_CHECKING:
    from deadheat.web.services import Services

_TEXT = "text/plain; charset=utf-8"
_MAX_LISTED = 50


class NotificationState(BaseModel):
    """A notification that could not be delivered yet, or was given up."""

    destination: str
    title: str
    state: DeliveryState
    attempts: int
    error: str


class ServerState(BaseModel):
    """What a server does beside answering requests."""

    checks: dict[str, bool]
    outbox: dict[str, int]
    undelivered: list[NotificationState]
    uploads: dict[str, int]
    ingest: dict[str, Any] | None


def get_alive(_: Request) -> Response:
    return PlainTextResponse("ok\n")


def get_ready(request: Request) -> Response:
    """Whether requests can be answered. It names what cannot be used and not why: everybody may read it."""
    found = checks(services_of(request))
    lines = "".join(f"{name} {'ok' if is_right else 'failed'}\n" for name, is_right in found.items())
    return PlainTextResponse(lines, 200 if all(found.values()) else 503)


def checks(services: Services) -> dict[str, bool]:
    """What the server needs, and whether it can be used."""
    found = {"lake": not services.live.fault, "index": bool(services.live.state.index_version)}
    if services.store is not None:
        found["decisions"] = _is_reachable(services)
    found["running"] = not services.is_stopping
    return found


def _is_reachable(services: Services) -> bool:
    assert services.store is not None
    try:
        services.store.version()
    except DeadheatError:
        return False
    return True


def get_metrics(request: Request) -> Response:
    services = services_of(request)
    found = [*services.metrics.metrics(), *_state_metrics(services)]
    return PlainTextResponse(format_metrics(found), media_type=CONTENT_TYPE)


def _state_metrics(services: Services) -> list[Metric]:
    live, background = services.live.state, services.background
    statuses = Counter(_race_statuses(services))
    checked = checks(services)
    metrics = [
        Metric("deadheat_info", "gauge", "The version that runs.", [Sample(1, {"version": __version__})]),
        Metric(
            "deadheat_ready", "gauge", "What the server needs, and whether it can be used.",
            [Sample(float(is_right), {"check": name}) for name, is_right in checked.items()],
        ),
        Metric(
            "deadheat_snapshot_age_seconds", "gauge", "Time since the state of the lake that pages show was loaded.",
            [Sample(time.time() - background.snapshot_loaded_at)],
        ),
        Metric(
            "deadheat_races", "gauge", "Races by what people have decided.",
            [Sample(statuses[status], {"status": status.value}) for status in Status],
        ),
        Metric(
            "deadheat_sightings", "gauge", "Sightings in the lake.", [Sample(live.snapshot.lake.row_count("sightings"))]
        ),
    ]  # fmt: skip
    if services.store is not None and checked["decisions"]:
        outbox = services.store.outbox.counts()
        uploads = services.store.uploads.counts()
        metrics += [
            Metric(
                "deadheat_notifications", "gauge", "Notifications by state.",
                [Sample(count, {"state": state.value}) for state, count in outbox.items()],
            ),
            Metric(
                "deadheat_uploads", "gauge", "Received documents by state.",
                [Sample(count, {"state": state.value}) for state, count in uploads.items()],
            ),
        ]  # fmt: skip
    ingest = background.ingest_state()
    if ingest is not None:
        metrics += [
            Metric("deadheat_ingest_running", "gauge", "Whether the ingest runs.", [Sample(float(ingest.is_running))]),
            Metric("deadheat_ingest_starts_total", "counter", "How often it was started.", [Sample(ingest.starts)]),
            Metric(
                "deadheat_ingest_batch_timestamp_seconds", "gauge", "When it has read documents last.",
                [Sample(ingest.batch_at)],
            ),
            Metric("deadheat_ingest_documents_total", "counter", "Documents it has read.", [Sample(ingest.files)]),
        ]  # fmt: skip
    return metrics


def _race_statuses(services: Services) -> list[Status]:
    live = services.live.state
    decided = {race: state.status for race, state in live.states.items() if live.snapshot.number_of(race) is not None}
    return [*decided.values(), *[Status.NEW] * (live.snapshot.race_count - len(decided))]


def server_state(services: Services) -> ServerState:
    if services.store is None:
        return ServerState(checks=checks(services), outbox={}, undelivered=[], uploads={}, ingest=None)
    outbox = services.store.outbox
    undelivered = [
        NotificationState(
            destination=each.destination, title=str(each.body.get("title", ""))[:300], state=each.state,
            attempts=each.attempts, error=each.error[:500],
        )
        for state in (DeliveryState.FAILED, DeliveryState.PENDING)
        for each in outbox.latest(state, _MAX_LISTED)
    ]  # fmt: skip
    ingest = services.background.ingest_state()
    return ServerState(
        checks=checks(services), outbox={state.value: count for state, count in outbox.counts().items()},
        undelivered=undelivered,
        uploads={state.value: count for state, count in services.store.uploads.counts().items()},
        ingest=ingest.to_json() if ingest else None,
    )  # fmt: skip


def get_server(request: Request) -> ServerState:
    try:
        return server_state(services_of(request))
    except DeadheatError:
        raise ProblemError(503, "The database of decisions cannot be read.", "Its log says why.") from None


def get_server_page(request: Request) -> Response:
    """The page is not kept: it changes without the lake."""
    page = Page("server.html", {"server": get_server(request)})
    return personal_response(request, render_page(page, PageData(services_of(request)), request))


ROUTES = [
    Route("GET", "/healthz", get_alive, "Whether the process lives", None, _TEXT),
    Route("GET", "/readyz", get_ready, "Whether requests can be answered", None, _TEXT),
    Route("GET", "/metrics", get_metrics, "Metrics for Prometheus", Role.READER, CONTENT_TYPE),
    Route("GET", "/server", get_server_page, "Notifications, uploads and the ingest", Role.READER),
    Route(
        "GET", "/api/v1/server", get_server, "What the server does beside answering", Role.READER, JSON, ServerState,
        problems=(503,),
    ),
]  # fmt: skip
