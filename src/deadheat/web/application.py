"""Makes the application from its services and the route table."""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request  # noqa: TC002, FastAPI reads the annotation

from deadheat._version import __version__
from deadheat.printable import visible_text
from deadheat.web import routes
from deadheat.web.access.addresses import ForwardedAddress
from deadheat.web.access.guard import SAFE_METHODS, AccessGuard
from deadheat.web.access.routes import login_page
from deadheat.web.middleware import HostCheck, SecurityHeaders
from deadheat.web.operations.logs import RequestRecorder
from deadheat.web.operations.metrics import SharedCounts
from deadheat.web.page_answers import Page, personal_response, render_page
from deadheat.web.problems import ProblemError, documented_problems, problem_response
from deadheat.web.race_data import PageData
from deadheat.web.services import PUBLIC, services_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from types import FrameType

    from starlette.responses import Response

    from deadheat.web.route import Route
    from deadheat.web.services import Services

# their problems are no pages
_PLAIN_PATHS = ("/api/", "/static/", "/events", "/healthz", "/readyz", "/metrics")
_ROLLBACK_CHECKS = 100
# on every route
_COMMON_PROBLEMS = (500,)


def create_app(services: Services) -> FastAPI:
    """The application; its middleware, error handlers and routes are all added here."""
    app = FastAPI(
        title="deadheat", version=__version__, summary="Races of a lake, and what people have decided about them.",
        lifespan=_lifespan, openapi_url=None, docs_url=None, redoc_url=None,
    )  # fmt: skip
    app.state.services = services
    services.guard = AccessGuard(services)
    table = [*routes.all_routes()]
    services.metrics = SharedCounts(((route.method, route.path) for route in table), services.background.state_folder)
    for route in table:
        _add_route(app, route)
    app.add_exception_handler(ProblemError, _answer_problem)
    app.add_exception_handler(HTTPException, _answer_http_error)
    app.add_exception_handler(RequestValidationError, _answer_invalid_request)
    app.add_exception_handler(Exception, _answer_failure)
    # the last one added sees a request first
    app.add_middleware(SecurityHeaders)
    if services.settings.checks_host:
        app.add_middleware(HostCheck, hosts=services.settings.hosts)
    app.add_middleware(RequestRecorder, counts=services.metrics)
    app.add_middleware(ForwardedAddress, trusted=services.settings.trusted_proxies)
    _describe_token(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    services.start()
    _end_streams_on_signals(services)
    try:
        yield
    finally:
        # requests that took too long were cancelled, and remove what they have written
        for _ in range(_ROLLBACK_CHECKS):
            if services.uploads_in_progress:
                await asyncio.sleep(0.05)
        await run_in_threadpool(services.stop)


def _end_streams_on_signals(services: Services) -> None:
    """End the streams of events when the server is told to stop: it waits for them before it ends the application."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        former = signal.getsignal(number)

        def stop(received: int, frame: FrameType | None, former: Any = former) -> None:
            services.is_stopping = True
            if callable(former):
                former(received, frame)

        signal.signal(number, stop)


def _add_route(app: FastAPI, route: Route) -> None:
    answers: dict[int | str, dict[str, Any]] = {}
    if route.is_documented:
        problems = documented_problems(*route.problems, *_COMMON_PROBLEMS, *_problems_of_access(route))
        answers = {**problems, **(route.answers or {})}
    app.router.add_api_route(
        route.path,
        route.endpoint,
        methods=[route.method],
        name=route.name,
        summary=route.summary,
        response_model=route.model,
        responses=answers,
        include_in_schema=route.is_documented,
        openapi_extra=_more_description(route),
        route_class_override=_guarded_route(app.state.services.guard, route),
    )


def _guarded_route(guard: AccessGuard, route: Route) -> type[APIRoute]:
    """The class of a route that asks the guard first. FastAPI would do so after it has read the body."""

    class GuardedRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            endpoint = super().get_route_handler()

            async def answer(request: Request) -> Response:
                return await guard.answer(request, route, endpoint)

            return answer

    return GuardedRoute


def _problems_of_access(route: Route) -> tuple[int, ...]:
    if route.role is None:
        return (421, 429)
    # 400: the body is no text
    of_bodies = () if route.method in SAFE_METHODS else (400, 413)
    return (401, 403, 421, 429, *of_bodies)


def _more_description(route: Route) -> dict[str, Any]:
    more: dict[str, Any] = {"parameters": [*route.parameters]} if route.parameters else {}
    if route.body:
        more["requestBody"] = route.body
    return {**more, "security": [{"token": []}] if route.role else []}


def _describe_token(app: FastAPI) -> None:
    """The description of the interface says how to send a token."""
    scheme = {"type": "http", "scheme": "bearer", "description": "A token of `deadheat token`."}
    app.openapi().setdefault("components", {})["securitySchemes"] = {"token": scheme}


# -- errors -----------------------------------------------------------------------------------------


def _wants_page(request: Request) -> bool:
    return not request.url.path.startswith(_PLAIN_PATHS)


def _answer_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    if not _wants_page(request):
        return problem_response(error)
    if not hasattr(request.state, "principal"):
        request.state.principal = PUBLIC
    status, services = error.problem.status, services_of(request)
    if status == 401 and services.access.has_login_page:
        response = login_page(request, _address_of(request), status)
    else:
        html = render_page(Page("problem.html", {"problem": error.problem}), PageData(services), request)
        response = personal_response(request, html, status)
    response.headers.update(error.headers)
    return response


def _address_of(request: Request) -> str:
    """Where to go after a login."""
    query = f"?{request.url.query}" if request.url.query else ""
    return request.url.path + query if request.method == "GET" else "/"


def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = {404: "There is no such page.", 405: "This page cannot be used with this method."}.get(
        error.status_code, str(error.detail)
    )
    return _answer_problem(request, ProblemError(error.status_code, detail, headers=error.headers))


def _answer_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:])
    return _answer_problem(request, ProblemError(422, visible_text(f"{where}: {first['msg']}")))


def _answer_failure(request: Request, _: Exception) -> Response:
    return _answer_problem(request, ProblemError(500, "The server failed.", "Its log says why."))
