"""Writes that depend on a check: in the code, guessed from a report, or in one-sided reports."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts import addresses
from deadheat.diagnosis.facts.function_names import (
    CHANGING_VERBS,
    GROWING_VERBS,
    KEYED_STORE_VERBS,
    LAZY_VERBS,
    POOL_VERBS,
    ROTATING_VERBS,
    SLEEP_CALLS,
    bare_name,
    is_test_file,
    name_words,
)
from deadheat.diagnosis.facts.locks import LOCK_REPORTING_DETECTORS

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts, PathCondition, VariableUse
    from deadheat.diagnosis.race_side import RaceSide
    from deadheat.model import Frame


def names_variable(name: str, text: str, other: bool = False) -> bool:
    """Does a condition name it? If a local has the same name (`err`), only `p.err` counts."""
    before = r"(?:\.|->)" if other else r"\b"
    after = "" if name.endswith("(") else r"\b"
    return re.search(f"{before}{re.escape(name)}{after}", text) is not None


def is_shadowed_by_local(use: VariableUse, facts: FunctionFacts) -> bool:
    """`p.err = err`: is the bare name a local variable, not the one that is written?"""
    return len(use.path) > 1 and use.name in facts.declarations


# "c.conn == nil", "!s.ready", "len(m) == 0", "p == NULL", "instance == nullptr", "!cache",
# "x.is_none()", "table_.empty()"
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
        if self.writer.site_facts is not None and (
            stores_parameter_or_state(self.writer.site_facts, text) or _walks_list(self.writer.site_facts)
        ):
            return False
        if not self.is_guard or self.asked_expression:
            return (asks_if_absent(text) and not self.is_flag) or self._stores_computed_value(text, _UNSET_CONDITION)
        if asks_if_present(text) or self._stores_computed_value(text, _SET_CONDITION):
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
        word = stored[1] in _FLAG_VALUES or stored[1].isdigit()
        return word and not others and not self._calls_function

    @property
    def _calls_function(self) -> bool:
        """Is a function other than a sleep called under the condition?"""
        here = self.writer.site_facts
        first = self.condition.line if self.condition else 0
        return here is not None and any(
            first < call.line < here.line and call.name not in SLEEP_CALLS for call in here.calls
        )

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


def asks_if_present(condition: str) -> bool:
    """Does a condition ask whether something already exists?"""
    return bool(_PRESENT_CONDITION.search(condition))


def find_check(context: RaceContext) -> CheckedWrite | None:
    """The check that the code shows before the write: its condition names the raced variable."""
    for sets, other in context.side_pairs if context.has_code else ():
        if not sets.writes or sets.site_facts is None or not context.in_same_function:
            continue
        names = {u.name for u in sets.site_facts.uses if u.writes}
        names |= {context.shared_variable.name} if context.shared_variable else set()
        others = {u.name for u in sets.site_facts.uses if u.writes and is_shadowed_by_local(u, sets.site_facts)}
        for condition, guard in _conditions_before(sets.site_facts):
            if any(names_variable(name, condition.text, name in others) for name in names):
                return CheckedWrite(sets, other, condition, guard)
        if match := _check_by_call(context, sets, other, names) or _check_in_caller(context, sets, other):
            return match
    return None


def _check_in_caller(context: RaceContext, sets: RaceSide, other: RaceSide) -> CheckedWrite | None:
    """The check that led both sides to one function: `if !c.visited { c.mark(i) }`."""
    here, call_chain = sets.site_facts, sets.call_chain
    if (
        here is None
        or len(call_chain) < 2
        or sets.locks_held
        or other.locks_held
        or _conditions_before(here, errors=True)
    ):
        return None  # another condition decides
    (frame, caller), names = call_chain[1], {u.name for u in here.uses if u.writes}
    same = [(code.path, code.first_line) for _, code in other.call_chain[1:2]]
    if is_test_file(frame.file) or (caller.path, caller.first_line) not in same:
        return None
    for condition, guard in _conditions_before(caller)[:_MAX_FRAMES]:
        callees = [
            context.find_function(call, frame, caller.receiver)
            for call in _CALL_NAME.findall(condition.text)[:_MAX_FRAMES]
        ]
        if _mentions_any(condition, names) or any(callee and names & callee.mentioned_names for callee in callees):
            return CheckedWrite(sets, other, condition, guard)
    return None


def _check_by_call(context: RaceContext, sets: RaceSide, other: RaceSide, names: set[str]) -> CheckedWrite | None:
    """`if l.beats(b) { l.best = b }`: the condition calls a function that uses the variable."""
    here, site = sets.site_facts, sets.site
    for condition, guard in _conditions_before(here)[:_MAX_FRAMES] if here and site and not sets.locks_held else ():
        for call in _CALL_NAME.findall(condition.text)[:_MAX_FRAMES] if site else ():
            callee = context.find_function(call, site, here.receiver if here else "") if site else None
            if callee and names & callee.mentioned_names and not callee.stores:
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
    """A check that a function makes by a call, or before a call that writes.

    `if r.free() { r.assign(guest) }`: both sides are called by that function.
    """
    name = context.shared_variable.name if context.shared_variable else ""
    for sets, other in context.side_pairs if context.has_code and not context.in_same_function else ():
        if not sets.writes or sets.locks_held or other.locks_held:
            continue
        for up, (frame, facts) in enumerate(sets.call_chain[:_MAX_FRAMES]):
            if frame != sets.site and sets.site_facts and _conditions_before(sets.site_facts, errors=True):
                break  # another condition decides
            for at, (where, code) in enumerate(other.call_chain[:_MAX_FRAMES]):
                if (code.path, code.first_line) != (facts.path, facts.first_line) or code.line > facts.line:
                    continue
                if is_test_file(where.file) or (at == 0 and frame == sets.site):
                    continue
                if code.line == facts.line and _callee_at(other, at) == _callee_at(sets, up):
                    continue  # one call leads to both: its result is tested only afterwards
                identifiers = _result_names(other, at, code) if at else {name} - {""}
                for condition, guard in _conditions_before(facts, errors=at > 0):
                    if condition.line >= code.line - 1 and _tests_any(condition, identifiers):
                        text = other.site_facts.text if other.site_facts and at else ""
                        return CheckedWrite(sets, other, condition, guard, _returned_expression(text))
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
    """The conditions under which a line runs, nearest first, and whether each is a guard clause.

    Error tests count only if they test the result of a check.
    """
    inside = [(c, False) for c in reversed(facts.conditions)]
    guards = [c for c in reversed(facts.guard_clauses) if errors or not _ERROR_VARIABLE.search(c.text)]
    return inside + [(c, True) for c in guards]


def _mentions_any(condition: PathCondition, identifiers: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", condition.text) for word in identifiers)


def _tests_any(condition: PathCondition, identifiers: set[str]) -> bool:
    """Is one of these tested itself, not passed to another call: `load(d.where())`?"""
    text = condition.text
    found = [m for w in identifiers for m in re.finditer(rf"\b{re.escape(w)}\b", text)]
    return any(text[m.end() : m.end() + 1] != "(" or not _ARGUMENT_PREFIX.search(text[: m.start()]) for m in found)


def _returned_expression(text: str) -> str:
    """`r.guest == ""` of `func (r *Room) free() bool { return r.guest == "" }`."""
    return text.rpartition("return")[2].strip(" ;}")


def find_existence_check(context: RaceContext) -> CheckedWrite | None:
    """A write without a lock under a check whether it exists; the other side is elsewhere."""
    for sets, other in context.side_pairs if context.has_code else ():
        if not sets.writes or sets.site_facts is None or sets.locks_held or other.locks_held:
            continue
        # the variable itself, or a flag that the function sets as well
        stores = {u.path for u in sets.site_facts.stores if u.line == sets.site_facts.line}
        stores |= {u.path for u in sets.site_facts.stores if u.line > sets.site_facts.line}
        # "ip = ip.To4()": a local variable stores nothing
        stores = {p for p in stores if len(p) > 1 or not _is_function_local(p[0], sets.site_facts)}
        for condition in reversed(sets.site_facts.conditions):
            text = condition.text.replace("->", ".")
            if _INCREMENT.search(text):
                continue
            if stores_parameter_or_state(sets.site_facts, text) or _walks_list(sets.site_facts):
                continue
            checked_write = CheckedWrite(sets, other, condition)
            if checked_write.is_flag or not any(".".join(path) in text for path in stores):
                continue
            if _ABSENT_CONDITION.search(text.strip()):
                return checked_write
    return None


def _is_function_local(name: str, here: FunctionFacts) -> bool:
    """Is it a local of the function around a line, outside of closures?"""
    declaration = here.declarations.get(name)
    return declaration is not None and declaration.kind == "local" and not here.closures


def existence_check_before_call(context: RaceContext, frame: Frame, names: set[str]) -> PathCondition | None:
    """The check before a call that what the callee fills did not exist."""
    facts = context.function_at(frame)
    for condition in reversed(facts.conditions) if facts else ():
        if asks_if_absent(condition.text) and any(
            re.search(rf"\b{re.escape(name)}\b", condition.text) for name in names
        ):
            return condition
    return None


def existence_check_in_maker(context: RaceContext, frame: Frame) -> PathCondition | None:
    """The check, in a function that creates something, that it did not exist."""
    facts = context.function_at(frame)
    stores = {u.path for u in facts.stores if u.line >= facts.line} if facts else set()
    # "t, ok = q.take()": a local variable stores nothing
    stores = {p for p in stores if len(p) > 1 or (facts and p[0] not in facts.declarations)}
    for condition in reversed(facts.conditions) if facts else ():
        text = condition.text.replace("->", ".")
        if any(".".join(path) in text for path in stores) and _ABSENT_CONDITION.search(text.strip()):
            return condition
    for condition in reversed(facts.guard_clauses) if facts else ():
        text = condition.text.replace("->", ".")
        there = _PRESENT_CONDITION.search(text) or _BARE_EXPRESSION.match(text)
        if there and any(".".join(path) in text for path in stores):
            return condition
    return None


_CONTINUING_VERBS: frozenset[str] = GROWING_VERBS | KEYED_STORE_VERBS | ROTATING_VERBS
_LEADING_VERBS: frozenset[str] = LAZY_VERBS | CHANGING_VERBS
_MIN_LINES_TO_LEAVE = 3
MAX_LINES_TO_WRITE = 6  # lines between a check and the dependent write
_MAX_BLOCK_LINES = 3  # at most so many lines between a check and a creation in its block
# "db.(*connPool)"
_POOL_TYPE = re.compile(r"(?<![Ss])[Pp]ool")


def is_in_checked_block(match: CheckedWrite) -> bool:
    """Is the write in the block that the check opens? A guard clause needs three lines."""
    return (match.writer.point.line or 0) - (match.other.point.line or 0) < _MIN_LINES_TO_LEAVE


def guess_check(context: RaceContext) -> CheckedWrite | None:
    """One function in two actors: one reads, the other writes a few lines below."""
    if CheckedWrite not in context.cache:
        context.cache[CheckedWrite] = _guess_check(context)
    match: CheckedWrite | None = context.cache[CheckedWrite]
    return match


def _guess_check(context: RaceContext) -> CheckedWrite | None:
    if not context.in_same_function or context.has_code:
        return None
    for sets, other in context.side_pairs:
        if not sets.writes or not sets.site or not other.site or sets.is_closure:
            continue
        if verb_of(sets.function) in _CONTINUING_VERBS:
            continue  # it reads a position and continues from there
        down = (sets.site.line or 0) - (other.site.line or 0)
        # the return is two lines below the write: `}` is between them
        near = (
            0 < down <= MAX_LINES_TO_WRITE
            or down == -2
            or (-MAX_LINES_TO_WRITE <= down < 0 and is_lazy_name(sets.function))
        )
        if sets.site.file == other.site.file and near and not other.writes:
            return CheckedWrite(sets, other)
    return None


def guess_early_read(context: RaceContext) -> tuple[RaceSide, RaceSide, int] | None:
    """From a Go report alone: a read at function entry and a write far below, with code in between.

    Returns reader, writer and the lines between. Something is created between the two; whether under a
    lock, after a second check, is not visible. A mere change of an existing value needs less code.
    """
    if not context.is_go or context.source is not None or not context.in_same_function:
        return None
    if addresses.is_package_variable(context):
        return None  # package variables need too little code for this test
    for reader, maker in context.side_pairs:
        if reader.writes or not maker.writes or maker.is_closure or maker.library_frames or reader.library_frames:
            continue
        first, then = addresses.code_offset(reader), addresses.code_offset(maker)
        down = (maker.point.line or 0) - (reader.point.line or 0)
        if (
            first is None
            or then is None
            or not _MAX_BLOCK_LINES < down <= 2 * MAX_LINES_TO_WRITE
            or _is_pool_method(maker)
        ):
            continue
        if (
            first < addresses.MAX_ENTRY_OFFSET
            and then - first >= addresses.MIN_RECHECK_DISTANCE
            and not is_changing_name(maker.function)
        ):
            return reader, maker, down
    return None


def _is_pool_method(side: RaceSide) -> bool:
    """Is it a method of a pool? Then it counts its objects."""
    return bool(_POOL_TYPE.search(side.owner) and verb_of(side.function) in POOL_VERBS)


def is_changing_name(name: str) -> bool:
    """Is a function named as if it changed something that exists?"""
    return verb_of(name) in CHANGING_VERBS


@lru_cache(maxsize=1 << 12)
def is_lazy_name(name: str) -> bool:
    """Is a function named as if it created something at first use?"""
    parts = name_words(name)
    return bool(parts) and (verb_of(name) in LAZY_VERBS or "lazy" in parts or "once" in parts)


def verb_of(name: str) -> str:
    """The verb in a function's name: its first word, in C often the last (`ring_put`)."""
    bare = bare_name(name)
    parts = name_words(bare)
    if not parts:
        return ""
    return parts[-1] if "_" in bare and parts[0] not in _LEADING_VERBS else parts[0]


