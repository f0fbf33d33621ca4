"""The source of a report's frames at its pin: the racing lines with what they may access, and code snippets."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.model import Access, Frame, Op, Origin
from deadheat.repo.pinning import line_claims
from deadheat.repo.pinning.line_claims import class_of_method, declaration_name
from deadheat.repo.syntax import line_accesses, parser
from deadheat.repo.syntax.line_accesses import BASE, CALLEE, OPERAND, PossibleAccess
from deadheat.repo.syntax.parser import language_of_file, language_of_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Report
    from deadheat.repo.clone import Clone, CommitSnapshot
    from deadheat.repo.syntax.declarations import CommitTree

    LineSpan = tuple[int, int]

WRITING_OPS = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
_NOT_VARIABLES = frozenset(
    ("nil", "true", "false", "this", "self", "len", "cap", "append", "make", "new", "panic", "string")
)
# `	"github.com/pingcap/tidb/kv"`, `	plannercore "github.com/…/core"`
_GO_IMPORT = re.compile(rb'^(?:import )?[ \t]*+(\w+)?[ \t]*+"(?:[^"\n]*/)?([\w.-]+)"$', re.MULTILINE)

# "Feed(int n) : limit_(n), ": member initializers follow the parameters
_MEMBER_INITIALIZERS = re.compile(rb"\)\s{0,99}:(?!:)")


_MAX_CALLERS = 3  # through which a parameter is followed


class RacingLine(NamedTuple):
    """One access of a report in the source at the pin."""

    access: Access
    frame: Frame
    path: str
    source: bytes
    body: bytes  # of the function
    first: int  # its line
    possible_accesses: list[PossibleAccess]
    calls: list[PossibleAccess]
    caller: RacingLine | None = None  # the calling line, accessing the arguments it passes

    @property
    def is_go(self) -> bool:
        return language_of_path(self.path) == "go"

    @property
    def is_write(self) -> bool:
        return self.access.op in WRITING_OPS

    @property
    def text(self) -> bytes:
        return b"".join(parser.source_lines(self.source, self.frame.line, self.frame.line)) if self.frame.line else b""

    @property
    def is_call_site(self) -> bool:
        """Whether the line only calls the function that made the access."""
        stack = self.access.stack
        inner_frames = stack[: stack.index(self.frame)] if self.frame in stack else ()
        return any(inner.origin not in (Origin.RUNTIME, Origin.GENERATED) for inner in inner_frames)

    def is_import_name(self, name: str) -> bool:
        return name in _import_names(self.source)

    def is_field_access(self, access: PossibleAccess) -> bool:
        return len(access.path) > 1 + self.is_import_name(access.path[0])


@lru_cache(maxsize=64)
def _import_names(source: bytes) -> frozenset[str]:
    """The names of the packages that a Go file imports."""
    end = source.find(b"\nfunc ")
    return frozenset(
        (match[0] or match[1]).decode() for match in _GO_IMPORT.findall(source, 0, end if end > 0 else len(source))
    )


def find_racing_lines(clone: Clone, tree: CommitTree, report: Report) -> list[RacingLine]:
    """The racing lines of a report whose source is available."""
    by_index: dict[int, RacingLine] = {}
    for index, access in enumerate(report.accesses):
        for frame in access.stack:
            blobs = clone.blobs_at([tree.commit], clone.paths_of(frame)).items()
            lines = (_racing_line_at(clone, access, frame, path, blob) for (_, path), blob in blobs)
            if line := next(lines, None):
                caller = _calling_line(clone, tree, line)
                by_index[index] = line._replace(possible_accesses=resolve_members(tree, line), caller=caller)
                break
    for index, access in enumerate(report.accesses):
        if index not in by_index and by_index and access.stack:
            line = _find_by_function(clone, tree, access, next(iter(by_index.values())).path)
            by_index |= {index: line} if line else {}
    return [by_index[index] for index in sorted(by_index)]


def resolve_members(tree: CommitTree, line: RacingLine) -> list[PossibleAccess]:
    """The accesses of a line, with unqualified C++ members resolved to `this`."""
    owner = class_of_method(line.frame.function)
    if language_of_file(line.path, line.source) != "cpp" or not owner:
        return line.possible_accesses
    header = _MEMBER_INITIALIZERS.split(line.body.partition(b"{")[0])[0]

    def is_member(access: PossibleAccess) -> bool:
        if len(access.path) > 1 or line_claims.contains_name(access.name, header):
            return False  # member of a named object, or a parameter
        return parser.find_member("cpp", tree.folder_contents(line.path), access.name, owner) is not None

    return [each._replace(path=("this", each.name)) if is_member(each) else each for each in line.possible_accesses]


def _calling_line(clone: Clone, tree: CommitTree, line: RacingLine, depth: int = 1) -> RacingLine | None:
    """The Go line that calls the racing function, with the arguments it passes, and the lines that call that one."""
    stack = line.access.stack
    caller = next(iter(stack[stack.index(line.frame) + 1 :]), None)
    name = declaration_name(line.frame.function, "go").rpartition(".")[2]
    if caller is None or not name or caller.line is None or caller.stale or not line.is_go:
        return None
    for (_, path), blob in clone.blobs_at([tree.commit], clone.paths_of(caller)).items():
        source = clone.git.read_object(blob)
        span = _function_span("go", source, caller) if source is not None and language_of_path(path) == "go" else None
        if source is not None and span is not None:
            accesses = line_accesses.accesses_through_parameters(
                line.possible_accesses, line.source, line.first, name, source, caller.line
            )
            body = b"\n".join(parser.source_lines(source, *span))
            if not accesses:
                return None
            calling_line = RacingLine(line.access, caller, path, source, body, span[0], accesses, [])
            outer = _calling_line(clone, tree, calling_line, depth + 1) if depth < _MAX_CALLERS else None
            return calling_line._replace(caller=outer)
    return None


def _find_by_function(clone: Clone, tree: CommitTree, access: Access, near_path: str) -> RacingLine | None:
    """Find an access without a line number by its function, in the folder of the other access."""
    frame = access.stack[0]
    if frame.line is not None or not declaration_name(frame.function, "go"):
        return None
    for path in tree.folder_paths(near_path):
        blob = clone.blobs_at([tree.commit], [path]).get((tree.commit, path), "")
        if line := _racing_line_at(clone, access, frame, path, blob):
            return line
    return None


def _racing_line_at(clone: Clone, access: Access, frame: Frame, path: str, blob: str) -> RacingLine | None:
    source = clone.git.read_object(blob)
    language = language_of_file(path, source) if source is not None else None
    span = _function_span(language, source, frame) if source is not None and language is not None else None
    if source is None or language is None or span is None:
        return None
    rows = (frame.line, frame.line) if frame.line is not None else span
    line = line_of_rows(access, frame, path, source, span, rows, language)
    likely = filter_by_operation(line.possible_accesses, access.op, source)
    if language == "go" and line.is_call_site:
        # the race is inside the call, not on its result or name
        likely = [each for each in likely if each.rank in (OPERAND, BASE)]
    return line._replace(possible_accesses=likely)


def line_of_rows(
    access: Access, frame: Frame, path: str, source: bytes, span: LineSpan, rows: LineSpan, language: str
) -> RacingLine:
    """An access by some rows of the function with this extent, with all that these rows may access."""
    body = b"\n".join(parser.source_lines(source, *span))
    accesses = [
        each for row in range(rows[0], rows[1] + 1) for each in line_accesses.accesses_on_line(language, source, row)
    ]
    calls = [each for each in accesses if each.rank == CALLEE]
    return RacingLine(access, frame, path, source, body, span[0], accesses, calls)


def _function_span(language: str, source: bytes, frame: Frame) -> tuple[int, int] | None:
    name = declaration_name(frame.function, language)
    if language == "go" and name:
        return line_claims.go_function_lines(name, source)
    if not name and language != "go":
        function = line_claims.function_around(frame.file, source, frame.line or 0)
        return function[1] if function else None
    return line_claims.span_around(frame.line or 0, line_claims.function_extents(language, source, name))


def filter_by_operation(accesses: list[PossibleAccess], op: Op, source: bytes) -> list[PossibleAccess]:
    """The accesses that match the operation, without packages, calls and builtins."""
    imports = _import_names(source)
    variables = [
        each
        for each in accesses
        if each.name not in _NOT_VARIABLES
        and not (len(each.path) == 1 and (each.name in imports or each.rank == CALLEE))
        and not (len(each.path) == 2 and each.path[0] in imports and each.rank == CALLEE)
        and each.name[:1] != "_"
    ]
    if op in WRITING_OPS:
        return [each for each in variables if each.writes] or variables
    return variables


# context lines: around racing and creating lines, around other calls
_RACING_CONTEXT, _CALL_CONTEXT = 3, 1
_MAX_SNIPPETS = 60
_MAX_LINE_LENGTH = 300  # characters of a line


class CodeSnippet(NamedTuple):
    """The lines of a file around a frame."""

    frame: Frame
    path: str
    first: int
    rows: tuple[str, ...]


def code_snippets(report: Report, snapshot: CommitSnapshot) -> list[CodeSnippet]:
    """The code around every current frame in the repository, each location once."""
    by_location: dict[tuple[str, int], CodeSnippet] = {}
    for frame, context in _frames_to_show(report):
        line, path = frame.line or 0, snapshot.path_of(frame)
        if path is None or (path, line) in by_location:
            continue
        rows = _snippet_lines(snapshot.source_of(frame) or b"", line, context)
        if rows:
            by_location[path, line] = CodeSnippet(frame, path, max(1, line - context), rows)
        if len(by_location) == _MAX_SNIPPETS:
            break
    return list(by_location.values())


def _frames_to_show(report: Report) -> Iterator[tuple[Frame, int]]:
    """Racing lines first, then creations, then calls; stale frames are left out."""
    stacks = [[each for each in access.stack if _is_current(each)] for access in report.accesses]
    starts = [[each for each in actor.created_at if _is_current(each)] for actor in report.actors]
    yield from ((a.site, _RACING_CONTEXT) for a in report.accesses if a.site and _is_current(a.site))
    yield from ((stack[0], _RACING_CONTEXT) for stack in starts if stack)
    yield from ((frame, _CALL_CONTEXT) for stack in stacks for frame in stack)


def _is_current(frame: Frame) -> bool:
    return frame.line is not None and not frame.stale


def _snippet_lines(source: bytes, line: int, context: int) -> tuple[str, ...]:
    rows = parser.source_lines(source, max(1, line - context), line + context)
    if len(rows) < min(line, context + 1):
        return ()  # the file is shorter
    return tuple(row.decode("utf-8", "replace").rstrip("\r")[:_MAX_LINE_LENGTH] for row in rows)
