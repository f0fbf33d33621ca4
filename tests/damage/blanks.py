"""Blank lines, bars, banners, indentation and line ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.damage.lines import join_lines, map_lines, split_lines
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random

# `==================`: printed by Go before and after, by ThreadSanitizer before a report.
_BAR = re.compile(r"\s*={10,}\s*")
# `WARNING: DATA RACE` (Go), `WARNING: ThreadSanitizer: data race (pid=7)`.
_BANNER = re.compile(r"\s*WARNING: (DATA RACE|ThreadSanitizer: )")


def _remove_lines(text: str, *patterns: re.Pattern[str]) -> str:
    def is_kept(line: str) -> bool:
        return not any(pattern.match(line) for pattern in patterns)

    return join_lines([line for line in split_lines(text) if is_kept(line)])


@damage("doubled-blank-lines")
def _doubled_blank_lines(text: str, rng: random.Random) -> str:
    return map_lines(text, lambda line: f"{line}\n")


@damage("no-blank-lines")
def _no_blank_lines(text: str, rng: random.Random) -> str:
    return join_lines([line for line in split_lines(text) if line.strip()])


@damage("no-bars")
def _no_bars(text: str, rng: random.Random) -> str:
    return _remove_lines(text, _BAR)


@damage("no-banner")
def _no_banner(text: str, rng: random.Random) -> str:
    return _remove_lines(text, _BANNER)


@damage("no-bars-no-banner")
def _no_bars_no_banner(text: str, rng: random.Random) -> str:
    return _remove_lines(text, _BAR, _BANNER)


@damage("no-indentation")
def _no_indentation(text: str, rng: random.Random) -> str:
    return map_lines(text, str.lstrip)


@damage("indented-4")
def _indented_4(text: str, rng: random.Random) -> str:
    return map_lines(text, lambda line: f"    {line}")


@damage("indented-tab")
def _indented_tab(text: str, rng: random.Random) -> str:
    return map_lines(text, lambda line: f"\t{line}")


@damage("indented-not-blank")
def _indented_not_blank(text: str, rng: random.Random) -> str:
    # As an editor does: blank lines stay empty, so the margin is not on every line.
    margin = " " * rng.randrange(1, 13)
    return map_lines(text, lambda line: f"{margin}{line}".rstrip())


@damage("trailing-padding")
def _trailing_padding(text: str, rng: random.Random) -> str:
    # Copied from a terminal multiplexer, which pads lines to the width of the window.
    width = max(map(len, split_lines(text))) + rng.randrange(8, 60)
    return map_lines(text, lambda line: line.ljust(width))


@damage("tabs-for-spaces")
def _tabs_for_spaces(text: str, rng: random.Random) -> str:
    def with_tabs(line: str) -> str:
        body = line.lstrip(" ")
        depth = (len(line) - len(body) + 2) // 4
        return "\t" * depth + body.replace(" +0x", "\t+0x")

    return map_lines(text, with_tabs)


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
    # A text-mode writer on Windows turns CRLF into CR CR LF.
    return text.replace("\n", "\r\r\n")
