"""Resolves escaped line ends, tabs and quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.text import clean
from deadheat.text.late import regex

if TYPE_CHECKING:
    import re

# "\u001b", "\x1b", "\033", "\n"
_ESCAPE = regex(r"\\(?:[ux]((?<=u)[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2})|(033|01[12]|.))")
_CARET = regex(r"\^()([IJ])")
_ESCAPED = {
    "n": "\n",
    "t": "\t",
    "r": "",
    "033": "\x1b",
    "012": "\n",
    "011": "\t",
    "J": "\n",
    "I": "\t",
}
_PERCENT = {"%0A": "\n", "%0D": "", "%09": "\t", "%20": " ", "%25": "%"}
_PERCENTED = regex("|".join(_PERCENT))
_BAR_ESCAPE = regex(r"\|(?:0x([0-9a-fA-F]{4})|(.))")
# every form of an escaped line end has one of these characters
_MAY_END = regex(f"[\\\\%^{clean.BREAK}]")
# no single line of a detector has more escaped line ends
_FEW = 3


def has_lines(text: str) -> bool:
    """Whether line ends are escaped in the text. A Windows path may contain "\\n" twice."""
    return _MAY_END.search(text) is not None and any(text.count(end) > _FEW for end in clean.ENDS)


def unescaped(text: str) -> str:
    """Resolves `WARNING: DATA RACE\\nRead at ...` into lines; some tools escape twice."""
    if text.count("%0A") > _FEW:
        return percented(text)
    if text.count("^J") > _FEW:
        return _CARET.sub(_escaped, text)
    text = _ESCAPE.sub(_escaped, text)
    if has_lines(text) and "\n" not in text:
        text = _ESCAPE.sub(_escaped, text)
    return text


def _escaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _ESCAPED.get(match[2], match[2])


def percented(text: str) -> str:
    """Resolves `WARNING: DATA RACE%0ARead at ...` into lines."""
    return _PERCENTED.sub(lambda match: _PERCENT[match[0]], text)


def barred(text: str) -> str:
    """Resolves TeamCity's `|n`, `|'` and `|0x00b7`."""
    return _BAR_ESCAPE.sub(_escaped, text)
