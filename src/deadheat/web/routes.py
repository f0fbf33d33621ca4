"""The route table: each route with its role and media types. `application` serves what is in it, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.web import actions, api, lake_api, lake_pages, pages, server_routes
from deadheat.web.access import routes as access_routes
from deadheat.web.intake import routes as intake_routes
from deadheat.web.operations import routes as operation_routes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.web.route import Route


def all_routes() -> Iterator[Route]:
    yield from pages.ROUTES
    yield from lake_pages.ROUTES
    yield from actions.ROUTES
    yield from api.ROUTES
    yield from lake_api.ROUTES
    yield from access_routes.ROUTES
    yield from intake_routes.ROUTES
    yield from operation_routes.ROUTES
    yield from server_routes.ROUTES
