"""Logins with tokens: in the header of a request, or exchanged for the session of a browser."""

from __future__ import annotations

import time
from collections import OrderedDict
from datetime import timedelta
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from deadheat.triage.server_tables import Role, secret_digest
from deadheat.web.problems import ProblemError
from deadheat.web.services import Credential, Principal

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from deadheat.triage.server_tables import AccessToken
    from deadheat.triage.store import DecisionStore

# how long a revoked token or an ended session may still be accepted by another process
REMEMBERED_SECONDS = 1.0
_MAX_REMEMBERED = 10_000
_MAX_SECRET_LENGTH = 200
_CHALLENGE = 'Bearer realm="deadheat"'
ANONYMOUS = "anonymous"


class RejectedCredentialError(ProblemError):
    """A token that is not valid. Failures of this kind are counted."""

    def __init__(self) -> None:
        headers = {"www-authenticate": f'{_CHALLENGE}, error="invalid_token"'}
        super().__init__(401, "The token is not valid.", "Ask an administrator for another one.", headers=headers)


class TokenAccess:
    """Tokens of `deadheat token`, and sessions that began with one."""

    has_login_page = True

    def __init__(self, store: DecisionStore, session_hours: int, anonymous_role: Role | None = None) -> None:
        self.store, self.lifetime = store, timedelta(hours=session_hours)
        self._anonymous_role = anonymous_role
        self._remembered: OrderedDict[tuple[Credential, str], tuple[Principal | None, float]] = OrderedDict()

    async def identify(self, request: Request) -> Principal:
        if (header := request.headers.get("authorization")) is not None:
            return await self.identify_bearer(header)
        if session := session_of(request):
            principal = await self._find(Credential.SESSION, session, self.store.sessions.authenticate)
            if principal is not None:
                return principal
        return anonymous_principal(self._anonymous_role, "Log in, or send a token in the header Authorization.")

    async def identify_bearer(self, header: str) -> Principal:
        scheme, _, text = header.partition(" ")
        principal = None
        if scheme.lower() == "bearer":
            principal = await self._find(Credential.BEARER, text.strip(), self.store.tokens.authenticate)
        if principal is None:
            raise RejectedCredentialError
        return principal

    async def _find(
        self, kind: Credential, text: str, authenticate: Callable[[str], AccessToken | None]
    ) -> Principal | None:
        """Whom a secret belongs to. The database is asked about a valid one at most once per second."""
        if len(text) > _MAX_SECRET_LENGTH:
            return None
        digest, now = secret_digest(text), time.monotonic()
        known, until = self._remembered.get((kind, digest), (None, 0.0))
        if known is not None and now < until:
            return known
        token = await run_in_threadpool(authenticate, text)
        if token is None:
            self._remembered.pop((kind, digest), None)
            return None
        principal = Principal(token.name, token.role, kind, token.id, digest if kind is Credential.SESSION else "")
        self._remembered[kind, digest] = principal, now + REMEMBERED_SECONDS
        self._remembered.move_to_end((kind, digest))
        if len(self._remembered) > _MAX_REMEMBERED:
            self._remembered.popitem(last=False)
        return principal

    def end_session(self, request: Request) -> None:
        if session := session_of(request):
            self.store.sessions.end(session)
            self._remembered.pop((Credential.SESSION, secret_digest(session)), None)


def anonymous_principal(role: Role | None, remedy: str) -> Principal:
    """Who makes a request without a credential; raises a problem unless such requests may read."""
    if role is None:
        raise ProblemError(401, "This needs a login.", remedy, headers={"www-authenticate": _CHALLENGE})
    return Principal(ANONYMOUS, role, Credential.NONE)


# -- cookies ----------------------------------------------------------------------------------------


def session_cookie_name(request: Request) -> str:
    """A browser accepts the prefix only with `Secure` and for this host: another host of the domain cannot set it."""
    return "__Host-deadheat-session" if request.url.scheme == "https" else "deadheat-session"


def session_of(request: Request) -> str:
    return request.cookies.get(session_cookie_name(request), "")


def set_session_cookie(request: Request, response: Response, session: str, lifetime: timedelta) -> None:
    response.set_cookie(
        session_cookie_name(request), session, max_age=int(lifetime.total_seconds()), path="/", httponly=True,
        samesite="strict", secure=request.url.scheme == "https",
    )  # fmt: skip


def clear_session_cookie(request: Request, response: Response) -> None:
    response.delete_cookie(
        session_cookie_name(request), path="/", httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
