"""Answers with pages: each is rendered once for a version of the lake and the decisions, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request  # noqa: TC002, FastAPI reads the annotation
from starlette.responses import HTMLResponse, Response

from deadheat.web import forms, templates
from deadheat.web.race_data import PageData
from deadheat.web.services import services_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    PageMaker = Callable[["PageData", Request], "Page"]


# the version of the decisions that a browser has made last
SEEN_COOKIE = "deadheat-seen"


class Page(NamedTuple):
    """The template of a page and its values."""

    template: str
    values: dict[str, Any]
    status: int = 200


def page_endpoint(make: PageMaker) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint that answers with a page. A page that is kept takes no thread."""

    async def answer(request: Request) -> Response:
        services = services_of(request)
        seen = request.cookies.get(SEEN_COOKIE, "")
        if seen.isdigit() and int(seen[:18]) > services.live.state.decisions_version:
            # this browser has written in another process
            await run_in_threadpool(services.live.refresh_decisions, int(seen[:18]))
        data = PageData(services)
        key = (data.version, request.state.principal.role, request.url.path, request.url.query)
        html = services.pages.get(key)
        if html is None:
            html = await run_in_threadpool(_render, make, data, request)
            services.pages.put(key, html)
        return personal_response(request, html)

    return answer


def _render(make: PageMaker, data: PageData, request: Request) -> bytes:
    return render_page(make(data, request), data, request)


def render_page(page: Page, data: PageData, request: Request) -> bytes:
    principal = request.state.principal
    may_read = principal.role is not None
    values = {
        "page_version": data.version if may_read else "", "path": request.url.path,
        "query_text": request.query_params.get("q", "")[:500], "role": principal.role,
        "fault": data.services.live.fault if may_read else "",
    }  # fmt: skip
    return templates.render(page.template, **values, **page.values).encode("utf-8", "replace")


def personal_response(request: Request, html: bytes, status: int = 200) -> Response:
    """A page with the name of the user and a token for its forms."""
    services, principal = services_of(request), request.state.principal
    session = forms.form_session(request)
    token = forms.form_token(services, session, principal.name)
    response = HTMLResponse(templates.personal(html, principal, token, services.access.has_login_page), status)
    forms.set_form_session(request, response, session)
    return response
