"""Writes that depend on a check: in the code, guessed from a report, or in one-sided reports."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.context import once_per_report
from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts.code_facts import FunctionFacts, PathCondition  # noqa: TC001, mypyc needs it at run time
from deadheat.diagnosis.facts.locks import LOCK_REPORTING_DETECTORS
from deadheat.diagnosis.race_side import RaceSide  # noqa: TC001, mypyc needs it at run time

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import VariableUse
    from deadheat.model import Frame


def names_variable(name: str, text: str, other: bool = False) -> bool:
    """Does a condition name it? If a local has the same name (`err`), only `p.err` counts."""
    before = r"(?:\.|->)" if other else r"\b"
    after = "" if name.endswith("(") else r"\b"
    return re.search(f"{before}{re.escape(name)}{after}", text) is not None


def is_shadowed_by_local(use: VariableUse, facts: FunctionFacts) -> bool:
    """`p.err = err`: is the bare name a local variable, not the one that is written?"""
    return len(use.path) > 1 and use.name in facts.declarations


# "c.conn == nil", "!s.ready", "len(m) == 0", "p == NULL", "p == nullptr", "!cache", "x.is_none()", "table_.empty()"
_ABSENT_CONDITION = re.compile(
    r"==\s*(?:nil|NULL|nullptr|0\b|\"\"|false)|(?:nil|NULL|nullptr)\s*=="
    r"|^\(?!\s*[\w.>()-]+\)?$|is_none|^\(?[\w.>-]{1,80}\.empty\(\)\)?$|!\s*ok\b|; !\w+$"
)
# "c.conn != nil", as in "if c.conn != nil { return c.conn }"
_PRESENT_CONDITION = re.compile(r"!=\s*(?:nil|NULL|nullptr)|(?:nil|NULL|nullptr)\s*!=|is_some")
# "conn == nil", "!cores_.has_value()": an existence test; "state == 0" may be one of several states
EXISTENCE_TEST = re.compile(r"\b(?:nil|NULL|nullptr|has_value|is_none|is_some|empty)\b")
# "(table_)", "s->conn": an existence test, or a flag
_BARE_EXPRESSION = re.compile(r"\(?(?:[\w.]|->){1,80}\)?$")
# "cached_ < 0", "s.sum == -1": not set yet
_UNSET_CONDITION = re.compile(r"(?:<\s{0,3}0|==\s{0,3}-1)\)?$")
# "t.text != \"\"", "h.sum != 0", "h.size > 0": already set
_SET_CONDITION = re.compile(r"(?:!=\s{0,3}(?:\"\"|0)|>\s{0,3}0)\)?$")
# "cached_ = compute();"
_CALL_ASSIGNMENT = re.compile(r"(?<![=!<>])=\s{0,9}[\w.>:-]{1,80}\(")
# "err != nil": the result of an earlier call, not a state
_ERROR_VARIABLE = re.compile(r"\b\w{0,40}[eE]rr(?:or)?\b")
# "out, err := d.decode(m); err == nil": a test for success
_SUCCESS_CONDITION = re.compile(r"\b\w{0,40}[eE]rr(?:or)?\s{0,3}==\s{0,3}nil")
# "--refs == 0": the condition changes a counter itself
_INCREMENT = re.compile(r"\+\+|--")
# "lockers[i].owner = guest;", "e.phase = running": the stored value, if it is a name or a number
_STORED_VALUE = re.compile(r"(?<![=!<>+*/|&^-])=\s{0,9}([\w.]{1,80})\s{0,9};?\s{0,9}\}?\s{0,9}(?://|/\*|$)")
# values that mark existence but are not objects
_FLAG_VALUES = frozenset(("true", "false", "nil", "NULL", "nullptr", "1", "TRUE", "None"))
# "l.beats(b)", "!Has(n)"
_CALL_NAME = re.compile(r"\b([A-Za-z_]\w{0,80})\(")
# "load(d." of "load(d.where(), n)": what follows is an argument of a call
_ARGUMENT_PREFIX = re.compile(r"\w\([^()]{0,200}$")
_MAX_FRAMES = 3  # frames from the site outwards in which a check concerns the access


class CheckedWrite(NamedTuple):
    """The side that writes, the side that checks or writes as well, and the condition if known."""

    writer: RaceSide
    other: RaceSide
    condition: PathCondition | None = None
    is_guard: bool = False  # the condition is a guard clause: it would have returned
    asked_expression: str = ""  # the expression that a checking function returns: "r.guest == \"\""

    @property
    def condition_text(self) -> str:
        """The condition as evidence quotes it: `if c.conn == nil`, `switch (x->state)`."""
        text = self.condition.text[:60] if self.condition else ""
        return text if text.startswith(("switch ", "case ")) else f"if {text}"

    @property
    def other_location(self) -> str:
        """Where the other side is, as evidence says it."""
        return "in the same function" if self.writer.function == self.other.function else "on the same call chain"

    @property
    def checks_existence(self) -> bool:
        """Does the check ask whether the object exists, so that it is created?"""
        text = self.asked_expression or (self.condition.text if self.condition else "")
        here = self.writer.site_facts
        if here is not None and (stores_parameter_or_state(here, text) or _walks_list(here)):
            return False
        if not self.is_guard or self.asked_expression:
            return (asks_if_absent(text) and not self.is_flag) or self._stores_computed_value(text, _UNSET_CONDITION)
        if _PRESENT_CONDITION.search(text) or self._stores_computed_value(text, _SET_CONDITION):
            return True
        return bool(_BARE_EXPRESSION.match(text)) and self._creates_object

    def _stores_computed_value(self, condition: str, pattern: re.Pattern[str]) -> bool:
        """`if (cached_ < 0) cached_ = compute();`: is a computed value stored for the next time?"""
        here = self.writer.site_facts
        if here is None or not pattern.search(condition):
            return False
        stored = _STORED_VALUE.search(here.text)
        local = here.declarations.get(stored[1]) if stored else None
        return bool(_CALL_ASSIGNMENT.search(here.text)) or (local is not None and local.kind != "parameter")

    @property
    def is_flag(self) -> bool:
        """`if p.opened == 0 { p.opened = 1 }`: is only a flag set and nothing created?"""
        here = self.writer.site_facts
        stored = _STORED_VALUE.search(here.text) if here else None
        if here is None or stored is None or self.condition is None or EXISTENCE_TEST.search(self.condition_text):
            return False
        written_names = {u.name for u in here.uses if u.writes}
        first, last = self.condition.line, self.condition.last_line or here.last_line
        others = [u for u in here.stores if first <= u.line <= last and u.name not in written_names]
        calls = [c for c in here.calls if first < c.line < here.line and c.name not in naming.SLEEP_CALLS]
        return (stored[1] in _FLAG_VALUES or stored[1].isdigit()) and not others and not calls

    @property
    def _creates_object(self) -> bool:
        """`if (table_) return; … table_ = built;`: is something stored that is not a flag?"""
        here = self.writer.site_facts
        stored = _STORED_VALUE.search(here.text) if here else None
        return here is not None and "=" in here.text and not (stored and stored[1] in _FLAG_VALUES)


def _walks_list(here: FunctionFacts) -> bool:
    """`if at.next == nil { at.next = n }` in a loop that advances `at`: is it a list traversal?"""
    through = {u.path[0] for u in here.uses if u.writes and len(u.path) > 1}
    moved_lines = [u.line for u in here.stores if len(u.path) == 1 and u.path[0] in through]
    return any(first < line <= last for first, last in here.loops for line in moved_lines)


def asks_if_absent(condition: str) -> bool:
    """Does a condition ask whether something does not exist yet?"""
    text = condition.strip()
    return bool(_ABSENT_CONDITION.search(text)) and not _INCREMENT.search(text) and not _SUCCESS_CONDITION.search(text)


def find_check(context: RaceContext) -> CheckedWrite | None:
    """The check that the code shows before the write: its condition names the raced variable."""
    for sets, other in context.side_pairs if context.has_code else ():
        if not sets.writes or sets.site_facts is None or not context.in_same_function:
            continue
        writes = [u for u in sets.site_facts.uses if u.writes]
        names = {u.name for u in writes} | ({context.variable_name} - {""})
        others = {u.name for u in writes if is_shadowed_by_local(u, sets.site_facts)}
        for condition, guard in _conditions_before(sets.site_facts):
            if any(names_variable(name, condition.text, name in others) for name in names):
                return CheckedWrite(sets, other, condition, guard)
        if match := _check_by_call(context, sets, other, names) or _check_in_caller(context, sets, other):
            return match
    return None


def _check_in_caller(context: RaceContext, sets: RaceSide, other: RaceSide) -> CheckedWrite | None:
    """The check that led both sides to one function: `if !c.visited { c.mark(i) }`."""
    here, call_chain = sets.site_facts, sets.call_chain
    if here is None or len(call_chain) < 2 or sets.locks_held or other.locks_held:
        return None
    if _conditions_before(here, errors=True):
        return None  # another condition decides
    (frame, caller), names = call_chain[1], {u.name for u in here.uses if u.writes}
    is_common = any(code.definition == caller.definition for _, code in other.call_chain[1:2])
    if naming.is_test_file(frame.file) or not is_common:
        return None
    for condition, guard in _conditions_before(caller)[:_MAX_FRAMES]:
        callees = _called_functions(context, condition, frame, caller)
        is_named = any(naming.contains_word(condition.text, name) for name in names)
        if is_named or any(names & callee.mentioned_names for callee in callees):
            return CheckedWrite(sets, other, condition, guard)
    return None


def _called_functions(
    context: RaceContext, condition: PathCondition, frame: Frame, facts: FunctionFacts
) -> list[FunctionFacts]:
    """The functions that a condition calls."""
    called_names = _CALL_NAME.findall(condition.text)[:_MAX_FRAMES]
    return [f for name in called_names if (f := context.find_function(name, frame, facts.receiver))]


def _check_by_call(context: RaceContext, sets: RaceSide, other: RaceSide, names: set[str]) -> CheckedWrite | None:
    """`if l.beats(b) { l.best = b }`: the condition calls a function that uses the variable."""
    here, site = sets.site_facts, sets.site
    if here is None or site is None or sets.locks_held:
        return None
    for condition, guard in _conditions_before(here)[:_MAX_FRAMES]:
        callees = _called_functions(context, condition, site, here)
        if any(names & callee.mentioned_names and not callee.stores for callee in callees):
            return CheckedWrite(sets, other, condition, guard)
    return None


def stores_parameter_or_state(sets: FunctionFacts, condition: str) -> bool:
    """Does a line store a parameter or one of several states, rather than something created?"""
    match = _STORED_VALUE.search(sets.text)
    if match is None or match[1] in _FLAG_VALUES:
        return False
    declaration = sets.declarations.get(match[1].partition(".")[0])
    return not EXISTENCE_TEST.search(condition) if declaration is None else declaration.kind == "parameter"


def find_check_by_call(context: RaceContext) -> CheckedWrite | None:
    """`if r.free() { r.assign(guest) }`: a check that a function makes by a call, or before a call that writes."""
    for sets, other in context.side_pairs if context.has_code and not context.in_same_function else ():
        if not sets.writes or sets.locks_held or other.locks_held:
            continue
        for up, (frame, facts) in enumerate(sets.call_chain[:_MAX_FRAMES]):
            if frame != sets.site and sets.site_facts and _conditions_before(sets.site_facts, errors=True):
                break  # another condition decides
            for at, (where, code) in enumerate(other.call_chain[:_MAX_FRAMES]):
                if code.definition != facts.definition or code.line > facts.line:
                    continue
                if naming.is_test_file(where.file) or (at == 0 and frame == sets.site):
                    continue
                if code.line == facts.line and _callee_at(other, at) == _callee_at(sets, up):
                    continue  # one call leads to both: its result is tested only afterwards
                identifiers = _result_names(other, at, code) if at else {context.variable_name} - {""}
                for condition, guard in _conditions_before(facts, errors=at > 0):
                    if condition.line >= code.line - 1 and _tests_any(condition, identifiers):
                        text = other.site_facts.text if other.site_facts and at else ""
                        # `r.guest == ""` of `func (r *Room) free() bool { return r.guest == "" }`
                        asked = text.rpartition("return")[2].strip(" ;}")
                        return CheckedWrite(sets, other, condition, guard, asked)
    return None


def _callee_at(side: RaceSide, at: int) -> str:
    """The function that a line of the call chain calls; "" for the site itself."""
    return side.call_chain[at - 1][1].function if at else ""


def _result_names(side: RaceSide, at: int, code: FunctionFacts) -> set[str]:
    """The names by which a condition refers to a call: the callee, or its result variables."""
    callee = _callee_at(side, at)
    results = [c.result for c in code.calls if c.name == callee and c.line == code.line]
    return {callee, *(word for r in results for word in re.findall(r"\w{1,80}", r))} - {"_"}


def _conditions_before(facts: FunctionFacts, errors: bool = False) -> list[tuple[PathCondition, bool]]:
    """The conditions under which a line runs, nearest first, and whether each is a guard clause."""
    inside = [(c, False) for c in reversed(facts.conditions)]
    guards = [c for c in reversed(facts.guard_clauses) if errors or not _ERROR_VARIABLE.search(c.text)]
    return inside + [(c, True) for c in guards]


def _tests_any(condition: PathCondition, identifiers: set[str]) -> bool:
    """Is one of these tested itself, not passed to another call: `load(d.where())`?"""
    text = condition.text
    found = [m for w in identifiers for m in re.finditer(rf"\b{re.escape(w)}\b", text)]
    return any(text[m.end() : m.end() + 1] != "(" or not _ARGUMENT_PREFIX.search(text[: m.start()]) for m in found)


def find_existence_check(context: RaceContext) -> CheckedWrite | None:
    """A write without a lock under a check whether it exists; the other side is elsewhere."""
    for sets, other in context.side_pairs if context.has_code else ():
        here = sets.site_facts
        if not sets.writes or here is None or sets.locks_held or other.locks_held or _walks_list(here):
            continue
        # the variable itself, or a flag that the function sets as well; "ip = ip.To4()" stores to a local variable
        stores = {u.path for u in here.stores if u.line >= here.line}
        local_names = {n for n, d in here.declarations.items() if d.kind == "local" and not here.closures}
        stores = {path for path in stores if len(path) > 1 or path[0] not in local_names}
        for condition in reversed(here.conditions):
            text = condition.text.replace("->", ".")
            if _INCREMENT.search(text) or stores_parameter_or_state(here, text):
                continue
            checked_write = CheckedWrite(sets, other, condition)
            if _asks_if_path_absent(text, stores) and not checked_write.is_flag:
                return checked_write
    return None


def _asks_if_path_absent(condition: str, paths: set[tuple[str, ...]]) -> bool:
    """`c.conn == nil`: does a condition ask whether one of these is not set yet?"""
    return bool(_ABSENT_CONDITION.search(condition.strip())) and any(".".join(path) in condition for path in paths)


def existence_check_before_call(context: RaceContext, frame: Frame, names: set[str]) -> PathCondition | None:
    """The check before a call that what the callee fills did not exist."""
    facts = context.function_at(frame)
    for condition in reversed(facts.conditions) if facts else ():
        if asks_if_absent(condition.text) and any(naming.contains_word(condition.text, name) for name in names):
            return condition
    return None


def existence_check_in_maker(context: RaceContext, frame: Frame) -> PathCondition | None:
    """The check, in a function that creates something, that it did not exist."""
    facts = context.function_at(frame)
    if facts is None:
        return None
    stores = {u.path for u in facts.stores if u.line >= facts.line}
    # "t, ok = q.take()": a local variable stores nothing
    stores = {path for path in stores if len(path) > 1 or path[0] not in facts.declarations}
    for condition in reversed(facts.conditions):
        if _asks_if_path_absent(condition.text.replace("->", "."), stores):
            return condition
    for condition in reversed(facts.guard_clauses):
        text = condition.text.replace("->", ".")
        there = _PRESENT_CONDITION.search(text) or _BARE_EXPRESSION.match(text)
        if there and any(".".join(path) in text for path in stores):
            return condition
    return None


_CONTINUING_VERBS: frozenset[str] = naming.GROWING_VERBS | naming.KEYED_STORE_VERBS | naming.ROTATING_VERBS
_LEADING_VERBS: frozenset[str] = naming.LAZY_VERBS | naming.CHANGING_VERBS
_MIN_LINES_TO_LEAVE = 3
MAX_LINES_TO_WRITE = 6  # lines between a check and the dependent write
_MAX_BLOCK_LINES = 3  # at most so many lines between a check and a creation in its block
# "db.(*connPool)"
_POOL_TYPE = re.compile(r"(?<![Ss])[Pp]ool")


def is_in_checked_block(match: CheckedWrite) -> bool:
    """Is the write in the block that the check opens? A guard clause needs three lines."""
    return (match.writer.point.line or 0) - (match.other.point.line or 0) < _MIN_LINES_TO_LEAVE


@once_per_report
def guess_check(context: RaceContext) -> CheckedWrite | None:
    """One function in two actors: one reads, the other writes a few lines below."""
    if not context.in_same_function or context.has_code:
        return None
    for sets, other in context.side_pairs:
        if not sets.writes or not sets.site or not other.site or sets.is_closure:
            continue
        if verb_of(sets.function) in _CONTINUING_VERBS:
            continue  # it reads a position and continues from there
        down = (sets.site.line or 0) - (other.site.line or 0)
        # the return is two lines below the write: `}` is between them
        is_returned = down == -2 or (-MAX_LINES_TO_WRITE <= down < 0 and is_lazy_name(sets.function))
        near = 0 < down <= MAX_LINES_TO_WRITE or is_returned
        if sets.site.file == other.site.file and near and not other.writes:
            return CheckedWrite(sets, other)
    return None


def guess_early_read(context: RaceContext) -> tuple[RaceSide, RaceSide, int] | None:
    """From a Go report alone: a read at function entry, a write far below, and the number of lines between them."""
    if not context.is_go or context.source is not None or not context.in_same_function:
        return None
    if addresses.is_package_variable(context):
        return None  # package variables need too little code for this test
    for reader, maker in context.side_pairs:
        if reader.writes or not maker.writes or maker.is_closure or maker.library_frames or reader.library_frames:
            continue
        first, then = addresses.code_offset(reader), addresses.code_offset(maker)
        down = (maker.point.line or 0) - (reader.point.line or 0)
        if first is None or then is None or not _MAX_BLOCK_LINES < down <= 2 * MAX_LINES_TO_WRITE:
            continue
        if _POOL_TYPE.search(maker.owner) and verb_of(maker.function) in naming.POOL_VERBS:
            continue  # a pool counts its objects
        is_far = first < addresses.MAX_ENTRY_OFFSET and then - first >= addresses.MIN_RECHECK_DISTANCE
        if is_far and not is_changing_name(maker.function):
            return reader, maker, down
    return None


def is_changing_name(name: str) -> bool:
    """Is a function named as if it changed something that exists?"""
    return verb_of(name) in naming.CHANGING_VERBS


@lru_cache(maxsize=1 << 12)
def is_lazy_name(name: str) -> bool:
    """Is a function named as if it created something at first use?"""
    parts = naming.name_words(name)
    return bool(parts) and (verb_of(name) in naming.LAZY_VERBS or "lazy" in parts or "once" in parts)


def verb_of(name: str) -> str:
    """The verb in a function's name: its first word, in C often the last (`ring_put`)."""
    bare = naming.bare_name(name)
    parts = naming.name_words(bare)
    if not parts:
        return ""
    return parts[-1] if "_" in bare and parts[0] not in _LEADING_VERBS else parts[0]


