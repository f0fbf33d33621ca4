"""The likely variable of a race if the racing lines do not name it: what both functions access as reported."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING

from deadheat.model import Op, Origin
from deadheat.repo.racing_lines import filter_by_operation
from deadheat.repo.syntax import line_accesses
from deadheat.repo.syntax.declarations import GoTypeResolver, bare_type_name, find_package_variable
from deadheat.repo.syntax.line_accesses import BASE, CALLEE, OPERAND, TARGET, PossibleAccess
from deadheat.repo.variable import RaceVariable, is_parameter, names_field, only_accessed_variable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from deadheat.repo.racing_lines import RacingLine
    from deadheat.repo.syntax.declarations import CommitTree, StructField

_MAX_SHIFT = 200  # lines of a function that are searched above and below the reported one
_WHY_COMMON = "both functions access it, and nothing else in the way that the detector reports"
_WHY_NEAREST = "of what both functions access in the way that the detector reports, it is the nearest to the lines"
# "h.mu.Lock()", "defer c.mtx.RUnlock()"
_LOCK_CALL = re.compile(rb"[Ll]ock\(\)")
# "bytes.(*Buffer).String"
_METHOD = re.compile(r"(?:^|/)[^./]{1,80}\.(?:\(\*)?(\w{1,80})\)?\.(\w{1,80})$")


def likely_variable(tree: CommitTree, racing_lines: Sequence[RacingLine]) -> RaceVariable | None:
    """The likely variable if the lines name none."""
    if len(racing_lines) < 2:
        return None
    a, b = racing_lines[:2]
    written = _only_written_field(tree, a, b) or _only_written_field(tree, b, a)
    if written and all(line.possible_accesses or line.is_call_site for line in (a, b)):
        return written
    common = _common_fields(tree, a, b)
    if len(common) == 1:
        return common[0]
    if written and not common:
        return written
    # several are equally likely, or none
    return _object_of_call(tree, a, b) or _target_of_pointer(tree, a, b) or _target_of_pointer(tree, b, a)


def _only_written_field(tree: CommitTree, a: RacingLine, b: RacingLine) -> RaceVariable | None:
    """The only field that the writing line stores to, if the other line uses the whole object: an encoder, a copy."""
    if not a.is_write or b.is_write or a.is_call_site or (not b.is_call_site and names_field(b)):
        return None
    field = only_accessed_variable(tree, a)
    if field is None or field.kind != "field":
        return None
    return replace(field, why="the line that writes stores to nothing else")


def _common_fields(tree: CommitTree, a: RacingLine, b: RacingLine) -> list[RaceVariable]:
    """The fields that both functions access with the reported operations."""
    if not (a.is_go and b.is_go) or a.is_call_site or b.is_call_site or _is_vendored(a) or _is_vendored(b):
        return []
    accesses_a, accesses_b = _field_accesses(a), _field_accesses(b)
    found: dict[RaceVariable, tuple[bool, int]] = {}  # with equal shifts? how far from the lines?
    for name in sorted(accesses_a.keys() & accesses_b.keys()):
        fields_a, fields_b = _fields_of(tree, a, accesses_a[name]), _fields_of(tree, b, accesses_b[name])
        shifts_a, shifts_b = _shifts(a, accesses_a[name]), _shifts(b, accesses_b[name])
        is_equal_shift = a.path == b.path and any(abs(x - y) <= 1 for x in shifts_a for y in shifts_b)
        distance = min(map(abs, shifts_a)) + min(map(abs, shifts_b))
        common = fields_a & fields_b if fields_a and fields_b else fields_a | fields_b
        variables = [
            RaceVariable(name, each.owner, each.location, "field", False, _WHY_COMMON) for each in sorted(common)
        ]
        if not (fields_a or fields_b) and 0 in shifts_a + shifts_b:  # of a type outside the repository
            variables = [RaceVariable(name, None, None, "field", False, _WHY_COMMON)]
        found |= dict.fromkeys(variables, (is_equal_shift, distance))
    if len(found) > 1:
        chosen = [variable for variable, facts in found.items() if facts[0]]
        if len(chosen) != 1:
            nearest, next_nearest = sorted(found.values(), key=itemgetter(1))[:2]
            chosen = [each for each in found if found[each] == nearest and 3 * nearest[1] < 2 * next_nearest[1]]
        if len(chosen) == 1:
            others = tuple(variable for variable in found if variable not in chosen)
            return [replace(chosen[0], why=_WHY_NEAREST, alternatives=others)]
    return list(found)


def _object_of_call(tree: CommitTree, a: RacingLine, b: RacingLine) -> RaceVariable | None:
    """The object whose method made the access: `buf.String()` below frames of `bytes.(*Buffer)` only."""
    found = [(line, access) for line in (a, b) if (access := _called_object(line))]
    if not found:
        return None
    line, access = min(found, key=lambda pair: len(pair[1].path))
    why = f"a method that {line.frame.function} calls on it made the access"
    if not line.is_field_access(access):
        location = find_package_variable(tree, line.path, access.name)
        return RaceVariable(access.name, None, location, "package" if location else "captured", False, why)
    field = next(iter(_fields_of(tree, line, {access.path: []})), None)
    if field is None or bare_type_name(field.kind) != access.stored_type:
        return None  # an interface: the object is of the caller
    return RaceVariable(field.name, field.owner, field.location, "field", False, why)


def _called_object(line: RacingLine) -> PossibleAccess | None:
    """The object of the method call on the line whose frames, all of one type, are above it."""
    stack = line.access.stack
    inner = stack[: stack.index(line.frame)] if line.frame in stack else ()
    methods = [_METHOD.search(frame.function) for frame in inner if frame.origin is not Origin.RUNTIME]
    callee = methods[-1] if methods else None
    if not line.is_go or callee is None or any(each is None or each[1] != callee[1] for each in methods):
        return None
    paths = {call.path[:-1] for call in line.calls if call.name == callee[2] and len(call.path) > 1}
    path = paths.pop() if len(paths) == 1 else ()
    if not path or path[-1].endswith("()") or line.is_import_name(path[-1]):
        return None
    return PossibleAccess(path[-1], path, TARGET, True, callee[1])


def _shifts(line: RacingLine, paths: dict[tuple[str, ...], list[int]]) -> list[int]:
    """How far each access is from the reported line."""
    return [row - (line.frame.line or row) for rows in paths.values() for row in rows]


def _is_vendored(line: RacingLine) -> bool:
    return "vendor/" in line.path


def _fields_of(tree: CommitTree, line: RacingLine, paths: dict[tuple[str, ...], list[int]]) -> set[StructField]:
    """The declarations of the accessed fields."""
    resolver = GoTypeResolver(tree, line.path, line.body)
    return {field for path in paths if (field := resolver.find_field(path[-1], resolver.owner_type(path)))}


def _field_accesses(line: RacingLine) -> dict[str, dict[tuple[str, ...], list[int]]]:
    """The fields that the function of a line may access with the reported operation: their paths with the lines.

    Of a line that stores to a field, only that one.
    """
    stores = line.is_write and any(
        each.rank == TARGET and line.is_field_access(each) for each in line.possible_accesses
    )
    found: dict[str, dict[tuple[str, ...], list[int]]] = defaultdict(dict)
    for row, access in _function_accesses(line):
        if stores and row != line.frame.line:
            continue
        if line.is_field_access(access) and access.rank not in (BASE, CALLEE) and not access.path[0].endswith("{}"):
            found[access.name].setdefault(access.path, []).append(row)
    return found


def _function_accesses(line: RacingLine) -> Iterator[tuple[int, PossibleAccess]]:
    """What the rows of the function near the line may access with the reported operation."""
    for row, text in enumerate(line.body.split(b"\n"), line.first):
        if abs(row - (line.frame.line or row)) > _MAX_SHIFT or _LOCK_CALL.search(text):
            continue
        accesses = line_accesses.accesses_on_line("go", line.source, row)
        for access in filter_by_operation(accesses, line.access.op, line.source):
            if not line.is_write or access.rank == TARGET:
                yield row, access


def _target_of_pointer(tree: CommitTree, a: RacingLine, b: RacingLine) -> RaceVariable | None:
    """The only variable of one line, if the other frees the object or only has a pointer: `*number = n`."""
    if a.is_go or (a.access.op is not Op.FREE and not _has_only_pointers(a)):
        return None
    found = only_accessed_variable(tree, b)
    why = "the other line only has a pointer to it" if a.access.op is not Op.FREE else "the other line frees its object"
    return replace(found, why=why) if found and found.declaration else None


def _has_only_pointers(line: RacingLine) -> bool:
    """Whether everything that the line can access is a parameter."""
    wanted_rank = TARGET if line.is_write else OPERAND
    accesses = [each for each in line.possible_accesses if each.rank == wanted_rank]
    return bool(accesses) and all(len(each.path) == 1 and is_parameter(each.name, line) for each in accesses)
