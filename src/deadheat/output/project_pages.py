"""Addresses of the project and of its pages."""

from __future__ import annotations

PROJECT_URL = "https://github.com/OWNER/deadheat"  # also in pyproject.toml
_DOCS_URL = f"{PROJECT_URL}/blob/main/docs"


def cause_page(name: str) -> str:
    """The page of a cause."""
    return f"{_DOCS_URL}/reference/causes/{name}.md"


def detectors_page() -> str:
    """The page that lists the detectors and what they report."""
    return f"{_DOCS_URL}/reference/detectors/index.md"
