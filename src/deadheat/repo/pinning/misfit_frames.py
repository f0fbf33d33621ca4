"""Frames that do not fit the code of a commit: calls that it refutes, and lines that have to be relocated.

A report may come from uncommitted code or from a branch that the clone does not contain. Its line numbers are wrong
then, but most of its functions exist. A frame is relocated only if exactly one line matches what it claims.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.model import Frame, Origin
from deadheat.repo.file_versions import is_exported
from deadheat.repo.pinning import line_claims
from deadheat.repo.pinning.line_claims import declaration_name, frame_key, has_no_call_name, source_language
from deadheat.repo.racing_lines import WRITING_OPS, filter_by_operation
from deadheat.repo.syntax import line_accesses, parser
from deadheat.repo.syntax.line_accesses import BASE, CALLEE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.diagnosis.finding import Finding
    from deadheat.model import Access, Report
    from deadheat.repo.clone import Clone, CommitSnapshot
    from deadheat.repo.pinning import Pin
    from deadheat.repo.pinning.line_claims import FrameClaim, FrameKey
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
        """Whether one of the functions, or one inlined into them (which has no frame), names the function.

        A call into a library may reach any library function, and a function value any function.
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
                bodies += [body for body in inner if body not in visited and body not in bodies]
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


# "h.mu.Lock()", "defer c.mtx.RUnlock()", "std::lock_guard<std::mutex> guard(mu_);"
_LOCK_CALL = re.compile(rb"[Ll]ock(?:_guard)?\b.{0,80}\(")
_MAX_FUNCTION_LINES = 400  # longer functions are not searched
_MAX_SHIFT_DIFFERENCE = 3  # lines by which shifts in one file may differ
# causes that depend on the conditions around a line
_CONDITION_CAUSES = ("check-then-act", "lazy-initialisation", "double-checked-locking")
_RELOCATED_CONFIDENCE = 0.8  # confidence factor of a finding with a relocated racing line


class RelocatedReport(NamedTuple):
    """A report with line numbers of a commit, and the racing frames whose lines changed."""

    report: Report
    relocated_sites: tuple[tuple[Frame, int], ...]
    is_choice: bool = False  # one of several possible lines was taken

    def supports_finding(self, finding: Finding) -> bool:
        """Whether a finding is valid for any line of the function with the same access."""
        # locks are mostly held for all of them; the conditions around them differ
        return not self.is_choice or finding.cause not in _CONDITION_CAUSES

    def weaken_finding(self, finding: Finding) -> Finding:
        """A finding that depends on relocated lines: with less confidence and a note."""
        if not self.relocated_sites or not finding.from_source:
            return finding
        evidence = list(finding.evidence)
        for frame, line in self.relocated_sites:
            text = f"no commit has this access on line {frame.line}, as in the report; by its content it is line {line}"
            evidence.append(Evidence(text, CodePoint(frame.file, line, frame.function)))
        confidence = round(finding.confidence * _RELOCATED_CONFIDENCE, 2)
        return finding._replace(confidence=confidence, evidence=tuple(evidence))


class _FrameFunction(NamedTuple):
    """A frame's function at the commit."""

    frame_claim: FrameClaim
    path: str
    source: bytes
    span: tuple[int, int]

    @property
    def key(self) -> FrameKey:
        return frame_key(self.frame_claim.frame)

    @property
    def line(self) -> int:
        return self.frame_claim.claim.line


def relocate_frames(snapshot: CommitSnapshot, report: Report, misfits: Iterable[Frame]) -> RelocatedReport | None:
    """The report with the lines of misfit frames relocated; None if no line is found."""
    return _Relocation(snapshot, report, misfits).relocated_report()


def _locate_function(snapshot: CommitSnapshot, frame_claim: FrameClaim) -> _FrameFunction | None:
    file = snapshot.file_of(frame_claim.frame) if frame_claim.claim.function else None
    span = line_claims.function_extent(frame_claim.claim, file[1]) if file else None
    if file is None or span is None or span[1] - span[0] > _MAX_FUNCTION_LINES:
        return None
    return _FrameFunction(frame_claim, *file, span)


