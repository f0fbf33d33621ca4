"""Puts what an evaluation made between its marks in a page of the documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


BEGIN, END = "<!-- made by make eval -->", "<!-- end of what make eval made -->"


def write(page: Path, text: str) -> None:
    """Replaces what stands between the marks."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    made = f"{BEGIN}\n\n{text}\n\n{END}"
    content = page.read_text(encoding="utf-8")
    page.write_text(pattern.sub(lambda _: made, content), encoding="utf-8")
