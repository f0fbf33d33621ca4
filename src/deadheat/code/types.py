"""The types of Go expressions, from nearby declarations. Not a type checker."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code.named import is_exported
from deadheat.code.tree import Field, Tree, bare

if TYPE_CHECKING:
    from collections.abc import Iterator

# "func (e *IndexNestedLoopHashJoin) Close() error {"
_RECEIVER = re.compile(rb"func \((\w+) \*?(\w+)")
_DEPTH = 3


class Types:
    """Resolves types in one commit: first in the folder of a file, then in the repository."""

    def __init__(self, tree: Tree, path: str, body: bytes) -> None:
        self._tree, self._path, self._body = tree, path, body

    def _sources(self, name: str) -> Iterator[dict[str, bytes]]:
        yield self._tree.beside(name, self._path)
        if is_exported(name):
            yield self._tree.declaring(name, self._path)

    def variable(self, name: str) -> str:
        """The type of a receiver, parameter or local variable, or of a literal: `Hub{}`."""
        if name.endswith("{}"):
            return name.removesuffix("{}")
        told = _RECEIVER.match(self._body)
        if told and told[1].decode() == name:
            return told[2].decode()
        word = re.escape(name.encode("utf-8", "replace"))
        for pattern in (
            rb"(?<![\w.])%s(?:, \w{1,80}){0,8} \*?(?:\w+\.)?([A-Za-z_]\w*)[,)\n]"
            % word,  # a parameter
            rb"\b%s(?:, \w{1,80}){0,8} :?= &?(?:\w+\.)?(\w+)\{" % word,
            rb"\bvar %s \*?(?:\w+\.)?(\w+)" % word,
            rb"\b%s(?:, \w{1,80}){0,8} :?= new\((?:\w+\.)?(\w+)\)" % word,
        ):
            if match := re.search(pattern, self._body):
                return match[1].decode()
        if match := re.search(
            rb"\b%s(?:, \w{1,80}){0,8} :?= (?:[\w.]{1,200}\.)?(\w+)\(" % word, self._body
        ):
            return self._result(match[1].decode())
        # "for _, col := range tblInfo.Columns {", "state, ok := m.nodeMap[d.Node]"
        held = (
            rb"(?:for \w{1,80}, %s :?= range (?:[\w.]{1,200}\.)?(\w+) \{"
            rb"|\b%s(?:, \w{1,80})? :?= (?:[\w.]{1,200}\.)?(\w+)\[)"
        )
        if match := re.search(held % (word, word), self._body):
            return self.kind((match[1] or match[2]).decode(), "")
        return ""

    def _result(self, function: str) -> str:
        found = (self._tree.result(function, sources) for sources in self._sources(function))
        return next((kind for kind in found if kind), "")

    def owner(self, path: tuple[str, ...]) -> str:
        """The type that owns the last element of an access path."""
        kind = self.variable(path[0])
        for step in path[1:-1]:
            if step.endswith("()"):
                kind = self._result(step.removesuffix("()"))
            else:
                kind = self.kind(step, kind)
        return kind

    def kind(self, name: str, owner: str) -> str:
        """The type of a field of that owner, or the common type of all fields of that name."""
        if field := self.field(name, owner):
            return bare(field.kind)
        for sources in self._sources(name):
            kinds = {bare(f.kind) for f in self._tree.fields(name, sources)}
            if kinds:
                return kinds.pop() if len(kinds) == 1 else ""
        return ""

    def field(self, name: str, owner: str) -> Field | None:
        """The declaration of a field of that owner, or of the only struct with such a field."""
        found: list[Field] = []
        for sources in self._sources(name):
            found = self._tree.fields(name, sources)
            if field := self._of(owner, found, _DEPTH):
                return field
        return found[0] if not owner and len({f.owner for f in found}) == 1 else None

    def _of(self, owner: str, found: list[Field], depth: int) -> Field | None:
        """The field of a struct or of a struct it embeds."""
        if not owner or not depth or not found:
            return None
        for field in found:
            if field.owner == owner:
                return field
        for inner in self._tree.embedded(owner, self._tree.declaring(owner, self._path)):
            if below := self._of(inner, found, depth - 1):
                return below._replace(owner=owner)
        return None
