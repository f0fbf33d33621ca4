"""The code at a pin as the rules of diagnosis ask for it; the reader that is injected into them."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from deadheat.code.around import around
from deadheat.code.languages import language
from deadheat.code.types import Types
from deadheat.diagnose.source import Around, Shared

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deadheat.code.sides import Side
    from deadheat.code.tree import Tree
    from deadheat.code.variable import Variable
    from deadheat.model import Frame

# "go 1.21", in go.mod
_VERSION = re.compile(rb"^go 1\.(\d{1,3})", re.MULTILINE)
_FRESH = 22  # from this version on, each turn of a loop has a variable of its own


class CodeSource:
    """Answers from one commit; `find` gives the path and the content of a frame's file there."""

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
        tongue = language(found[0]) if found else None
        if found is None or tongue is None or frame.line is None:
            return None
        return around(tongue, found[1], found[0], frame.line)

    def shared(self) -> Shared | None:
        told = self._variable
        if told is None:
            return None
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

    def _type(self, told: Variable) -> str:
        """The type as it is declared: of a field, else what the declaration's line says."""
        for side in self._both:
            if told.kind == "field" and language(side.path) == "go":
                field = Types(self._tree, side.path, side.body).field(told.name, told.owner or "")
                if field:
                    return field.kind
        if told.declared is None:
            return ""
        source = self._tree.near(told.declared.file).get(told.declared.file, b"")
        rows = source.split(b"\n", told.declared.line)
        text = rows[told.declared.line - 1] if len(rows) >= told.declared.line else b""
        return text.decode("utf-8", "replace").strip()

    def loops_share(self) -> bool | None:
        return self._loops_share

    @cached_property
    def _loops_share(self) -> bool | None:
        """The `go` line of the nearest go.mod decides."""
        folders = [side.path.split("/")[:-1] for side in self._both if side.path.endswith(".go")]
        for parts in folders:
            for end in range(len(parts), -1, -1):
                content = self._read("/".join([*parts[:end], "go.mod"]))
                told = _VERSION.search(content) if content else None
                if told:
                    return int(told[1]) < _FRESH
        return None
