"""Which files are source, and in what language."""

from __future__ import annotations

_LANGUAGES = {
    "go": "go",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "c++": "cpp",
    "hh": "cpp",
    "hpp": "cpp",
    "hxx": "cpp",
    "rs": "rust",
}


def language(path: str) -> str | None:
    """`go`, `c`, `cpp`, `rust`, or None for what is not read."""
    name = path.rpartition("/")[2]
    return _LANGUAGES.get(name.rpartition(".")[2].lower()) if "." in name else None


def is_source(path: str) -> bool:
    return language(path) is not None
