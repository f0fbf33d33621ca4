"""Searches Go text for lines that call a function, store to a variable or use a field."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from deadheat.code.around import around

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.diagnose.source import Around

# "d.bootstrap(ctx)", "go m.accept(server)"; not "func (d *Daemon) bootstrap("
_CALLED = rb"^(?!func )[^\n/\"`]{0,200}(?<!\w)%s\("
# "	d.agent = agent", "	a.x, d.agent = x, agent", "	limits = 5", "	d.turns++"
_STORED = (
    rb"^[ \t]{0,40}(?:[\w.\[\]]{1,80}, ){0,4}%s%s(?:, [\w.]{1,80}){0,4}(?: [-+*/|&]?= |\+\+|--)"
)
# "	if h.turns > 3 {"; not "	h.turns(3)", which is a call
_TOUCHED = rb"^(?!func )[^\n/\"`]{0,200}\.%s\b(?!\()"
# limits: files of a folder, matching lines
_FILES, _MOST = 200, 12
_TOUCHES = 30


def calling(near: Mapping[str, bytes], name: str) -> tuple[Around, ...]:
    """Facts at the lines outside tests that call the function; empty if there are too many."""
    return _seen(near, name, _CALLED, _MOST)


def touching(near: Mapping[str, bytes], name: str) -> tuple[Around, ...]:
    """Facts at the lines outside tests that use the field; empty if there are too many."""
    return _seen(near, name, _TOUCHED, _TOUCHES)


def _seen(near: Mapping[str, bytes], name: str, pattern: bytes, most: int) -> tuple[Around, ...]:
    word = re.escape(name.encode("utf-8", "replace"))
    places = _places(near, name, pattern % word, most)
    if len(places) > most:
        return ()
    seen = [around("go", near[path], path, line) for path, line in places]
    return tuple(one for one in seen if one is not None)


def storing(near: Mapping[str, bytes], name: str, field: bool) -> frozenset[tuple[str, int]]:
    """The lines outside tests that store to the field or variable."""
    word = re.escape(name.encode("utf-8", "replace"))
    on = rb"[\w.\[\]()]{1,200}\." if field else b""
    return frozenset(_places(near, name, _STORED % (on, word)))


def _places(
    near: Mapping[str, bytes], name: str, pattern: bytes, most: int = _MOST
) -> list[tuple[str, int]]:
    word, told = name.encode("utf-8", "replace"), re.compile(pattern, re.MULTILINE)
    files = [(path, text) for path, text in near.items() if path.endswith(".go") and word in text]
    return [
        (path, text.count(b"\n", 0, found.start()) + 1)
        for path, text in files[:_FILES]
        if not path.endswith("_test.go")
        for found in islice(told.finditer(text), most + 1)
    ]
