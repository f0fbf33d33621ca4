"""Users that a proxy in front of the server has identified and names in a header."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.triage.events import MAX_NAME_LENGTH
from deadheat.triage.server_tables import TOKEN_PREFIX, Role
from deadheat.web.access.addresses import is_from_trusted_proxy
from deadheat.web.access.tokens import anonymous_principal
from deadheat.web.problems import ProblemError
from deadheat.web.services import ROLES, Credential, Principal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from deadheat.web.access.tokens import TokenAccess

# the value of a role map for everybody
EVERYBODY = "*"


class ProxyAccess:
    """Believes the headers of trusted proxies. Programs may send a token through the proxy instead."""

    has_login_page = False

    def __init__(
        self,
        user_header: str,
        role_header: str,
        role_map: Mapping[str, Role],
        tokens: TokenAccess | None,
        anonymous_role: Role | None = None,
    ) -> None:
        self._user_header, self._role_header, self._role_map = user_header, role_header, role_map
        self._tokens, self._anonymous_role = tokens, anonymous_role

    async def identify(self, request: Request) -> Principal:
        if not is_from_trusted_proxy(request):
            raise ProblemError(403, "This server answers its proxy only.", "Open it by the address of the proxy.")
        header = request.headers.get("authorization", "")
        # a proxy may pass on a token of its own
        if self._tokens is not None and header.lower().startswith(f"bearer {TOKEN_PREFIX}"):
            return await self._tokens.identify_bearer(header)
        names = [_decode(value) for value in request.headers.getlist(self._user_header)]
        if not any(names):
            return anonymous_principal(self._anonymous_role, "Log in at the proxy.")
        name = names[0]
        # a client has sent one as well, and the proxy has not removed it
        if len(names) > 1 or not name.isprintable() or len(name) > MAX_NAME_LENGTH:
            raise ProblemError(
                403, "The proxy does not name one user.", "Let it replace the header that a client sends."
            )
        role = self._role_of(name, request)
        if role is None:
            raise ProblemError(403, "This user has no role here.", "An administrator gives roles with --role-map.")
        return Principal(name, role, Credential.PROXY)

    def _role_of(self, name: str, request: Request) -> Role | None:
        """The highest role of the values of the role header, or without one of the user."""
        values = [name]
        if self._role_header:
            values = [_decode(part) for text in request.headers.getlist(self._role_header) for part in text.split(",")]
        found = [self._role_map[value] for value in (*values, EVERYBODY) if value in self._role_map]
        return max(found, key=ROLES.index, default=None)


def _decode(value: str) -> str:
    """The text of a header, of which ASGI knows only bytes."""
    return value.encode("latin-1").decode("utf-8", "replace").strip()
