"""Blank lines, bars, banners, indentation and ends of lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.damage.lines import each_line, joined, lines_of
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random

# `==================`, which the Go detector prints before and after, ThreadSanitizer before.
_BAR = re.compile(r"\s*={10,}\s*")
# `WARNING: DATA RACE` (Go), `WARNING: ThreadSanitizer: data race (pid=7)`.
_BANNER = re.compile(r"\s*WARNING: (DATA RACE|ThreadSanitizer: )")


def _without(text: str, *patterns: re.Pattern[str]) -> str:
    def kept(line: str) -> bool:
        return not any(pattern.match(line) for pattern in patterns)

    return joined([line for line in lines_of(text) if kept(line)])


@damage("doubled-blank-lines")
def _doubled_blank_lines(text: str, rng: random.Random) -> str:
    return each_line(text, lambda line: f"{line}\n")


@damage("no-blank-lines")
def _no_blank_lines(text: str, rng: random.Random) -> str:
    return joined([line for line in lines_of(text) if line.strip()])


@damage("no-bars")
def _no_bars(text: str, rng: random.Random) -> str:
    return _without(text, _BAR)


@damage("no-banner")
def _no_banner(text: str, rng: random.Random) -> str:
    return _without(text, _BANNER)


@damage("no-bars-no-banner")
def _no_bars_no_banner(text: str, rng: random.Random) -> str:
    return _without(text, _BAR, _BANNER)


@damage("no-indentation")
def _no_indentation(text: str, rng: random.Random) -> str:
    return each_line(text, str.lstrip)


@damage("indented-4")
def _indented_4(text: str, rng: random.Random) -> str:
    return each_line(text, lambda line: f"    {line}")


@damage("indented-tab")
def _indented_tab(text: str, rng: random.Random) -> str:
    return each_line(text, lambda line: f"\t{line}")


@damage("indented-not-blank")
def _indented_not_blank(text: str, rng: random.Random) -> str:
    # What an editor does: blank lines stay empty, so the common margin is not on every line.
    margin = " " * rng.randrange(1, 13)
    return each_line(text, lambda line: f"{margin}{line}".rstrip())


@damage("trailing-padding")
def _trailing_padding(text: str, rng: random.Random) -> str:
    # Copied from a terminal multiplexer, which pads to the width of its window.
    width = max(map(len, lines_of(text))) + rng.randrange(8, 60)
    return each_line(text, lambda line: line.ljust(width))


@damage("tabs-for-spaces")
def _tabs_for_spaces(text: str, rng: random.Random) -> str:
    def tabbed(line: str) -> str:
        body = line.lstrip(" ")
        depth = (len(line) - len(body) + 2) // 4
        return "\t" * depth + body.replace(" +0x", "\t+0x")

    return each_line(text, tabbed)


@damage("nbsp")
def _nbsp(text: str, rng: random.Random) -> str:
    return text.replace(" ", "\u00a0")


@damage("crlf")
def _crlf(text: str, rng: random.Random) -> str:
    return text.replace("\n", "\r\n")


@damage("carriage-returns-only")
def _carriage_returns_only(text: str, rng: random.Random) -> str:
    return text.replace("\n", "\r")


@damage("doubled-carriage-returns")
def _doubled_carriage_returns(text: str, rng: random.Random) -> str:
    # A text-mode writer on Windows that is handed CRLF writes CR CR LF.
    return text.replace("\n", "\r\r\n")
