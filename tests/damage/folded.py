"""Lines that were put into one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.damage.lines import clock_of, iso, lines_of
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random

# Nobody makes a paragraph of a log with its times and levels.
_LOGGED = re.compile(r"\s*(?:\d{4}-\d\d-\d\dT|\[INFO\])")


@damage("reflowed", headless=False)
def _reflowed(text: str, rng: random.Random) -> str:
    """A paragraph, as an editor or a form without line ends makes of it."""
    if _LOGGED.match(text):
        return text
    between = rng.choice((" ", "  ", "\t", " \u21b5 ", "\u23ce", "; ", " | "))
    return between.join(line.removesuffix("\r") for line in lines_of(text)) + "\n"


@damage("reflowed-paragraphs", headless=False)
def _reflowed_paragraphs(text: str, rng: random.Random) -> str:
    if _LOGGED.match(text):
        return text
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(map(str.strip, lines_of(part))) for part in paragraphs) + "\n"


@damage("list-of-lines", headless=False)
def _list_of_lines(text: str, rng: random.Random) -> str:
    end = rng.choice(("", "\n"))
    return f"stderr: {[line + end for line in lines_of(text)]!r}\n"


@damage("repr")
def _repr(text: str, rng: random.Random) -> str:
    return f"{text!r}\n"


@damage("ends-written-otherwise", headless=False)
def _ends_written_otherwise(text: str, rng: random.Random) -> str:
    text, end = text.replace("\r\n", "\n"), rng.choice(("\\012", "\\x0a", "^J", "%0A"))
    if end == "%0A":
        text = text.replace("%", "%25")
    return text.replace("\n", end) + "\n"


@damage("octet-counted", headless=False)
def _octet_counted(text: str, rng: random.Random) -> str:
    """Syslog over TCP, where nothing but its length ends a message."""
    clock, out = clock_of(rng), []
    for line in lines_of(text):
        message = f"<134>1 {iso(next(clock), rng, 6)} node-3 apiserver 4711 - - {line}"
        out.append(f"{len(message.encode('utf-8', 'surrogateescape'))} {message}")
    return "".join(out)
