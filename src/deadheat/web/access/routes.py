"""Routes of the login, the audit log and the description of the interface."""

from __future__ import annotations

import re
from datetime import datetime  # noqa: TC003, pydantic needs it at run time
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request  # noqa: TC002, FastAPI reads the annotation
from starlette.responses import JSONResponse, RedirectResponse, Response

from deadheat.triage.server_tables import Role
from deadheat.web.access.addresses import limited_address
from deadheat.web.access.tokens import TokenAccess, clear_session_cookie, set_session_cookie
from deadheat.web.decision_forms import read_form
from deadheat.web.forms import check_form_token
from deadheat.web.page_answers import Page, personal_response, render_page
from deadheat.web.problems import ProblemError
from deadheat.web.race_data import PageData
from deadheat.web.race_queries import read_number
from deadheat.web.route import JSON, Route
from deadheat.web.services import Principal, services_of

_MAX_NUMBER = 9_999_999_999
_PAGE_SIZE = 100
# "/races?q=cart", but not the login itself, "//host" or "/\\host", which browsers take for other hosts
_LOCAL_ADDRESS = re.compile(r"/(?!login\b|[/\\])[!-\[\]-~]{0,2000}")


class AuditRecord(BaseModel):
    """Who did what, and from where."""

    number: int
    at: datetime
    actor: str
    action: str = Field(description="The route of a write, or `login`, `logout`, `login failed`, `refused`.")
    address: str
    details: dict[str, Any]


class AuditPage(BaseModel):
    """Entries of the audit log, the newest first."""

    entries: list[AuditRecord]
    before: int | None = Field(description="The value of `before` for the entries that follow; null at the end.")


# -- login ------------------------------------------------------------------------------------------


def _token_access(request: Request) -> TokenAccess:
    access = services_of(request).access
    if not isinstance(access, TokenAccess):
        raise ProblemError(404, "This server has no login of its own.")
    return access


def get_login(request: Request) -> Response:
    _token_access(request)
    return login_page(request, request.query_params.get("back", "/"))


def login_page(request: Request, back: str, status: int = 200, problem: str = "") -> Response:
    """The page that asks for a token. It shows nothing of the lake."""
    # a browser sends no strict cookie when a link of another site is followed, but does when the page is loaded again
    follows_link = request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site"
    values = {"back": local_address(back), "problem": problem, "follows_link": follows_link}
    html = render_page(Page("login.html", values), PageData(services_of(request)), request)
    return personal_response(request, html, status)


def local_address(text: str) -> str:
    """An address of this server; the overview for every other one."""
    return text if _LOCAL_ADDRESS.fullmatch(text) else "/"


async def post_login(request: Request) -> Response:
    access = _token_access(request)
    services, address = services_of(request), limited_address(request)
    form = await read_form(request)
    check_form_token(services, request, "", form.token)
    if services.guard.failures.seconds_to_wait(address) > 0:
        raise services.guard.failures.problem(address)
    text = form.text("access_token")
    token = await run_in_threadpool(access.store.tokens.authenticate, text[:200])
    if token is None:
        services.guard.failures.take(address)
        await services.guard.add_entry(request, "login failed", {})
        return await run_in_threadpool(login_page, request, form.text("back"), 401, "This token is not valid.")
    await run_in_threadpool(access.end_session, request)
    session = await run_in_threadpool(access.store.sessions.create, token, access.lifetime)
    response = RedirectResponse(local_address(form.text("back")), 303)
    set_session_cookie(request, response, session, access.lifetime)
    await services.guard.add_entry(request, "login", {}, Principal(token.name, token.role, token=token.id))
    return response


async def post_logout(request: Request) -> Response:
    access = _token_access(request)
    services = services_of(request)
    form = await read_form(request)
    principal = request.state.principal = await access.identify(request)
    check_form_token(services, request, principal.name, form.token)
    await run_in_threadpool(access.end_session, request)
    await services.guard.add_entry(request, "logout", {})
    response = RedirectResponse("/login", 303, {"clear-site-data": '"cache"'})
    clear_session_cookie(request, response)
    return response


# -- audit log --------------------------------------------------------------------------------------


def _audit_entries(request: Request, before: int | None) -> AuditPage:
    store = services_of(request).store
    if store is None:
        raise ProblemError(503, "This server has no database of decisions.", "Start it with --decisions.")
    found = store.audit.latest(_PAGE_SIZE + 1, before)
    entries = [
        AuditRecord(
            number=entry.number, at=entry.at, actor=entry.actor, action=entry.action, address=entry.address,
            details=entry.details,
        )
        for entry in found[:_PAGE_SIZE]
    ]  # fmt: skip
    return AuditPage(entries=entries, before=entries[-1].number if len(found) > _PAGE_SIZE else None)


def get_audit(
    request: Request,
    before: Annotated[
        int | None, Query(ge=1, le=_MAX_NUMBER, description="Only entries with a smaller number.")
    ] = None,
) -> AuditPage:
    return _audit_entries(request, before)


def get_audit_page(request: Request) -> Response:
    before = read_number(request.query_params, "before", 0, _MAX_NUMBER)
    page = Page("audit.html", {"audit": _audit_entries(request, before or None)})
    return personal_response(request, render_page(page, PageData(services_of(request)), request))


# -- description ------------------------------------------------------------------------------------


def get_description(request: Request) -> Response:
    return JSONResponse(request.app.openapi())


ROUTES = [
    Route("GET", "/login", get_login, "Ask for a token", None),
    Route("POST", "/login", post_login, "Begin a session", None),
    Route("POST", "/logout", post_logout, "End the session", None),
    Route("GET", "/audit", get_audit_page, "The audit log", Role.ADMIN),
    Route(
        "GET", "/api/v1/audit", get_audit, "The audit log, the newest entries first", Role.ADMIN, JSON, AuditPage,
        problems=(422, 503),
    ),
    Route(
        "GET", "/api/v1/openapi.json", get_description, "This description", media_type=JSON, model=dict[str, Any]
    ),
]  # fmt: skip
