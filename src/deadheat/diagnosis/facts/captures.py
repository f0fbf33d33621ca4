"""Races on a variable that a closure captures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.code_facts import Declaration  # noqa: TC001, mypyc needs it at run time
from deadheat.diagnosis.race_side import RaceSide  # noqa: TC001, mypyc needs it at run time

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import EnclosingClosure, FunctionFacts, VariableUse
    from deadheat.diagnosis.finding import Evidence


# "err", "e", "firstErr", "lastError"
_ERROR_NAME = re.compile(r"(?:^|[a-z_])[eE]rr(?:or)?s?\d?$")
# "stats", "cache.Stats", "Stats{}", "struct{ n int }": a value, and no pointer, call or map
_VALUE_TYPE = re.compile(r"(?:\w+\.)?[A-Za-z_]\w*(?:\{.*)?$|struct\b")
# "r.v", "p->n"
_MEMBER_ACCESS = re.compile(r"\w(?:\.|->)\w")
_FUNCTION_VARIABLE_KINDS = ("loop", "result", "local", "parameter")


class CapturedVariable(NamedTuple):
    """The closure's side, the variable and its declaration."""

    closure_side: RaceSide
    name: str
    declaration: Declaration

    @property
    def is_error(self) -> bool:
        kind = self.declaration.type.strip()
        # a slice of errors is treated as a slice
        return kind == "error" or (not kind.startswith("[") and bool(_ERROR_NAME.search(self.name)))

    @property
    def evidence(self) -> Evidence:
        where = naming.without_package(self.closure_side.function)
        kinds = {"loop": "a loop variable", "result": "a named result"}
        kind = kinds.get(self.declaration.kind, f"a {self.declaration.kind} variable")
        text = f"a closure uses `{self.name}`, {kind} of `{where}`, line {self.declaration.line}"
        return self.closure_side.evidence_at_site(text)


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
                return CapturedVariable(inner, base, declaration)
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