def _matching_lines(function: _FrameFunction) -> list[int]:
    """The lines of the function that do what the frame claims, if it names a call."""
    claim = function.frame_claim.claim
    if not claim.action.startswith(("call ", "go")):
        return []
    source, span = function.source, function.span
    claims = [claim._replace(line=row) for row in range(span[0] + 1, span[1] + 1)]
    return [c.line for c in claims if line_claims.grade_claim(c, source, span) == line_claims.GRADE_MATCH]


class _RacingFunction(NamedTuple):
    """The function of a racing line, and the fields that it touches: anywhere in it if misplaced."""

    function: _FrameFunction
    access: Access
    is_misplaced: bool
    field_lines: dict[str, list[int]]

    def shifts_to(self, name: str) -> list[int]:
        """The shifts of the line to those that touch a field."""
        return [row - self.function.line for row in self.field_lines[name]]

    def search_whole_function(self) -> _RacingFunction:
        field_lines = _touched_fields(self.function, self.access, self.function.span)
        return self._replace(is_misplaced=True, field_lines=field_lines)


def _common_field(both: Sequence[_RacingFunction]) -> str:
    """The only field that both functions touch; of several, the one with equal shifts."""
    a, b = both
    names = set(a.field_lines) & set(b.field_lines)
    if len(names) > 1 and a.function.path == b.function.path:
        names = {n for n in names if any(abs(x - y) <= 1 for x in a.shifts_to(n) for y in b.shifts_to(n))}
    return names.pop() if len(names) == 1 else ""


def _touched_fields(function: _FrameFunction, access: Access, span: tuple[int, int]) -> dict[str, list[int]]:
    """The fields that the lines access with the reported operation, with their lines."""
    language = function.frame_claim.claim.language
    found: dict[str, list[int]] = {}
    for row in range(span[0], span[1] + 1):
        if _LOCK_CALL.search(line_claims.line_text(function.source, row) or b""):
            continue
        accesses = line_accesses.accesses_on_line(language, function.source, row)
        for each in filter_by_operation(accesses, access.op, function.source):
            is_field = len(each.path) > 1 and each.rank not in (BASE, CALLEE)
            if is_field and (each.writes or access.op not in WRITING_OPS):
                found.setdefault(each.name, []).append(row)
    return found


