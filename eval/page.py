"""Puts what an evaluation made between its marks in a page of the documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write(page: Path, text: str, part: str = "") -> None:
    """Replaces what stands between the marks of a part."""
    name = f" {part}" if part else ""
    begin, end = f"<!-- made by make eval{name} -->", f"<!-- end of what make eval made{name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
    made = f"{begin}\n\n{text}\n\n{end}"
    content = page.read_text(encoding="utf-8")
    page.write_text(pattern.sub(lambda _: made, content), encoding="utf-8")
