"""Errors as problem objects (RFC 9457) for programs, and as pages for people."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from collections.abc import Mapping

PROBLEM_TYPE = "application/problem+json"


class Problem(BaseModel):
    """What went wrong, where, and what to do."""

    title: str = Field(description="What went wrong, the same for all problems of this status.")
    status: int
    detail: str = Field(description="What went wrong this time.")
    remedy: str | None = Field(default=None, description="What to do.")
    current: dict[str, Any] | None = Field(default=None, description="With 409: the values that somebody else has set.")


class ProblemError(Exception):
    """A request that cannot be answered."""

    def __init__(
        self,
        status: int,
        detail: str,
        remedy: str | None = None,
        current: dict[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        title = HTTPStatus(status).phrase
        self.problem = Problem(title=title, status=status, detail=detail, remedy=remedy, current=current)
        self.headers = dict(headers or {})


def problem_response(error: ProblemError) -> JSONResponse:
    content = error.problem.model_dump(exclude_none=True)
    return JSONResponse(content, error.problem.status, error.headers, PROBLEM_TYPE)


def documented_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The description of these answers for OpenAPI."""
    reference = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {PROBLEM_TYPE: {"schema": reference}}}
        for status in statuses
    }
