"""Races on a variable that a closure captures, and whether two stacks share one call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.context import once_per_report
from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.race_side import RaceSide  # noqa: TC001, mypyc needs it at run time
from deadheat.model import Origin

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import Declaration, EnclosingClosure, FunctionFacts, VariableUse
    from deadheat.diagnosis.finding import Evidence
    from deadheat.model import Frame


def are_different_calls(a: RaceSide, b: RaceSide, name: str) -> bool:
    """Are the sides in different calls of that function, so that they share none of its locals?"""
    # the function itself, not a closure or wrapper of it, is on the stack of each
    calls_of_each = [any(naming.is_same_function(f.function, name) for f in side.live_frames[1:]) for side in (a, b)]
    if a.actor.id != b.actor.id and all(calls_of_each):
        return True
    caller, other_caller = _caller_of(a, name), _caller_of(b, name)
    if caller is None or other_caller is None:
        return False
    return (caller.function, caller.line) != (other_caller.function, other_caller.line)


def _caller_of(side: RaceSide, name: str) -> Frame | None:
    """The caller of the function itself, not of a closure of it; None if not on the path."""
    call_path = (*side.live_frames, *side.actor.created_at)
    for frame, caller in zip(reversed(call_path[:-1]), reversed(call_path), strict=False):
        if naming.is_same_function(side.enclosing_function(frame), name):
            is_known = caller.origin is Origin.USER and not caller.stale
            return caller if is_known and not naming.is_closure(frame.function) else None
    return None


# "err", "e", "firstErr", "lastError"
_ERROR_NAME = re.compile(r"(?:^|[a-z_])[eE]rr(?:or)?s?\d?$")
# "stats", "cache.Stats", "Stats{}", "struct{ n int }": a value, and no pointer, call or map
_VALUE_TYPE = re.compile(r"(?:\w+\.)?[A-Za-z_]\w*(?:\{.*)?$|struct\b")
# "r.v", "p->n"
_MEMBER_ACCESS = re.compile(r"\w(?:\.|->)\w")
_MAX_LINES_BELOW = 8  # lines from a closure's write to the read in its function
MAX_START_FRAMES = 5
_FUNCTION_VARIABLE_KINDS = ("loop", "result", "local", "parameter")


class CapturedVariable(NamedTuple):
    """The closure's side, the other side, and the variable if the code names it."""

    closure_side: RaceSide
    other_side: RaceSide
    name: str = ""
    declaration: Declaration | None = None

    @property
    def is_error(self) -> bool:
        if self.declaration is None:
            return False
        kind = self.declaration.type.strip()
        # a slice of errors is treated as a slice
        return kind == "error" or (not kind.startswith("[") and bool(_ERROR_NAME.search(self.name)))

    def collect_evidence(self) -> tuple[Evidence, ...]:
        """The declaration of the variable, and the two accesses."""
        inner, outer = self.closure_side, self.other_side
        where = naming.without_package(inner.function)
        other_text = "the function itself"
        if outer.is_closure:
            is_same = inner.site and outer.site and inner.site.function == outer.site.function
            other_text = "another goroutine of the same closure" if is_same else "another closure there"
        items = [inner.evidence_at_site(f"{inner.action} from a closure in `{where}`")]
        if self.name and self.declaration:
            kind_names = {"loop": "a loop variable", "result": "a named result"}
            kind = kind_names.get(self.declaration.kind, f"a {self.declaration.kind} variable")
            items.append(inner.evidence_at_site(f"`{self.name}` is {kind} of `{where}`, line {self.declaration.line}"))
        items.append(outer.evidence_at_site(f"the other access is by {other_text}"))
        return tuple(items)


def find_capture(context: RaceContext) -> CapturedVariable | None:
    """The captured variable that the code shows; None if there is none or no code."""
    for inner, outer in context.side_pairs if context.has_code else ():
        closure_facts, other_facts = inner.site_facts, outer.site_facts
        if closure_facts is None or other_facts is None or not closure_facts.closures:
            continue
        if closure_facts.definition != other_facts.definition:
            continue
        paths = {u.path for u in other_facts.uses}
        stored = {u.path for u in closure_facts.stores if u.line == closure_facts.line}
        # stored variables before elements: `km[i], err = leg(i)`
        for use in sorted(closure_facts.uses, key=lambda u: not u.writes or u.is_element or u.path not in stored):
            base = use.path[0]
            declaration = closure_facts.declarations.get(base)
            if declaration is None or declaration.kind not in _FUNCTION_VARIABLE_KINDS:
                continue
            if len(use.path) > 1 and _may_point_to_shared_object(declaration):
                continue
            closures = _closures_around(base, closure_facts)
            if not closures:
                continue
            is_in_lines = closures[-1].first_line <= declaration.line <= closures[-1].last_line
            inside = declaration.closure_depth >= len(closures) and is_in_lines
            if not context.is_go and _is_used_by_methods_only(declaration, base, closure_facts):
                continue
            if context.is_go and _declares_variable(base, other_facts.text):
                continue  # declared there: no closure had it before
            if not _stores_variable_itself(use, closure_facts, other_facts) or _is_field_of_pointee(context, use):
                continue  # only the base of what is stored
            returned = declaration.kind == "result" and other_facts.text.startswith("return")
            if not inside and (use.path in paths or returned):
                return CapturedVariable(inner, outer, base, declaration)
    return None


