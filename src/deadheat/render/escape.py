"""Untrusted text made safe for the places where it is shown; knows places, never races.

Whatever a document contains, it stays text: no markup, no control character, nothing that reorders
a line, ends a comment or calls somebody's attention.
"""

from __future__ import annotations

import re

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
# what Markdown may take for markup anywhere in a line: "a_b", "[x]", "1 < 2", "a|b", "&lt;"; and what
# makes a heading or an item of a list of a whole one: "# a", "- a", "1. a"
_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&]|(?<=\])\(|^\s*(?:[#+=-]|\d+(?=[.)]))")
# of it, what needs no place at the beginning of a line
_SPANS = re.compile(r"[\\`*_\[\]|~$]")
# what code hosts turn into notices and links: "@octocat", "https://host", "www.host"
_CALLING = re.compile(r"@(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_TICKS = re.compile(r"`+")
# what XML 1.0 cannot hold, in whatever form: most control characters, halves of pairs, two more
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def shown(text: str, keep: str = "") -> str:
    """Text with nothing in it that is obeyed rather than shown, but for the characters to keep."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else "\ufffd" for c in text)


def html(text: str) -> str:
    """For the inside of an element or of a quoted attribute."""
    return shown(text, "\n\t").translate(_HTML)


def xml(text: str) -> str:
    """As `html`, for XML 1.0, in which most control characters cannot be written at all."""
    return _NOT_XML.sub("\ufffd", html(text))


def markdown(text: str) -> str:
    """For one line of prose or a cell of a table."""
    return _uncalled(_MARKUP.sub(_escaped, shown(text)))


def _escaped(found: re.Match[str]) -> str:
    markup = found[0]
    # a number is no markup, the point behind it is
    return f"{markup}\\" if markup[-1].isdigit() else f"{markup[:-1]}\\{markup[-1]}"


def element(text: str) -> str:
    """For an HTML element in Markdown: there a backslash is one, and people are called all the same."""
    return _uncalled(_SPANS.sub(lambda match: f"&#{ord(match[0])};", html(shown(text))))


def _uncalled(text: str) -> str:
    return _CALLING.sub(lambda match: f"{match[0]}<!-- -->", text)


def cell(text: str) -> str:
    """A code span in a table, which a bar would end; only there a backslash keeps it from that."""
    return code(text).replace("|", "\\|")


def code(text: str) -> str:
    """A code span."""
    inside = shown(text) or " "
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(inside)), default=0))
    padding = " " if "`" in (inside[0], inside[-1]) else ""
    return f"{ticks}{padding}{inside}{padding}{ticks}"


def fence(text: str, language: str = "text") -> str:
    """A block of code that the text cannot end."""
    inside = shown(text, "\n\t").rstrip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(inside)), default=0))
    return f"{ticks}{language}\n{inside}\n{ticks}"