class _Relocation:
    """The new lines of the frames of one report, by calls and then by the fields that both racing functions access."""

    def __init__(self, snapshot: CommitSnapshot, report: Report, misfits: Iterable[Frame]) -> None:
        self._snapshot, self._report = snapshot, report
        wanted_keys = set(map(frame_key, misfits))
        claims = [claim for claim in line_claims.frame_claims(report) if frame_key(claim.frame) in wanted_keys]
        self._functions = [located for claim in claims if (located := _locate_function(snapshot, claim))]
        self._new_lines: dict[FrameKey, int] = {}
        self._shifts: dict[str, list[int]] = {}  # of the relocated lines of each file

    def relocated_report(self) -> RelocatedReport | None:
        for function in self._functions:
            rows = _matching_lines(function)
            if len(rows) == 1:
                self._new_lines[function.key] = rows[0]
                self._shifts.setdefault(function.path, []).append(rows[0] - function.line)
        for function in self._functions:
            if function.key not in self._new_lines and (row := self._line_by_shift(function)):
                self._new_lines[function.key] = row
        racing_lines = self._relocate_racing_lines()
        self._new_lines |= {key: rows[0] for key, rows in racing_lines.items()}
        if not self._new_lines:
            return None
        accesses = tuple(
            a._replace(stack=tuple(map(self._with_new_line, a.stack)), site=a.site and self._with_new_line(a.site))
            for a in self._report.accesses
        )
        actors = tuple(
            a._replace(created_at=tuple(map(self._with_new_line, a.created_at))) for a in self._report.actors
        )
        sites = [a.site for a in self._report.accesses if a.site and frame_key(a.site) in self._new_lines]
        relocated_sites = tuple((site, self._new_lines[frame_key(site)]) for site in sites)
        is_choice = any(len(rows) > 1 for rows in racing_lines.values())
        return RelocatedReport(self._report._replace(accesses=accesses, actors=actors), relocated_sites, is_choice)

    def _with_new_line(self, frame: Frame) -> Frame:
        line = self._new_lines.get(frame_key(frame))
        return frame if line is None else frame._replace(line=line)

    def _line_by_shift(self, function: _FrameFunction) -> int | None:
        """Of several matching lines, the one with the same shift as others of its file."""
        known_shifts = self._shifts.get(function.path, ())
        nearby = [
            row
            for row in _matching_lines(function)
            if any(abs(row - function.line - shift) <= _MAX_SHIFT_DIFFERENCE for shift in known_shifts)
        ]
        return nearby[0] if len(nearby) == 1 else None

    def _relocate_racing_lines(self) -> dict[FrameKey, list[int]]:
        both = [racing for racing in map(self._racing_function, self._report.accesses[:2]) if racing is not None]
        if len(both) < 2 or both[0].function[1:] == both[1].function[1:]:
            return {}  # one function: most fields are accessed on several lines
        if not any(racing.is_misplaced for racing in both):
            return self._relocate_fitting_line(both)
        name = _common_field(both)
        if not name:
            # a line that is only possible may have moved, too
            both = [racing if racing.is_misplaced else racing.search_whole_function() for racing in both]
            name = _common_field(both)
        misplaced = [racing for racing in both if racing.is_misplaced and name]
        return {racing.function.key: self._nearest_lines(racing, name) for racing in misplaced}

    def _racing_function(self, access: Access) -> _RacingFunction | None:
        """None if the function does not exist, or if its line was relocated already by its call."""
        single_report = self._report._replace(accesses=(access,), actors=())
        frame_claim = next((claim for claim in line_claims.frame_claims(single_report) if claim.is_racing), None)
        if frame_claim is None or frame_claim.claim.action not in ("read", "write"):
            return None
        key = frame_key(frame_claim.frame)
        misplaced = next((located for located in self._functions if located.key == key), None)
        function = misplaced or _locate_function(self._snapshot, frame_claim)
        if function is None or key in self._new_lines:
            return None
        span = function.span if misplaced else (frame_claim.claim.line, frame_claim.claim.line)
        return _RacingFunction(function, access, misplaced is not None, _touched_fields(function, access, span))

    def _relocate_fitting_line(self, both: Sequence[_RacingFunction]) -> dict[FrameKey, list[int]]:
        """A line that fits by accident and shares no field with the other: shifted like its function."""
        if set(both[0].field_lines) & set(both[1].field_lines):
            return {}
        for racing, other in (both, both[::-1]):
            same_function = [each for each in self._functions if each[1:] == racing.function[1:]]
            shifts = {self._new_lines[each.key] - each.line for each in same_function if each.key in self._new_lines}
            if len(shifts) != 1:
                continue
            line = racing.function.line + shifts.pop()
            fields = _touched_fields(racing.function, racing.access, (line, line))
            if len(set(fields) & set(other.field_lines)) == 1:
                return {racing.function.key: [line]}
        return {}

    def _nearest_lines(self, racing: _RacingFunction, name: str) -> list[int]:
        """The lines that touch the field, nearest first; only one if its shift occurs in the file."""
        rows, line = racing.field_lines[name], racing.function.line
        shifted = [row for row in rows if row - line in self._shifts.get(racing.function.path, ())]
        return shifted if len(shifted) == 1 else sorted(rows, key=lambda row: abs(row - line))
