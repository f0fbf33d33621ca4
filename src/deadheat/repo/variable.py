"""The variable of a race: its name, owner and declaration."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product, takewhile
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses
from deadheat.model import Op, Origin
from deadheat.repo.pinning import line_claims
from deadheat.repo.pinning.line_claims import class_of_method
from deadheat.repo.racing_lines import RacingLine, filter_by_operation, line_of_rows, resolve_members
from deadheat.repo.syntax import line_accesses, parser
from deadheat.repo.syntax.declarations import (
    DeclarationLocation,
    GoTypeResolver,
    bare_type_name,
    declares_name,
    find_package_variable,
)
from deadheat.repo.syntax.line_accesses import BASE, CALLEE, OPERAND, TARGET, PossibleAccess
from deadheat.repo.syntax.parser import language_of_file, language_of_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Report
    from deadheat.repo.syntax.declarations import CommitTree

# limits for a called function that is searched: its lines, number of calls
_MAX_CALLEE_LINES, _MAX_CALLS = 80, 8
_MAX_INNER_CALLEE_LINES = 24  # lines of a function that such a function calls
# "search.(*Coordinator).Search.func1", "feed.Pump.func2.1", "seq.All-range1"
_CLOSURE_SUFFIX = re.compile(r"\.func\d+|\.\d+$|-range\d+$")
_LOCK_CLASS = re.compile(r"(?i)mutex|lock|cond")
_MAX_HEADER_BYTES = 600
_READ_WEIGHTS = {OPERAND: 3, CALLEE: 2, TARGET: 1, BASE: 0}


@dataclass(frozen=True, slots=True)
class RaceVariable:
    """The variable of a race; `sure` if both racing lines name it."""

    name: str
    owner: str | None
    declaration: DeclarationLocation | None
    kind: str  # field, captured, package, struct
    sure: bool
    why: str
    part: str | None = None  # the part that one side accesses, if the other stores the whole
    alternatives: tuple[RaceVariable, ...] = ()  # less likely


def variable_from_report(report: Report) -> RaceVariable | None:
    """The variable that the detector names."""
    reported = report.location
    if reported is None or reported.kind != "global" or not reported.name:
        return None
    location = DeclarationLocation(reported.file, reported.line) if reported.file and reported.line else None
    return RaceVariable(reported.name, None, location, "package", True, "the detector names it")


def find_variable(tree: CommitTree, racing_lines: Sequence[RacingLine], report: Report) -> RaceVariable | None:
    """The variable of a race, if the report or the code names it."""
    if reported := variable_from_report(report):
        return reported
    if not racing_lines or any(map(_is_harness_access, racing_lines)) or all(map(_is_in_lock_class, racing_lines)):
        return None
    if all(map(_is_in_called_module, racing_lines)):
        return None
    if len(racing_lines) == 1:
        package_variable = _only_package_variable(tree, racing_lines[0]) if addresses.lies_in_program(report) else None
        return package_variable or only_accessed_variable(tree, racing_lines[0])
    a, b = racing_lines[:2]
    return (
        common_variable(tree, a, b, "both lines touch it")
        or _overwritten_struct(tree, a, b)
        or _overwritten_struct(tree, b, a)
        or _variable_through_call(tree, a, b)
        or _variable_through_call(tree, b, a)
        or _variable_through_parameter(tree, a, b)
        or common_variable(tree, _resolve_aliases(a), _resolve_aliases(b), "both lines touch it, one by a local name")
    )


# "peers := h.peers", "for _, peer := range h.peers {"
_ALIAS = rb"\b(%s) :?= (?:range )?(\w{1,80}(?:\.\w{1,80}){1,9})(?:\[[^\]\n]{0,80}\])?(?: \{)?$"


def _resolve_aliases(line: RacingLine) -> RacingLine:
    """The line with local names for the map or slice of a field replaced by the field."""
    is_map = line.access.stack[0].function.startswith("runtime.map") if line.access.stack else False
    resolved = []
    for access in line.possible_accesses if line.is_go else ():
        if len(access.path) == 1 and (is_map or access.is_element):
            pattern = _ALIAS % re.escape(access.name.encode("utf-8", "replace"))
            paths = {tuple(match[2].decode().split(".")) for match in re.finditer(pattern, line.body, re.MULTILINE)}
            if len(paths) == 1:
                path = paths.pop()
                resolved.append(access._replace(name=path[-1], path=path))
    return line._replace(possible_accesses=line.possible_accesses + resolved)


def _is_harness_access(racing_line: RacingLine) -> bool:
    """Whether the access is inside the test harness: `w.t.Logf(text)`, not `assert.Equal(t, want, s.all())`."""
    inner_frames = list(takewhile(lambda frame: frame != racing_line.frame, racing_line.access.stack))
    innermost = next((each for each in inner_frames if each.origin is not Origin.RUNTIME), None)
    return innermost is not None and innermost.origin is Origin.TEST


def _is_in_called_module(line: RacingLine) -> bool:
    """Whether user code that is not available made the access, called by the Go line."""
    inner_frames = takewhile(lambda frame: frame != line.frame, line.access.stack)
    return line.is_go and any(frame.origin is Origin.USER for frame in inner_frames)


def _is_in_lock_class(line: RacingLine) -> bool:
    """Whether the access is in a C++ class that wraps a lock: the variable is the object's owner's, `task.cv_`."""
    inner = [frame.function for frame in takewhile(lambda frame: frame != line.frame, line.access.stack)]
    return (
        bool(inner)
        and inner[-1].startswith("pthread_")
        and bool(_LOCK_CLASS.search(class_of_method(line.frame.function)))
    )


def common_variable(tree: CommitTree, a: RacingLine, b: RacingLine, why: str) -> RaceVariable | None:
    best: tuple[tuple[int, bool], PossibleAccess, PossibleAccess] | None = None
    for access_a in a.possible_accesses:
        for access_b in b.possible_accesses:
            if access_a.name != access_b.name or access_a.rank == access_b.rank == BASE:
                continue
            is_field = a.is_field_access(access_a)
            if is_field != b.is_field_access(access_b):
                continue
            if not is_field and not _may_be_same_variable(tree, a, b, access_a, access_b):
                continue
            # each goroutine may access a different element
            weight = _access_weight(access_a, a) + _access_weight(access_b, b)
            rank = weight, not (access_a.is_element or access_b.is_element)
            if best is None or rank > best[0]:
                best = rank, access_a, access_b
    return _describe_variable(tree, a, b, best[1], best[2], why) if best else None


def _may_be_same_variable(
    tree: CommitTree, a: RacingLine, b: RacingLine, access_a: PossibleAccess, access_b: PossibleAccess
) -> bool:
    """Whether both lines may mean one variable: in one function, or of the package."""
    name = access_a.name
    if (a.path, a.first) == (b.path, b.first):
        if _is_declared_on_line(name, a) or _is_declared_on_line(name, b):
            return False
        if not (_is_in_closure(a) or _is_in_closure(b)):
            # every call has its own local, but its elements may be shared
            is_element = access_a.is_element or access_b.is_element
            if is_parameter(name, a) or (not is_element and _is_local_variable(name, a)):
                return False
        return not re.match(rb"func \(%s " % re.escape(name.encode("utf-8", "replace")), a.body)
    if is_parameter(name, a) or is_parameter(name, b):
        return False  # a parameter hides the package variable
    return find_package_variable(tree, a.path, name) is not None


def is_parameter(name: str, line: RacingLine) -> bool:
    """Whether the name is a parameter; C++ references do not count."""
    word = re.escape(name.encode("utf-8", "replace"))
    if line.is_go:
        header = line.body.partition(b"\n")[0]
        return bool(re.match(rb"func .{0,400}[(,] ?%s(?:, \w{1,80}){0,8} [\w*\[.]" % word, header))
    header = line.body[:_MAX_HEADER_BYTES].partition(b"{")[0]
    return bool(re.search(rb"[(,][^(),&]{1,120}[ *]%s(?:\[\w{0,20}\])?\s{0,9}[,)]" % word, header))


def _is_local_variable(name: str, line: RacingLine) -> bool:
    """Whether the Go function declares the name."""
    return line.is_go and any(declares_name(name, text) for text in line.body.split(b"\n")[1:])


def _is_declared_on_line(name: str, line: RacingLine) -> bool:
    """Whether the Go line declares the variable: `r := &rules{forms: f}`. It is not shared yet."""
    word = re.escape(name.encode("utf-8", "replace"))
    return line.is_go and bool(re.match(rb"(?:if |switch )?%s :=|var %s\b" % (word, word), line.text.lstrip()))


def _is_in_closure(line: RacingLine) -> bool:
    return bool(_CLOSURE_SUFFIX.search(line.frame.function))


def _access_weight(access: PossibleAccess, line: RacingLine) -> int:
    if line.is_write:
        return access.rank
    return _READ_WEIGHTS[OPERAND if access.also_read else access.rank]


def _describe_variable(
    tree: CommitTree, a: RacingLine, b: RacingLine, access_a: PossibleAccess, access_b: PossibleAccess, why: str
) -> RaceVariable:
    if not a.is_field_access(access_a):
        return _variable_without_owner(tree, a, b, access_a.name, why)
    both = [(a, access_a), (b, access_b)]
    for line, access in sorted(both, key=lambda pair: len(pair[1].path)):
        if field := _find_field_declaration(tree, line, access):
            return RaceVariable(access_a.name, *field, "field", True, why)
    owners = (GoTypeResolver(tree, line.path, line.body).owner_type(access.path) for line, access in both if line.is_go)
    return RaceVariable(access_a.name, next(filter(None, owners), None), None, "field", True, why)


def _find_field_declaration(
    tree: CommitTree, line: RacingLine, access: PossibleAccess
) -> tuple[str, DeclarationLocation] | None:
    language = language_of_file(line.path, line.source)
    if language != "go":
        owner = class_of_method(line.frame.function) if access.path[0] == "this" else ""
        found = parser.find_member(language or "c", tree.folder_contents(line.path), access.name, owner)
        return (found[0], DeclarationLocation(*found[1:])) if found else None
    resolver = GoTypeResolver(tree, line.path, line.body)
    owner_type = resolver.owner_type(access.path)
    field = resolver.find_field(access.name, owner_type) or resolver.find_element_field(access.name, owner_type)
    return (field.owner, field.location) if field else None


def _variable_without_owner(tree: CommitTree, a: RacingLine, b: RacingLine, name: str, why: str) -> RaceVariable:
    """A variable without an owner: captured by a closure, or of the package."""
    for line in (a, b):
        for row, text in enumerate(line.body.split(b"\n"), line.first):
            if declares_name(name, text):
                return RaceVariable(name, None, DeclarationLocation(line.path, row), "captured", True, why)
    location = find_package_variable(tree, a.path, name) or find_package_variable(tree, b.path, name)
    return RaceVariable(name, None, location, "package" if location else "captured", True, why)


def _overwritten_struct(tree: CommitTree, a: RacingLine, b: RacingLine) -> RaceVariable | None:
    """One side stores a whole struct, the other accesses a part of it."""
    for access in a.possible_accesses:
        type_name = bare_type_name(access.stored_type) if access.stored_type else ""
        struct = tree.struct_body(type_name, tree.files_declaring(type_name, a.path)) if type_name else None
        parts = (_field_of_type(struct, accessed) for accessed in _accessed_types(tree, b)) if struct else ()
        part = next(filter(None, parts), None)
        if part is None:
            continue
        why = f"one side stores a whole {type_name}, the other works on its {part}"
        if len(access.path) == 1:  # "c = C{}"
            return RaceVariable(part, type_name, None, "struct", False, why, f"{part} of {type_name}")
        owner = GoTypeResolver(tree, a.path, a.body).variable_type(access.path[0])
        field = _find_field_declaration(tree, a, access) or _anonymous_struct_field(tree, a, access.name, owner)
        field_owner, location = field or (None, None)
        name = ".".join(access.path[1:])
        return RaceVariable(name, owner or field_owner, location, "struct", False, why, f"{part} of {type_name}")
    return None


def _anonymous_struct_field(
    tree: CommitTree, line: RacingLine, name: str, owner: str
) -> tuple[str, DeclarationLocation] | None:
    """A field of an anonymous struct in the owner: `cached struct { data [2]T }`."""
    fields = tree.find_fields(name, tree.folder_files_declaring(name, line.path))
    locations = [each.location for each in fields if each.owner == owner]
    return (owner, locations[0]) if len(locations) == 1 else None


def _accessed_types(tree: CommitTree, line: RacingLine) -> list[str]:
    """The types of the receiver and of the fields on the line."""
    receiver = re.match(rb"func \((?:\w+ )?\*?(\w+)", line.body)
    types = [receiver[1].decode()] if receiver else []
    resolver = GoTypeResolver(tree, line.path, line.body)
    fields = [each.path for each in line.possible_accesses if line.is_field_access(each) and each.rank > CALLEE]
    types += [resolver.field_type(path[-1], resolver.owner_type(path)) for path in fields]
    return list(filter(None, types))


def _field_of_type(body: bytes, type_name: str) -> str | None:
    """The field of a struct that has the type; by value before by pointer."""
    word = re.escape(type_name.encode("utf-8", "replace"))
    for star in (b"", rb"\*"):
        if match := re.search(rb"^[ \t]+(\w+)[ \t]+%s(?:\w+\.)?%s\b" % (star, word), body, re.MULTILINE):
            return match[1].decode()
    return None


def _variable_through_call(tree: CommitTree, a: RacingLine, b: RacingLine, through: str = "") -> RaceVariable | None:
    """The common variable through a call, in Go through two. Inlined functions have no frames."""
    max_lines = _MAX_INNER_CALLEE_LINES if through else _MAX_CALLEE_LINES
    inner_calls: list[tuple[RacingLine, str]] = []
    for call in a.calls[:_MAX_CALLS]:
        for path, source in (tree.folder_contents(a.path) | tree.folder_contents(b.path)).items():
            language = language_of_path(path) or ""
            spans = line_claims.function_extents(language, source, call.name) if language else []
            for span in [(first, last) for first, last in spans if last - first < max_lines]:
                callee = line_of_rows(a.access, a.frame, path, source, span, span, language)
                likely = filter_by_operation(resolve_members(tree, callee), a.access.op, source)
                callee = callee._replace(possible_accesses=likely)
                why = f"one line touches it through {through}{call.name}"
                if result := common_variable(tree, callee, b, why):
                    return result
                if not through and language == "go" and span[1] - span[0] < _MAX_INNER_CALLEE_LINES:
                    inner_calls.append((callee, f"{call.name} and "))
    results = (_variable_through_call(tree, line, b, call_names) for line, call_names in inner_calls)
    # a local of a function two calls away is not shared
    return next((candidate for candidate in results if candidate and candidate.kind != "captured"), None)


def _variable_through_parameter(tree: CommitTree, a: RacingLine, b: RacingLine) -> RaceVariable | None:
    """The common variable through an argument that a caller passes."""
    lines_a, lines_b = _line_and_callers(a), _line_and_callers(b)
    pairs = sorted(product(range(len(lines_a)), range(len(lines_b))), key=sum)
    for index_a, index_b in pairs[1:]:
        caller = lines_a[index_a] if index_a else lines_b[index_b]
        why = f"one line touches it as a parameter, which {caller.frame.function} passes"
        if found := common_variable(tree, lines_a[index_a], lines_b[index_b], why):
            return found
    return None


def _line_and_callers(line: RacingLine) -> list[RacingLine]:
    lines = [line]
    while (caller := lines[-1].caller) is not None:
        lines.append(caller)
    return lines


def names_field(line: RacingLine) -> bool:
    return any(line.is_field_access(each) and each.rank > CALLEE for each in line.possible_accesses)


def _only_package_variable(tree: CommitTree, line: RacingLine) -> RaceVariable | None:
    """The only package variable on the line, if one access is known and in program memory."""
    if not line.is_go or line.is_call_site or names_field(line):
        return None  # the object of a field may be a package variable as well
    accesses = line.possible_accesses
    if any(len(each.path) > 1 and line.is_import_name(each.path[0]) for each in accesses):
        return None
    names = {each.name for each in accesses if len(each.path) == 1 and (each.rank == TARGET or not line.is_write)}
    found = [
        (name, location)
        for name in sorted(names)
        if not is_parameter(name, line)
        and not _is_local_variable(name, line)
        and (location := find_package_variable(tree, line.path, name))
    ]
    if len(found) != 1:
        return None
    why = "its address is that of a package variable, and the only known line names no other"
    return RaceVariable(found[0][0], None, found[0][1], "package", False, why)


def _is_pointer_base(access: PossibleAccess, line: RacingLine) -> bool:
    """Whether the C++ line only changes the target of the pointer: `hook->fire(now)`."""
    if line.is_go or access.rank == TARGET or not line.is_write:
        return False
    return re.search(rb"\b%s\s?->" % re.escape(access.name.encode()), line.text) is not None


def _copies_other_value(access: PossibleAccess, line: RacingLine) -> bool:
    """Whether a reading Go line also copies another whole value: `c, g := *all, all.group`."""
    if not line.is_go or line.is_write or line.frame.line is None:
        return False
    return bool(line_accesses.dereferenced_on_line(line.source, line.frame.line) - {access.path})


def only_accessed_variable(tree: CommitTree, line: RacingLine) -> RaceVariable | None:
    """The only variable that the line can access, if one access is known."""
    if line.is_go and line.is_call_site:
        return None  # in C++ inlined containers have frames above the line
    wanted_rank = TARGET if line.is_write else OPERAND
    likely = [each for each in line.possible_accesses if each.rank == wanted_rank]
    if not line.is_go and line.access.op is Op.ATOMIC_WRITE:  # "int old = refs_.fetch_sub(1);"
        likely = [
            each for each in line.possible_accesses if each.writes and any(each.path == c.path[:-1] for c in line.calls)
        ]
    # a method writes in its own frame
    is_innermost = line.is_go and line.access.stack[:1] == (line.frame,)
    receivers = {call.path[:-1] for call in line.calls} if is_innermost else ()
    likely = likely or [each for each in line.possible_accesses if each.writes and each.path not in receivers]
    fields = list(filter(line.is_field_access, likely)) or likely
    ends = [
        each
        for each in fields
        if not any(longer.path[: len(each.path)] == each.path and longer != each for longer in fields)
    ]
    if len(ends) != 1 or _is_pointer_base(ends[0], line) or _copies_other_value(ends[0], line):
        return None
    is_field = line.is_field_access(ends[0])
    owner, location = (_find_field_declaration(tree, line, ends[0]) if is_field else None) or (None, None)
    why = "the only known access touches nothing else"
    return RaceVariable(ends[0].name, owner, location, "field" if is_field else "captured", False, why)
