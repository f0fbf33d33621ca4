"""What every route asks first: who makes the request, whether they may, and how often. Keeps the audit log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request

from deadheat.errors import DeadheatError
from deadheat.web.access.addresses import client_address, limited_address
from deadheat.web.access.rate_limits import RateLimit
from deadheat.web.access.tokens import RejectedCredentialError, anonymous_principal
from deadheat.web.forms import check_same_origin
from deadheat.web.problems import ProblemError
from deadheat.web.services import PUBLIC, Credential, OpenAccess

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.responses import Response
    from starlette.types import Message, Receive

    from deadheat.web.route import Route
    from deadheat.web.services import Principal, Services

    Endpoint = Callable[[Request], Awaitable[Response]]

_LOG = logging.getLogger("deadheat.web.audit")
SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
# the burst of the rate limit, in seconds of its rate
_BURST_SECONDS = 4
# failed logins and rejected tokens of one address
FAILURES_PER_SECOND, FAILURES_AT_ONCE = 1 / 6, 10
# entries of the audit log about refused requests, of all addresses: they must not fill the disk
_REFUSALS_PER_SECOND, _REFUSALS_AT_ONCE = 1, 200


class AccessGuard:
    """One object per process."""

    def __init__(self, services: Services) -> None:
        requests_per_second = services.settings.requests_per_second
        self._services = services
        has_limit = requests_per_second > 0 and not isinstance(services.access, OpenAccess)
        self._requests = RateLimit(requests_per_second, requests_per_second * _BURST_SECONDS) if has_limit else None
        self.failures = RateLimit(FAILURES_PER_SECOND, FAILURES_AT_ONCE)
        self._refusals = RateLimit(_REFUSALS_PER_SECOND, _REFUSALS_AT_ONCE)

    async def answer(self, request: Request, route: Route, endpoint: Endpoint) -> Response:
        """The answer of a route, if the request may use it."""
        try:
            principal = await self._admit(request, route)
        except ProblemError as problem:
            await self._note_refusal(request, problem)
            raise
        request.state.principal = principal
        if route.method in SAFE_METHODS:
            return await endpoint(request)
        if route.max_body_bytes is not None:
            request = Request(request.scope, _limited(request, route.max_body_bytes))
        return await self._answer_write(request, route, endpoint)

    async def _admit(self, request: Request, route: Route) -> Principal:
        principal = PUBLIC if route.role is None else await self._identify(request)
        if self._requests is not None:
            self._requests.require(_limit_key(request, principal))
        if not principal.has_role(route.role):
            request.state.principal = principal
            if principal.credential is Credential.NONE:
                anonymous_principal(None, "Log in first.")
            raise ProblemError(403, f"This needs the role {route.role}.")
        if route.method not in SAFE_METHODS and principal.credential is not Credential.BEARER:
            # a browser sends cookies, and the address that a proxy trusts, with requests of other sites too
            check_same_origin(request)
        return principal

    async def is_admitted(self, request: Request) -> bool:
        """Whether who makes a request that lasts long may still read."""
        try:
            return (await self._services.access.identify(request)).role is not None
        except ProblemError:
            return False

    async def _identify(self, request: Request) -> Principal:
        try:
            return await self._services.access.identify(request)
        except RejectedCredentialError:
            self.failures.require(limited_address(request))
            raise

    # -- audit --------------------------------------------------------------------------------------

    async def _answer_write(self, request: Request, route: Route, endpoint: Endpoint) -> Response:
        status = 500
        try:
            response = await endpoint(request)
            status = response.status_code
            return response
        except ProblemError as error:
            status = error.problem.status
            raise
        except HTTPException as error:
            status = error.status_code
            raise
        except RequestValidationError:
            status = 422
            raise
        finally:
            if route.role is not None:  # logins make entries of their own
                await self.add_entry(request, route.name, {"path": request.url.path[:500], "status": status})

    async def _note_refusal(self, request: Request, problem: ProblemError) -> None:
        status = problem.problem.status
        is_attempt = status == 403 or isinstance(problem, RejectedCredentialError)
        if is_attempt and self._refusals.take(""):
            what = f"{request.method} {request.url.path[:500]}"
            await self.add_entry(request, "refused", {"request": what, "status": status, "why": str(problem)})

    async def add_entry(
        self, request: Request, action: str, details: dict[str, Any], principal: Principal | None = None
    ) -> None:
        """Adds an entry to the audit log. What was done stays done if that fails."""
        if self._services.store is None:
            return
        if principal is None:
            principal = getattr(request.state, "principal", PUBLIC)
        await run_in_threadpool(self._write_entry, principal, action, client_address(request), details)

    def _write_entry(self, who: Principal, action: str, address: str, details: dict[str, Any]) -> None:
        store = self._services.store
        assert store is not None
        if who.token:
            details = {**details, "token": who.token}
        try:
            store.audit.add(who.name, action, address, details)
        except DeadheatError as error:
            _LOG.error("no entry in the audit log for %s by %s: %s", action, who.name, error)


def _limit_key(request: Request, principal: Principal) -> str:
    """What shares a limit: a token, a user of a proxy, or an address."""
    if principal.token:
        return f"token {principal.token}"
    return f"user {principal.name}" if principal.credential is Credential.PROXY else limited_address(request)


def _limited(request: Request, max_bytes: int) -> Receive:
    """The body of a request up to a limit; its announced length counts at once."""
    problem = HTTPException(413, f"The body of a request may have at most {max_bytes} bytes.")
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length[:18]) > max_bytes:
        raise problem
    size = 0

    async def receive() -> Message:
        nonlocal size
        message = await request.receive()
        if message["type"] == "http.request":
            size += len(message.get("body", b""))
            if size > max_bytes:
                raise problem
        return message

    return receive
