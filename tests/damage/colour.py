"""Terminal colours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.damage.lines import map_lines
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random


@damage("ansi-lines")
def _ansi_lines(text: str, rng: random.Random) -> str:
    return map_lines(text, lambda line: f"\x1b[{rng.choice((31, 33, 90))}m{line}\x1b[0m")


@damage("ansi-words")
def _ansi_words(text: str, rng: random.Random) -> str:
    def colour(match: re.Match[str]) -> str:
        if rng.random() < 0.6:
            return match[0]
        return f"\x1b[{rng.choice(('1', '31', '38;5;208', '1;33'))}m{match[0]}\x1b[0m"

    return re.sub(r"\S+", colour, text)


@damage("ansi-grep")
def _ansi_grep(text: str, rng: random.Random) -> str:
    # `grep --color` marks its matches, also within a word.
    pattern = r"DATA RACE|[Gg]oroutine|\.go|func"
    return re.sub(pattern, lambda match: f"\x1b[01;31m\x1b[K{match[0]}\x1b[m\x1b[K", text)


@damage("colours-without-escapes")
def _colours_without_escapes(text: str, rng: random.Random) -> str:
    # Copied from a browser, which drops the escape; `cat -v`, `less` and others show it.
    escape = rng.choice(("", "^[", "ESC", "\u241b", "\u2190"))
    return map_lines(text, lambda line: f"{escape}[1;31m{line}{escape}[0m")
