"""Marks frames that the source refutes: their line cannot call the frame above."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import lines, syntax, touches
from deadheat.code.asking import declared, is_nameless, tongue_of
from deadheat.code.named import is_exported
from deadheat.model import Frame, Origin, Report

if TYPE_CHECKING:
    from deadheat.code.clone import Clone
    from deadheat.code.tree import Tree
    from deadheat.code.window import Pin

Stack = tuple[Frame, ...]
# built-in functions and types: they call no user code
_BUILT_IN = frozenset(
    ("append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len",
     "make", "max", "min", "new", "panic", "print", "println", "real", "recover", "bool",
     "byte", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64",
     "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr")
)  # fmt: skip


# inlining: depth, lines of a function, functions to search
_DEPTH, _SMALL, _MANY = 4, 24, 48
# "rw.logger.Info(", "atomic.AddInt32(", "func("
_CALLED = re.compile(rb"(\.?)\b(\w{1,80})\(")
_WORDS = frozenset(("func", "if", "for", "switch", "return", "go", "defer", "select"))


class Break(NamedTuple):
    """The first call of a stack that the source refutes."""

    where: str  # "goroutine 304", or "creation of goroutine 304"
    above: Frame
    below: Frame
    why: str


class Proof:
    """Checks whether lines of a commit can call the functions above them in the stack."""

    def __init__(self, clone: Clone, tree: Tree, pin: Pin) -> None:
        self._clone, self._tree = clone, tree
        # if one frame of a file does not fit, no line of it refutes anything
        self._doubtful = {f.path or f.file for f in pin.misfits}
        self._known: dict[tuple[str, int | None, str, bool], str] = {}
        self._found: dict[tuple[str, str], list[tuple[str, bytes]]] = {}

    def report(self, report: Report) -> tuple[Report, list[Break]]:
        """The report with its refuted frames marked, and where they begin."""
        breaks: list[Break] = []
        accesses = tuple(
            a._replace(stack=self._marked(a.stack, a.actor, breaks)) for a in report.accesses
        )
        actors = tuple(
            a._replace(created_at=self._marked(a.created_at, f"creation of {a.id}", breaks))
            for a in report.actors
        )
        return report._replace(accesses=accesses, actors=actors), breaks

    def _marked(self, stack: Stack, where: str, breaks: list[Break]) -> Stack:
        for at in range(1, len(stack)):
            if why := self._refuted(stack[at - 1], stack[at]):
                breaks.append(Break(where, stack[at - 1], stack[at], why))
                return stack[:at] + tuple(f._replace(stale=True) for f in stack[at:])
        return stack

    def _refuted(self, above: Frame, below: Frame) -> str:
        """Why a frame cannot have called the one above; empty if it can."""
        if above.origin in (Origin.RUNTIME, Origin.GENERATED) or is_nameless(above.function):
            return ""
        tongue = tongue_of(below)
        if tongue != "go" or (below.path or below.file) in self._doubtful:
            return ""
        name = declared(above.function, tongue).rpartition(".")[2]
        if not name:
            return ""
        own = above.origin is Origin.USER
        key = (below.path or below.file, below.line, name, own)
        if key not in self._known:
            self._known[key] = self._looked(below, name, own)
        return self._known[key]

    def _looked(self, below: Frame, name: str, own: bool) -> str:
        blobs = self._clone.blobs([self._tree.commit], self._clone.paths(below))
        source = next((s for b in blobs.values() if (s := self._clone.git.object(b))), None)
        span = lines.go_extent(declared(below.function, "go"), source) if source else None
        line = below.line or 0
        if source is None or span is None or not span[0] <= line <= span[1]:
            return ""
        text = lines.text(source, line) or b""
        if lines.names(name, text) or lines.returns(text):
            return ""  # a deferred call
        called = [t for t in touches.touches("go", source, line) if t.rank == touches.CALLEE]
        body = b"\n".join(syntax.rows(source, *span))
        path = next(path for _, path in blobs)
        if any(self._may_reach(t.path, name, path, body, own) for t in called):
            return ""
        shown = ", ".join(dict.fromkeys(t.name for t in called)) or "nothing"
        return f"{below.file}:{line} calls {shown}, none of which can call {name}"

    def _may_reach(
        self, chain: tuple[str, ...], name: str, path: str, body: bytes, own: bool
    ) -> bool:
        """Whether a call may end up in the function: not if the code that it runs never names it."""
        last = chain[-1].removesuffix("()")
        if len(chain) == 1 and (last in _BUILT_IN or _is_closure(last, body)):
            return lines.names(name, body)  # a closure has its own frame
        bodies = self._bodies(last, path)
        # not declared in the tree: a function value or another module
        return not bodies or self._leads(bodies, name, own)

    def _leads(self, bodies: list[tuple[str, bytes]], name: str, own: bool) -> bool:
        """Whether one of the functions, or one inlined into them, names the function.

        Small functions may be inlined and have no frame. A call into a library may reach any library
        function, and a function value any function.
        """
        seen: set[tuple[str, bytes]] = set()
        for _ in range(_DEPTH):
            if any(lines.names(name, text) for _, text in bodies):
                return True
            seen.update(bodies)
            called = [
                (file, bool(dot), word.decode())
                for file, text in bodies
                if text.count(b"\n") < _SMALL
                for dot, word in dict.fromkeys(_CALLED.findall(text.partition(b"\n")[2]))
            ]
            bodies = []
            for file, dot, word in called[:_MANY]:
                if word in _BUILT_IN | _WORDS:
                    continue
                inner = self._bodies(word, file)
                if not inner and not (own and dot):
                    return True
                bodies += [one for one in inner if one not in seen and one not in bodies]
            if not bodies or len(seen) > _MANY:
                return False
        return False

    def _bodies(self, name: str, path: str) -> list[tuple[str, bytes]]:
        """The functions and methods of that name that a file can call, with their files."""
        where = "" if is_exported(name) else path.rpartition("/")[0]
        if (name, where) not in self._found:
            word = b" " + name.encode("utf-8", "replace") + b"("
            self._found[name, where] = [
                (file, b"\n".join(syntax.rows(source, *span)))
                for file, source in self._tree.declaring(name, path).items()
                if file.endswith(".go") and word in source
                for span in lines.go_functions(source, name)
            ]
        return self._found[name, where]


def _is_closure(name: str, body: bytes) -> bool:
    """Whether the function assigns a function literal to the name: `tryAction := func(…`"""
    word = re.escape(name.encode("utf-8", "replace"))
    return re.search(rb"\b%s :?= func\(" % word, body) is not None
