"""The language of source files."""

from __future__ import annotations

import re

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
# "class Pool {", "namespace shop {", "std::mutex lock_;", " public:", "template <typename T>"
_CPP = re.compile(
    rb"^[ \t]{0,20}(?:class|namespace|template|public:|private:)\b|\bstd::", re.MULTILINE
)


def language(path: str) -> str | None:
    """`go`, `c`, `cpp`, `rust`, or None if the language is not supported."""
    name = path.rpartition("/")[2]
    return _LANGUAGES.get(name.rpartition(".")[2].lower()) if "." in name else None


def spoken(path: str, source: bytes) -> str | None:
    """The language by path, and by content for headers, which may be C or C++."""
    told = language(path)
    return "cpp" if told == "c" and path.endswith((".h", ".H")) and _CPP.search(source) else told


def tongue(told: str, source: bytes) -> str:
    """Correct a language that was derived from the file name: C may be C++."""
    return "cpp" if told == "c" and _CPP.search(source) else told


def is_source(path: str) -> bool:
    return language(path) is not None
