"""A check without the lock, then again with it.

## What it sees
Two actors in one function: one reads without a lock, the other writes a little further down with one, or in a function
that it called. Go reports list no locks: there the more general causes (`lazy-initialisation`, a missing lock) rank
first.

With source: a check outside of the lock, and the same check again inside of it. The check may be of the variable, of a
flag next to it or a function that both call. The object made under the lock may race too.

## Why it races
The first check reads without order. It may see the pointer before it sees the data that the pointer points to.

## Example
    if s.inst == nil {              // no lock
        s.mu.Lock()
        if s.inst == nil { s.inst = build() }
        s.mu.Unlock()
    }

## Remedy
Use `sync.Once`. Or make the first read an atomic load of an `atomic.Pointer`, and the write an atomic store.

## When it is wrong
These are `partial-lock`: a reader without the lock in another function, a check that is not repeated under the lock,
and a check of another variable of the same name (`if err != nil` before the lock, `if p.err == nil` under it).
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import locks
from deadheat.diagnosis.facts.condition_checks import (
    MAX_LINES_TO_WRITE,
    find_one_sided_check,
    guess_early_read,
    is_changing_name,
    is_shadowed_by_local,
    names_variable,
)
from deadheat.diagnosis.facts.function_names import is_test_file, without_package
from deadheat.diagnosis.finding import CodePoint, Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import EVEN, LIKELY, SURE, Rule, RuleMatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts, PathCondition
    from deadheat.model import Frame

# "if k := i.current; k != nil {", "if (Lexicon* known = shared_) {", "return s.ready && …"
_CHECK = re.compile(r"\b(?:el)?if\b|[!=]=\s*(?:nil|NULL|nullptr)\b")
_MAX_CALLERS, _MAX_CALLEES = 3, 6
# generic functions: two calls of one need not be about the same value
_GENERIC_FUNCTIONS = ("len", "cap", "min", "max", "new", "make", "sizeof", "strlen")
_MIN_LOCKED_LINES = 3  # min. lines from a check to a write under the lock that follows a second check


def _find_double_checked_locking(context: RaceContext) -> RuleMatch | None:
    once = "sync.Once" if context.is_go else "std::call_once or pthread_once"
    change = f"Make {context.variable_label} with {once}, or read it with an atomic load and store it atomically."
    if (one_sided := find_one_sided_check(context)) and one_sided.second_check:
        side, line = one_sided.side, one_sided.second_check.line
        evidence: tuple[Evidence, ...] = (
            side.evidence_at_site(f"{side.action} without the lock; {one_sided.condition_sentence}"),
            side.evidence_at_site(f"and again under it, line {line}; the other side is unknown"),
        )
        return RuleMatch(LIKELY, evidence, change, (side.point,), from_source=True)
    locks_held = locks.locks_of_both_sides(context)
    if locks_held is None:
        return _match_creation_below(context, change) or _match_read_then_far_write(context, change)
    if bool(locks_held[0]) == bool(locks_held[1]):
        return None
    locked, unlocked = context.race_sides if locks_held[0] else context.race_sides[::-1]
    side_locks = locks_held[0] or locks_held[1]
    if all(lock.is_read_lock for lock in side_locks) or not locked.writes or unlocked.writes:
        return None
    evidence = (
        unlocked.evidence_at_site(f"{unlocked.action} without the lock"),
        locked.evidence_at_site(f"{locked.action} under {locks.format_lock_names(side_locks)}"),
    )
    if locked.site_facts is None:
        is_above = _is_read_above_write(unlocked, locked)
        return RuleMatch(LIKELY, evidence, change, (unlocked.point,)) if is_above else None
    repeated_check = _check_on_both_sides(context, unlocked, locked, locked.site_facts)
    if repeated_check is None:
        return None
    return RuleMatch(SURE, (*evidence, repeated_check), change, (unlocked.point,), from_source=True)


def _check_on_both_sides(
    context: RaceContext, unlocked: RaceSide, locked: RaceSide, here: FunctionFacts
) -> Evidence | None:
    """Return the check that is made without the lock and again with it."""
    checks_before, checks_under = _checks_around_lock(context, locked)
    checks = [*checks_before, *checks_under] if checks_under else _flag_checks(here)
    first_line = _first_check_line(unlocked, locked)
    if first_line is not None and [c.line for c in checks] == [first_line]:
        return None  # one check, reached by a caller with the lock and one without
    is_check = first_line is not None or _leads_to_second_check(context, unlocked, locked)
    if checks and is_check and (first_line is not None or checks_before or not checks_under):
        second_check, line = checks[-1], checks[0].line if first_line is None else first_line
        return locked.evidence_at_site(f"`{second_check.text[:60]}` is checked on lines {line} and {second_check.line}")
    return _repeated_check_evidence(context, unlocked, locked)


def _match_creation_below(context: RaceContext, change: str) -> RuleMatch | None:
    """From a Go report alone: a function reads, and a few lines below calls what creates the value."""
    for reader, maker in context.side_pairs if context.is_go else ():
        if reader.writes or not maker.writes or reader.is_closure or maker.library_frames or reader.library_frames:
            continue
        caller = maker.user_frames[1] if len(maker.user_frames) > 1 else None
        if reader.site is None or caller is None or caller.function != reader.site.function:
            continue
        lines_below = (caller.line or 0) - (reader.site.line or 0)
        is_near = _MIN_LOCKED_LINES <= lines_below <= MAX_LINES_TO_WRITE
        if not is_near or is_test_file(caller.file) or is_changing_name(maker.function):
            continue
        sentence = f"`{without_package(reader.function)}` calls it {lines_below} lines below, if the value is missing"
        evidence = (
            reader.evidence_at_site(reader.action),
            Evidence(sentence, point_of(caller)),
            maker.evidence_at_site(f"{maker.action}: a lock and a second check fit between the two"),
        )
        return RuleMatch(EVEN, evidence, change, (reader.point, point_of(caller)))
    return None


def _match_read_then_far_write(context: RaceContext, change: str) -> RuleMatch | None:
    """From a Go report alone: a function reads first and writes far below; a lock fits between."""
    far_write = guess_early_read(context)
    if far_write is None:
        return None
    reader, maker, lines_below = far_write
    evidence = (
        reader.evidence_at_site(f"{reader.action} it first"),
        maker.evidence_at_site(f"{maker.action} {lines_below} lines below: a lock and a second check fit between"),
    )
    return RuleMatch(EVEN, evidence, change, (reader.point, maker.point))


def _leads_to_second_check(context: RaceContext, unlocked: RaceSide, locked: RaceSide) -> bool:
    """Return whether the reader without the lock continues to the code that checks again."""
    if any(locked.enclosing_function(f) == unlocked.function for f in locked.user_frames):
        return True
    makers = {facts.function for _, facts in locked.call_chain[:_MAX_CALLERS]}
    for frame, facts in unlocked.call_chain[:_MAX_CALLERS]:
        called = {c.name for c in facts.calls}
        callees = [callee for n in sorted(called)[:_MAX_CALLEES] if (callee := context.find_function(n, frame))]
        if makers & (called | {c.name for callee in callees for c in callee.calls}):
            return True
    return False


def _repeated_check_evidence(context: RaceContext, unlocked: RaceSide, locked: RaceSide) -> Evidence | None:
    """Match a function that checks without the lock, itself or in a callee, and again with it."""
    for locked_facts in filter(None, map(context.function_at, locked.user_frames[:_MAX_CALLERS])):
        for frame, facts in (
            _code_before_read(context, unlocked, locked_facts.function) if locked_facts.locks_held else ()
        ):
            leading_calls = [c for c in facts.calls if c.name == locked_facts.function]
            is_same_function = (facts.path, facts.first_line) == (locked_facts.path, locked_facts.first_line)
            if not (leading_calls or is_same_function):
                continue
            if flag_checks := _flag_checks(locked_facts):
                sentence = f"`{locked_facts.function}` checks `{flag_checks[0].text[:60]}` without the lock and with it"
                return Evidence(sentence, CodePoint(locked_facts.path, flag_checks[0].line))
            if is_same_function or not leading_calls:
                continue
            # what the function sets, or a check function that both call: `stale()`
            checked_names = {f"{c.name}(" for c in facts.calls if c.name not in _GENERIC_FUNCTIONS}
            checked_names |= {u.name for u in locked_facts.stores}
            checked_names -= {f"{locked_facts.function}("}
            lock_line = min(h.line for h in locked_facts.locks_held)
            facts_before = context.function_at(frame._replace(line=leading_calls[0].line))
            first_check = next(iter(_conditions_on(facts_before, checked_names)), None) if facts_before else None
            common_names = {name for name in checked_names if first_check and names_variable(name, first_check.text)}
            second_check = next((c for c in _conditions_on(locked_facts, common_names) if c.line >= lock_line), None)
            if second_check and first_check:
                sentence = (
                    f"`{first_check.text[:60]}` is checked before `{locked_facts.function}` is called, and again"
                    f" under its lock: `{second_check.text[:60]}`, line {second_check.line}"
                )
                return Evidence(sentence, CodePoint(facts.path, first_check.line))
    return None


def _code_before_read(context: RaceContext, unlocked: RaceSide, maker: str) -> Iterator[tuple[Frame, FunctionFacts]]:
    """Yield the code that led to the unlocked read, and earlier callees of it that call the maker."""
    for frame, facts in unlocked.call_chain[:_MAX_CALLERS]:
        yield frame, facts
        for call in [c for c in facts.calls if c.line <= facts.line][:_MAX_CALLEES]:
            callee = context.find_function(call.name, frame) if call.name != maker else None
            if callee and any(c.name == maker for c in callee.calls):
                file = frame.file[: frame.file.rfind("/") + 1] + callee.path.rpartition("/")[2]
                yield frame._replace(file=file, path=file, function=call.name), callee


def _conditions_on(facts: FunctionFacts, names: set[str]) -> list[PathCondition]:
    conditions = sorted((*facts.guard_clauses, *facts.conditions), key=attrgetter("line"))
    return [c for c in conditions if any(names_variable(n, c.text, n in facts.declarations) for n in names)]


def _is_read_above_write(unlocked: RaceSide, locked: RaceSide) -> bool:
    """Return whether the read is in a function that leads to the write, above the line that does so.

    If another function writes, the read may also be the last line of the function that called it.
    """
    for frame in locked.user_frames:
        if locked.enclosing_function(frame) == unlocked.function != "":
            return frame != locked.site or (unlocked.point.line or 0) < (frame.line or 0)
    return False


def _checks_around_lock(context: RaceContext, locked: RaceSide) -> tuple[list[PathCondition], list[PathCondition]]:
    """Return the conditions on the variable that lead to the write: before the lock, and under it."""
    written = [u for u in locked.site_facts.uses if u.writes] if locked.site_facts else []
    before: set[PathCondition] = set()
    under: set[PathCondition] = set()
    is_locked = False  # an inner function holds the lock
    for facts in filter(None, map(context.function_at, locked.user_frames[:_MAX_CALLERS])):
        conditions = [
            c
            for c in (*facts.guard_clauses, *facts.conditions)
            if any(names_variable(u.name, c.text, is_shadowed_by_local(u, facts)) for u in written)
        ]
        lock_line = min((h.line for h in facts.locks_held), default=0)
        inside = [] if is_locked else [c for c in conditions if c.line >= lock_line]
        under.update(inside)
        before.update(c for c in conditions if c not in inside)
        is_locked = is_locked or bool(facts.locks_held)
    return sorted(before, key=attrgetter("line")), sorted(under, key=attrgetter("line"))


def _flag_checks(here: FunctionFacts) -> list[PathCondition]:
    """Return the checks of a flag next to the variable, one before the lock is taken and one after."""
    if not here.locks_held:
        return []
    conditions = sorted((*here.guard_clauses, *here.conditions), key=attrgetter("line"))
    lock_line = min(h.line for h in here.locks_held)
    checks_before = [c for c in conditions if c.line < lock_line]
    for check in checks_before:
        if repeated := [c for c in conditions if c.line >= lock_line and c.text == check.text]:
            return [check, *repeated]
    for name, is_other_variable in {(u.name, is_shadowed_by_local(u, here)) for u in here.stores}:
        on_name = [c for c in conditions if names_variable(name, c.text, is_other_variable)]
        if on_name and on_name[0].line < lock_line <= on_name[-1].line:
            return on_name
    return []


def _first_check_line(unlocked: RaceSide, locked: RaceSide) -> int | None:
    """Return the line of the unlocked read, if it is a check and its function leads to the write."""
    here = unlocked.site_facts
    if here is None or not _CHECK.search(here.text):
        return None
    called = {c.name for c in here.calls}
    leads = any(locked.enclosing_function(f) == unlocked.function for f in locked.user_frames[:_MAX_CALLERS])
    return here.line if leads or (locked.site_facts and locked.site_facts.function in called) else None


RULE = Rule(
    "double-checked-locking",
    "publication",
    _find_double_checked_locking,
    "sync.Once, or atomic.Pointer",
    "One atomic load per use.",
    general_causes=("partial-lock", "lazy-initialisation"),
    features=rule.Feature.HAS_CODE
    | rule.Feature.REPORTS_LOCKS
    | rule.Feature.READER_CALLED_WRITER
    | rule.Feature.SAME_FUNCTION,
)
