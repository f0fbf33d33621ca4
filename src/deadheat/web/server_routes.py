"""Routes of the server itself: static files, health, live updates."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.requests import Request  # noqa: TC002, FastAPI reads the annotation
from starlette.responses import Response, StreamingResponse

from deadheat._version import __version__
from deadheat.web import models, static_files
from deadheat.web.problems import ProblemError
from deadheat.web.race_data import PageData
from deadheat.web.route import JSON, Route
from deadheat.web.services import services_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

# seconds between two looks for a change, and between two lines that keep a connection open
_CHECK_SECONDS, _KEEP_ALIVE_SECONDS = 0.5, 15
# seconds after which the login of a stream is checked again
_LOGIN_SECONDS = 5


def get_static(request: Request, name: str) -> Response:
    file = static_files.static_file(name)
    if file is None:
        raise ProblemError(404, "There is no such file.")
    is_current = request.query_params.get("v") == file.digest
    caching = "public, max-age=31536000, immutable" if is_current else "no-cache"
    return Response(file.content, media_type=file.media_type, headers={"cache-control": caching})


def get_health(request: Request) -> models.Health:
    """Everybody may read it, so it does not say what is wrong."""
    return models.Health(status="degraded" if services_of(request).live.fault else "ok", version=__version__)


async def get_events(request: Request) -> Response:
    """Server-sent events: `change` with the version that pages show now, at first and whenever it changes."""
    return StreamingResponse(_changes(request), media_type="text/event-stream", headers={"cache-control": "no-store"})


async def _changes(request: Request) -> AsyncIterator[str]:
    services, known, waited, checked = services_of(request), "", 0.0, 0.0
    yield "retry: 2000\n\n"
    while not services.is_stopping:
        version = PageData(services).version
        if version != known:
            known, waited = version, 0.0
            yield f"event: change\ndata: {version}\n\n"
        elif waited >= _KEEP_ALIVE_SECONDS:
            waited = 0.0
            yield ": no change\n\n"
        await asyncio.sleep(_CHECK_SECONDS)
        waited, checked = waited + _CHECK_SECONDS, checked + _CHECK_SECONDS
        if checked >= _LOGIN_SECONDS:
            checked = 0.0
            if not await services.guard.is_admitted(request):
                return  # the login has ended meanwhile


ROUTES = [
    Route("GET", "/static/{name}", get_static, "Style and scripts", None, "text/css"),
    Route("GET", "/events", get_events, "Changes, as server-sent events", media_type="text/event-stream"),
    Route("GET", "/api/v1/health", get_health, "Whether the server works", None, JSON, models.Health),
]
