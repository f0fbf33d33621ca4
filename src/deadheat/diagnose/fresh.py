"""Whether a side writes to an object that it is still creating: then its publication races."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose.naming import is_test_file, of_value

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene
    from deadheat.diagnose.side import Side
    from deadheat.diagnose.source import Around
    from deadheat.model import Frame

# "&Settings{Version: version}", "Stats{}", "new(Client)", "cache.Entry{key: k}"
_MADE = re.compile(r"&?(?:\w+\.)?[A-Za-z_]\w*(?:\[.{0,80}\])?\{|new\(")
# "make(map[string]int)", "map[string]int{}", "make([]byte, n)"
_CONTAINER = re.compile(r"make\((?:map)?\[|(?:map)?\[[^{]{0,120}\{")
# "auto g = std::make_shared<Glyphs>();", "p = new Glyphs(n);"
_MAKES = re.compile(r"\bmake_(?:shared|unique)<|=\s{0,9}new\s")
# "return &plate{dots, 3}", "func engrave() *plate { return &plate{} }"
_GIVES = re.compile(r"\breturn &(?:\w{1,80}\.)?[A-Za-z_]\w{0,80}(?:\[.{0,80}\])?\{")
_MAKERS = 4  # callers further out create other objects
# "make_shared<Glyphs>", "make_unique<Zone>", "malloc", "calloc", "kzalloc"
_NEW = re.compile(r"make_(?:shared|unique)\b|(?:m|c|km|kz|v)alloc$")
# "return &Client{base: base}": the object is created on the line itself
_LITERAL = re.compile(r"[&\s=(,](?:\w{1,80}\.)?[A-Z]\w{0,80}(?:\[.{0,80}\])?\{(.*)")

# "c.rates = fresh"
_STORED = re.compile(r"[\w\])] = (\w{1,80})\s{0,9}(?://|$)")
_STORES = 4  # stores below a line that are examined
# "base: strings.TrimRight(base)"
_KEY = re.compile(r"\b(\w{1,80})\s{0,9}:")


def made_below(maker: Side, reader: Side) -> Frame | None:
    """From a Go report alone: the method that has an object created by a function and then uses it.

    `s.flags = load(path)`: a function that is not a method writes only to its arguments or to what it
    creates. Its caller uses the new object, and the other side reached it through the same method.
    """
    if not maker.writes or reader.writes or maker.closure or "(" in maker.name:
        return None
    if of_value(maker.name):
        return None
    if ")." not in reader.name:
        return _on_its_line(maker, reader)
    for caller in maker.frames[1:_MAKERS]:
        for frame in reader.frames[:2] if ")." in caller.function else ():
            if frame.function == caller.function and (frame.line or 0) >= (caller.line or 0):
                return None if is_test_file(caller.file) else caller
    return None


def _on_its_line(maker: Side, reader: Side) -> Frame | None:
    """`table()[key]`: is what a line creates through a call read on the same line?"""
    for caller in maker.frames[2:_MAKERS] if not reader.closure and reader.inner else ():
        if caller == reader.site:
            return None if is_test_file(caller.file) else caller
    return None


def is_made_here(scene: Scene, side: Side) -> bool:
    """Was the written object created by the same function, a few lines above or on this line?"""
    here = side.here
    if here is None or not side.writes:
        return False
    name = scene.shared.name if scene.shared else ""
    if not scene.go and side.inner and _MAKES.search(here.text):
        return True
    wanted = _wanted(scene, side)
    if (told := _LITERAL.search(here.text)) and _sets(told[1], wanted):
        return True
    if any(line == here.line and key in wanted for key, line in here.makes):
        return True  # a literal of several lines, each of which sets a field
    if scene.go and _GIVES.search(here.text):
        return True
    made = [told for told in here.names.values() if told.how == "local" and told.line == here.line]
    if scene.go and any(_MADE.match(told.type) for told in made):
        return True  # the line that creates it
    if scene.go and _fills_its_own(here, here.returned | _kept(scene, side, here)):
        return True
    for use in here.uses:
        if not use.writes or len(use.path) < 2 or (name and use.name != name):
            continue
        if use.path[0].endswith("{}"):
            return True  # a line of the literal itself
        declared = here.names.get(use.path[0])
        if declared is None or declared.how != "local":
            continue
        if _MADE.match(declared.type) or (not scene.go and _is_new(scene, side, use.path[0])):
            return True
    return False


def _kept(scene: Scene, side: Side, here: Around) -> frozenset[str]:
    """`c.rates = fresh`: variables that are stored below, after the loops around the line."""
    done = max((last for _, last in here.loops), default=here.line)
    below = sorted({u.line for u in here.stores if u.line > done})[:_STORES]
    seen = [scene.around(side.site._replace(line=line)) for line in below if side.site]
    told = [_STORED.search(one.text) for one in seen if one]
    return frozenset(found[1] for found in told if found)


def _fills_its_own(here: Around, given: frozenset[str]) -> bool:
    """`m := map[string]int{}; m[k] = v; return m`: is a new container filled to be passed on?"""
    lent = any(s.line < here.line for s in here.starts)
    for name in given if not lent else ():
        told = here.names.get(name)
        own = told is not None and told.how == "local" and told.depth == len(here.closures)
        if told is None or not own or not _CONTAINER.match(told.type):
            continue
        if told.line == here.line or any(u.path == (name,) and u.writes for u in here.uses):
            return True
    return False


def _is_new(scene: Scene, side: Side, name: str) -> bool:
    """`auto g = std::make_shared<Glyphs>();`, `struct conn *c = calloc(1, n);`, `T *t = new T;`"""
    here, site = side.here, side.site
    if here is None or site is None:
        return False
    if any(c.result == name and _NEW.match(c.name) for c in here.calls):
        return True
    told = scene.around(site._replace(line=here.names[name].line))
    return told is not None and f"{name} = new " in told.text


def _wanted(scene: Scene, side: Side) -> set[str]:
    """The fields that the other side uses."""
    others = [s.here.uses for s in scene.sides if s is not side and s.here]
    return {u.name for uses in others for u in uses if len(u.path) > 1}


def _sets(literal: str, names: set[str]) -> bool:
    """`base: strings.TrimRight(base, "/"), http: …` sets `base` and `http`."""
    return bool(names.intersection(_KEY.findall(literal)))
