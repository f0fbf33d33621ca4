"""Marks frames that the source refutes: their line cannot call the frame above."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.model import Frame, Origin, Report
from deadheat.repo.file_versions import is_exported
from deadheat.repo.pinning import line_claims
from deadheat.repo.pinning.line_claims import declaration_name, has_no_call_name, source_language
from deadheat.repo.syntax import line_accesses, parser

if TYPE_CHECKING:
    from deadheat.repo.clone import Clone
    from deadheat.repo.pinning.window import Pin
    from deadheat.repo.syntax.declarations import CommitTree

FrameStack = tuple[Frame, ...]
# built-in functions and types: they call no user code
_BUILTIN_NAMES = frozenset(
    ("append", "cap", "clear", "close", "complex", "copy", "delete", "imag", "len",
     "make", "max", "min", "new", "panic", "print", "println", "real", "recover", "bool",
     "byte", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64",
     "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr")
)  # fmt: skip


# inlining: depth, lines of a function, functions to search
_MAX_INLINE_DEPTH, _MAX_INLINE_LINES, _MAX_FUNCTIONS = 4, 24, 48
# "rw.logger.Info(", "atomic.AddInt32(", "func("
_CALL_TEXT = re.compile(rb"(\.?)\b(\w{1,80})\(")
_KEYWORDS = frozenset(("func", "if", "for", "switch", "return", "go", "defer", "select"))


class RefutedCall(NamedTuple):
    """The first call of a stack that the source refutes."""

    stack_name: str  # "goroutine 304", or "creation of goroutine 304"
    callee: Frame
    caller: Frame
    why: str


class FrameChecker:
    """Checks whether lines of a commit can call the functions above them in the stack."""

    def __init__(self, clone: Clone, tree: CommitTree, pin: Pin) -> None:
        self._clone, self._tree = clone, tree
        # if one frame of a file does not fit, no line of it refutes anything
        self._doubtful_files = {f.path or f.file for f in pin.misfits}
        self._refutations: dict[tuple[str, int | None, str, bool], str] = {}
        self._bodies_by_name: dict[tuple[str, str], list[tuple[str, bytes]]] = {}

    def mark_report(self, report: Report) -> tuple[Report, list[RefutedCall]]:
        """The report with its refuted frames marked, and where they begin."""
        refuted_calls: list[RefutedCall] = []
        accesses = tuple(a._replace(stack=self._mark_stack(a.stack, a.actor, refuted_calls)) for a in report.accesses)
        actors = tuple(
            a._replace(created_at=self._mark_stack(a.created_at, f"creation of {a.id}", refuted_calls))
            for a in report.actors
        )
        return report._replace(accesses=accesses, actors=actors), refuted_calls

    def _mark_stack(self, stack: FrameStack, stack_name: str, refuted_calls: list[RefutedCall]) -> FrameStack:
        for index in range(1, len(stack)):
            if why := self._refutation_of(stack[index - 1], stack[index]):
                refuted_calls.append(RefutedCall(stack_name, stack[index - 1], stack[index], why))
                return stack[:index] + tuple(f._replace(stale=True) for f in stack[index:])
        return stack

    def _refutation_of(self, callee: Frame, caller: Frame) -> str:
        """Why a frame cannot have called the one above; empty if it can."""
        if callee.origin in (Origin.RUNTIME, Origin.GENERATED) or has_no_call_name(callee.function):
            return ""
        language = source_language(caller)
        if language != "go" or (caller.path or caller.file) in self._doubtful_files:
            return ""
        name = declaration_name(callee.function, language).rpartition(".")[2]
        if not name:
            return ""
        is_user_code = callee.origin is Origin.USER
        key = (caller.path or caller.file, caller.line, name, is_user_code)
        if key not in self._refutations:
            self._refutations[key] = self._check_line(caller, name, is_user_code)
        return self._refutations[key]

    def _check_line(self, caller: Frame, name: str, is_user_code: bool) -> str:
        blobs = self._clone.blobs_at([self._tree.commit], self._clone.paths_of(caller))
        source = next((s for b in blobs.values() if (s := self._clone.git.read_object(b))), None)
        span = line_claims.go_function_lines(declaration_name(caller.function, "go"), source) if source else None
        line = caller.line or 0
        if source is None or span is None or not span[0] <= line <= span[1]:
            return ""
        text = line_claims.line_text(source, line) or b""
        if line_claims.contains_name(name, text) or line_claims.may_return(text):
            return ""  # a deferred call
        callees = [t for t in line_accesses.accesses_on_line("go", source, line) if t.rank == line_accesses.CALLEE]
        body = b"\n".join(parser.source_lines(source, *span))
        path = next(path for _, path in blobs)
        if any(self._may_reach(t.path, name, path, body, is_user_code) for t in callees):
            return ""
        callee_names = ", ".join(dict.fromkeys(t.name for t in callees)) or "nothing"
        return f"{caller.file}:{line} calls {callee_names}, none of which can call {name}"

    def _may_reach(self, chain: tuple[str, ...], name: str, path: str, body: bytes, is_user_code: bool) -> bool:
        """Whether a call may end up in the function: not if the code that it runs never names it."""
        last = chain[-1].removesuffix("()")
        if len(chain) == 1 and (last in _BUILTIN_NAMES or _is_closure(last, body)):
            return line_claims.contains_name(name, body)  # a closure has its own frame
        bodies = self._function_bodies(last, path)
        # not declared in the tree: a function value or another module
        return not bodies or self._bodies_may_reach(bodies, name, is_user_code)

    def _bodies_may_reach(self, bodies: list[tuple[str, bytes]], name: str, is_user_code: bool) -> bool:
        """Whether one of the functions, or one inlined into them, names the function.

        Small functions may be inlined and have no frame. A call into a library may reach any library
        function, and a function value any function.
        """
        visited: set[tuple[str, bytes]] = set()
        for _ in range(_MAX_INLINE_DEPTH):
            if any(line_claims.contains_name(name, text) for _, text in bodies):
                return True
            visited.update(bodies)
            callees = [
                (file, bool(dot), word.decode())
                for file, text in bodies
                if text.count(b"\n") < _MAX_INLINE_LINES
                for dot, word in dict.fromkeys(_CALL_TEXT.findall(text.partition(b"\n")[2]))
            ]
            bodies = []
            for file, dot, word in callees[:_MAX_FUNCTIONS]:
                if word in _BUILTIN_NAMES | _KEYWORDS:
                    continue
                inner = self._function_bodies(word, file)
                if not inner and not (is_user_code and dot):
                    return True
                bodies += [
                    function_body
                    for function_body in inner
                    if function_body not in visited and function_body not in bodies
                ]
            if not bodies or len(visited) > _MAX_FUNCTIONS:
                return False
        return False

    def _function_bodies(self, name: str, path: str) -> list[tuple[str, bytes]]:
        """The functions and methods of that name that a file can call, with their files."""
        folder = "" if is_exported(name) else path.rpartition("/")[0]
        if (name, folder) not in self._bodies_by_name:
            call_text = b" " + name.encode("utf-8", "replace") + b"("
            self._bodies_by_name[name, folder] = [
                (file, b"\n".join(parser.source_lines(source, *span)))
                for file, source in self._tree.files_declaring(name, path).items()
                if file.endswith(".go") and call_text in source
                for span in line_claims.go_function_extents(source, name)
            ]
        return self._bodies_by_name[name, folder]


def _is_closure(name: str, body: bytes) -> bool:
    """Whether the function assigns a function literal to the name: `tryAction := func(…`"""
    escaped_name = re.escape(name.encode("utf-8", "replace"))
    return re.search(rb"\b%s :?= func\(" % escaped_name, body) is not None
