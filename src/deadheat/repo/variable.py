"""The variable of a race: its name, owner and declaration."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from deadheat.diagnosis.facts import addresses
from deadheat.model import Origin
from deadheat.repo.pinning import line_claims
from deadheat.repo.pinning.line_claims import class_of_method
from deadheat.repo.racing_lines import (
    WRITING_OPS,
    RacingLine,
    filter_by_operation,
    is_call_site,
    is_import_name,
    resolve_members,
)
from deadheat.repo.syntax import line_accesses, parser
from deadheat.repo.syntax.declarations import (
    CommitTree,
    DeclarationLocation,
    GoTypeResolver,
    bare_type_name,
    declares_name,
    find_package_variable,
    is_local_variable,
    is_parameter,
)
from deadheat.repo.syntax.line_accesses import BASE, CALLEE, OPERAND, TARGET, PossibleAccess
from deadheat.repo.syntax.parser import language_of_file, language_of_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.model import Report

# limits for a called function that is searched: its lines, number of calls
_MAX_CALLEE_LINES, _MAX_CALLS = 80, 8
_MAX_INNER_CALLEE_LINES = 24  # lines of a function that such a function calls
# "search.(*Coordinator).Search.func1", "feed.Pump.func2.1", "seq.All-range1"
_CLOSURE_SUFFIX = re.compile(r"\.func\d+|\.\d+$|-range\d+$")
_READ_WEIGHTS = {OPERAND: 3, CALLEE: 2, TARGET: 1, BASE: 0}


@dataclass(frozen=True, slots=True)
class RaceVariable:
    """The variable of a race; `sure` if both racing lines name it."""

    name: str
    owner: str | None
    kind: str  # field, captured, package, struct
    declaration: DeclarationLocation | None
    sure: bool
    why: str
    part: str | None = None  # the part that one side accesses, if the other stores the whole


def variable_from_report(report: Report) -> RaceVariable | None:
    """The variable that the detector names."""
    reported = report.location
    if reported is None or reported.kind != "global" or not reported.name:
        return None
    location = DeclarationLocation(reported.file, reported.line) if reported.file and reported.line else None
    return RaceVariable(reported.name, None, "package", location, True, "the detector names it")


def find_variable(tree: CommitTree, racing_lines: Sequence[RacingLine], report: Report) -> RaceVariable | None:
    """The variable of a race, if the report or the code names it."""
    if reported := variable_from_report(report):
        return reported
    if not racing_lines or any(map(_is_harness_access, racing_lines)):
        return None
    if len(racing_lines) == 1:
        package_variable = _only_package_variable(tree, racing_lines[0]) if addresses.lies_in_program(report) else None
        return package_variable or _only_accessed_variable(tree, racing_lines[0])
    a, b = racing_lines[:2]
    return (
        _common_variable(tree, a, b, a.possible_accesses, b.possible_accesses, "both lines touch it")
        or _overwritten_struct(tree, a, b)
        or _overwritten_struct(tree, b, a)
        or _variable_through_call(tree, a, b)
        or _variable_through_call(tree, b, a)
        or _variable_through_parameter(tree, a, b)
    )


def _is_harness_access(racing_line: RacingLine) -> bool:
    """Whether the access is inside the test harness: `w.t.Logf(text)`.

    In `assert.Equal(t, want, s.all())` the line names the value itself.
    """
    inner_frames = list(takewhile(lambda frame: frame != racing_line.frame, racing_line.access.stack))
    innermost = next((each for each in inner_frames if each.origin is not Origin.RUNTIME), None)
    return innermost is not None and innermost.origin is Origin.TEST


def likely_variable(tree: CommitTree, racing_lines: Sequence[RacingLine]) -> RaceVariable | None:
    """The likely variable if none is named; not used by the diagnosis rules."""
    if len(racing_lines) < 2:
        return None
    a, b = racing_lines[:2]
    return _only_written_field(tree, a, b) or _only_written_field(tree, b, a)


def _common_variable(
    tree: CommitTree,
    a: RacingLine,
    b: RacingLine,
    accesses_a: Iterable[PossibleAccess],
    accesses_b: Iterable[PossibleAccess],
    why: str,
) -> RaceVariable | None:
    best: tuple[tuple[int, bool], PossibleAccess, PossibleAccess] | None = None
    candidates_b = list(accesses_b)
    for access_a in accesses_a:
        for access_b in candidates_b:
            if access_a.name != access_b.name or access_a.rank == access_b.rank == BASE:
                continue
            if _is_field_access(access_a, a) != _is_field_access(access_b, b):
                continue
            if not _is_field_access(access_a, a) and not _may_be_same_variable(tree, a, b, access_a, access_b):
                continue
            # each goroutine may access a different element
            weight = _access_weight(access_a, a) + _access_weight(access_b, b)
            rank = weight, not (access_a.is_element or access_b.is_element)
            if best is None or rank > best[0]:
                best = rank, access_a, access_b
    if best is None:
        return None
    return _describe_variable(tree, a, b, best[1], best[2], why)


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
            if is_parameter(name, a) or (not is_element and is_local_variable(name, a)):
                return False
        return not re.match(rb"func \(%s " % re.escape(name.encode("utf-8", "replace")), a.body)
    if is_parameter(name, a) or is_parameter(name, b):
        return False  # a parameter hides the package variable
    return find_package_variable(tree, a, name) is not None


def _is_declared_on_line(name: str, racing_line: RacingLine) -> bool:
    """Whether the Go line declares the variable: `r := &rules{forms: f}`. It is not shared yet."""
    if language_of_path(racing_line.path) != "go" or racing_line.frame.line is None:
        return False
    text = b"".join(parser.source_lines(racing_line.source, racing_line.frame.line, racing_line.frame.line)).lstrip()
    word = re.escape(name.encode("utf-8", "replace"))
    return re.match(rb"(?:if |switch )?%s :=|var %s\b" % (word, word), text) is not None


def _is_in_closure(racing_line: RacingLine) -> bool:
    return bool(_CLOSURE_SUFFIX.search(racing_line.frame.function))


def _access_weight(access: PossibleAccess, racing_line: RacingLine) -> int:
    if racing_line.access.op in WRITING_OPS:
        return access.rank
    return _READ_WEIGHTS[OPERAND if access.also_read else access.rank]


def _is_field_access(access: PossibleAccess, racing_line: RacingLine) -> bool:
    return len(access.path) > 1 and not is_import_name(access.path[0], racing_line)


def _describe_variable(
    tree: CommitTree, a: RacingLine, b: RacingLine, access_a: PossibleAccess, access_b: PossibleAccess, why: str
) -> RaceVariable:
    if not _is_field_access(access_a, a):
        return _variable_without_owner(tree, a, b, access_a.name, why)
    for racing_line, access in sorted([(a, access_a), (b, access_b)], key=lambda pair: len(pair[1].path)):
        if field := _find_field_declaration(tree, racing_line, access):
            return RaceVariable(access_a.name, field[0], "field", field[1], True, why)
    owner = next((o for s, t in ((a, access_a), (b, access_b)) if (o := _owner_type(tree, s, t))), None)
    return RaceVariable(access_a.name, owner, "field", None, True, why)


def _find_field_declaration(
    tree: CommitTree, racing_line: RacingLine, access: PossibleAccess
) -> tuple[str, DeclarationLocation] | None:
    language = language_of_file(racing_line.path, racing_line.source)
    if language != "go":
        owner = class_of_method(racing_line.frame.function) if access.path[0] == "this" else ""
        found = parser.find_member(language or "c", tree.folder_contents(racing_line.path), access.name, owner)
        return (found[0], DeclarationLocation(*found[1:])) if found else None
    resolver = GoTypeResolver(tree, racing_line.path, racing_line.body)
    owner = resolver.owner_type(access.path)
    field = resolver.find_field(access.name, owner)
    return (field.owner, field.location) if field else None


def _owner_type(tree: CommitTree, racing_line: RacingLine, access: PossibleAccess) -> str | None:
    if language_of_path(racing_line.path) != "go":
        return None
    return GoTypeResolver(tree, racing_line.path, racing_line.body).owner_type(access.path) or None


def _variable_without_owner(tree: CommitTree, a: RacingLine, b: RacingLine, name: str, why: str) -> RaceVariable:
    """A variable without an owner: captured by a closure, or of the package."""
    for racing_line in (a, b):
        for row, text in enumerate(racing_line.body.split(b"\n"), racing_line.first):
            if declares_name(name, text):
                return RaceVariable(name, None, "captured", DeclarationLocation(racing_line.path, row), True, why)
    location = find_package_variable(tree, a, name) or find_package_variable(tree, b, name)
    return RaceVariable(name, None, "package" if location else "captured", location, True, why)


def _overwritten_struct(tree: CommitTree, a: RacingLine, b: RacingLine) -> RaceVariable | None:
    """One side stores a whole struct, the other accesses a part of it."""
    for access in a.possible_accesses:
        if not access.stored_type:
            continue
        type_name = bare_type_name(access.stored_type)
        struct = tree.find_struct(type_name, tree.files_declaring(type_name, a.path))
        parts = (
            (_field_of_type(struct[2], accessed_type) for accessed_type in _accessed_types(tree, b))
            if struct
            else iter(())
        )
        part = next((each for each in parts if each), None)
        if struct is None or part is None:
            continue
        if len(access.path) == 1:  # "c = C{}"
            why = f"one side stores a whole {type_name}, the other works on its {part}"
            return RaceVariable(part, type_name, "struct", None, False, why, f"{part} of {type_name}")
        name = ".".join(access.path[1:])
        owner = GoTypeResolver(tree, a.path, a.body).variable_type(access.path[0])
        field = _find_field_declaration(tree, a, access) or _anonymous_struct_field(tree, a, access.name, owner)
        return RaceVariable(
            name,
            owner or (field[0] if field else None),
            "struct",
            field[1] if field else None,
            False,
            f"one side stores a whole {type_name}, the other works on its {part}",
            f"{part} of {type_name}",
        )
    return None


def _anonymous_struct_field(
    tree: CommitTree, racing_line: RacingLine, name: str, owner: str
) -> tuple[str, DeclarationLocation] | None:
    """A field of an anonymous struct in the owner: `cached struct { data [2]T }`."""
    fields = [
        each
        for each in tree.find_fields(name, tree.folder_files_declaring(name, racing_line.path))
        if each.owner == owner
    ]
    return (owner, fields[0].location) if len(fields) == 1 else None


def _receiver_type(racing_line: RacingLine) -> str:
    match = re.match(rb"func \((?:\w+ )?\*?(\w+)", racing_line.body)
    return match[1].decode() if match else ""


def _accessed_types(tree: CommitTree, racing_line: RacingLine) -> list[str]:
    """The types of the receiver and of the fields on the line."""
    resolver = GoTypeResolver(tree, racing_line.path, racing_line.body)
    fields = [
        each.path
        for each in racing_line.possible_accesses
        if _is_field_access(each, racing_line) and each.rank > CALLEE
    ]
    field_types = [resolver.field_type(path[-1], resolver.owner_type(path)) for path in fields]
    return [type_name for type_name in (_receiver_type(racing_line), *field_types) if type_name]


def _field_of_type(body: bytes, type_name: str) -> str | None:
    """The field of a struct that has the type; by value before by pointer."""
    word = re.escape(type_name.encode("utf-8", "replace"))
    for star in (b"", rb"\*"):
        if match := re.search(rb"^[ \t]+(\w+)[ \t]+%s(?:\w+\.)?%s\b" % (star, word), body, re.MULTILINE):
            return match[1].decode()
    return None


def _variable_through_call(tree: CommitTree, a: RacingLine, b: RacingLine, through: str = "") -> RaceVariable | None:
    """The common variable through a call, in Go through two. Inlined functions have no frames."""
    sources = tree.folder_contents(a.path)
    inner_calls: list[tuple[RacingLine, str]] = []
    for call in a.calls[:_MAX_CALLS]:
        for path, source in sources.items():
            language = language_of_path(path)
            spans = line_claims.function_extents(language, source, call.name) if language else []
            for span in [
                extent
                for extent in spans
                if extent[1] - extent[0] < (_MAX_INNER_CALLEE_LINES if through else _MAX_CALLEE_LINES)
            ]:
                rows = range(span[0], span[1] + 1)
                accesses = [
                    each for row in rows for each in line_accesses.accesses_on_line(language or "", source, row)
                ]
                body = b"\n".join(parser.source_lines(source, *span))
                calls = [each for each in accesses if each.rank == CALLEE]
                callee = RacingLine(a.access, a.frame, path, source, body, span[0], accesses, calls)
                why = f"one line touches it through {through}{call.name}"
                callee = callee._replace(possible_accesses=resolve_members(tree, callee))
                likely = filter_by_operation(callee.possible_accesses, a.access.op, source)
                if result := _common_variable(tree, callee, b, likely, b.possible_accesses, why):
                    return result
                if not through and language == "go" and span[1] - span[0] < _MAX_INNER_CALLEE_LINES:
                    inner_calls.append((callee, f"{call.name} and "))
    results = (_variable_through_call(tree, racing_line, b, call_names) for racing_line, call_names in inner_calls)
    # a local of a function two calls away is not shared
    return next((candidate for candidate in results if candidate and candidate.kind != "captured"), None)


def _variable_through_parameter(tree: CommitTree, a: RacingLine, b: RacingLine) -> RaceVariable | None:
    """The common variable through an argument that a caller passes."""
    for line_a, line_b in ((a.caller, b), (a, b.caller), (a.caller, b.caller)):
        if line_a is None or line_b is None:
            continue
        caller = line_a if line_a is a.caller else line_b
        why = f"one line touches it as a parameter, which {caller.frame.function} passes"
        if found := _common_variable(tree, line_a, line_b, line_a.possible_accesses, line_b.possible_accesses, why):
            return found
    return None


def _only_written_field(tree: CommitTree, a: RacingLine, b: RacingLine) -> RaceVariable | None:
    """The only field that the writing line stores to, if the lines have nothing in common.

    The other side uses another name or the whole object: an encoder, a copy.
    """
    if a.access.op not in WRITING_OPS or b.access.op in WRITING_OPS or is_call_site(a.access, a.frame):
        return None
    if not is_call_site(b.access, b.frame) and any(
        _is_field_access(each, b) and each.rank > CALLEE for each in b.possible_accesses
    ):
        return None  # that line names another field
    field = _only_accessed_variable(tree, a)
    if field is None or field.kind != "field":
        return None
    return replace(field, why="the line that writes stores to nothing else")


def _only_package_variable(tree: CommitTree, racing_line: RacingLine) -> RaceVariable | None:
    """The only package variable on the line, if one access is known and in program memory."""
    if language_of_path(racing_line.path) != "go" or is_call_site(racing_line.access, racing_line.frame):
        return None
    if any(_is_field_access(each, racing_line) and each.rank > CALLEE for each in racing_line.possible_accesses):
        return None  # the field's object may be a package variable as well
    if any(len(each.path) > 1 and is_import_name(each.path[0], racing_line) for each in racing_line.possible_accesses):
        return None
    targets = (
        [each for each in racing_line.possible_accesses if each.rank == TARGET]
        if racing_line.access.op in WRITING_OPS
        else None
    )
    names = {
        each.name for each in (racing_line.possible_accesses if targets is None else targets) if len(each.path) == 1
    }
    package_names = {
        identifier
        for identifier in names
        if not is_parameter(identifier, racing_line) and not is_local_variable(identifier, racing_line)
    }
    found = [
        (name, location)
        for name in sorted(package_names)
        if (location := find_package_variable(tree, racing_line, name))
    ]
    if len(found) != 1:
        return None
    why = "its address is that of a package variable, and the only known line names no other"
    return RaceVariable(found[0][0], None, "package", found[0][1], False, why)


def _is_pointer_base(access: PossibleAccess, racing_line: RacingLine) -> bool:
    """Whether the C++ line only changes the target of the pointer: `hook->fire(now)`."""
    if language_of_path(racing_line.path) == "go" or access.rank == TARGET or racing_line.access.op not in WRITING_OPS:
        return False
    text = b"".join(parser.source_lines(racing_line.source, racing_line.frame.line or 0, racing_line.frame.line or 0))
    return re.search(rb"\b%s\s?->" % re.escape(access.name.encode()), text) is not None


def _copies_other_value(access: PossibleAccess, racing_line: RacingLine) -> bool:
    """Whether a reading Go line also copies another whole value: `c, g := *all, all.group`."""
    if (
        language_of_path(racing_line.path) != "go"
        or racing_line.access.op in WRITING_OPS
        or racing_line.frame.line is None
    ):
        return False
    return bool(line_accesses.dereferenced_on_line(racing_line.source, racing_line.frame.line) - {access.path})


def _only_accessed_variable(tree: CommitTree, racing_line: RacingLine) -> RaceVariable | None:
    """The only variable that the line can access, if one access is known."""
    if language_of_path(racing_line.path) == "go" and is_call_site(racing_line.access, racing_line.frame):
        return None  # in C++ inlined containers have frames above the line
    wanted_rank = TARGET if racing_line.access.op in WRITING_OPS else OPERAND
    likely = [each for each in racing_line.possible_accesses if each.rank == wanted_rank] or [
        each for each in racing_line.possible_accesses if each.writes
    ]
    fields = [each for each in likely if _is_field_access(each, racing_line)] or likely
    # only the longest paths
    ends = [
        each
        for each in fields
        if not any(longer.path[: len(each.path)] == each.path and longer != each for longer in fields)
    ]
    if len(ends) != 1 or _is_pointer_base(ends[0], racing_line) or _copies_other_value(ends[0], racing_line):
        return None
    field = _find_field_declaration(tree, racing_line, ends[0]) if _is_field_access(ends[0], racing_line) else None
    return RaceVariable(
        ends[0].name,
        field[0] if field else None,
        "field" if _is_field_access(ends[0], racing_line) else "captured",
        field[1] if field else None,
        False,
        "the only known access touches nothing else",
    )
