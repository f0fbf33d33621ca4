"""Whether a name is declared in a function or in its package."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code.languages import language
from deadheat.code.tree import Place, rows_with

if TYPE_CHECKING:
    from deadheat.code.sides import Side
    from deadheat.code.tree import Tree

_WIDE, _HEAD = 4_000, 600
# start of lines that do not declare a package variable
_NO_VARIABLE = (b" ", b"\t", b"func", b"type ", b"//", b"/*")


def is_parameter(name: str, side: Side) -> bool:
    """Whether the name is a parameter; C++ references do not count."""
    word = re.escape(name.encode("utf-8", "replace"))
    if language(side.path) != "go":
        head = side.body[:_HEAD].partition(b"{")[0]
        own = rb"[(,][^(),&]{1,120}[ *]%s(?:\[\w{0,20}\])?\s{0,9}[,)]"
        return re.search(own % word, head) is not None
    head = side.body.partition(b"\n")[0]
    return bool(re.match(rb"func .{0,400}[(,] ?%s(?:, \w{1,80}){0,8} [\w*\[.]" % word, head))


def is_local(name: str, side: Side) -> bool:
    """Whether the Go function declares the name."""
    if language(side.path) != "go":
        return False
    return any(declares(name, text) for text in side.body.split(b"\n")[1:])


def package_variable(tree: Tree, side: Side, name: str) -> Place | None:
    """The declaration of the package variable of that name, if any."""
    word = name.encode("utf-8", "replace")
    for path, source in tree.near(side.path).items():
        other = (*_NO_VARIABLE, b"const ") if path.endswith(".go") else _NO_VARIABLE
        for start in rows_with(source, word):
            text = source[start : source.find(b"\n", start, start + _WIDE)]
            if not text.startswith(other) and declares(name, text):
                return Place(path, source.count(b"\n", 0, start) + 1)
            if _grouped(word, text) and _in_var_block(source, start):
                return Place(path, source.count(b"\n", 0, start) + 1)
    return None


def _grouped(word: bytes, text: bytes) -> bool:
    """`	limit = 10`, `	hook func()`: a variable in a `var (…)` block."""
    return bool(re.match(rb"\t(?:\w{1,80}, ){0,8}%s(?:, \w{1,80}){0,8}\s" % re.escape(word), text))


def _in_var_block(source: bytes, start: int) -> bool:
    begun = source.rfind(b"\nvar (", 0, start)
    return begun >= 0 and source.find(b"\n)", begun, start) < 0


def declares(name: str, text: bytes) -> bool:
    """Whether a line declares the name."""
    word = re.escape(name.encode("utf-8", "replace"))
    return bool(
        re.search(
            rb"(?<![\w.])%s(?:, \w{1,80}){0,8} :=|\bvar %s\b|\blet (?:mut )?%s\b"
            % (word, word, word),
            text,
        )
        or re.match(
            rb"(?:static |extern |volatile )*[\w:<>*]+[ *]+%s(?:\[\w*\])?\s*[=;]" % word, text
        )
        or re.search(rb"func.*[(,] ?%s(?:, \w{1,80}){0,8} [\w*\[]" % word, text)
    )
