"""The code at a pin, as the diagnosis rules query it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from deadheat.code import copying, copying_native, syntax
from deadheat.code.around import around
from deadheat.code.callers import calling, storing, touching
from deadheat.code.languages import language, spoken
from deadheat.code.starting import started
from deadheat.code.types import Types
from deadheat.diagnose.source import Around, Shared

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deadheat.code.sides import Side
    from deadheat.code.tree import Tree
    from deadheat.code.variable import Variable
    from deadheat.model import Frame

# "type table[K comparable, V any] map[K]V", "type alarms []Alarm"
_CONTAINER = rb"^type %s(?:\[[^\]\n]{0,200}\])? ((?:map\[|\[\w{0,40}\])[^\n]{1,200})"
# "type Bus struct{ ls []Listener }"
_STRUCT = rb"^type %s(?:\[[^\]\n]{0,200}\])? struct ?\{([^}\n]{1,300})\}"
# "func (t *Tracker) Consume(", "func Map[K any]("
_FUNCTION = rb"^func (?:\((?:\w{1,80} )?\*?(\w{1,80})(?:\[[^\]\n]{0,200}\])?\) )?%s[(\[]"
# "&Tracker{label: label, parent: parent}"
_FILLED = rb"\b%s:[ \t]{0,40}[^=\s]"
# "s.conn = nil", "s->conn = NULL;"
_ASSIGNED = rb"(?:\.|->)%s = ([^=\n][^\n/;]{0,200})"
_NOTHING = (b"nil", b"NULL", b"nullptr", b"0")
# "alarms", "table[string, bool]"
_NAMED = re.compile(r"([A-Za-z_]\w*)(?:\[.{0,200}\])?$")
# "go 1.21", in go.mod
_VERSION = re.compile(rb"^go 1\.(\d{1,3})", re.MULTILINE)
_FRESH = 22  # from Go 1.22 on, each iteration has its own loop variable
# limits: files of a folder, functions of one name
_FILES, _NAMESAKES = 40, 6
_WORD = re.compile(r"[A-Za-z_]\w*")
_BODY = 1 << 16  # bytes of a function that are searched for names


class CodeSource:
    """The code of one commit; `find_file` returns the path and content of a frame's file."""

    def __init__(
        self,
        find: Callable[[Frame], tuple[str, bytes] | None],
        read: Callable[[str], bytes | None],
        tree: Tree,
        both: Sequence[Side],
        variable: Variable | None,
    ) -> None:
        self._find, self._read, self._tree = find, read, tree
        self._both, self._variable = both, variable

    def around(self, frame: Frame) -> Around | None:
        found = self._find(frame)
        tongue = spoken(*found) if found else None
        if found is None or tongue is None or frame.line is None:
            return None
        seen = around(tongue, found[1], found[0], frame.line)
        if seen is None or tongue != "go" or not seen.receiver:
            return seen
        return replace(seen, made_of=self._made_of(seen.receiver, found[0]))

    def _made_of(self, name: str, path: str) -> str:
        """`map[K]V` for `type table[K comparable, V any] map[K]V`; empty for a struct."""
        word = name.encode("utf-8", "replace")
        pattern = re.compile(_CONTAINER % re.escape(word), re.MULTILINE)
        for source in self._tree.beside(name, path).values():
            if told := pattern.search(source):
                return told[1].decode("utf-8", "replace").strip()
        return ""

    def defined(self, name: str, beside: Frame, owner: str = "") -> Around | None:
        found = self._find(beside)
        if found is None or not name:
            return None
        near = {found[0]: found[1]} | self._tree.near(found[0])
        if spoken(*found) == "go":
            only = _of_go(name, near, owner)
            return _with_names(only, near) if only else None
        word = name.encode("utf-8", "replace")
        files = [(p, text) for p, text in near.items() if word in text][:_FILES]
        seen = [
            one
            for path, text in files
            if (kind := spoken(path, text)) and kind != "go"
            for _, last in syntax.functions(kind, text, name)[:_NAMESAKES]
            if (one := around(kind, text, path, last))
        ]
        own = [one for one in seen if one.receiver == owner] if owner else seen
        only = own[0] if len(own) == 1 else seen[0] if len(seen) == 1 else None
        return _with_names(only, near) if only else None

    def starter(self, name: str, beside: Frame) -> Around | None:
        found = self._find(beside)
        if found is None or not name:
            return None
        near = {found[0]: found[1]} | self._tree.near(found[0])
        seen = [
            one
            for path, text in near.items()
            if (kind := spoken(path, text))
            for line in started(text, name)[:_NAMESAKES]
            if (one := around(kind, text, path, line)) and one.function != name
        ]
        return seen[0] if len(seen) == 1 else None

    def callers(self, name: str, beside: Frame) -> tuple[Around, ...]:
        return calling(self._near(beside), name) if name else ()

    def touched(self, name: str, beside: Frame) -> tuple[Around, ...]:
        return touching(self._near(beside), name) if name else ()

    def stored(self, name: str, field: bool, beside: Frame) -> frozenset[tuple[str, int]]:
        return storing(self._near(beside), name, field) if name else frozenset()

    def _near(self, beside: Frame) -> dict[str, bytes]:
        found = self._find(beside)
        return {found[0]: found[1]} | self._tree.near(found[0]) if found else {}

    def copied(self, kind: str, beside: Frame) -> tuple[str, int] | None:
        found = self._find(beside)
        tongue = spoken(*found) if found and kind.isidentifier() else None
        if found is None or tongue is None:
            return None
        copied = copying.copied if tongue == "go" else copying_native.copied
        near = {found[0]: found[1]} | self._tree.near(found[0])
        files = [(path, text) for path, text in near.items() if kind.encode() in text][:_FILES]
        for path, text in files:
            other = spoken(path, text)
            if other is not None and (other == "go") == (tongue == "go"):
                line = copied(text.decode("utf-8", "replace"), kind)
                if line is not None:
                    return path, line
        return None

    def only_cleared(self, name: str, beside: Frame, maker: Around | None) -> bool:
        found = self._find(beside)
        word = re.compile(_ASSIGNED % re.escape(name.encode("utf-8", "replace")))
        near = ({found[0]: found[1]} | self._tree.near(found[0])) if found and name else {}
        told = [
            given[1].strip()
            for path, text in islice(near.items(), _FILES)
            if "_test." not in path
            for given in word.finditer(text)
            if not _is_in(maker, path, text.count(b"\n", 0, given.start()) + 1)
        ]
        return bool(told) and all(given in _NOTHING for given in told)

    def fills(self, name: str, beside: Frame) -> bool:
        side = next((s for s in self._both if s.path.endswith(".go")), None)
        word = re.compile(_FILLED % re.escape(name.encode("utf-8", "replace")))
        near = self._tree.beside(name, side.path) if side and name else {}
        return any(word.search(text) for p, text in near.items() if not p.endswith("_test.go"))

    def shared(self) -> Shared | None:
        told = self._variable
        if told is None:
            return self._member()
        place = told.declared
        return Shared(
            name=told.name,
            kind=told.kind,
            owner=told.owner or "",
            type=self._type(told),
            file=place.file if place else "",
            line=place.line if place else None,
            part=told.part or "",
            sure=told.sure,
        )

    def _member(self) -> Shared | None:
        """The class member that both C++ lines name without an object."""
        if len(self._both) < 2 or any(language(side.path) == "go" for side in self._both):
            return None
        a, b = [{t.name for t in side.touches if len(t.path) == 1} for side in self._both[:2]]
        names = sorted((a & b) - {c.name for side in self._both[:2] for c in side.calls})
        path = self._both[0].path
        tongue = spoken(path, self._both[0].source)
        near = self._tree.near(path) if tongue and names else {}
        declared = [(name, syntax.member(tongue or "", near, name)) for name in names[:_NAMESAKES]]
        members = [(name, *told) for name, told in declared if told and told[0]]
        if len(members) != 1:
            return None
        name, owner, file, line = members[0]
        text = near[file].split(b"\n", line)[line - 1].decode("utf-8", "replace").strip()
        return Shared(name, "field", owner, text, file, line, sure=False)

    def _type(self, told: Variable) -> str:
        """The declared type of a Go field, else the text of the declaration line."""
        for side in self._both:
            if told.kind == "field" and language(side.path) == "go":
                field = Types(self._tree, side.path, side.body).field(told.name, told.owner or "")
                kind = (
                    field.kind if field else self._in_line(told.name, told.owner or "", side.path)
                )
                if kind:
                    path = field.place.file if field else side.path
                    return self._made_of(_bare(kind), path) or kind
        if told.declared is None:
            return ""
        source = self._tree.near(told.declared.file).get(told.declared.file, b"")
        rows = source.split(b"\n", told.declared.line)
        text = rows[told.declared.line - 1] if len(rows) >= told.declared.line else b""
        return text.decode("utf-8", "replace").strip()

    def _in_line(self, name: str, owner: str, path: str) -> str:
        """`[]Watcher` for `type Feeding struct{ watchers []Watcher; open bool }`."""
        pattern = re.compile(_STRUCT % re.escape(owner.encode("utf-8", "replace")), re.MULTILINE)
        for source in self._tree.beside(name, path).values() if owner else ():
            told = pattern.search(source)
            for part in told[1].decode("utf-8", "replace").split(";") if told else ():
                names, _, kind = part.strip().rpartition(" ")
                if name in names.replace(",", " ").split():
                    return kind
        return ""

    def loops_share(self) -> bool | None:
        return self._loops_share

    @cached_property
    def _loops_share(self) -> bool | None:
        """Decided by the `go` line of the nearest go.mod."""
        folders = [side.path.split("/")[:-1] for side in self._both if side.path.endswith(".go")]
        for parts in folders:
            for end in range(len(parts), -1, -1):
                content = self._read("/".join([*parts[:end], "go.mod"]))
                told = _VERSION.search(content) if content else None
                if told:
                    return int(told[1]) < _FRESH
        return None