_ONE_SIDED_DETECTORS = (*LOCK_REPORTING_DETECTORS, "drd")  # they often report only one side
_MAX_STORES = 8  # stores to the line's variables that are examined


class OneSidedCheck(NamedTuple):
    """The known side, the condition it checks, and the line that writes what is checked."""

    side: RaceSide
    condition: PathCondition
    write_facts: FunctionFacts  # at the line that writes what is checked
    checks_existence: bool  # the check asks whether the object exists
    second_check: PathCondition | None = None  # the same check, under the lock

    @property
    def condition_sentence(self) -> str:
        return f"`{self.condition.text[:60]}` is checked on line {self.condition.line}"


@once_per_report
def find_one_sided_check(context: RaceContext) -> OneSidedCheck | None:
    """The check and the write in the only function that a report shows."""
    side = context.only_known_side
    if side is None or context.report.detector not in _ONE_SIDED_DETECTORS:
        return None
    here, site = side.site_facts, side.site
    if here is None or site is None or side.access.locks:
        return None
    touched = {u.name for u in here.uses}
    for store in [store for store in here.stores if store.name in touched][:_MAX_STORES]:
        facts = context.function_at(site, store.line)
        if facts is None:
            continue
        conditions = sorted((*facts.guard_clauses, *facts.conditions), key=lambda c: c.line)
        conditions = [c for c in conditions if naming.contains_word(c.text, store.name)]
        lock_line = min((h.line for h in facts.locks_held), default=None)
        again = next((c for c in conditions if lock_line is not None and c.line >= lock_line), None)
        for condition in [c for c in conditions if c.line <= store.line]:
            is_guard = condition in facts.guard_clauses
            pattern = _PRESENT_CONDITION.search if is_guard else asks_if_absent
            if lock_line is None or (again and condition.line < lock_line):
                return OneSidedCheck(side, condition, facts, bool(pattern(condition.text)), again)
    return None
