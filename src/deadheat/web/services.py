"""What every request handler uses: settings, the reader of the lake, people's decisions, cached pages."""

from __future__ import annotations

import getpass
import secrets
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat.web.page_cache import PageCache

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

    from deadheat.output.links import CodeLinks
    from deadheat.web.reader import LakeReader


class Role(IntEnum):
    """Who may use a route. Each role may do what those before it may."""

    PUBLIC = 0  # needs no login: health, static files
    READER = 1
    TRIAGER = 2
    ADMIN = 3


class Principal(NamedTuple):
    """Who makes a request."""

    name: str
    role: Role


class AccessControl(Protocol):
    """Tells who makes a request. Raises `problems.ProblemError` with status 401 if nobody is known to."""

    def identify(self, request: Request) -> Principal: ...


class OpenAccess:
    """Everybody who reaches the server may do everything: for a server on loopback."""

    def __init__(self) -> None:
        try:
            name = getpass.getuser()
        except (KeyError, OSError):  # no entry for the user id
            name = "local"
        self._principal = Principal(name, Role.ADMIN)

    def identify(self, _: Request) -> Principal:
        return self._principal


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The options of `deadheat serve` that pages depend on."""

    hosts: tuple[str, ...] = ()  # names by which the server is known, besides those of loopback
    links: CodeLinks | None = None  # to commits and files on a code host
    document_folders: tuple[Path, ...] = ()  # documents below them are shown around a sighting
    cached_page_bytes: int = 64 << 20
    check_seconds: float = 1.0  # between two looks at the version of the lake
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))  # signs the tokens of forms


@dataclass(slots=True)
class Services:
    """One object per process; `app.state.services`."""

    settings: WebSettings
    reader: LakeReader
    access: AccessControl = field(default_factory=OpenAccess)
    pages: PageCache = field(init=False)
    is_stopping: bool = False  # ends streams, so that the server can stop

    def __post_init__(self) -> None:
        self.pages = PageCache(self.settings.cached_page_bytes)

    def start(self) -> None:
        self.reader.start(self.settings.check_seconds)

    def stop(self) -> None:
        self.is_stopping = True
        self.reader.stop()


def services_of(request: Request) -> Services:
    services: Services = request.app.state.services
    return services
