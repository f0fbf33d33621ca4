"""Is a condition about what a line writes, or about something else of that name? Knows no rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.source import Around, Use


def is_named(name: str, text: str, other: bool = False) -> bool:
    """Is it in a condition? Where a variable of the function's own (`err`) has it, only `p.err` is."""
    before = r"(?:\.|->)" if other else r"\b"
    after = "" if name.endswith("(") else r"\b"
    return re.search(f"{before}{re.escape(name)}{after}", text) is not None


def is_another(use: Use, seen: Around) -> bool:
    """`p.err = err`: is the bare name a variable of the function's own, and not what is written?"""
    return len(use.path) > 1 and use.name in seen.names