def _is_field_of_pointee(context: RaceContext, use: VariableUse) -> bool:
    """`Should(pending)`: is it a field of the object the variable points to, used by the callee?"""
    shared = context.shared_variable
    if shared is None or not shared.is_certain or shared.kind != "field":
        return False
    return shared.name not in use.path and not use.writes


def _stores_variable_itself(use: VariableUse, closure_facts: FunctionFacts, other_facts: FunctionFacts) -> bool:
    """`r.v++` stores to what `r` points to: does one of the lines store the variable itself?"""
    if len(use.path) > 1 or not _MEMBER_ACCESS.search(closure_facts.text):
        return True
    stores = [u.path for u in (*closure_facts.uses, *other_facts.uses) if u.writes and u.path[0] == use.path[0]]
    return use.path in stores or all(len(path) == 1 for path in stores)


def _declares_variable(name: str, text: str) -> bool:
    """`r := &rules{forms: f}`: does a line of Go declare it alone, so that it is new each time?"""
    word = re.escape(name)
    return re.match(rf"(?:if |switch )?{word} :=|var {word}\b", text) is not None


def _closures_around(name: str, here: FunctionFacts) -> tuple[EnclosingClosure, ...]:
    """The closures around a name: in `err = each(func(r row) error {` not the one that begins there."""
    body = here.text.partition("{")[2]  # `d.On("click", [] { clicks++; });`
    begins = here.closures[-1].first_line == here.line and body and not naming.contains_word(body, name)
    return here.closures[:-1] if begins else here.closures


def _is_used_by_methods_only(declaration: Declaration, name: str, here: FunctionFacts) -> bool:
    """`Log log; … log.line(text);`: does the closure use it only through methods of its class?"""
    if declaration.type.startswith("std::") or not declaration.type[:1].isupper():
        return False
    methods = {c.name for c in here.calls if c.line == here.line and c.target == name}
    paths = [u.path for u in here.uses if u.path[0] == name and len(u.path) > 1]
    return bool(paths) and all(path[1] in methods for path in paths)


def _may_point_to_shared_object(declaration: Declaration) -> bool:
    """May it point to an object that is also shared in other ways? Then the race is not on it."""
    kind = declaration.type.strip()
    return declaration.kind != "local" or not (_VALUE_TYPE.match(kind) and "&" not in kind)


@once_per_report
def guess_capture(context: RaceContext) -> CapturedVariable | None:
    """The capture that function names suggest: `F.func1` and `F`, which started it."""
    for inner, outer in context.side_pairs:
        if not inner.is_closure or not inner.site or not outer.site or not context.in_same_function:
            continue
        if inner.site.file != outer.site.file or naming.bare_name(inner.function) == "init":
            continue  # closures of `init` share package variables
        if are_different_calls(inner, outer, inner.function):
            continue  # each call has its own variables
        if outer.is_closure and inner.site.function != outer.site.function:
            return CapturedVariable(inner, outer)  # two closures of one function most likely share its variable
        started = [context.enclosing_function(f.function) for f in inner.actor.created_at[:MAX_START_FRAMES]]
        if any(naming.is_same_function(inner.function, name) for name in started):
            return CapturedVariable(inner, outer)
        # the function reads, just below its closure, what the closure writes; its start is not reported
        reads = inner.writes and not outer.writes and not outer.is_closure and not inner.actor.created_at
        if context.is_go and reads and 0 < (outer.site.line or 0) - (inner.site.line or 0) <= _MAX_LINES_BELOW:
            return CapturedVariable(inner, outer)
        if outer.is_closure and _is_returned_closure(context, inner):
            return CapturedVariable(inner, outer)
    return None


def _is_returned_closure(context: RaceContext, inner: RaceSide) -> bool:
    """Is it a closure that others run? Not that of a method, which mostly uses the method's object."""
    is_product_code = inner.site is not None and not naming.is_test_file(inner.site.file)
    method = "(" in inner.function or naming.is_value_method(inner.function)
    return is_product_code and not method and addresses.is_package_variable(context) is False
