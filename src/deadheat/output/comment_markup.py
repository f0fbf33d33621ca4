"""Untrusted text in comments on a code host, where more is a link than in a file of Markdown: `#12`, `!12`, `GH-12`."""

from __future__ import annotations

import re

from deadheat.output import code_span, escape_markdown, escape_markdown_element
from deadheat.printable import split_code

# references in the rendered text: "#12", "owner/repo#12" and "GH-12" (GitHub), "!12", "%1", "~bug", "$12" (GitLab)
_REFERENCE = re.compile(r"[#!%~$](?=[\w\"])|(?<=\bGH)-(?=\d)", re.IGNORECASE)
# the same in HTML, where "&#39;" is a character; and "&12" (GitLab)
_REFERENCE_IN_HTML = re.compile(
    r"(?:(?<!&)#|[!%])(?=[\w&])|&(?:amp|#126|#36);(?=[\w&])|(?<=\bGH)-(?=\d)", re.IGNORECASE
)
_BREAK = "<!-- -->"


def comment_text(text: str) -> str:
    """Escapes one line of prose or a table cell."""
    return _REFERENCE.sub(_broken, escape_markdown(text)).replace("\\&", f"\\&{_BREAK}")


def comment_element(text: str) -> str:
    """Escapes text for an HTML element."""
    return _REFERENCE_IN_HTML.sub(_broken, escape_markdown_element(text))


def comment_sentence(text: str) -> str:
    """Escapes a sentence and turns text between backticks into code spans."""
    return "".join(code_span(part) if is_code else comment_text(part) for part, is_code in split_code(text))


def _broken(match: re.Match[str]) -> str:
    return f"{match[0]}{_BREAK}"
