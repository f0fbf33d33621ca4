"""Tokens that prove that a form comes from a page of this server, and cookies that hold what they are bound to."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from deadheat.web.problems import ProblemError
from deadheat.web.services import Credential

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from deadheat.web.services import Services

COOKIE = "deadheat-form"
_SESSION_LENGTH = 32


def form_session(request: Request) -> str:
    """What tokens are bound to: a login, or else the random name of a browser, a new one if the request has none."""
    if session := request.state.principal.session:
        return str(session)
    known = request.cookies.get(COOKIE, "")
    is_valid = len(known) == _SESSION_LENGTH and known.isalnum() and known.isascii()
    return known if is_valid else secrets.token_hex(_SESSION_LENGTH // 2)


def form_token(services: Services, session: str, user: str) -> str:
    text = f"{session}\0{user}".encode("utf-8", "surrogatepass")
    return hmac.new(services.settings.secret, text, sha256).hexdigest()


def set_form_session(request: Request, response: Response, session: str) -> None:
    if request.state.principal.session or request.cookies.get(COOKIE) == session:
        return
    is_secure = request.url.scheme == "https"
    # strict, a link of another site would replace it, and the forms in other tabs would be out of date
    response.set_cookie(COOKIE, session, httponly=True, samesite="lax", secure=is_secure, path="/")


def check_form_token(services: Services, request: Request, user: str, token: str) -> None:
    """Raise a problem unless the token belongs to this browser and user."""
    if request.state.principal.credential is Credential.BEARER:
        return  # no browser sends it by itself
    check_same_origin(request)
    expected = form_token(services, request.state.principal.session or request.cookies.get(COOKIE, ""), user)
    if not hmac.compare_digest(expected.encode(), token.encode("utf-8", "replace")):
        raise ProblemError(403, "This form is out of date.", "Reload the page and send it again.")


def check_same_origin(request: Request) -> None:
    """Raise a problem for a request that a browser sends for a page of another site.

    Browsers send one of the headers with every write, and no page can set them. Programs send neither.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_foreign = site not in ("same-origin", "none")
    else:
        is_foreign = origin is not None and _host_of(origin) != request.headers.get("host", "").lower()
    if is_foreign:
        raise ProblemError(403, "This request was sent by a page of another site.")


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
