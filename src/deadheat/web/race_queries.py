"""Reads queries from addresses. What is wrong in one is a problem with status 422."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.web.problems import ProblemError
from deadheat.web.race_table import FACETS, MAX_PAGE, MAX_QUERY_LENGTH, MAX_VALUE_LENGTH, SORT_ORDERS, RaceQuery
from deadheat.web.sighting_index import SightingCursor

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams

_MAX_VALUES = 100


def read_query(parameters: QueryParams) -> RaceQuery:
    """The query of a list. Unknown parameters are ignored."""
    text, title = parameters.get("q", ""), parameters.get("view", "")
    sort = parameters.get("sort", "") or "last"
    if sort not in SORT_ORDERS:
        raise ProblemError(422, "sort: no such order", f"Use one of {', '.join(SORT_ORDERS)}.")
    for name, value in (("q", text), ("view", title)):
        if len(value) > MAX_QUERY_LENGTH:
            raise ProblemError(422, f"{name}: longer than {MAX_QUERY_LENGTH} characters")
    values = {name: tuple(dict.fromkeys(filter(None, parameters.getlist(name)))) for name in FACETS}
    for name, chosen in values.items():
        if len(chosen) > _MAX_VALUES or any(len(value) > MAX_VALUE_LENGTH for value in chosen):
            raise ProblemError(
                422, f"{name}: more than {_MAX_VALUES} values, or one of more than {MAX_VALUE_LENGTH} characters"
            )
    chosen_values = {name: chosen for name, chosen in values.items() if chosen}
    return RaceQuery(text, chosen_values, sort, read_number(parameters, "page", 1, MAX_PAGE), title)


def read_number(parameters: QueryParams, name: str, default: int, maximum: int) -> int:
    text = parameters.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 10 and 1 <= int(text) <= maximum):
        raise ProblemError(422, f"{name}: not a number from 1 to {maximum}")
    return int(text)


def read_cursor(text: str) -> SightingCursor | None:
    """A position in a list of sightings."""
    cursor = SightingCursor.parse(text)
    if text and cursor is None:
        raise ProblemError(422, "after: not a position from a list of sightings", "Begin with the latest sightings.")
    return cursor
