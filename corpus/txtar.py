"""Read and write text archives in the txtar format of the Go tools: `-- name --` before each file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# -- cart-totals/totals.go --
HEADING = re.compile(r"^-- (\S+) --\n", re.MULTILINE)


def parse_archive(archive: str) -> dict[str, str]:
    """The files of an archive by name; text before the first heading is a comment."""
    _, *parts = HEADING.split(archive)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def format_archive(files: Mapping[str, str]) -> str:
    """An archive of the files, sorted by name; the format requires a newline at the end of each file."""
    ended = {name: text if text.endswith("\n") else f"{text}\n" for name, text in files.items()}
    return "".join(f"-- {name} --\n{text}" for name, text in sorted(ended.items()))
