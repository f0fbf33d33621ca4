"""Finds copies of objects of a type in C and C++ text: arguments, assignments, members."""

from __future__ import annotations

import re
from itertools import islice

_BIGGEST = 1 << 19  # longer files are generated
_MOST, _FAR, _TYPES = 60, 10_000, 8
_GLOBAL = ("", "static", "struct", "static struct", "extern struct", "inline", "static inline")
# "struct till mine = *(struct till *)arg;", "Till mine = *t;"
_FROM_POINTER = r"\b%s \w{1,60} ?= ?\*"
# "Till(const Till& o) : s_(o.s_) {}"; not "= delete"
_CONSTRUCTOR = r"\b%s\(const %s ?& ?\w{0,60}\)(?! ?= ?delete)[^;]{0,200}[{;]"
# "void serve(Handle h)", "static void *run(struct till t, int n) {"
_PASSED = r"^[\w ][^\n;=.]{0,200}[(,] ?(?:const )?(?:struct )?%s \w{1,60} ?[,)]"
# "for (Lane lane : lanes)"
_LOOP = r"\bfor ?\((?:const )?%s \w{1,60} ?:"
# "memcpy(&mine, t, sizeof(struct till))"
_MEMORY = r"\bmem(?:cpy|move)\([^;\n]{0,200}\bsizeof ?\(?(?:struct )?%s\b"
# "struct store shop = {", "Till till;", "Till till(3);"
_OBJECT = r"\b%s (\w{1,60})(?: ?[={(;]|\[)"
# "{shop, 4000}", ".store = shop,", "serve(shop)", "[shop]"; not "&shop", "shop.n" or "shop ="
_WHOLE = r"(?:[=({,\[]) ?%s ?[,)};\]]"
# "struct counter {", "class Desk : public Base {"
_TYPE = re.compile(r"\b(?:struct|class) (\w{1,80})[^\n;(){}]{0,120}\{")
# "	struct store store;", "  Till till_;": a member of the type
_WITHIN = r"^[ \t]{1,20}(?:struct )?%s \w{1,60}(?:\[\w{0,40}\])?;"


def copied(text: str, kind: str) -> int | None:
    """The line (from 1) that copies an object of the type, or of a type that contains it."""
    if len(text) > _BIGGEST:
        return None
    for name in [kind, *_around(text, kind)]:
        word = re.escape(name)
        forms = (_FROM_POINTER, _PASSED, _LOOP, _MEMORY)
        for form in (*(form % word for form in forms), _CONSTRUCTOR % (word, word)):
            if told := re.search(form, text, re.MULTILINE):
                return text.count("\n", 0, told.start()) + 1
        if (at := _handed_on(text, word)) is not None:
            return text.count("\n", 0, at) + 1
    return None


def _around(text: str, kind: str) -> list[str]:
    """The types that contain the type as a member."""
    found = []
    rows = re.finditer(_WITHIN % re.escape(kind), text, re.MULTILINE)
    for row in islice(rows, _MOST):
        last = None
        for above in islice(_TYPE.finditer(text, max(0, row.start() - _FAR), row.start()), _MOST):
            last = above
        if last and "\n}" not in text[last.end() : row.start()]:
            found.append(last[1])
    return found[:_TYPES]


def _handed_on(text: str, word: str) -> int | None:
    """The offset at which an object of the type is passed or stored by value."""
    for told in islice(re.finditer(_OBJECT % word, text), _MOST):
        end = text.find("\n}", told.end(), told.end() + _FAR)
        line = text[text.rfind("\n", 0, told.start()) + 1 : told.start()]
        if not line[:1].isspace() and line.strip() in _GLOBAL:
            end = len(text)
        whole = re.compile(_WHOLE % re.escape(told[1]))
        if found := whole.search(text, told.end(), max(end, told.end())):
            return found.start()
    return None
