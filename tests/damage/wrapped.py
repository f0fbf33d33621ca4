"""Lines broken in two."""

from __future__ import annotations

import quopri
from functools import partial
from typing import TYPE_CHECKING

from tests.damage.lines import join_lines, split_lines
from tests.damage.prefixes import github_actions
from tests.damage.registry import add, add_bytes, damage

if TYPE_CHECKING:
    import random


def _wrap_line(line: str, width: int) -> list[str]:
    pieces = []
    while len(line) > width:
        body = len(line) - len(line.lstrip())
        cut = line.rfind(" ", body + 1, width + 1)
        if cut < 0:
            # a longer word exceeds the width; break after it
            cut = line.find(" ", max(width, body + 1))
        if cut < 0:
            break
        pieces.append(line[:cut])
        line = line[cut + 1 :]
    return [*pieces, line]


def _word_wrap(text: str, rng: random.Random, width: int) -> str:
    return join_lines([piece for line in split_lines(text) for piece in _wrap_line(line, width)])


def _hard_wrap(text: str, rng: random.Random, width: int) -> str:
    out: list[str] = []
    for line in split_lines(text):
        starts = range(0, max(1, len(line)), width)
        out.extend(line[at : at + width] for at in starts)
    return join_lines(out)


def _add_wraps() -> None:
    # 40 for chat on a phone, which also breaks headers
    for width in (40, 72, 80, 100):
        add(f"word-wrap-{width}", partial(_word_wrap, width=width))
    for width in (80, 100):
        add(f"hard-wrap-{width}", partial(_hard_wrap, width=width))


_add_wraps()


def _quoted_printable(text: str, rng: random.Random) -> bytes:
    head = (
        b"Subject: nightly is red\nMIME-Version: 1.0\n"
        b"Content-Type: text/plain; charset=utf-8\n"
        b"Content-Transfer-Encoding: quoted-printable\n\n"
    )
    return head + quopri.encodestring(text.encode("utf-8", "surrogateescape"))


add_bytes("quoted-printable", _quoted_printable)


@damage("newest-first")
def _newest_first(text: str, rng: random.Random) -> str:
    # a log viewer's export in descending order of time
    return join_lines(split_lines(github_actions(text, rng))[::-1])
