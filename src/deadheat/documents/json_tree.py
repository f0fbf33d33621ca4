"""Parses JSON whose strings keep their offsets; accepts several values in one file."""

from __future__ import annotations

import json
import re
from typing import Any

from deadheat.documents.placed import Placed

# possessive, so that a string of millions of characters costs no memory
_TOKEN = re.compile(
    rb"\s*+(?:(?P<string>\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\")|(?P<mark>[{}\[\],:])"
    rb"|(?P<plain>[-+.\w]{1,400}))",
    re.DOTALL,
)
# "\n", "é", "😀"
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)", re.DOTALL)
# the most common escapes
_SHORT = {
    rb"\n": b"\n", rb"\r": b"\r", rb"\t": b"\t", b'\\"': b'"', b"\\\\": b"\\", rb"\/": b"/",
}  # fmt: skip
_DEPTH = 200
_MARK = b"\xef\xbb\xbf"


class Text:
    """A string of the file, decoded on demand."""

    __slots__ = ("_literal", "at")

    def __init__(self, literal: bytes, at: int) -> None:
        self._literal, self.at = literal, at

    def __str__(self) -> str:
        try:
            text = json.loads(self._literal.decode("utf-8", "replace"), strict=False)
        except ValueError:  # invalid escapes such as "\x"
            text = self._literal[1:-1].decode("utf-8", "replace")
        return str(text).encode("utf-8", "replace").decode()

    def placed(self) -> Placed:
        pieces: list[tuple[bytes, int, int]] = []
        literal, at = self._literal[1:-1], 0
        base = self.at + 1
        for escape in _ESCAPE.finditer(literal):
            pieces.append((literal[at : escape.start()], base + at, base + escape.start()))
            said = _SHORT.get(escape[0]) or str(Text(b'"' + escape[0] + b'"', 0)).encode()
            pieces.append((said, base + escape.start(), base + escape.end()))
            at = escape.end()
        pieces.append((literal[at:], base + at, base + len(literal)))
        placed = Placed()
        placed.put(pieces)
        return placed


def values(data: bytes) -> list[Any] | None:
    """The consecutive values of a file as lists, dicts, `JsonText` and bytes; None if invalid."""
    tops: list[Any] = []
    stack: list[Any] = []
    keys: list[Text | None] = []
    at = len(_MARK) if data.startswith(_MARK) else 0
    while match := _TOKEN.match(data, at):
        at = match.end()
        mark = match["mark"]
        if mark in (b"{", b"["):
            if len(stack) >= _DEPTH:
                return None
            made: Any = {} if mark == b"{" else []
            _add(stack, keys, tops, made)
            stack.append(made)
            keys.append(None)
        elif mark in (b"}", b"]"):
            if not stack or isinstance(stack[-1], dict) != (mark == b"}"):
                return None
            stack.pop()
            keys.pop()
        elif match["string"] is not None:
            _add(stack, keys, tops, Text(match["string"], match.start("string")))
        elif match["plain"] is not None:
            _add(stack, keys, tops, match["plain"])
    return tops if not stack and not data[at:].strip() else None


def _add(stack: list[Any], keys: list[Text | None], tops: list[Any], value: Any) -> None:
    """Adds a value to its parent; in an object, keys and values alternate."""
    if not stack:
        tops.append(value)
    elif isinstance(stack[-1], list):
        stack[-1].append(value)
    elif keys[-1] is None:
        keys[-1] = value if isinstance(value, Text) else Text(b'"?"', 0)
    else:
        stack[-1][str(keys[-1])] = value
        keys[-1] = None
