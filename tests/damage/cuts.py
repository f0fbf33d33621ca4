"""Missing text."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from tests.damage.lines import join_lines, split_lines
from tests.damage.registry import add, add_bytes, damage

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence


@damage("cut-off-at-line", lossy=True)
def _cut_off_at_line(text: str, rng: random.Random) -> str:
    lines = split_lines(text)
    return join_lines(lines[: rng.randrange(len(lines))])


@damage("head-cut-off-at-line", lossy=True)
def _head_cut_off_at_line(text: str, rng: random.Random) -> str:
    lines = split_lines(text)
    return join_lines(lines[rng.randrange(1, len(lines) + 1) :])


def _cut_off_at_byte(text: str, rng: random.Random) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return data[: rng.randrange(len(data) + 1)]


def _head_cut_off_at_byte(text: str, rng: random.Random) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return data[rng.randrange(len(data) + 1) :]


add_bytes("cut-off-at-byte", _cut_off_at_byte, lossy=True)
add_bytes("head-cut-off-at-byte", _head_cut_off_at_byte, lossy=True)

# A frame of the Go detector: `  main.main()`, and below it `      /src/main.go:12 +0x45`.
_GO_FUNCTION, _GO_PLACE = re.compile(r" {2}\S"), re.compile(r" {6,}\S")
# A frame of ThreadSanitizer: `    #0 main main.c:12 (a.out+0x1234)`.
_NUMBERED = re.compile(r"\s*#\d+ ")

Span = tuple[int, int]


def _frame_at(lines: Sequence[str], at: int) -> Span | None:
    if _NUMBERED.match(lines[at]):
        return at, at + 1
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if _GO_FUNCTION.match(lines[at]) and _GO_PLACE.match(below):
        return at, at + 2
    return None


def _find_stacks(lines: Sequence[str]) -> list[list[Span]]:
    stacks: list[list[Span]] = []
    at = end = 0
    while at < len(lines):
        frame = _frame_at(lines, at)
        if frame is None:
            at += 1
            continue
        if not stacks or frame[0] != end:
            stacks.append([])
        stacks[-1].append(frame)
        at = end = frame[1]
    return stacks


def _elide_frames(text: str, rng: random.Random, mark: str) -> str:
    """Removes only deep frames: people who shorten a stack keep the innermost ones."""
    lines = split_lines(text)
    for stack in reversed(_find_stacks(lines)):
        if len(stack) < 3:
            continue
        first = rng.randrange(2, len(stack))
        last = rng.randrange(first, len(stack))
        lines[stack[first][0] : stack[last][1]] = mark.split("\n")
    return join_lines(lines)


add("elided-dots", partial(_elide_frames, mark="  ..."), lossy=True)
add("elided-dots-twice", partial(_elide_frames, mark="...\n..."), lossy=True)
add("elided-brackets", partial(_elide_frames, mark="[...]"), lossy=True)
