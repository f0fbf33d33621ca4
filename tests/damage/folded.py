"""Several lines joined into one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.damage.lines import clock_times, iso_time, split_lines
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random

# Logs with times and levels are not reflowed.
_LOGGED = re.compile(r"\s*(?:\d{4}-\d\d-\d\dT|\[INFO\])")


@damage("reflowed", headless=False)
def _reflow(text: str, rng: random.Random) -> str:
    """A paragraph, as an editor or a form without line ends makes it."""
    if _LOGGED.match(text):
        return text
    between = rng.choice((" ", "  ", "\t", " \u21b5 ", "\u23ce", "; ", " | "))
    return between.join(line.removesuffix("\r") for line in split_lines(text)) + "\n"


@damage("reflowed-paragraphs", headless=False)
def _reflowed_paragraphs(text: str, rng: random.Random) -> str:
    if _LOGGED.match(text):
        return text
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(map(str.strip, split_lines(part))) for part in paragraphs) + "\n"


@damage("list-of-lines", headless=False)
def _list_of_lines(text: str, rng: random.Random) -> str:
    end = rng.choice(("", "\n"))
    return f"stderr: {[line + end for line in split_lines(text)]!r}\n"


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
    """Syslog over TCP, where only its length ends a message."""
    clock, out = clock_times(rng), []
    for line in split_lines(text):
        message = f"<134>1 {iso_time(next(clock), rng, 6)} node-3 apiserver 4711 - - {line}"
        out.append(f"{len(message.encode('utf-8', 'surrogateescape'))} {message}")
    return "".join(out)
