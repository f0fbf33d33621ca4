"""A route of the application, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.triage.server_tables import Role

if TYPE_CHECKING:
    from collections.abc import Callable

HTML, JSON = "text/html; charset=utf-8", "application/json"


class Route(NamedTuple):
    """What answers a method at a path."""

    method: str
    path: str
    endpoint: Callable[..., Any]
    summary: str
    role: Role | None = Role.READER  # None: needs no login
    media_type: str = HTML
    model: Any = None  # of the JSON that it answers with
    problems: tuple[int, ...] = ()  # the statuses of its documented problems, besides those of every route
    max_body_bytes: int | None = 1 << 20  # of a write; None if the endpoint has a limit of its own
    parameters: tuple[dict[str, Any], ...] = ()  # that the endpoint reads itself, for OpenAPI
    body: dict[str, Any] | None = None  # that the endpoint reads itself, for OpenAPI
    answers: dict[int | str, dict[str, Any]] | None = None  # that are not problems, besides that with status 200

    @property
    def is_documented(self) -> bool:
        """Whether it is in the OpenAPI description: what programs use."""
        return self.path.startswith("/api/")

    @property
    def name(self) -> str:
        return f"{self.method.lower()} {self.path}"
