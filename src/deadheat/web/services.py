"""What every request handler uses: settings, the reader of the lake, people's decisions, cached pages."""

from __future__ import annotations

import getpass
import secrets
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat.triage.server_tables import Role
from deadheat.web.operations.background import BackgroundWork
from deadheat.web.page_cache import PageCache

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

    from deadheat.output.links import CodeLinks
    from deadheat.triage.store import DecisionStore
    from deadheat.web.access.guard import AccessGuard
    from deadheat.web.intake.folder import IntakeFolder
    from deadheat.web.live import LiveData
    from deadheat.web.operations.metrics import SharedCounts


# each role may do what those before it may
ROLES = tuple(Role)


class Credential(StrEnum):
    """What proves who makes a request."""

    NONE = "none"
    LOCAL = "local"  # it reaches a server on loopback
    BEARER = "bearer"
    SESSION = "session"
    PROXY = "proxy"


class Principal(NamedTuple):
    """Who makes a request. Without a role only public routes can be used."""

    name: str
    role: Role | None
    credential: Credential = Credential.NONE
    token: str = ""  # the id of the token
    session: str = ""  # the hash of the secret of the session

    def has_role(self, role: Role | None) -> bool:
        if role is None:
            return True
        return self.role is not None and ROLES.index(self.role) >= ROLES.index(role)


# who uses a route that needs no login
PUBLIC = Principal("", None)


class AccessControl(Protocol):
    """Tells who makes a request. Raises `problems.ProblemError` with status 401 if nobody is known to."""

    has_login_page: bool

    async def identify(self, request: Request) -> Principal: ...


class OpenAccess:
    """Everybody who reaches the server may do everything: for a server on loopback."""

    has_login_page = False

    def __init__(self) -> None:
        try:
            name = getpass.getuser()
        except (KeyError, OSError):  # no entry for the user id
            name = "local"
        self._principal = Principal(name, Role.ADMIN, Credential.LOCAL)

    async def identify(self, _: Request) -> Principal:
        return self._principal


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The options of `deadheat serve` that pages depend on."""

    hosts: tuple[str, ...] = ()  # names by which the server is known, besides those of loopback
    checks_host: bool = True  # requests for other names are refused
    trusted_proxies: tuple[str, ...] = ()  # networks whose headers name the address of the client
    requests_per_second: int = 0  # of one client that has to log in; 0 for no limit
    links: CodeLinks | None = None  # to commits and files on a code host
    document_folders: tuple[Path, ...] = ()  # documents below them are shown around a sighting
    cached_page_bytes: int = 64 << 20
    check_seconds: float = 0.5  # between two looks at the versions of the lake and the decisions
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))  # signs the tokens of forms


class Services:
    """What requests use, one object per process: `app.state.services`."""

    guard: AccessGuard  # set by the application
    intake: IntakeFolder | None = None  # of documents that arrive over HTTP
    uploads_in_progress = 0
    metrics: SharedCounts

    def __init__(self, settings: WebSettings, live: LiveData, access: AccessControl | None = None) -> None:
        self.settings, self.live = settings, live
        self.background = BackgroundWork(self)
        self.access: AccessControl = access or OpenAccess()
        self.pages = PageCache(settings.cached_page_bytes)
        self.is_stopping = False  # ends streams, so that the server can stop

    @property
    def store(self) -> DecisionStore | None:
        """People's decisions; None if the server only reads."""
        return self.live.store

    def start(self) -> None:
        self.live.start(self.settings.check_seconds)
        self.background.start()

    def end_streams(self) -> None:
        """The server was asked to end; requests that have begun are finished."""
        self.is_stopping = True

    def stop(self) -> None:
        self.end_streams()
        self.background.stop()
        self.live.stop()


def services_of(request: Request) -> Services:
    services: Services = request.app.state.services
    return services