def _of_go(name: str, near: dict[str, bytes], owner: str) -> Around | None:
    """The only function of that name, or the only one of the owner type; found by text."""
    word = name.encode("utf-8", "replace")
    made = re.compile(_FUNCTION % re.escape(word), re.MULTILINE)
    found = [
        (path, told)
        for path, text in near.items()
        if path.endswith(".go") and word in text
        for told in islice(made.finditer(text), _NAMESAKES)
    ]
    kind = owner.encode("utf-8", "replace")
    own = [(path, told) for path, told in found if not owner or told[1] == kind]
    if len(own) != 1 and len(found) != 1:
        return None
    path, told = own[0] if len(own) == 1 else found[0]
    first = near[path].count(b"\n", 0, told.start()) + 1
    spans = syntax.functions("go", near[path], name)
    last = next((end for begin, end in spans if begin == first), None)
    return around("go", near[path], path, last) if last else None


def _is_in(function: Around | None, path: str, line: int) -> bool:
    return (
        function is not None and function.path == path and function.first <= line <= function.last
    )


def _with_names(seen: Around, near: dict[str, bytes]) -> Around:
    body = b"\n".join(near[seen.path].split(b"\n", seen.last)[seen.first - 1 : seen.last])
    names = _WORD.findall(body[:_BODY].decode("utf-8", "replace"))
    return replace(seen, mentions=frozenset(names))


def _bare(kind: str) -> str:
    """`table` for `table[string, bool]`; empty if the type is not a name."""
    named = _NAMED.match(kind.strip())
    return named[1] if named else ""
