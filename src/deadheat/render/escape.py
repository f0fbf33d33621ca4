"""Escapes untrusted text for HTML, XML and Markdown.

The result has no markup, no control or bidirectional characters, no mentions and no links.
"""

from __future__ import annotations

import re

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
# Markdown markup anywhere in a line: "a_b", "[x]", "1 < 2", "a|b", "&lt;"; and markup that makes the
# line a heading or a list item: "# a", "- a", "1. a"
_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&]|(?<=\])\(|^\s*(?:[#+=-]|\d+(?=[.)]))")
# the inline part of it: "a_b", "[x]", "a|b"
_SPANS = re.compile(r"[\\`*_\[\]|~$]")
# mentions and links of code hosts: "@octocat", "https://host", "www.host"
_CALLING = re.compile(r"@(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_TICKS = re.compile(r"`+")
# characters that XML 1.0 does not allow: most control characters, surrogates, U+FFFE and U+FFFF
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def shown(text: str, keep: str = "") -> str:
    """Replaces unprintable characters, except those in `keep`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else "\ufffd" for c in text)


def html(text: str) -> str:
    """Escapes text for an HTML element or a quoted attribute."""
    return shown(text, "\n\t").translate(_HTML)


def xml(text: str) -> str:
    """Like `escape_html`, for XML 1.0, which does not allow most control characters."""
    return _NOT_XML.sub("\ufffd", html(text))


def markdown(text: str) -> str:
    """Escapes one line of prose or a table cell."""
    return _uncalled(_MARKUP.sub(_escaped, shown(text)))


def _escaped(found: re.Match[str]) -> str:
    markup = found[0]
    # in "1." the dot is the markup
    return f"{markup}\\" if markup[-1].isdigit() else f"{markup[:-1]}\\{markup[-1]}"


def element(text: str) -> str:
    """Escapes text for an HTML element in Markdown, where a backslash does not escape."""
    return _uncalled(_SPANS.sub(lambda match: f"&#{ord(match[0])};", html(shown(text))))


def _uncalled(text: str) -> str:
    return _CALLING.sub(lambda match: f"{match[0]}<!-- -->", text)


def cell(text: str) -> str:
    """Returns a code span for a table cell, with escaped bars."""
    return code(text).replace("|", "\\|")


def code(text: str) -> str:
    """Returns a Markdown code span."""
    inside = shown(text) or " "
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(inside)), default=0))
    padding = " " if "`" in (inside[0], inside[-1]) else ""
    return f"{ticks}{padding}{inside}{padding}{ticks}"


def fence(text: str, language: str = "text") -> str:
    """Returns a fenced code block that the text cannot close."""
    inside = shown(text, "\n\t").rstrip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(inside)), default=0))
    return f"{ticks}{language}\n{inside}\n{ticks}"
