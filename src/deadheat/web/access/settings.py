"""The options of `deadheat serve` that say who may use it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deadheat.triage.server_tables import Role
from deadheat.web.access.addresses import is_loopback
from deadheat.web.access.proxy import EVERYBODY, ProxyAccess
from deadheat.web.access.tokens import TokenAccess
from deadheat.web.services import OpenAccess

if TYPE_CHECKING:
    from deadheat.triage.store import DecisionStore
    from deadheat.web.services import AccessControl

OPEN, TOKENS, PROXY = "open", "tokens", "proxy"
DEFAULT_SESSION_HOURS, DEFAULT_RATE_LIMIT = 12, 50


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """Plain values, which worker processes get as JSON."""

    mode: str = OPEN
    trusted_proxies: list[str] = field(default_factory=list)
    user_header: str = ""
    role_header: str = ""
    role_map: dict[str, str] = field(default_factory=dict)
    anonymous_role: str = ""
    allowed_hosts: list[str] = field(default_factory=list)
    session_hours: int = DEFAULT_SESSION_HOURS
    requests_per_second: int = DEFAULT_RATE_LIMIT  # of one token, user or address; 0 for no limit

    @property
    def checks_host(self) -> bool:
        """Whether requests for other names are refused: a page of another site may give its name our address.

        That matters if somebody can read without a credential.
        """
        return bool(self.mode == OPEN or self.anonymous_role or self.allowed_hosts)

    def fault(self, host: str, has_store: bool) -> str:
        """Why a server with these options must not start; empty if it may."""
        if self.mode == OPEN and not is_loopback(host):
            return (
                f"everybody who reaches {host} could read the lake and decide: use --auth tokens, or --auth proxy with"
                " --trusted-proxy and --user-header (also for OIDC), or --host 127.0.0.1"
            )
        if self.mode == TOKENS and not has_store:
            return "--auth tokens needs --decisions, the database of the tokens"
        if self.mode == PROXY and not (self.trusted_proxies and self.user_header):
            return "--auth proxy needs --trusted-proxy, the address of the proxy, and --user-header"
        proxy_only = {"--user-header": self.user_header, "--role-header": self.role_header, "--role-map": self.role_map}
        if self.mode != PROXY and (given := [name for name, value in proxy_only.items() if value]):
            return f"{given[0]} needs --auth proxy"
        if self.mode == OPEN and self.anonymous_role:
            return "--anonymous-role needs --auth: without it everybody may do everything"
        return ""


def make_access(settings: AccessSettings, store: DecisionStore | None) -> AccessControl:
    if settings.mode == OPEN:
        return OpenAccess()
    anonymous = Role(settings.anonymous_role) if settings.anonymous_role else None
    tokens = TokenAccess(store, settings.session_hours, anonymous) if store is not None else None
    if settings.mode == PROXY:
        roles = {value: Role(role) for value, role in settings.role_map.items()}
        if not roles:
            # the header names roles, or else everybody whom the proxy admits may read
            roles = {role.value: role for role in Role} if settings.role_header else {EVERYBODY: Role.READER}
        return ProxyAccess(settings.user_header, settings.role_header, roles, tokens, anonymous)
    assert tokens is not None
    return tokens
