"""Write generated tables into marked regions of documentation pages."""

from __future__ import annotations

import re
from pathlib import Path

EXPLANATION = Path(__file__).resolve().parent.parent / "docs" / "explanation"


def replace_region(page: Path, command: str, text: str) -> None:
    """Replace the text between the two markers that name the command."""
    begin, end = f"<!-- made by {command} -->", f"<!-- end of {command} -->"
    content = page.read_text(encoding="utf-8")
    region = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
    if not region.search(content):
        raise SystemExit(f"{page}: no region for {command}")
    page.write_text(region.sub(lambda _: f"{begin}\n\n{text.strip()}\n\n{end}", content), encoding="utf-8")


def folded_block(summary: str, text: str) -> str:
    """A collapsed HTML block."""
    return f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"