# detectors that often report only one side
_ONE_SIDED_DETECTORS = (*LOCK_REPORTING_DETECTORS, "drd")
# stores to the line's variables that are examined
_MAX_STORES = 8


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


def find_one_sided_check(context: RaceContext) -> OneSidedCheck | None:
    """The check and the write in the only function that a report shows."""
    if "lone" not in context.cache:
        context.cache["lone"] = _find_one_sided_check(context)
    match: OneSidedCheck | None = context.cache["lone"]
    return match


def _find_one_sided_check(context: RaceContext) -> OneSidedCheck | None:
    known_sides = [side for side in context.race_sides if side.site]
    if len(known_sides) != 1 or context.report.detector not in _ONE_SIDED_DETECTORS:
        return None
    side = known_sides[0]
    here, site = side.site_facts, side.site
    if here is None or site is None or side.access.locks:
        return None
    touched = {u.name for u in here.uses}
    for store in [store for store in here.stores if store.name in touched][:_MAX_STORES]:
        write_facts = context.function_at(site._replace(line=store.line))
        pattern = re.compile(rf"\b{re.escape(store.name)}\b")
        for condition in _sorted_conditions(write_facts) if write_facts else ():
            guard = write_facts is not None and condition in write_facts.guard_clauses
            if write_facts is None or not pattern.search(condition.text) or condition.line > store.line:
                continue
            absent = asks_if_present(condition.text) if guard else asks_if_absent(condition.text)
            lock_line = min((h.line for h in write_facts.locks_held), default=0)
            if not write_facts.locks_held:
                return OneSidedCheck(side, condition, write_facts, absent)
            again = [c for c in _sorted_conditions(write_facts) if c.line >= lock_line and pattern.search(c.text)]
            if condition.line < lock_line and again:
                return OneSidedCheck(side, condition, write_facts, absent, again[0])
    return None


def _sorted_conditions(facts: FunctionFacts) -> list[PathCondition]:
    return sorted((*facts.guard_clauses, *facts.conditions), key=lambda c: c.line)
