"""Whether a condition is about the written variable or another one of that name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.source import Around, Use


def is_named(name: str, text: str, other: bool = False) -> bool:
    """Does a condition name it? If a local has the same name (`err`), only `p.err` counts."""
    before = r"(?:\.|->)" if other else r"\b"
    after = "" if name.endswith("(") else r"\b"
    return re.search(f"{before}{re.escape(name)}{after}", text) is not None


def is_another(use: Use, seen: Around) -> bool:
    """`p.err = err`: is the bare name a local variable, not the one that is written?"""
    return len(use.path) > 1 and use.name in seen.names
